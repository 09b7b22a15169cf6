//! System calls that rustix does not offer, or only as `unsafe`: byte-range locks, a close that reports errors, and
//! mappings of a part of a file.

use rustix::{
    io::Errno,
    mm::{self, Advice, MapFlags, MsyncFlags, ProtFlags},
};
use std::{
    io,
    os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd},
    ptr::NonNull,
};

/// Longest mapping that is made, bytes.
const MOST_MAPPED: u64 = 1 << 40;
/// Bytes of a page, by which parts of a mapping are counted.
const PAGE: u64 = crate::map::PAGE_BYTES;

/// A kind of record lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordLock {
    /// `F_RDLCK`.
    Read,
    /// `F_WRLCK`.
    Write,
    /// `F_UNLCK`.
    Unlock,
}

/// Sets a record lock of the process on `len` bytes from `offset` of the file; 0 is to its end. Never waits.
///
/// # Errors
/// Another process has a conflicting lock, or the range cannot be.
pub fn record_lock(
    file: BorrowedFd<'_>,
    lock: RecordLock,
    offset: u64,
    len: u64,
) -> Result<(), Errno> {
    let kind = match lock {
        RecordLock::Read => libc::F_RDLCK,
        RecordLock::Write => libc::F_WRLCK,
        RecordLock::Unlock => libc::F_UNLCK,
    };
    let lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: i64::try_from(offset).map_err(|_| Errno::INVAL)?,
        l_len: i64::try_from(len).map_err(|_| Errno::INVAL)?,
        l_pid: 0,
    };
    // SAFETY: the descriptor is open as long as it is borrowed, and the kernel only reads the lock.
    result(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &lock) })
}

/// Closes `file`, and says what the kernel says.
///
/// # Errors
/// What the file system reports at the last moment, e.g. that written data was lost.
pub fn close(file: OwnedFd) -> Result<(), Errno> {
    // SAFETY: the descriptor was owned, and nothing has it after this.
    result(unsafe { libc::close(file.into_raw_fd()) })
}

/// `sync_file_range` with these flags.
///
/// # Errors
/// What the file system reports, or the range cannot be.
pub fn sync_range(file: BorrowedFd<'_>, offset: u64, len: u64, flags: u32) -> Result<(), Errno> {
    let offset = i64::try_from(offset).map_err(|_| Errno::INVAL)?;
    let len = i64::try_from(len).map_err(|_| Errno::INVAL)?;
    // SAFETY: the descriptor is open as long as it is borrowed, and no memory is handed over.
    result(unsafe { libc::sync_file_range(file.as_raw_fd(), offset, len, flags) })
}

/// `readahead` of a range.
///
/// # Errors
/// The file is none that can be read ahead.
pub fn read_ahead(file: BorrowedFd<'_>, offset: u64, len: u64) -> Result<(), Errno> {
    let offset = i64::try_from(offset).map_err(|_| Errno::INVAL)?;
    // SAFETY: the descriptor is open as long as it is borrowed, and no memory is handed over.
    let returned = unsafe { libc::readahead(file.as_raw_fd(), offset, len as usize) };
    result(returned as libc::c_int)
}

fn result(returned: libc::c_int) -> Result<(), Errno> {
    match returned {
        -1 => Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)),
        _ => Ok(()),
    }
}

/// How a part of a file is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapAs {
    /// Whether stores are allowed.
    pub write: bool,
    /// Whether stores reach the file.
    pub shared: bool,
    /// Whether all of it is brought in at once.
    pub populate: bool,
}

/// A mapped part of a file, of which no byte is ever handed out: pages are brought in by the kernel, which answers
/// with an error where the file ends before, and does not kill the process.
#[derive(Debug)]
pub struct Mapped {
    address: NonNull<u8>,
    len: usize,
}

// SAFETY: it is memory of the process, not of a thread, and is unmapped once.
unsafe impl Send for Mapped {}
// SAFETY: a shared reference gives advice and syncs alone, which the kernel orders.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Maps `len` bytes of `file` from `offset`.
    ///
    /// # Errors
    /// The file cannot be mapped so, or the part is empty or longer than a TiB.
    pub fn new(file: BorrowedFd<'_>, offset: u64, len: u64, how: MapAs) -> Result<Mapped, Errno> {
        if len == 0 || len > MOST_MAPPED {
            return Err(Errno::INVAL);
        }
        let mut prot = ProtFlags::READ;
        prot.set(ProtFlags::WRITE, how.write);
        let mut flags = if how.shared { MapFlags::SHARED } else { MapFlags::PRIVATE };
        flags.set(MapFlags::POPULATE, how.populate);
        flags.set(MapFlags::NORESERVE, true);
        let len = len as usize;
        // SAFETY: the kernel chooses an unused address, so no other object of the program is replaced.
        let address = unsafe { mm::mmap(std::ptr::null_mut(), len, prot, flags, file, offset)? };
        let address = NonNull::new(address.cast()).ok_or(Errno::NOMEM)?;
        Ok(Mapped { address, len })
    }

    /// The address and length of `len` bytes from the page of `offset`, not beyond the end.
    fn part(&self, offset: u64, len: u64) -> Result<(*mut std::ffi::c_void, usize), Errno> {
        let from = usize::try_from(offset / PAGE * PAGE).map_err(|_| Errno::INVAL)?;
        if from >= self.len {
            return Err(Errno::INVAL);
        }
        let len = usize::try_from(len).unwrap_or(usize::MAX).min(self.len - from);
        // SAFETY: `from` is below the length of the mapping.
        Ok((unsafe { self.address.as_ptr().add(from) }.cast(), len))
    }

    /// Brings in `pages` pages from the byte `offset` on, as loads of them would, or as stores.
    ///
    /// # Errors
    /// The file ends before, the mapping is not writable, or the kernel is older than 5.14.
    pub fn touch(&self, offset: u64, pages: u64, write: bool) -> Result<(), Errno> {
        let (address, len) = self.part(offset, pages.saturating_mul(PAGE).max(1))?;
        let advice = if write { Advice::LinuxPopulateWrite } else { Advice::LinuxPopulateRead };
        // SAFETY: the range lies in this mapping, and populating it changes no content.
        unsafe { mm::madvise(address, len, advice) }
    }

    /// `msync` of `len` bytes from `offset`; waits for the disk if `wait`.
    ///
    /// # Errors
    /// What the file system reports.
    pub fn sync(&self, offset: u64, len: u64, wait: bool) -> Result<(), Errno> {
        let (address, len) = self.part(offset, len)?;
        let flags = if wait { MsyncFlags::SYNC } else { MsyncFlags::ASYNC };
        // SAFETY: the range lies in this mapping, and syncing it changes no content.
        unsafe { mm::msync(address, len, flags) }
    }

    /// `madvise` by its number, if it is one of those that change no content: normal, random, sequential, will need.
    ///
    /// # Errors
    /// It is another one, or the kernel refuses it.
    pub fn advise(&self, offset: u64, len: u64, advice: u32) -> Result<(), Errno> {
        let advice = match advice {
            0 => Advice::Normal,
            1 => Advice::Random,
            2 => Advice::Sequential,
            3 => Advice::WillNeed,
            _ => return Err(Errno::OPNOTSUPP),
        };
        let (address, len) = self.part(offset, len)?;
        // SAFETY: the range lies in this mapping, and the advice changes no content.
        unsafe { mm::madvise(address, len, advice) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: address and length are those of a mapping that this value alone owns.
        let _ = unsafe { mm::munmap(self.address.as_ptr().cast(), self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, os::fd::AsFd};

    const SHARED: MapAs = MapAs { write: true, shared: true, populate: false };

    fn file(bytes: u64) -> (tempfile::TempDir, File) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let file = File::options().read(true).write(true).create_new(true).open(path).unwrap();
        file.set_len(bytes).unwrap();
        (dir, file)
    }

    #[test]
    fn page_behind_the_end_of_the_file_is_an_error_and_no_signal() {
        let (_dir, file) = file(3 * PAGE);
        let mapped = Mapped::new(file.as_fd(), 0, 3 * PAGE, SHARED).unwrap();
        match mapped.touch(0, 3, true) {
            Err(Errno::INVAL) => return, // A kernel older than 5.14.
            touched => touched.unwrap(),
        }
        mapped.sync(0, u64::MAX, true).unwrap();
        mapped.advise(PAGE, PAGE, 3).unwrap();
        assert_eq!(mapped.advise(0, PAGE, 4), Err(Errno::OPNOTSUPP));
        assert_eq!(mapped.touch(3 * PAGE, 1, false), Err(Errno::INVAL));
        file.set_len(PAGE).unwrap();
        assert_eq!(mapped.touch(PAGE, 2, false), Err(Errno::FAULT));
    }

    #[test]
    fn mapping_that_cannot_be_is_refused() {
        let (_dir, file) = file(PAGE);
        for (offset, len) in [(0, 0), (0, u64::MAX), (1, PAGE)] {
            assert!(Mapped::new(file.as_fd(), offset, len, SHARED).is_err(), "{offset} {len}");
        }
    }

    #[test]
    fn lock_is_taken_and_given_back_and_a_close_answers() {
        let (_dir, file) = file(PAGE);
        for lock in [RecordLock::Write, RecordLock::Read, RecordLock::Unlock] {
            record_lock(file.as_fd(), lock, 1 << 30, 10).unwrap();
        }
        assert_eq!(record_lock(file.as_fd(), RecordLock::Read, u64::MAX, 1), Err(Errno::INVAL));
        read_ahead(file.as_fd(), 0, PAGE).unwrap();
        sync_range(file.as_fd(), 0, PAGE, libc::SYNC_FILE_RANGE_WRITE).unwrap();
        assert_eq!(sync_range(file.as_fd(), 0, PAGE, 1 << 20), Err(Errno::INVAL));
        close(file.into()).unwrap();
    }
}

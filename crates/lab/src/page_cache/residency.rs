//! Measures how much of a set of files is in the page cache, by cachestat or mincore. This proves that a cache is cold
//! or hot.

use super::stored;
use crate::error::LabError;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::{fs::File, io, ops::AddAssign, os::fd::AsRawFd, path::PathBuf, ptr};

/// System call number of cachestat(2), Linux 6.5; the same on every architecture.
const SYS_CACHESTAT: libc::c_long = 451;

/// Pages of files, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residency {
    /// In the page cache.
    pub resident_bytes: u64,
    /// All, in whole pages.
    pub total_bytes: u64,
    /// Bytes that these hold on their devices, which may be fewer: compressed, or with holes.
    pub stored_bytes: u64,
}

impl Residency {
    /// Resident share, 0 to 1; `None` for no pages.
    pub fn share(self) -> Option<f64> {
        (self.total_bytes > 0).then(|| self.resident_bytes as f64 / self.total_bytes as f64)
    }

    /// Returns what `bytes` of the files hold on their devices, where all are alike.
    pub fn stored(self, bytes: u64) -> u64 {
        let share = self.stored_bytes as f64 / self.total_bytes.max(1) as f64;
        if self.total_bytes > 0 { (bytes as f64 * share) as u64 } else { bytes }
    }
}

impl AddAssign for Residency {
    fn add_assign(&mut self, other: Residency) {
        self.resident_bytes += other.resident_bytes;
        self.total_bytes += other.total_bytes;
        self.stored_bytes += other.stored_bytes;
    }
}

/// The residency of `files` together. Uses cachestat(2), and mincore(2) on kernels before 6.5,
/// which tells the truth only of files that the caller owns or may write.
///
/// # Errors
/// A file cannot be opened or mapped.
pub fn residency(files: &[PathBuf]) -> Result<Residency, LabError> {
    let mut sum = Residency::default();
    for path in files {
        let of = File::open(path).and_then(|file| of_open(&file));
        sum += of.map_err(LabError::io("find the residency of", path))?;
    }
    Ok(sum)
}

/// Returns true if the kernel has cachestat(2).
pub(crate) fn has_cachestat() -> bool {
    let own = File::open("/proc/self/exe");
    own.is_ok_and(|file| cachestat(&file).is_ok())
}

/// Like [`residency`], for one file that is open for reading.
pub(crate) fn of_open(file: &File) -> io::Result<Residency> {
    let page = rustix::param::page_size() as u64;
    let pages = file.metadata()?.len().div_ceil(page);
    if pages == 0 {
        return Ok(Residency::default());
    }
    let resident = match cachestat(file) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => mincore(file, pages, page),
        result => result,
    }?;
    Ok(Residency {
        resident_bytes: resident.min(pages) * page,
        total_bytes: pages * page,
        stored_bytes: stored::bytes(file, pages * page)?,
    })
}

#[repr(C)]
#[derive(Default)]
struct CachestatRange {
    offset: u64,
    /// 0 means to the end of the file.
    len: u64,
}

#[repr(C)]
#[derive(Default)]
struct Cachestat {
    cache: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// Resident pages of the whole file.
fn cachestat(file: &File) -> io::Result<u64> {
    let range = CachestatRange::default();
    let mut stat = Cachestat::default();
    // SAFETY: both pointers are to live, properly laid out structures of this frame, and the kernel
    // keeps neither; on a kernel without the call it returns ENOSYS and touches nothing.
    let result = unsafe {
        libc::syscall(
            SYS_CACHESTAT,
            file.as_raw_fd(),
            ptr::from_ref(&range),
            ptr::from_mut(&mut stat),
            0 as libc::c_uint,
        )
    };
    if result == 0 { Ok(stat.cache) } else { Err(io::Error::last_os_error()) }
}

/// Resident pages of the first `pages` pages.
fn mincore(file: &File, pages: u64, page: u64) -> io::Result<u64> {
    let len = (pages * page) as usize;
    let mut resident = vec![0u8; pages as usize];
    // SAFETY: the mapping is new, is never read or written (so a shrinking file cannot fault), and
    // is unmapped before this returns; the vector holds a byte for each of its pages.
    let result = unsafe {
        let map = mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::SHARED, file, 0)?;
        let result = libc::mincore(map, len, resident.as_mut_ptr());
        let error = io::Error::last_os_error();
        munmap(map, len)?;
        if result == 0 { Ok(()) } else { Err(error) }
    };
    result.map(|()| resident.iter().filter(|byte| *byte & 1 == 1).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{Advice, fadvise};
    use std::fs;

    const LEN: u64 = (1 << 20) + 100;

    fn both(file: &File) -> (u64, u64) {
        let page = rustix::param::page_size() as u64;
        let by_mincore = mincore(file, LEN.div_ceil(page), page).unwrap();
        (cachestat(file).unwrap_or(by_mincore), by_mincore)
    }

    #[test]
    fn both_ways_agree_on_a_hot_and_on_a_dropped_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, vec![7u8; LEN as usize]).unwrap();
        let pages = LEN.div_ceil(rustix::param::page_size() as u64);
        let file = File::open(&path).unwrap();
        assert_eq!(both(&file), (pages, pages));
        assert_eq!(residency(std::slice::from_ref(&path)).unwrap().share(), Some(1.0));

        file.sync_all().unwrap();
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        if disk::Device::under(&path).unwrap().is_none() {
            let why = format!("{} is in memory", path.display());
            return needs::skip(needs::Need::Other, why);
        }
        assert_eq!(both(&file), (0, 0));
        assert_eq!(residency(&[path]).unwrap().resident_bytes, 0);
    }

    #[test]
    fn nothing_is_not_resident() {
        assert_eq!(residency(&[]).unwrap().share(), None);
        assert_eq!(Residency::default().stored(4096), 4096);
        assert!(residency(&["/no/such/file".into()]).is_err());
    }
}

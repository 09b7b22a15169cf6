//! Files in memory: mappings for reading and for stores in place.
//!
//! A mapped file can change under a program, so nothing here hands out a slice: every access copies
//! through a pointer, inside bounds that were checked. A process that truncates a file while it is mapped
//! kills the reader with SIGBUS; a worker maps only files of its own directory.

use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::{fs::File, io, ops::Range, ptr::NonNull};

/// Bytes that one touch brings in.
pub const PAGE_BYTES: u64 = 4096;

/// What msync begins at a multiple of, bytes: a page of every kernel.
const SYNC_BYTES: u64 = 64 << 10;

/// Whether a read-only mapping shares its pages with other mappings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// `MAP_PRIVATE`: works on every file system.
    Private,
    /// `MAP_SHARED`: some FUSE file systems refuse it.
    Shared,
}

/// A mapped range that is unmapped on drop.
#[derive(Debug)]
struct Region {
    address: NonNull<u8>,
    len: usize,
}

// SAFETY: the region is memory of the process, not of a thread, and is unmapped once, on drop.
unsafe impl Send for Region {}
// SAFETY: a shared reference gives loads through a pointer and advice alone; every store takes `&mut WriteMap`, so
// that no thread of this process loads what another is storing.
unsafe impl Sync for Region {}

impl Region {
    fn new(file: &File, len: u64, prot: ProtFlags, flags: MapFlags) -> io::Result<Region> {
        let len = usize::try_from(len).map_err(|_| invalid("larger than the address space"))?;
        if len == 0 {
            return Err(invalid("an empty file cannot be mapped"));
        }
        // SAFETY: the kernel chooses an unused address, so no other object of the program is replaced.
        let address = unsafe { mm::mmap(std::ptr::null_mut(), len, prot, flags, file, 0)? };
        let address = NonNull::new(address.cast()).ok_or_else(|| invalid("mapped at zero"))?;
        Ok(Region { address, len })
    }

    fn check(&self, from: u64, len: u64) -> io::Result<usize> {
        match from.checked_add(len) {
            Some(end) if end <= self.len as u64 => Ok(from as usize),
            _ => Err(invalid("outside the mapped file")),
        }
    }

    fn advise(&self, advice: Advice) -> io::Result<()> {
        // SAFETY: the range is this mapping, and no advice that is given here changes what it holds.
        unsafe { mm::madvise(self.address.as_ptr().cast(), self.len, advice)? };
        Ok(())
    }

    #[inline]
    fn read(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let from = self.check(at, out.len() as u64)?;
        // SAFETY: the source lies in the mapping, and `out` is exclusively borrowed memory of the
        // program, which no mapping of a file overlaps.
        unsafe {
            self.address.as_ptr().add(from).copy_to_nonoverlapping(out.as_mut_ptr(), out.len());
        }
        Ok(())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: address and length are those of a mapping that this value alone owns. A failure
        // would leave the mapping, which is harmless.
        let _ = unsafe { mm::munmap(self.address.as_ptr().cast(), self.len) };
    }
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// A file mapped for reading.
#[derive(Debug)]
pub struct ReadMap(Region);

impl ReadMap {
    /// Maps the first `len` bytes of `file`; with `populate` the kernel faults them all in at once.
    pub fn new(file: &File, len: u64, sharing: Sharing, populate: bool) -> io::Result<ReadMap> {
        let mut flags = match sharing {
            Sharing::Private => MapFlags::PRIVATE,
            Sharing::Shared => MapFlags::SHARED,
        };
        flags.set(MapFlags::POPULATE, populate);
        Region::new(file, len, ProtFlags::READ, flags).map(ReadMap)
    }

    /// Length in bytes; never 0.
    pub fn len_bytes(&self) -> u64 {
        self.0.len as u64
    }

    /// `madvise(MADV_WILLNEED)` on all of it.
    pub fn will_need(&self) -> io::Result<()> {
        self.0.advise(Advice::WillNeed)
    }

    /// `madvise(MADV_SEQUENTIAL)` on all of it.
    pub fn sequential(&self) -> io::Result<()> {
        self.0.advise(Advice::Sequential)
    }

    /// `madvise` on all of it; `advice` is one that changes no content.
    pub(crate) fn advise(&self, advice: Advice) -> io::Result<()> {
        self.0.advise(advice)
    }

    /// Loads one byte of every page of `range`, in order; gives their exclusive or.
    pub fn touch(&self, range: Range<u64>) -> io::Result<u8> {
        self.0.check(range.start, range.end.saturating_sub(range.start))?;
        let mut seen = 0;
        for at in range.step_by(PAGE_BYTES as usize) {
            // SAFETY: `at` is below the end of the range, which lies in the mapping.
            seen ^= unsafe { self.0.address.as_ptr().add(at as usize).read_volatile() };
        }
        Ok(seen)
    }

    /// Copies the bytes from `at` on into `out`.
    #[inline]
    pub fn read(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(at, out)
    }

    /// The word at byte `at`.
    pub fn word(&self, at: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.read(at, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// Replaces `out` by the elements `indices` of the vector of words that starts at byte `base`.
    pub fn gather(&self, base: u64, indices: &[u64], out: &mut Vec<u64>) -> io::Result<()> {
        self.0.check(base, 0)?;
        let words = (self.0.len as u64 - base) / 8;
        // SAFETY: `base` lies in the mapping or just behind it.
        let first = unsafe { self.0.address.as_ptr().add(base as usize) }.cast::<u64>();
        out.clear();
        for &index in indices {
            if index >= words {
                return Err(invalid("outside the mapped file"));
            }
            // SAFETY: `index` is below the number of whole words behind `base`.
            out.push(unsafe { first.add(index as usize).read_unaligned() });
        }
        Ok(())
    }

    /// The largest of `count` signed words from byte `at` on; `i64::MIN` of none.
    pub fn max(&self, at: u64, count: u64) -> io::Result<i64> {
        let bytes = count.checked_mul(8).ok_or_else(|| invalid("outside the mapped file"))?;
        let from = self.0.check(at, bytes)?;
        // SAFETY: `from` lies in the mapping or just behind it.
        let first = unsafe { self.0.address.as_ptr().add(from) }.cast::<i64>();
        let mut largest = i64::MIN;
        for i in 0..count as usize {
            // SAFETY: `i` is below `count`, and that many words lie in the mapping.
            largest = largest.max(unsafe { first.add(i).read_unaligned() });
        }
        Ok(largest)
    }
}

/// A file mapped shared for stores in place.
#[derive(Debug)]
pub struct WriteMap(Region);

impl WriteMap {
    /// Maps the first `len` bytes of `file`, which is open for reading and writing.
    pub fn new(file: &File, len: u64) -> io::Result<WriteMap> {
        let prot = ProtFlags::READ | ProtFlags::WRITE;
        Region::new(file, len, prot, MapFlags::SHARED).map(WriteMap)
    }

    /// Stores `value` at byte `at`, a multiple of 8.
    #[inline]
    pub fn store_u64(&mut self, at: u64, value: u64) -> io::Result<()> {
        let from = self.0.check(at, 8)?;
        if !from.is_multiple_of(8) {
            return Err(invalid("a store must be aligned to 8 bytes"));
        }
        // SAFETY: the eight bytes lie in the mapping, which is writable and starts at a page, so the
        // address is aligned.
        unsafe { self.0.address.as_ptr().add(from).cast::<u64>().write_volatile(value) };
        Ok(())
    }

    /// Copies the bytes from `at` on into `out`.
    #[inline]
    pub(crate) fn read(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(at, out)
    }

    /// Writes back what was stored in `range` (`msync`), from the page on in which it begins.
    ///
    /// # Errors
    /// The range is not within the mapping, or the file system could not.
    pub fn sync(&self, range: Range<u64>) -> io::Result<()> {
        let from = range.start / SYNC_BYTES * SYNC_BYTES;
        let bytes =
            range.end.checked_sub(from).ok_or_else(|| invalid("a range from back to front"))?;
        let first = self.0.check(from, bytes)?;
        // SAFETY: the range lies in the mapping, and nothing of it changes in memory.
        unsafe {
            let start = self.0.address.as_ptr().add(first);
            mm::msync(start.cast(), bytes as usize, mm::MsyncFlags::SYNC)?;
        }
        Ok(())
    }

    /// Copies `bytes` to byte `at` on.
    ///
    /// # Errors
    /// They are not within the mapping.
    #[inline]
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let to = self.0.check(at, bytes.len() as u64)?;
        // SAFETY: the destination lies in the mapping, which is writable, and no mapping of a file
        // overlaps memory that the program borrowed.
        unsafe {
            self.0.address.as_ptr().add(to).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len())
        };
        Ok(())
    }

    /// `madvise` on all of it; `advice` is one that changes no content.
    pub(crate) fn advise(&self, advice: Advice) -> io::Result<()> {
        self.0.advise(advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::OpenOptions, io::Write};

    fn file_of(words: &[u64]) -> (tempfile::TempDir, File) {
        let dir = tempfile::tempdir().unwrap();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(dir.path().join("words"))
            .unwrap();
        file.write_all(crate::data::bytes_of(words)).unwrap();
        (dir, file)
    }

    #[test]
    fn what_is_mapped_is_what_was_written() {
        let words: Vec<u64> = (0..2000).map(|i| i * 3).collect();
        let (_dir, file) = file_of(&words);
        for (sharing, populate) in [(Sharing::Private, false), (Sharing::Shared, true)] {
            let map = ReadMap::new(&file, 16_000, sharing, populate).unwrap();
            map.will_need().unwrap();
            map.sequential().unwrap();
            assert_eq!(map.word(8 * 1999).unwrap(), 5997);
            assert_eq!(map.max(16, 100).unwrap(), 303);
            let mut out = Vec::new();
            map.gather(16, &[0, 5, 1997], &mut out).unwrap();
            assert_eq!(out, [6, 21, 5997]);
            let pages = [0, 512, 1024, 1536].map(|i| words[i].to_ne_bytes()[0]);
            assert_eq!(map.touch(0..16_000).unwrap(), pages.iter().fold(0, |x, b| x ^ b));
        }
    }

    #[test]
    fn nothing_outside_the_file_is_reached() {
        let (_dir, file) = file_of(&[1, 2, 3]);
        let map = ReadMap::new(&file, 24, Sharing::Private, false).unwrap();
        assert!(map.word(17).is_err());
        assert!(map.word(u64::MAX).is_err());
        assert!(map.touch(0..25).is_err());
        assert!(map.max(16, 2).is_err());
        assert!(map.max(0, u64::MAX).is_err());
        assert!(map.gather(16, &[1], &mut Vec::new()).is_err());
        assert!(map.gather(32, &[0], &mut Vec::new()).is_err());
        assert!(map.gather(16, &[0], &mut Vec::new()).is_ok());
        let mut map = WriteMap::new(&file, 24).unwrap();
        assert!(map.store_u64(24, 0).is_err());
        assert!(map.store_u64(4, 0).is_err());
    }

    #[test]
    fn an_empty_file_is_refused() {
        let (_dir, file) = file_of(&[]);
        let error = ReadMap::new(&file, 0, Sharing::Private, false).unwrap_err();
        assert_eq!(error.to_string(), "an empty file cannot be mapped");
    }

    #[test]
    fn a_store_reaches_the_file() {
        let (_dir, file) = file_of(&[1, 2, 3]);
        let mut map = WriteMap::new(&file, 24).unwrap();
        map.store_u64(8, 42).unwrap();
        drop(map);
        let map = ReadMap::new(&file, 24, Sharing::Private, false).unwrap();
        assert_eq!([0, 8, 16].map(|at| map.word(at).unwrap()), [1, 42, 3]);
    }

    #[test]
    fn bytes_are_written_and_a_part_of_them_is_synced() {
        let (_dir, file) = file_of(&[0; 20_000]);
        let mut map = WriteMap::new(&file, 160_000).unwrap();
        map.write(70_000, b"abc").unwrap();
        map.sync(70_000..70_003).unwrap();
        assert!(map.write(159_998, b"abc").is_err());
        assert!(map.sync(159_998..160_001).is_err());
        drop(map);
        let mut seen = [0; 3];
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut seen, 70_000).unwrap();
        assert_eq!(&seen, b"abc");
    }
}

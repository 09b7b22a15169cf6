//! The bytes of a content, mapped, so that a read is answered without a copy.

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};
use std::{ffi::c_void, fs::File, io, mem::MaybeUninit, ops::Range, ptr::NonNull};

/// A mapping of a whole file.
#[derive(Debug)]
pub(super) struct Mapped {
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: it is memory that is only read, and belongs to no thread.
unsafe impl Send for Mapped {}
// SAFETY: the same.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Maps the first `bytes` of `file`, which has as many.
    pub(super) fn new(file: &File, bytes: usize) -> io::Result<Mapped> {
        let flags = MapFlags::SHARED | MapFlags::NORESERVE;
        // SAFETY: a new mapping, at an address that the kernel chooses.
        let start = unsafe { mmap(std::ptr::null_mut(), bytes, ProtFlags::READ, flags, file, 0) }?;
        let start = NonNull::new(start).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Mapped { start, bytes })
    }

    /// The bytes of `range`; `None` if they are not all in it.
    ///
    /// # Safety
    /// Nothing writes to the file or makes it shorter as long as they are used.
    pub(super) unsafe fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        let is_within = range.start <= range.end && range.end <= self.bytes;
        // SAFETY: all of it is mapped until `self` is dropped; the caller sees to it that nothing writes meanwhile.
        let all = unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.bytes) };
        if is_within { Some(&all[range]) } else { None }
    }
}

/// The page of the kernel, bytes; where it is larger the advice is not taken.
const PAGE: usize = 4096;

/// Asks the kernel to give `memory` in large pages, as it is written to: giving it in small ones takes longer than
/// what is written there.
pub(super) fn in_large_pages(memory: &mut [MaybeUninit<u8>]) {
    let skipped = memory.as_ptr().align_offset(PAGE);
    let whole = memory.len().saturating_sub(skipped) / PAGE * PAGE;
    let Some(inner) = memory.get_mut(skipped..skipped + whole).filter(|inner| !inner.is_empty())
    else {
        return;
    };
    // SAFETY: the advice changes no content; the range is within `memory`. What comes of it is a matter of speed.
    let _ = unsafe { madvise(inner.as_mut_ptr().cast(), inner.len(), Advice::LinuxHugepage) };
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: no slice of it outlives `self`.
        let _ = unsafe { munmap(self.start.as_ptr(), self.bytes) };
    }
}

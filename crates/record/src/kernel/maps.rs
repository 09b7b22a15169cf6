//! The arrays that the programs and this process share.

use super::{
    bpf::{self, BpfError},
    layout::EntryKind,
    syscalls,
};
use std::{
    fs, io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    ptr::NonNull,
    sync::atomic::{AtomicU64, Ordering},
};

/// A segment of a ring, as a power of two; an entry that begins in it may reach into the slack behind it.
pub(super) const SEGMENT_BITS: i32 = 18;
/// Longest entry: two strings, each of which the verifier takes for longer than it can be.
pub(super) const SLACK: usize = 17 << 10;
/// Bytes of all rings together.
const RING_BYTES: usize = 64 << 20;

/// The state of a thread that was recorded and has ended: what it still does is to wake those that wait for its end.
pub(super) const ENDED: u64 = 1;
/// The state of a thread that is recorded and in no recorded call. Those of others are less.
pub(super) const IDLE: u64 = 2;

/// Words of a processor's control: how far the ring is written, how far it is read, how many entries were lost, whether
/// an entry is being written.
const CONTROL_BYTES: usize = 64;

/// An array and where this process has it.
pub(super) struct Shared {
    fd: OwnedFd,
    memory: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the memory is reached by atomic words, or as bytes that the programs have handed over.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn new(name: &'static str, value_bytes: usize, entries: usize) -> Result<Shared, BpfError> {
        let fd = bpf::array(name, value_bytes, entries)?;
        let bytes = value_bytes * entries;
        // SAFETY: a new mapping, of an array of that size; the address is the kernel's choice.
        let memory = unsafe {
            let (read_write, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                read_write,
                flags,
                std::os::fd::AsRawFd::as_raw_fd(&fd),
                0,
            )
        };
        let source = io::Error::last_os_error();
        match NonNull::new(memory.cast()) {
            Some(memory) if memory.as_ptr() as usize != usize::MAX => {
                Ok(Shared { fd, memory, bytes })
            }
            _ => Err(BpfError::Map { name, bytes: bytes as u64, source }),
        }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// The word at byte `at`, which is a multiple of 8.
    pub(super) fn word(&self, at: usize) -> &AtomicU64 {
        assert!(at.is_multiple_of(8) && at + 8 <= self.bytes);
        // SAFETY: within the mapping, aligned, and only ever touched as a whole word.
        unsafe { &*self.memory.as_ptr().add(at).cast::<AtomicU64>() }
    }

    /// `len` bytes from `at` on.
    ///
    /// # Safety
    /// No program writes there while the result lives.
    pub(super) unsafe fn slice(&self, at: usize, len: usize) -> &[u8] {
        assert!(at.checked_add(len).is_some_and(|end| end <= self.bytes));
        // SAFETY: within the mapping, and the caller keeps writers away.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().add(at), len) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: our mapping, which nothing borrows any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.bytes) };
    }
}

/// All of them.
pub(super) struct Maps {
    /// For each thread 0 (never recorded), [`ENDED`], [`IDLE`], or when its call began, with the kind of entry in the
    /// lowest bits.
    pub(super) threads: Shared,
    /// For each number of a system call the kind of its entries, 0 for those that are not recorded.
    pub(super) kinds: Shared,
    pub(super) control: Shared,
    /// Segments of all rings; those of a processor follow each other.
    pub(super) ring: Shared,
    pub(super) processors: usize,
    /// Segments of a processor, as a power of two.
    pub(super) segments_bits: i32,
}

impl Maps {
    pub(super) fn new() -> Result<Maps, BpfError> {
        let processors = possible_processors();
        let share = (RING_BYTES / processors) >> SEGMENT_BITS;
        let segments_bits = share.max(2).ilog2() as i32;
        let segments = processors << segments_bits;
        let maps = Maps {
            threads: Shared::new("assay_threads", 8, most_threads())?,
            kinds: Shared::new("assay_kinds", 8, syscalls::MOST)?,
            control: Shared::new("assay_control", CONTROL_BYTES, processors)?,
            ring: Shared::new("assay_ring", (1 << SEGMENT_BITS) + SLACK, segments)?,
            processors,
            segments_bits,
        };
        for call in syscalls::KINDS.iter().chain(syscalls::WAITS) {
            maps.record(*call);
        }
        Ok(maps)
    }

    /// Bytes of a processor's ring.
    pub(super) fn ring_bytes(&self) -> u64 {
        1 << (SEGMENT_BITS + self.segments_bits)
    }

    /// Records another system call, too.
    pub(super) fn record(&self, (number, kind): (i64, EntryKind)) {
        self.kinds.word(number as usize * 8).store(kind as u64, Ordering::Relaxed);
    }

    /// Whether a thread is recorded from now on; false where there can be no such thread.
    pub(super) fn mark(&self, tid: u32, state: u64) -> bool {
        let at = tid as usize * 8;
        let is_there = at + 8 <= self.threads.bytes;
        if is_there {
            self.threads.word(at).store(state, Ordering::Relaxed);
        }
        is_there
    }

    /// The state of a thread.
    pub(super) fn state(&self, tid: u32) -> u64 {
        let at = tid as usize * 8;
        if at + 8 <= self.threads.bytes { self.threads.word(at).load(Ordering::Relaxed) } else { 0 }
    }

    /// How far the ring of a processor is written; all before is whole.
    pub(super) fn head(&self, processor: usize) -> u64 {
        self.control.word(processor * CONTROL_BYTES).load(Ordering::Acquire)
    }

    /// Hands the ring of a processor back up to `tail`.
    pub(super) fn set_tail(&self, processor: usize, tail: u64) {
        self.control.word(processor * CONTROL_BYTES + 8).store(tail, Ordering::Release);
    }

    /// Entries that a processor had no room for.
    pub(super) fn lost(&self, processor: usize) -> u64 {
        self.control.word(processor * CONTROL_BYTES + 16).load(Ordering::Relaxed)
    }
}

/// One more than the highest number of a thread.
fn most_threads() -> usize {
    let text = fs::read_to_string("/proc/sys/kernel/pid_max").unwrap_or_default();
    text.trim().parse().unwrap_or(4 << 20)
}

/// One more than the highest number of a processor that may appear.
fn possible_processors() -> usize {
    let text = fs::read_to_string("/sys/devices/system/cpu/possible").unwrap_or_default();
    let last = text.trim().rsplit(['-', ',']).next().and_then(|n| n.parse::<usize>().ok());
    last.map_or(1, |last| last + 1).max(1)
}

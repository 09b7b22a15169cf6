//! The memory that a pool shares: one header and one slot for each worker, all atomics, in a
//! sealed memfd that every process of the pool maps.

use super::BarrierError;
use crate::counters::Counters;
use rustix::{
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, fstat, ftruncate, memfd_create},
    io::Errno,
    mm::{MapFlags, ProtFlags, mmap, munmap},
};
use std::{
    ffi::c_void,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    ptr::{self, NonNull},
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

/// Largest pool.
pub const MAX_WORKERS: u32 = 1024;

/// Tells this memory, and this layout of it, from any other file.
const MAGIC: u64 = u64::from_le_bytes(*b"assay\0b3");

/// When, and what all workers together had done by then.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Milestone {
    /// Time of `clock::now_ns`; 0 when it was not reached.
    pub(super) time_ns: AtomicU64,
    pub(super) bytes: AtomicU64,
    pub(super) ops: AtomicU64,
}

impl Milestone {
    pub(super) fn clear(&self) {
        for word in [&self.time_ns, &self.bytes, &self.ops] {
            word.store(0, Ordering::Relaxed);
        }
    }
}

/// A word on which processes sleep, alone in its cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) AtomicU32);

#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Header {
    magic: AtomicU64,
    /// Process id of the coordinator.
    pub(super) coordinator: AtomicU32,
    /// The worker that broke the pool, plus one; 0 for none.
    pub(super) broken_by: Line,
    /// Futex on which workers sleep; goes up by one at each release.
    pub(super) generation: Line,
    /// Futex on which the coordinator sleeps; workers at the barrier.
    pub(super) arrived: Line,
    /// The number of them that have no further phase.
    pub(super) finished: Line,
    /// Workers that have begun the phase.
    pub(super) started: Line,
    /// Workers that have ended it.
    pub(super) ended: Line,
    /// Futex on which workers stand still; odd while the pool is held.
    pub(super) hold: Line,
    /// Futex on which the coordinator waits for them; workers that stand still in the phase.
    pub(super) held: Line,
    /// Time for which the pool was held, nanoseconds.
    pub(super) held_ns: AtomicU64,
    /// The last one began.
    pub(super) all_started: Milestone,
    /// The first one ended.
    pub(super) first_ended: Milestone,
}

/// The fields that only one worker writes.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Slot {
    pub(super) counters: Counters,
    /// The number of its arrivals.
    pub(super) arrivals: AtomicU32,
    /// Number of the process that does the job, when it is not the one that was started; else 0.
    pub(super) process: AtomicU32,
}

/// A mapping of the shared memory.
#[derive(Debug)]
pub(super) struct Shared {
    fd: OwnedFd,
    base: NonNull<c_void>,
    workers: usize,
}

// SAFETY: the mapping holds nothing but atomics, and lives as long as the value that owns it.
unsafe impl Send for Shared {}
// SAFETY: as above; shared references give access to atomics only.
unsafe impl Sync for Shared {}

impl Shared {
    /// New, zeroed memory for `workers`.
    pub(super) fn create(workers: u32) -> Result<Shared, BarrierError> {
        if !(1..=MAX_WORKERS).contains(&workers) {
            return Err(BarrierError::Size(workers));
        }
        let fd = memfd_create("assay-pool", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&fd, len_of(workers) as u64)?;
        // The file cannot be truncated while another process maps it, which would kill that process by SIGBUS.
        fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let shared = Shared::map(fd, workers)?;
        shared.header().coordinator.store(std::process::id(), Ordering::Relaxed);
        shared.header().magic.store(MAGIC, Ordering::Release);
        Ok(shared)
    }

    /// Maps memory that another process created; its length tells the number of workers.
    pub(super) fn open(fd: OwnedFd) -> Result<Shared, BarrierError> {
        let foreign = BarrierError::Foreign(fd.as_raw_fd());
        let len = fstat(&fd)?.st_size as usize;
        let workers = len.saturating_sub(size_of::<Header>()) / size_of::<Slot>();
        if !(1..=MAX_WORKERS as usize).contains(&workers) || len != len_of(workers as u32) {
            return Err(foreign);
        }
        let shared = Shared::map(fd, workers as u32)?;
        match shared.header().magic.load(Ordering::Acquire) {
            MAGIC => Ok(shared),
            _ => Err(foreign),
        }
    }

    fn map(fd: OwnedFd, workers: u32) -> Result<Shared, BarrierError> {
        // Populated, so that the sums over all slots at the edges of a phase fault no page.
        // SAFETY: a new mapping at an address of the kernel's choice overlaps nothing of ours.
        let base = unsafe {
            mmap(
                ptr::null_mut(),
                len_of(workers),
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED | MapFlags::POPULATE,
                &fd,
                0,
            )?
        };
        let base = NonNull::new(base).ok_or(Errno::NOMEM)?;
        Ok(Shared { fd, base, workers: workers as usize })
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    pub(super) fn header(&self) -> &Header {
        // SAFETY: the mapping is page-aligned, at least `len_of(1)` long, lives as long as `self`,
        // and every bit pattern is a `Header`, which other processes change atomically only.
        unsafe { self.base.cast::<Header>().as_ref() }
    }

    pub(super) fn slots(&self) -> &[Slot] {
        // SAFETY: `len_of(workers)` bytes are mapped: the header, whose size keeps the alignment of
        // a slot, then `workers` slots, for which the same holds as for the header.
        unsafe {
            let first = self.base.cast::<Header>().add(1).cast::<Slot>();
            std::slice::from_raw_parts(first.as_ptr(), self.workers)
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: `map` made this mapping with this length; no reference outlives `self`. Should it
        // fail, the mapping stays, which does no harm.
        let _ = unsafe { munmap(self.base.as_ptr(), len_of(self.workers as u32)) };
    }
}

fn len_of(workers: u32) -> usize {
    size_of::<Header>() + workers as usize * size_of::<Slot>()
}

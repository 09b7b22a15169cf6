//! The engine of io_uring: registered files, one registered region of blocks, submission in batches.
//!
//! Where the kernel can, completions are worked off only when the thread asks for them
//! (`DEFER_TASKRUN`), so that no interrupt of the thread lies between two operations; older kernels
//! get the next best mode.

use super::{
    EngineError, EngineOptions, Op, buffers::Buffers, drive::Engine, error::fault,
    file::RWF_DONTCACHE,
};
use crate::clock;
use io_uring::{
    IoUring, opcode,
    squeue::Entry,
    types::{Fixed, SubmitArgs, Timespec},
};
use rustix::io::Errno;
use std::{fs::File, io, os::fd::AsRawFd};

/// Milliseconds after which an idle submission thread sleeps.
const SQPOLL_IDLE_MS: u32 = 1000;

/// Many operations at a time.
pub(super) struct Uring<'a> {
    // First, so that the ring is closed before its memory is unmapped.
    ring: IoUring,
    pub(super) buffers: Buffers,
    files: &'a [File],
    block_bytes: u32,
    /// The operations in flight with their buffers, by slot; for errors.
    flights: Box<[(Op, *const u8)]>,
    in_flight: u32,
    /// Flags of every read and write, as of `preadv2(2)`.
    rw_flags: i32,
}

impl<'a> Uring<'a> {
    pub(super) fn new(
        options: &EngineOptions,
        files: &'a [File],
        block_bytes: u32,
        buffers: Buffers,
    ) -> Result<Uring<'a>, EngineError> {
        let ring = create(options).map_err(|source| EngineError::Unavailable {
            what: "io_uring",
            source,
            fix: "check sysctl kernel.io_uring_disabled and the container's seccomp profile, or \
                  use sync",
        })?;
        register(&ring, files, &buffers)?;
        let flights = vec![(Op::default(), std::ptr::null()); options.depth as usize].into();
        let rw_flags = if options.dontcache { RWF_DONTCACHE.bits() as i32 } else { 0 };
        Ok(Uring { ring, buffers, files, block_bytes, flights, in_flight: 0, rw_flags })
    }

    fn entry(&mut self, slot: u32, op: Op) -> Result<Entry, EngineError> {
        let (file, len, flags) = (Fixed(op.file), self.block_bytes, self.rw_flags);
        let entry = if op.write {
            let block = self.buffers.write_block(slot);
            if block.is_empty() {
                return Err(fault(self.files, op, &[], Ok(0)));
            }
            self.flights[slot as usize] = (op, block.as_ptr());
            let entry = opcode::WriteFixed::new(file, block.as_ptr(), len, 0);
            entry.offset(op.offset).rw_flags(flags).build()
        } else {
            let block = self.buffers.read_block(slot).as_mut_ptr();
            self.flights[slot as usize] = (op, block);
            let entry = opcode::ReadFixed::new(file, block, len, 0);
            entry.offset(op.offset).rw_flags(flags).build()
        };
        Ok(entry.user_data(u64::from(slot)))
    }

    #[cold]
    fn failed(&self, slot: u32, result: i32) -> EngineError {
        let (op, block) = self.flights[slot as usize];
        // SAFETY: the block lies in the buffers, and its operation is done.
        let block = unsafe { std::slice::from_raw_parts(block, self.block_bytes as usize) };
        let moved = usize::try_from(result).map_err(|_| io::Error::from_raw_os_error(-result));
        fault(self.files, op, block, moved)
    }
}

fn create(options: &EngineOptions) -> io::Result<IoUring> {
    let build = |deferred: bool, quiet: bool| {
        let mut builder = IoUring::builder();
        if options.sqpoll {
            builder.setup_sqpoll(SQPOLL_IDLE_MS);
        } else if deferred {
            builder.setup_single_issuer().setup_defer_taskrun();
        } else if quiet {
            builder.setup_coop_taskrun();
        }
        builder.build(options.depth)
    };
    let unknown = |error: &io::Error| error.raw_os_error() == Some(Errno::INVAL.raw_os_error());
    let mut modes = [(true, true), (false, true)].into_iter();
    modes
        .find_map(|(deferred, quiet)| match build(deferred, quiet) {
            Err(error) if unknown(&error) => None,
            made => Some(made),
        })
        .unwrap_or_else(|| build(false, false))
}

fn register(ring: &IoUring, files: &[File], buffers: &Buffers) -> Result<(), EngineError> {
    let fds: Vec<_> = files.iter().map(AsRawFd::as_raw_fd).collect();
    ring.submitter()
        .register_files(&fds)
        .map_err(|source| EngineError::System { what: "register files with io_uring", source })?;
    let (first, len) = buffers.extent();
    let region = [libc::iovec { iov_base: first.cast(), iov_len: len }];
    // SAFETY: the region is mapped and outlives the ring, which is dropped first.
    unsafe { ring.submitter().register_buffers(&region) }.map_err(|source| {
        EngineError::Unavailable {
            what: "registered memory of io_uring",
            source,
            fix: "raise `ulimit -l`, or use a smaller depth",
        }
    })
}

impl Engine for Uring<'_> {
    #[inline]
    fn stage(&mut self, slot: u32, op: Op) -> Result<(), EngineError> {
        let entry = self.entry(slot, op)?;
        // SAFETY: the block is part of the registered region, which outlives the ring, and is not
        // touched until the slot is free again.
        if unsafe { self.ring.submission().push(&entry) }.is_err() {
            return Err(EngineError::Operation(
                "more operations than the ring has room for".into(),
            ));
        }
        self.in_flight += 1;
        Ok(())
    }

    #[inline]
    fn submit(&mut self, want: u32, deadline_ns: Option<u64>) -> Result<(), EngineError> {
        loop {
            let submitter = self.ring.submitter();
            let entered = match deadline_ns {
                None => submitter.submit_and_wait(want as usize),
                Some(deadline_ns) => {
                    let left_ns = deadline_ns.saturating_sub(clock::now_ns());
                    let left = Timespec::new()
                        .sec(left_ns / 1_000_000_000)
                        .nsec((left_ns % 1_000_000_000) as u32);
                    submitter.submit_with_args(want as usize, &SubmitArgs::new().timespec(&left))
                }
            };
            let Err(source) = entered else { return Ok(()) };
            match Errno::from_io_error(&source) {
                // Interrupted before anything was submitted.
                Some(Errno::INTR) => {}
                // The time is over, or completions must be taken first.
                Some(Errno::TIME | Errno::BUSY | Errno::AGAIN) => return Ok(()),
                _ => return Err(EngineError::System { what: "enter io_uring", source }),
            }
        }
    }

    #[inline]
    fn completed(&mut self) -> Result<Option<u32>, EngineError> {
        let Some(entry) = self.ring.completion().next() else { return Ok(None) };
        self.in_flight -= 1;
        let slot = entry.user_data() as u32;
        match entry.result() {
            moved if moved == self.block_bytes as i32 => Ok(Some(slot)),
            other => Err(self.failed(slot, other)),
        }
    }

    fn abandon(&mut self) {
        while self.in_flight > 0 && self.ring.submit_and_wait(1).is_ok() {
            self.in_flight -= self.ring.completion().count() as u32;
        }
    }
}

//! How far a worker is. The counters lie in memory that the crew shares, so that the worker that
//! ends first can read what all had done by then.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one worker in one phase; one cache line, so that workers do not slow each other.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Counters {
    /// Logical bytes moved.
    pub bytes: AtomicU64,
    /// Operations done.
    pub ops: AtomicU64,
}

/// What workers have moved in a phase so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Logical bytes.
    pub bytes: u64,
    /// Operations.
    pub ops: u64,
}

/// A worker's handle on its own counters.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a>(&'a Counters);

impl<'a> Progress<'a> {
    /// A handle on `counters`, which belong to one worker; its threads may share it.
    pub fn new(counters: &'a Counters) -> Progress<'a> {
        Progress(counters)
    }

    /// Adds to both counters.
    #[inline]
    pub fn add(&self, bytes: u64, ops: u64) {
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.0.ops.fetch_add(ops, Ordering::Relaxed);
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Operations so far.
    pub fn ops(&self) -> u64 {
        self.0.ops.load(Ordering::Relaxed)
    }
}

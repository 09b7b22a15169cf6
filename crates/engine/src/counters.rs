//! Transfer counters of a worker, in memory shared by the pool.

use std::sync::atomic::AtomicU64;

/// Counters of one worker in one phase; one cache line, so that workers do not slow each other.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Counters {
    /// Logical bytes moved.
    pub bytes: AtomicU64,
    /// Operations done.
    pub ops: AtomicU64,
}

/// The bytes and operations of workers in a phase so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Logical bytes.
    pub bytes: u64,
    /// Operations.
    pub ops: u64,
}

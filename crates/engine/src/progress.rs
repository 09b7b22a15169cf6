//! How far a worker is. The counters lie in memory that the crew shares, so that the worker that
//! ends first can read what all had done by then.

use crate::barrier::Member;
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
pub struct Progress<'a> {
    counters: &'a Counters,
    /// Who stands still here while the crew is held.
    held: Option<Member<'a>>,
}

impl<'a> Progress<'a> {
    /// A handle on `counters`, which belong to one worker; its threads may share it.
    pub fn new(counters: &'a Counters) -> Progress<'a> {
        Progress { counters, held: None }
    }

    /// A handle on the counters of `member`, whose worker stands still in `add` while its crew is held. For
    /// one thread, which has no operation under way when it adds.
    pub fn held(counters: &'a Counters, member: Member<'a>) -> Progress<'a> {
        Progress { counters, held: Some(member) }
    }

    /// Adds to both counters.
    #[inline]
    pub fn add(&self, bytes: u64, ops: u64) {
        self.counters.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.counters.ops.fetch_add(ops, Ordering::Relaxed);
        if let Some(member) = &self.held {
            member.stand_still();
        }
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.counters.bytes.load(Ordering::Relaxed)
    }

    /// Operations so far.
    pub fn ops(&self) -> u64 {
        self.counters.ops.load(Ordering::Relaxed)
    }
}

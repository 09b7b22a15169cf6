//! Progress counters of workers, in memory shared by the pool, so that the worker that ends first can read the progress
//! of all.

pub use crate::counters::{Counters, Moved};

use crate::barrier::Member;
use std::sync::atomic::Ordering;

/// A worker's handle on its own counters.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    counters: &'a Counters,
    /// The member that pauses here while the pool is held.
    held: Option<Member<'a>>,
}

impl<'a> Progress<'a> {
    /// A handle on `counters`, which belong to one worker; its threads may share it.
    pub fn new(counters: &'a Counters) -> Progress<'a> {
        Progress { counters, held: None }
    }

    /// A handle on the counters of `member`, whose worker pauses in `add` while its pool is held. For
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

impl<'a> Member<'a> {
    /// The worker's counters; zero when a phase begins.
    pub fn progress(&self) -> Progress<'a> {
        Progress::new(self.counters())
    }

    /// The same; a worker that adds to them pauses while the pool is held.
    pub fn held_progress(&self) -> Progress<'a> {
        Progress::held(self.counters(), *self)
    }
}

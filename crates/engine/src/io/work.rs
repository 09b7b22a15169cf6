//! Describes I/O work (operations, order, rate, stop rule) and its result.

use crate::progress::Progress;
use model::figure::LatencyKind;

/// One operation; its length is the block size of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    /// Writes the block; else reads it.
    pub write: bool,
    /// Index of the file.
    pub file: u32,
    /// Byte in the file at which the block begins.
    pub offset: u64,
}

/// A source of operations. It is called within the timed part, once per operation.
pub trait OpSource {
    /// The next operation; `None` when there is no more.
    fn next_op(&mut self) -> Option<Op>;
}

/// The start times of operations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// The next as soon as one is done: the load is whatever the system takes.
    Closed,
    /// At a fixed rate, whatever the system takes. None is left out: those that could not start in
    /// time start one behind the other, and their latency counts from when they should have started.
    Fixed {
        /// Operations per second of this thread.
        ops_per_s: f64,
        /// The scheduled start of the first, by [`crate::clock::now_ns`]: the release, and for threads
        /// that share a rate a part of the interval, so that they take turns.
        first_ns: u64,
    },
}

impl Pace {
    /// From when an operation is timed.
    pub fn latency_kind(&self) -> LatencyKind {
        match self {
            Pace::Closed => LatencyKind::Service,
            Pace::Fixed { .. } => LatencyKind::Response,
        }
    }

    /// Returns the scheduled start of operation `k`, counted from 0; 0 for immediately. Computed from `k`, so that
    /// no error adds up.
    #[inline]
    pub(super) fn due_ns(&self, k: u64) -> u64 {
        match *self {
            Pace::Closed => 0,
            Pace::Fixed { ops_per_s, first_ns } => {
                first_ns.saturating_add((k as f64 * 1e9 / ops_per_s) as u64)
            }
        }
    }
}

/// The end of a run, at the latest with the last operation of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After this many operations.
    Ops(u64),
    /// With the last operation that starts, or at a fixed rate should start, less than this after the
    /// begin, nanoseconds.
    Nanoseconds(u64),
    /// When the source is exhausted.
    Exhausted,
}

/// One timed part.
#[derive(Debug)]
pub struct Work<'a, S> {
    /// The operations.
    pub ops: &'a mut S,
    /// The start times of operations.
    pub pace: Pace,
    /// The end of the run.
    pub until: Until,
    /// Counts what is done; brought up to date every 100 microseconds and at the end.
    pub progress: Progress<'a>,
}

/// The work done in one timed part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Blocks read.
    pub ops_read: u64,
    /// Blocks written.
    pub ops_written: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// From the start to the last completion, nanoseconds.
    pub elapsed_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intended_starts_do_not_drift() {
        let pace = Pace::Fixed { ops_per_s: 3.0, first_ns: 1000 };
        assert_eq!(
            [0, 1, 2, 3].map(|k| pace.due_ns(k)),
            [1000, 333_334_333, 666_667_666, 1_000_001_000]
        );
        // A day later it is still exact.
        assert_eq!(pace.due_ns(3 * 86_400), 86_400_000_001_000);
        assert_eq!(Pace::Closed.due_ns(7), 0);
    }
}

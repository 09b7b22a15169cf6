//! The inner loop of a replay: one lane makes its calls in their order. No lock, allocation or formatting.

use super::{
    actor::Actor,
    clocks::{Clocks, wait_until},
    differences::Differences,
    settings::Pace,
    step::{Chunk, Step},
    supply::Supply,
};
use engine::{
    clock::now_ns,
    io::{EngineError, LatencyTable},
    progress::Progress,
};
use model::figure::LatencyKind;
use trace::call::Op;

/// Calls after which a lane tells how far it is.
const TELL: u64 = 256;

/// A lane with its memory, ready to start.
pub(super) struct Lane<'s> {
    number: u32,
    actor: Actor<'s>,
    pace: Pace,
    /// Calls made so far.
    made: u64,
    pub(super) tally: Tally,
}

/// What a lane counts.
pub(super) struct Tally {
    pub(super) latencies: LatencyTable,
    pub(super) differences: Differences,
    /// Time in calls, and in syncs, nanoseconds.
    pub(super) in_calls_ns: u64,
    pub(super) in_syncs_ns: u64,
    /// The latest that a call began after it was due, nanoseconds.
    pub(super) latest_ns: u64,
}

impl<'s> Lane<'s> {
    /// Lane `number`.
    ///
    /// # Errors
    /// The memory for latencies cannot be had.
    pub(super) fn new(number: u32, actor: Actor<'s>, pace: Pace) -> Result<Lane<'s>, EngineError> {
        let kind =
            if pace.speed().is_some() { LatencyKind::Response } else { LatencyKind::Service };
        let tally = Tally {
            latencies: LatencyTable::new(kind, Op::ALL.len())?,
            differences: Differences::default(),
            in_calls_ns: 0,
            in_syncs_ns: 0,
            latest_ns: 0,
        };
        Ok(Lane { number, actor, pace, made: 0, tally })
    }

    /// Its descriptors, for those that are open at the start.
    pub(super) fn actor(&mut self) -> &mut Actor<'s> {
        &mut self.actor
    }

    /// Makes the calls of `supply`, the first not before `start_ns`. Returns false if the replay was given up.
    pub(super) fn play(
        &mut self,
        start_ns: u64,
        supply: &Supply,
        clocks: &Clocks,
        progress: Progress<'_>,
    ) -> bool {
        let (mut ended_ns, mut untold) = (start_ns, (0, 0));
        while let Some(chunk) = supply.next(self.number as usize) {
            let mut waits = chunk.waits.iter();
            for step in &chunk.steps {
                self.made += 1;
                for _ in 0..step.waits {
                    if waits.next().is_some_and(|mark| !clocks.wait(*mark)) {
                        return false;
                    }
                }
                let begun_ns = self.begin(step, start_ns, ended_ns);
                let found = self.call(step, &chunk, clocks);
                let returned_ns = now_ns();
                self.count(step, found, returned_ns.saturating_sub(begun_ns));
                ended_ns = pause_begins(self.pace, step.op, begun_ns, returned_ns);
                if step.awaited {
                    clocks.done(self.number, self.made);
                }
                let calls = u64::from(!step.op.is_of_thread());
                untold = (untold.0 + moved(step.op, found), untold.1 + calls);
                if untold.1 >= TELL {
                    progress.add(untold.0, untold.1);
                    untold = (0, 0);
                }
            }
        }
        progress.add(untold.0, untold.1);
        true
    }

    /// Waits for the time of `step`; the time from which its latency counts.
    #[inline]
    fn begin(&mut self, step: &Step, start_ns: u64, ended_ns: u64) -> u64 {
        match self.pace {
            // The clock was read when the call before it ended.
            Pace::Full if step.waits == 0 => ended_ns,
            Pace::Full => now_ns(),
            Pace::Think => wait_until(ended_ns.saturating_add(step.time_ns)),
            Pace::Recorded | Pace::Double => {
                let due_ns = start_ns.saturating_add(step.time_ns);
                let late_ns = wait_until(due_ns).saturating_sub(due_ns);
                self.tally.latest_ns = self.tally.latest_ns.max(late_ns);
                due_ns
            }
        }
    }

    #[inline]
    fn call(&mut self, step: &Step, chunk: &Chunk, clocks: &Clocks) -> i64 {
        if step.refused {
            return 0;
        }
        if !step.op.is_sync() {
            return self.actor.act(step, &chunk.links);
        }
        clocks.waiting().enter_sync();
        let found = self.actor.act(step, &chunk.links);
        clocks.waiting().leave_sync();
        found
    }

    #[inline]
    fn count(&mut self, step: &Step, found: i64, took_ns: u64) {
        let Tally { latencies, differences, in_calls_ns, in_syncs_ns, .. } = &mut self.tally;
        if !step.op.is_of_thread() {
            latencies.record(step.op as usize, took_ns);
            *in_calls_ns += took_ns;
            *in_syncs_ns += if step.op.is_sync() { took_ns } else { 0 };
        }
        differences.compare(step, found);
    }
}

/// From when the pause before the next call counts. A fault was recorded as a moment, so that how long it took is in
/// the pause behind it.
#[inline]
fn pause_begins(pace: Pace, op: Op, begun_ns: u64, returned_ns: u64) -> u64 {
    if pace == Pace::Think && op == Op::Touch { begun_ns } else { returned_ns }
}

/// Bytes that a call moved.
#[inline]
fn moved(op: Op, found: i64) -> u64 {
    if op.moves_bytes() { found.max(0) as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_is_in_the_pause_behind_it() {
        let begins = |pace, op| pause_begins(pace, op, 10, 70);
        assert_eq!(begins(Pace::Think, Op::Touch), 10);
        assert_eq!(begins(Pace::Think, Op::Read), 70);
        assert_eq!(begins(Pace::Full, Op::Touch), 70);
    }
}

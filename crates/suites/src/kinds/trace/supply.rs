//! Hands the steps of a replay to its lanes: all of them made before the clock starts, or of a long trace a part, ahead
//! of the lanes.

use super::step::Chunk;
use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// Most steps that are made ahead of the lanes: about 64 MiB.
pub(super) const AHEAD: usize = 1 << 20;

/// Steps that wait for their lanes.
#[derive(Debug)]
pub(super) struct Supply {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    lanes: Vec<VecDeque<Chunk>>,
    /// Steps of all of them.
    steps: usize,
    /// No more will come.
    ended: bool,
}

impl Supply {
    pub(super) fn new(lanes: usize) -> Supply {
        let lanes = (0..lanes).map(|_| VecDeque::new()).collect();
        Supply {
            state: Mutex::new(State { lanes, steps: 0, ended: false }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a chunk for each lane; those without a step are left out.
    pub(super) fn add(&self, chunks: impl IntoIterator<Item = Chunk>) {
        let mut state = self.lock();
        let State { lanes, steps, .. } = &mut *state;
        for (lane, chunk) in lanes.iter_mut().zip(chunks) {
            if !chunk.steps.is_empty() {
                *steps += chunk.steps.len();
                lane.push_back(chunk);
            }
        }
        self.changed.notify_all();
    }

    /// Number of lanes.
    pub(super) fn lanes(&self) -> usize {
        self.lock().lanes.len()
    }

    /// Whether there is no room for more steps.
    pub(super) fn is_full(&self) -> bool {
        self.lock().steps >= AHEAD
    }

    /// Waits until there is room for more steps; false if no lane takes them any more. A call waits only for calls
    /// that came before it, so that the lanes always get on with what they have.
    pub(super) fn has_room(&self) -> bool {
        let full = |state: &mut State| state.steps >= AHEAD && !state.ended;
        let state = self.changed.wait_while(self.lock(), full);
        !state.unwrap_or_else(PoisonError::into_inner).ended
    }

    /// Says that no more steps will come, or that none will be taken.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// The next steps of `lane`; `None` after its last.
    pub(super) fn next(&self, lane: usize) -> Option<Chunk> {
        let empty = |state: &mut State| state.lanes[lane].is_empty() && !state.ended;
        let state = self.changed.wait_while(self.lock(), empty);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let chunk = state.lanes[lane].pop_front()?;
        state.steps -= chunk.steps.len();
        self.changed.notify_all();
        Some(chunk)
    }

    /// Changes the chunks of `lane` that wait.
    pub(super) fn each(&self, lane: usize, change: impl FnOnce(&mut [Chunk])) {
        change(self.lock().lanes[lane].make_contiguous());
    }
}

#[cfg(test)]
mod tests {
    use super::{super::step::Step, *};
    use std::thread;
    use trace::call::Op;

    fn chunk(steps: usize) -> Chunk {
        let step = Step {
            result: 0,
            offset: 0,
            len: 0,
            time_ns: 0,
            handle: 0,
            other: 0,
            path: 0,
            path2: 0,
            flags: 0,
            mode: 0,
            op: Op::Sync,
            waits: 0,
            awaited: false,
            refused: false,
            races: false,
        };
        Chunk { steps: vec![step; steps], ..Chunk::default() }
    }

    #[test]
    fn steps_come_in_order_and_not_too_far_ahead() {
        let supply = Supply::new(2);
        thread::scope(|scope| {
            let taken = scope.spawn(|| {
                let all = |lane| {
                    std::iter::from_fn(|| supply.next(lane)).map(|c| c.steps.len()).sum::<usize>()
                };
                (all(0), all(1))
            });
            for _ in 0..40 {
                assert!(supply.has_room());
                supply.add([chunk(65_536), chunk(1)]);
                assert!(supply.lock().steps <= AHEAD + 65_537);
            }
            supply.end();
            assert_eq!(taken.join().unwrap(), (40 * 65_536, 40));
        });
        assert!(!supply.has_room());
    }
}

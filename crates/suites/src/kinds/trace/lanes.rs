//! Assigns recorded threads to lanes, the threads of a replay: one each, unless their lifetimes do not overlap or there
//! are very many.

use std::collections::{BinaryHeap, HashMap};
use trace::call::ThreadId;

/// Most threads of a replay.
pub(super) const MOST: usize = 256;

/// The numbers of the first and the last call of a recorded thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Life {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// The lane of each recorded thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    of: HashMap<ThreadId, u32>,
    count: u32,
}

impl Lanes {
    /// Gives each thread a lane that is free when its life begins. Where all lanes are taken, threads share one, whose
    /// calls stay in the order of the trace, so that none waits for one behind itself.
    pub(super) fn of(lives: &HashMap<ThreadId, Life>) -> Lanes {
        let mut threads: Vec<(ThreadId, Life)> =
            lives.iter().map(|(id, life)| (*id, *life)).collect();
        threads.sort_unstable_by_key(|(id, life)| (life.first, *id));
        let mut lanes = Lanes::default();
        // The lane that is free first is on top.
        let mut taken = BinaryHeap::new();
        for (id, life) in threads {
            let free =
                taken.peek().is_some_and(|(until, _)| std::cmp::Reverse(life.first) < *until);
            let lane = match taken.len() {
                count if free || count == MOST => {
                    let (std::cmp::Reverse(until), lane): (std::cmp::Reverse<u64>, u32) =
                        taken.pop().unwrap_or_default();
                    taken.push((std::cmp::Reverse(until.max(life.last)), lane));
                    lane
                }
                count => {
                    taken.push((std::cmp::Reverse(life.last), count as u32));
                    count as u32
                }
            };
            lanes.of.insert(id, lane);
        }
        lanes.count = taken.len() as u32;
        lanes
    }

    /// The lane of a thread.
    pub(super) fn lane(&self, thread: ThreadId) -> u32 {
        self.of.get(&thread).copied().unwrap_or_default()
    }

    /// Their number, at least 1.
    pub(super) fn count(&self) -> u32 {
        self.count.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(lives: &[(u64, u64)]) -> (u32, Vec<u32>) {
        let lives: HashMap<u32, Life> = (0..)
            .zip(lives)
            .map(|(id, (first, last))| (id, Life { first: *first, last: *last }))
            .collect();
        let lanes = Lanes::of(&lives);
        (lanes.count(), (0..lives.len() as u32).map(|id| lanes.lane(id)).collect())
    }

    #[test]
    fn threads_that_live_at_one_time_have_lanes_of_their_own() {
        assert_eq!(lanes(&[(0, 9), (1, 8), (2, 7)]), (3, vec![0, 1, 2]));
        assert_eq!(lanes(&[(0, 1), (2, 3), (4, 5)]), (1, vec![0, 0, 0]));
        assert_eq!(lanes(&[(0, 9), (1, 2), (3, 4)]), (2, vec![0, 1, 1]));
        assert_eq!(lanes(&[]), (1, vec![]));
    }

    #[test]
    fn thousands_share_what_lanes_there_are() {
        let lives: Vec<(u64, u64)> = (0..5000).map(|n| (n, 1_000_000 - n)).collect();
        let (count, of) = lanes(&lives);
        assert_eq!(count as usize, MOST);
        assert!(of.iter().all(|lane| (*lane as usize) < MOST));
    }
}

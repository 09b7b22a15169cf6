//! Heartbeats, and how long each rank waits for those of others. Rank 0 may store, verify and make files cold for
//! minutes without a message to waiting ranks; meanwhile a separate thread sends its heartbeat. A rank that receives
//! none for too long ends, as rank 0 does if another rank is silent, but later, because only rank 0 knows for which
//! rank all are waiting.

use std::time::{Duration, Instant};

/// Longest silence of a rank, after which rank 0 gives it up. Each says once a second that it is there.
pub const RANK_SILENCE: Duration = Duration::from_secs(10);

/// Longest silence of rank 0, after which the others give it up. While rank 0 waits for a rank that was stopped, it may
/// reach the others late; it must be the first to give up, as it names the rank that all wait for.
pub const ZERO_SILENCE: Duration = Duration::from_secs(20);

/// How often a rank that waits for rank 0 or at a barrier says that it is there.
pub const SAY_EVERY: Duration = Duration::from_secs(1);

/// How often rank 0 says that it is there.
pub const BEAT_EVERY: Duration = Duration::from_secs(2);

/// A rank that has not checked for this long was itself busy or stopped, and restarts its wait: a heartbeat that it
/// missed may be on its way.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// What a rank knows of the life of rank 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pulse {
    /// Since when nothing was heard; unknown before the first sign, as not every MPI lets a thread send any.
    silent_since: Option<Instant>,
    looked: Option<Instant>,
}

impl Pulse {
    /// Looks at `now`, when something was `heard` or not; whether there was silence for longer than [`ZERO_SILENCE`].
    pub fn is_lost(&mut self, now: Instant, heard: bool) -> bool {
        let last = self.looked.replace(now).unwrap_or(now);
        let was_away = now.duration_since(last) > LONGEST_LOOK;
        if heard || (was_away && self.silent_since.is_some()) {
            self.silent_since = Some(now);
        }
        self.silent_since.is_some_and(|since| now.duration_since(since) > ZERO_SILENCE)
    }
}

/// The longest that a call of MPI which needs another rank may take on `rank`.
pub fn longest_call(rank: usize) -> Duration {
    if rank == 0 { 3 * RANK_SILENCE } else { 3 * ZERO_SILENCE }
}

/// Whether a rank that was heard last at `heard` is lost at `now`, as rank 0 sees it.
pub fn is_silent(heard: Instant, now: Instant) -> bool {
    now.saturating_duration_since(heard) > RANK_SILENCE
}

/// What a rank does next that waits at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Looks whether all have arrived.
    Look,
    /// Does that, and tells and hears who is there.
    Speak,
    /// Gives up: all speak, and the barrier does not open.
    GiveUp,
}

/// A wait at a barrier, at which all arrive within milliseconds unless one was stopped or lost.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    rank: usize,
    since: Instant,
    spoke: Instant,
}

impl Wait {
    /// `rank` begins to wait at `now`.
    pub fn begin(rank: usize, now: Instant) -> Wait {
        Wait { rank, since: now, spoke: now }
    }

    /// What it does at `now`.
    pub fn turn(&mut self, now: Instant) -> Turn {
        if now.duration_since(self.since) > longest_call(self.rank) {
            return Turn::GiveUp;
        }
        if now.duration_since(self.spoke) < SAY_EVERY {
            return Turn::Look;
        }
        self.spoke = now;
        Turn::Speak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first tenth of a second at which rank 0 is given up, by an observer that looks as `looks` says.
    fn given_up(beats: impl Fn(u64) -> bool, looks: impl Fn(u64) -> bool) -> Option<u64> {
        let begin = Instant::now();
        let mut pulse = Pulse::default();
        (0..1_000)
            .filter(|tenth| looks(*tenth))
            .find(|tenth| pulse.is_lost(begin + Duration::from_millis(100 * tenth), beats(*tenth)))
    }

    #[test]
    fn silence_is_a_loss_after_the_limit_and_not_before() {
        assert_eq!(given_up(|tenth| tenth <= 60 && tenth.is_multiple_of(20), |_| true), Some(261));
        assert_eq!(given_up(|tenth| tenth.is_multiple_of(20), |_| true), None, "it beats");
        assert_eq!(given_up(|_| false, |_| true), None, "it never does");
    }

    #[test]
    fn returning_candidate_waits_again() {
        let beats = |tenth: u64| tenth == 0;
        assert_eq!(given_up(beats, |tenth| !(20..300).contains(&tenth)), Some(501));
    }

    /// Four ranks wait at a barrier that rank 3, stopped at once, never reaches; the others speak when it is their
    /// turn, and nothing of rank 0 reaches rank 2 any more. In each tenth of a second rank 2 moves first.
    #[test]
    fn rank_0_is_the_first_to_give_up_and_knows_the_stopped_rank() {
        let begin = Instant::now();
        let (mut waits, mut heard) = ([0, 1, 2].map(|rank| Wait::begin(rank, begin)), [begin; 4]);
        let mut pulse = Pulse::default();
        pulse.is_lost(begin, true);
        let end = (1..1_000).find_map(|tenth| {
            let now = begin + Duration::from_millis(100 * tenth);
            for rank in [2, 1, 0] {
                let turn = waits[rank].turn(now);
                if turn == Turn::Speak {
                    heard[rank] = now;
                }
                if turn == Turn::GiveUp || (rank == 2 && pulse.is_lost(now, false)) {
                    return Some((tenth, rank, vec![]));
                }
            }
            let lost: Vec<usize> = (1..4).filter(|rank| is_silent(heard[*rank], now)).collect();
            (!lost.is_empty()).then_some((tenth, 0, lost))
        });
        assert_eq!(end, Some((101, 0, vec![3])));
    }

    #[test]
    fn a_barrier_that_does_not_open_ends_on_rank_0_before_the_others() {
        let begin = Instant::now();
        let ends = |rank: usize| {
            let mut wait = Wait::begin(rank, begin);
            (1..1_000)
                .find(|tenth| wait.turn(begin + Duration::from_millis(100 * tenth)) == Turn::GiveUp)
        };
        assert_eq!((ends(0), ends(1)), (Some(301), Some(601)));
    }
}

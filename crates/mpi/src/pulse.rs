//! Signs of life of rank 0. It stores, proves and makes cold for minutes without a word to those who wait; a thread of
//! its own says meanwhile that it is there. Who hears nothing for long gives up, as rank 0 does for the others.

use std::time::{Duration, Instant};

/// How often rank 0 says that it is there.
pub const BEAT_EVERY: Duration = Duration::from_secs(2);

/// Who did not look for so long was busy or stopped itself, and begins to wait anew: what it missed may be on its way.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// What a rank knows of the life of rank 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pulse {
    /// Since when nothing was heard; unknown before the first sign, as not every MPI lets a thread send any.
    silent_since: Option<Instant>,
    looked: Option<Instant>,
}

impl Pulse {
    /// Looks at `now`, when something was `heard` or not; whether there was silence for longer than `limit`.
    pub fn is_lost(&mut self, now: Instant, heard: bool, limit: Duration) -> bool {
        let last = self.looked.replace(now).unwrap_or(now);
        let was_away = now.duration_since(last) > LONGEST_LOOK;
        if heard || (was_away && self.silent_since.is_some()) {
            self.silent_since = Some(now);
        }
        self.silent_since.is_some_and(|since| now.duration_since(since) > limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    /// The first tenth of a second at which rank 0 is given up, by an observer that looks as `looks` says.
    fn given_up(beats: impl Fn(u64) -> bool, looks: impl Fn(u64) -> bool) -> Option<u64> {
        let begin = Instant::now();
        let mut pulse = Pulse::default();
        (0..1_000).filter(|tenth| looks(*tenth)).find(|tenth| {
            pulse.is_lost(begin + Duration::from_millis(100 * tenth), beats(*tenth), LIMIT)
        })
    }

    #[test]
    fn silence_is_a_loss_after_the_limit_and_not_before() {
        assert_eq!(given_up(|tenth| tenth <= 60 && tenth.is_multiple_of(20), |_| true), Some(161));
        assert_eq!(given_up(|tenth| tenth.is_multiple_of(20), |_| true), None, "it beats");
        assert_eq!(given_up(|_| false, |_| true), None, "it never does");
    }

    #[test]
    fn returning_candidate_waits_again() {
        let beats = |tenth: u64| tenth == 0;
        assert_eq!(given_up(beats, |tenth| !(20..300).contains(&tenth)), Some(401));
    }
}

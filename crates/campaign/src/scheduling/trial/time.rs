//! The time of trials: the share of a budget that they may take, their end, and what they show of a block.

use std::time::{Duration, Instant};

/// Share of the time that is left which the first trial may take: nothing is known yet of the speed.
const FIRST_SHARE: f64 = 0.3;
/// How much longer than the last trial the next one may take.
const LONGER: f64 = 1.5;
/// The least that a trial gets.
const LEAST: Duration = Duration::from_secs(1);
/// The longest that a guest is tried where there is no budget.
const GUEST_MOST: Duration = Duration::from_secs(600);

/// What a trial showed.
#[derive(Clone, Copy)]
pub(super) struct TrialShare {
    /// Length of its timed parts, seconds.
    pub(super) timed_s: f64,
    /// Share of the cases that it reached, 0 to 1.
    pub(super) share: f64,
}

/// Decides whether there is time for another trial, and how long it may take. The caller passes the time.
pub(super) struct Pace {
    since: Instant,
    left: Option<Duration>,
    last_s: f64,
    pub(super) block_s: Option<f64>,
}

impl Pace {
    /// Trials begin at `now`, when so much of a budget is `left`.
    pub(super) fn new(left: Option<Duration>, now: Instant) -> Pace {
        Pace { since: now, left, last_s: 0.0, block_s: None }
    }

    /// What is left of the budget at `now`.
    fn left(&self, now: Instant) -> Option<Duration> {
        self.left.map(|left| left.saturating_sub(now.duration_since(self.since)))
    }

    pub(super) fn allows_another(&self, now: Instant) -> bool {
        let Some(left) = self.left(now) else { return true };
        self.last_s == 0.0 || has_time(left.as_secs_f64(), self.last_s, self.block_s)
    }

    /// The longest that a trial which begins at `now` may take; `None` without a budget.
    pub(super) fn limit(&self, now: Instant) -> Option<Duration> {
        let left = self.left(now)?;
        let limit = match self.last_s {
            0.0 => left.mul_f64(FIRST_SHARE),
            last_s => left.min(Duration::from_secs_f64(LONGER * last_s)),
        };
        Some(limit.max(LEAST))
    }

    /// The same for a trial in a guest, which always has an end.
    pub(super) fn guest_limit(&self, now: Instant) -> Duration {
        self.limit(now).unwrap_or(GUEST_MOST)
    }

    /// A trial of one candidate took `all_s` and showed this; in a block of `candidates` the timed parts that are known
    /// will take `work_s` for each. What a trial that was cut short did not reach is taken to be like the rest.
    pub(super) fn took(&mut self, all_s: f64, shown: TrialShare, work_s: f64, candidates: usize) {
        self.last_s = all_s;
        let beside_s = (all_s - shown.timed_s).max(0.0);
        let one_s = (beside_s + work_s) / shown.share;
        self.block_s = (shown.share > 0.0).then_some(one_s * candidates as f64);
    }
}

/// Whether a trial fits that takes half as long again as the last one, which took `last_s`, and two blocks after it, in
/// the `left_s` of the budget.
fn has_time(left_s: f64, last_s: f64, block_s: Option<f64>) -> bool {
    LONGER * last_s + 2.0 * block_s.unwrap_or(0.0) <= left_s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_trial_leaves_time_for_two_blocks() {
        assert!(has_time(60.0, 10.0, Some(22.0)));
        assert!(!has_time(58.0, 10.0, Some(22.0)));
        assert!(has_time(15.0, 10.0, None), "nothing was measured yet");
    }

    #[test]
    fn the_first_trial_gets_a_share_of_the_budget_and_the_next_what_was_set_aside_for_it() {
        let begin = Instant::now();
        let at = |s: f64| begin + Duration::from_secs_f64(s);
        let mut pace = Pace::new(Some(Duration::from_secs(50)), begin);
        assert_eq!(pace.limit(at(0.0)), Some(Duration::from_secs(15)));
        assert_eq!(pace.limit(at(10.0)), Some(Duration::from_secs(12)));
        pace.took(8.0, TrialShare { timed_s: 2.0, share: 1.0 }, 4.0, 2);
        assert_eq!(pace.limit(at(8.0)), Some(Duration::from_secs(12)), "half as long again");
        assert_eq!(pace.limit(at(45.0)), Some(Duration::from_secs(5)), "the budget is over then");
        assert_eq!(pace.limit(at(60.0)), Some(LEAST));
        let without = Pace::new(None, begin);
        assert_eq!((without.limit(begin), without.guest_limit(begin)), (None, GUEST_MOST));
    }

    #[test]
    fn a_block_is_forecast_from_a_trial() {
        let begin = Instant::now();
        let mut pace = Pace::new(None, begin);
        let shown = |timed_s, share| TrialShare { timed_s, share };
        pace.took(10.0, shown(2.0, 1.0), 4.0, 3);
        assert_eq!(
            pace.block_s,
            Some(36.0),
            "8 s besides the work and 4 s of it, for each of three"
        );
        pace.took(10.0, shown(2.0, 0.5), 4.0, 3);
        assert_eq!(pace.block_s, Some(72.0), "half of the cases were reached");
        pace.took(10.0, shown(0.0, 0.0), 4.0, 3);
        assert_eq!(pace.block_s, None, "a trial without a timed part tells nothing");
        assert!(pace.allows_another(begin), "there is no budget");
    }
}

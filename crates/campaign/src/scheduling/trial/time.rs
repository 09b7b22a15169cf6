//! The time of trials: the share of a budget that they may take, and what they show of a block.

use std::time::{Duration, Instant};

/// Share of the time that is left for which a guest is tried, when nothing is known of its speed.
const GUEST_SHARE: f64 = 0.3;
/// The longest that it is tried where there is no budget.
const GUEST_MOST: Duration = Duration::from_secs(600);

/// What a trial showed.
#[derive(Clone, Copy)]
pub(super) struct TrialShare {
    /// Length of its timed parts, seconds.
    pub(super) timed_s: f64,
    /// Share of the cases that it reached, 0 to 1.
    pub(super) share: f64,
}

/// Decides whether there is time for another trial. Reads the clock, and judges by numbers.
pub(super) struct Pace {
    since: Instant,
    left: Option<Duration>,
    last_s: f64,
    pub(super) block_s: Option<f64>,
}

impl Pace {
    pub(super) fn new(left: Option<Duration>) -> Pace {
        Pace { since: Instant::now(), left, last_s: 0.0, block_s: None }
    }

    pub(super) fn allows_another(&self) -> bool {
        let Some(left) = self.left else { return true };
        self.last_s == 0.0
            || has_time(
                left.as_secs_f64() - self.since.elapsed().as_secs_f64(),
                self.last_s,
                self.block_s,
            )
    }

    /// The longest that a trial in a guest may take.
    pub(super) fn guest_limit(&self) -> Duration {
        let Some(left) = self.left else { return GUEST_MOST };
        let left = left.saturating_sub(self.since.elapsed());
        left.mul_f64(GUEST_SHARE).max(Duration::from_secs(1))
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
    1.5 * last_s + 2.0 * block_s.unwrap_or(0.0) <= left_s
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
    fn a_block_is_forecast_from_a_trial() {
        let mut pace = Pace::new(None);
        let shown = |timed_s, share| TrialShare { timed_s, share };
        pace.took(10.0, shown(2.0, 1.0), 4.0, 3);
        assert_eq!(
            pace.block_s,
            Some(36.0),
            "8 s beside the work and 4 s of it, for each of three"
        );
        pace.took(10.0, shown(2.0, 0.5), 4.0, 3);
        assert_eq!(pace.block_s, Some(72.0), "half of the cases were reached");
        pace.took(10.0, shown(0.0, 0.0), 4.0, 3);
        assert_eq!(pace.block_s, None, "a trial without a timed part tells nothing");
        assert!(pace.allows_another() && pace.guest_limit() == GUEST_MOST, "there is no budget");
    }
}

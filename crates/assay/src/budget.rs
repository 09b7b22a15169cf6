//! The budget of a campaign while it is prepared: what is left of it, and whether blocks fit.

use crate::exit;
use anyhow::Result;
use campaign::{messages::duration, stages::Placed};
use std::time::{Duration, Instant};

/// Blocks that a comparison with intervals needs.
const LEAST_BLOCKS: u32 = 2;
/// By how much blocks may become longer than foreseen.
const SPARE: f64 = 1.1;

/// The time of a campaign, as far as it is limited.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// All of it, seconds.
    budget_s: Option<f64>,
    /// Whether it was promised: the user gave it, or was told that a run in a guest takes no longer. That of a preset
    /// is no reason to end without a figure.
    is_promised: bool,
    /// Used by earlier runs, seconds.
    earlier_s: f64,
    /// Start of this run.
    begun: Instant,
}

impl Budget {
    /// That of `placed`, of which earlier runs used `earlier_s`, in a run that began at `begun`.
    pub fn of(placed: &Placed, earlier_s: f64, begun: Instant) -> Budget {
        let budget_s = placed.plan.budget().map(|seconds| seconds as f64);
        let is_promised = placed.plan.budget_s.is_some() || placed.guests() > 0;
        Budget { budget_s, is_promised, earlier_s, begun }
    }

    /// That of `placed` after a preparation of `used_s`, for a forecast.
    pub fn foreseen(placed: &Placed, used_s: f64) -> Budget {
        Budget::of(placed, used_s, Instant::now())
    }

    fn used_s(&self) -> f64 {
        self.earlier_s + self.begun.elapsed().as_secs_f64()
    }

    /// What is left of it; `None` where it is not limited.
    pub fn left(&self) -> Option<Duration> {
        let left_s = (self.budget_s? - self.used_s()).max(0.0);
        Some(Duration::from_secs_f64(left_s))
    }

    /// Returns what to tell the user where blocks of `block_s`, of which `most` may be run, do not fit.
    ///
    /// # Errors
    /// Not even one fits into a budget that was promised.
    pub fn check(&self, block_s: Option<f64>, most: u32) -> Result<Option<String>> {
        let (Some(budget_s), Some(block_s)) = (self.budget_s, block_s) else { return Ok(None) };
        let (used_s, needed) = (self.used_s(), LEAST_BLOCKS.min(most));
        let holds = ((budget_s - used_s) / block_s).floor().max(0.0);
        if holds >= f64::from(needed) {
            return Ok(None);
        }
        let enough_s = (used_s + SPARE * block_s * f64::from(needed)).ceil();
        let (budget, enough) = (duration(budget_s), duration(enough_s).replace(' ', ""));
        if holds < 1.0 && self.is_promised {
            return Err(exit::lacking(format!(
                "a block of about {} does not fit into the budget of {budget} after the {} of its preparation; use \
                 --budget {enough}",
                duration(block_s),
                duration(used_s)
            )));
        }
        Ok(Some(format!(
            "only one block of about {} fits into the budget of {budget}, and one block gives no interval; use \
             --budget {enough}",
            duration(block_s)
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        budget_s: Option<f64>,
        is_promised: bool,
        used_s: f64,
        most: u32,
    ) -> Result<Option<String>> {
        Budget { budget_s, is_promised, earlier_s: used_s, begun: Instant::now() }
            .check(Some(20.0), most)
    }

    #[test]
    fn blocks_that_fit_are_not_mentioned() {
        assert!(check(Some(60.0), true, 19.0, 20).unwrap().is_none());
        assert!(check(None, false, 900.0, 20).unwrap().is_none());
        assert!(
            check(Some(60.0), true, 39.0, 1).unwrap().is_none(),
            "more than one was not asked for"
        );
    }

    #[test]
    fn one_block_that_fits_is_run_with_a_word() {
        let line = check(Some(60.0), true, 21.0, 20).unwrap().unwrap();
        assert!(
            line.contains("only one block of about 20s") && line.ends_with("--budget 1m6s"),
            "{line}"
        );
    }

    #[test]
    fn no_block_that_fits_ends_what_was_given_and_not_what_was_not() {
        let error = check(Some(60.0), true, 41.0, 20).unwrap_err();
        assert_eq!(exit::of(&error), exit::Exit::Lacking);
        assert!(error.to_string().ends_with("use --budget 1m26s"), "{error}");
        assert!(check(Some(60.0), false, 41.0, 20).unwrap().is_some());
    }
}

//! Steady state of sustained tests: SNIA's criterion over five rounds (Solid State Storage Performance Test
//! Specification 2.0, as coded in OPNFV storperf `steady_state.py`). A figure of a run that was still changing depends
//! on when it was stopped; it is shown with a note.

use model::result::{Dataset, Sample};
use serde::Serialize;
use std::collections::BTreeMap;

/// Largest less smallest round, over the mean.
const MOST_RANGE: f64 = 0.20;
/// What the fitted line rises or falls over the rounds, over the mean.
const MOST_EXCURSION: f64 = 0.10;

/// How five rounds lie around their mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rounds {
    /// Largest less smallest, a share of the mean.
    pub range: f64,
    /// Change of the least-squares line from the first to the last round, without its sign, a share
    /// of the mean.
    pub excursion: f64,
}

impl Rounds {
    /// Of rates in their order; `None` when nothing moved.
    pub fn of(rates: &[f64; 5]) -> Option<Rounds> {
        let n = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / n;
        if mean <= 0.0 {
            return None;
        }
        let centre = (n - 1.0) / 2.0;
        let places = || (0..).map(|i: u32| f64::from(i) - centre);
        let slope = places().zip(rates).map(|(x, y)| x * (y - mean)).sum::<f64>()
            / places().take(rates.len()).map(|x| x * x).sum::<f64>();
        let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let high = rates.iter().copied().fold(0.0, f64::max);
        Some(Rounds { range: (high - low) / mean, excursion: slope.abs() * (n - 1.0) / mean })
    }

    /// Whether the work had settled.
    pub fn is_steady(&self) -> bool {
        self.range <= MOST_RANGE && self.excursion <= MOST_EXCURSION
    }

    /// Of a sample that has rounds.
    pub(crate) fn of_sample(sample: &Sample) -> Option<Rounds> {
        Rounds::of(&sample.round_rates()?)
    }
}

/// Whether a sample has rounds and they had not settled.
pub(crate) fn is_unsteady(sample: &Sample) -> bool {
    Rounds::of_sample(sample).is_some_and(|rounds| !rounds.is_steady())
}

/// Sustained runs of one test on one target at one process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Steadiness {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
    /// Label.
    pub target: String,
    /// Valid samples with rounds.
    pub samples: usize,
    /// Those that had not settled.
    pub unsteady: usize,
    /// The sample with the widest range.
    pub widest: Rounds,
}

/// Every cell with a valid sample that has rounds, by test in the order of the suite, processes, and
/// target as in `targets`.
pub(crate) fn steadiness(dataset: &Dataset, targets: &[String]) -> Vec<Steadiness> {
    let mut cells: BTreeMap<(usize, u32, usize), Steadiness> = BTreeMap::new();
    for sample in dataset.samples.iter().filter(|s| s.evidence.validity.is_valid()) {
        let Some(rounds) = Rounds::of_sample(sample) else { continue };
        let case = &sample.case;
        let test = dataset.tests.iter().position(|t| t.id == case.test);
        let target = targets.iter().position(|label| *label == case.target);
        let Some((test, target)) = test.zip(target) else { continue };
        let cell = cells.entry((test, case.procs, target)).or_insert_with(|| Steadiness {
            test: case.test.clone(),
            name: dataset.tests[test].name.clone(),
            procs: case.procs,
            target: case.target.clone(),
            samples: 0,
            unsteady: 0,
            widest: rounds,
        });
        cell.samples += 1;
        cell.unsteady += usize::from(!rounds.is_steady());
        if rounds.range > cell.widest.range {
            cell.widest = rounds;
        }
    }
    cells.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(rates: [f64; 5]) -> Rounds {
        Rounds::of(&rates).unwrap()
    }

    #[test]
    fn range_and_slope_each_have_a_limit() {
        assert!(rounds([100.0; 5]).is_steady());
        // Range 19 %, no slope.
        assert!(rounds([100.0, 109.5, 90.5, 109.5, 90.5]).range < 0.2);
        let jump = rounds([100.0, 100.0, 125.0, 100.0, 100.0]);
        assert!(jump.excursion < 1e-12 && !jump.is_steady(), "{jump:?}");
        // A straight line from 95 to 105: the excursion is its rise.
        let drift = rounds([95.0, 97.5, 100.0, 102.5, 105.0]);
        assert!((drift.excursion - 0.1).abs() < 1e-12 && (drift.range - 0.1).abs() < 1e-12);
        let falling = rounds([108.0, 104.0, 100.0, 96.0, 92.0]);
        assert!((falling.excursion - 0.16).abs() < 1e-12 && !falling.is_steady());
    }

    #[test]
    fn nothing_moved_is_no_round() {
        assert_eq!(Rounds::of(&[0.0; 5]), None);
    }
}

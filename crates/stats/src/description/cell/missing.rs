//! Bounds the effect of missing samples: invalid, in another cache state, or without work. They are rarely missing by
//! chance, because slow targets fail first, so a verdict must hold even with the worst observed value in their place.

use crate::{
    description::{
        cell::data::{CellData, Series},
        sample::contention::is_too_much,
    },
    kernel::{
        block_score::{self, Part},
        point::{Point, logs, mean},
        ratio::paired,
    },
};
use std::collections::BTreeMap;

/// Samples of a candidate that have no value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// How many.
    pub samples: usize,
    /// Those of them in which nothing was done.
    pub zeros: usize,
    /// Of how many.
    pub of: usize,
}

impl Missing {
    /// Of `column` in `cells`.
    pub(crate) fn of<'a>(cells: impl IntoIterator<Item = &'a CellData>, column: usize) -> Missing {
        cells.into_iter().map(|cell| &cell.series[column]).fold(
            Missing::default(),
            |all, series| {
                let samples = series.missing.values().sum::<usize>();
                Missing {
                    samples: all.samples + samples,
                    zeros: all.zeros + series.zeros,
                    of: all.of + samples + series.samples,
                }
            },
        )
    }

    /// Their share.
    pub(crate) fn share(&self) -> f64 {
        self.samples as f64 / self.of.max(1) as f64
    }

    /// Whether there are too many of them for the others to be representative.
    pub(crate) fn is_too_much(&self) -> bool {
        is_too_much(self.samples, self.of)
    }

    /// Whether the candidate cannot be the best: they are too many, or it stood still, which no value that was seen
    /// makes up for.
    pub(crate) fn is_fatal(&self) -> bool {
        self.zeros > 0 || self.is_too_much()
    }
}

/// Column `first` minus column `other` over `cells`, each with its weight, with what is missing of either at the
/// value that is worst for `first` of all that the two have in the cell. `None` where they share no cell.
pub(crate) fn worst(cells: &[(&CellData, f64)], first: usize, other: usize) -> Option<f64> {
    let part = |&(cell, weight): &(&CellData, f64)| {
        let series = [first, other].map(|column| &cell.series[column]);
        let seen = || series.into_iter().flat_map(|own| own.logs.iter().map(|own| own.log));
        let (low, high) = (seen().reduce(f64::min)?, seen().reduce(f64::max)?);
        let (own, base) = (filled(series[0], low), filled(series[1], high));
        let pairs = paired(&own, &base);
        let level = match pairs.is_empty() {
            true if own.is_empty() || base.is_empty() => return None,
            true => mean(&logs(&own)) - mean(&logs(&base)),
            false => mean(&logs(&pairs)),
        };
        Some(Part { weight, mean: level, points: pairs })
    };
    block_score::centre(&cells.iter().filter_map(part).collect::<Vec<_>>())
}

/// The points of `series` with each missing sample at `value`.
fn filled(series: &Series, value: f64) -> Vec<Point> {
    let mut points: BTreeMap<u32, f64> = series.points.iter().map(|p| (p.block, p.log)).collect();
    for (block, missing) in &series.missing {
        let upto = series.logs.partition_point(|own| own.block <= *block);
        let seen = upto - series.logs.partition_point(|own| own.block < *block);
        let of_seen = points.get(block).copied().unwrap_or_default() * seen as f64;
        let all = of_seen + value * *missing as f64;
        points.insert(*block, all / (seen + missing) as f64);
    }
    points.into_iter().map(|(block, log)| Point { block, log }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(logs: &[(u32, f64)], missing: &[(u32, usize)]) -> Series {
        Series {
            points: logs.iter().map(|&(block, log)| Point { block, log }).collect(),
            logs: logs.iter().map(|&(block, log)| Point { block, log }).collect(),
            samples: logs.len(),
            missing: missing.iter().copied().collect(),
            ..Series::default()
        }
    }

    #[test]
    fn what_is_missing_is_at_the_worst_that_was_seen() {
        let own = series(&[(0, 1.0), (1, 1.2)], &[(1, 1), (2, 1)]);
        let filled: Vec<f64> = filled(&own, 0.2).iter().map(|p| p.log).collect();
        assert_eq!(filled, [1.0, 0.7, 0.2]);
    }

    #[test]
    fn a_candidate_that_lacks_a_cell_is_at_the_worst_of_the_other_there() {
        let cell = |own: Series, other: Series| CellData {
            series: vec![own, other],
            test: 0,
            procs: 1,
            is_scored: true,
            basis: "rate".into(),
            unit: "MB/s".into(),
            cache: model::workload::CacheState::Any,
            better: model::figure::Better::Higher,
            order: None,
            noise: std::rc::Rc::default(),
            confidence: 0.95,
        };
        let both = cell(series(&[(0, 1.0), (1, 1.0)], &[]), series(&[(0, 0.0), (1, 0.0)], &[]));
        let lacking = cell(series(&[], &[(0, 1), (1, 1)]), series(&[(0, 0.4), (1, -0.2)], &[]));
        let worst = worst(&[(&both, 1.0), (&lacking, 1.0)], 0, 1).unwrap();
        // Half of 1, and half of -0.2 against 0.4 and -0.2.
        assert!((worst - (1.0 - 0.3) / 2.0).abs() < 1e-12, "{worst}");
        let missing = Missing::of([&both, &lacking], 0);
        assert_eq!((missing.samples, missing.of), (2, 4));
        assert!(missing.is_too_much() && !Missing::of([&both, &lacking], 1).is_too_much());
    }
}

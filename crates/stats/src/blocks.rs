//! Scores of blocks: one number for each block, averaged over tests.
//!
//! A block shares its noise among all of its tests, so the error of a mean over tests must come from
//! block to block. Summing the variances of the tests instead covers 72 to 81 %, not 95.

use crate::{
    ratio::{Estimate, logs, welch},
    select::{Point, mean},
};
use std::collections::{BTreeMap, BTreeSet};

/// What one test adds to a score.
pub(crate) struct Part {
    /// Its weight; only the proportions matter.
    pub(crate) weight: f64,
    /// Its mean over blocks.
    pub(crate) mean: f64,
    /// Its value in each block.
    pub(crate) points: Vec<Point>,
}

impl Part {
    /// Of a test with these values, at least one.
    pub(crate) fn of(weight: f64, points: Vec<Point>) -> Part {
        Part { weight, mean: mean(&logs(&points)), points }
    }
}

/// The blocks that each of `all` has, ascending, and the values of each in these.
pub(crate) fn common(all: &[Vec<Point>]) -> (Vec<u32>, Vec<Vec<f64>>) {
    let mut blocks: BTreeSet<u32> = all.iter().flatten().map(|p| p.block).collect();
    for points in all {
        let own: BTreeSet<u32> = points.iter().map(|p| p.block).collect();
        blocks.retain(|block| own.contains(block));
    }
    let kept = |points: &Vec<Point>| {
        points.iter().filter(|p| blocks.contains(&p.block)).map(|p| p.log).collect()
    };
    let values = all.iter().map(kept).collect();
    (blocks.into_iter().collect(), values)
}

/// Mean of the parts, weighted.
pub(crate) fn centre(parts: &[Part]) -> Option<f64> {
    let weight: f64 = parts.iter().map(|p| p.weight).sum();
    (weight > 0.0).then(|| parts.iter().map(|p| p.weight * p.mean).sum::<f64>() / weight)
}

/// The score of each block that holds more than half of the weight: the centre plus the mean
/// deviation of its tests. For complete data this is the plain mean over tests; a missing test
/// leaves the score without that test's deviation instead of without that test's level.
pub(crate) fn scores(parts: &[Part]) -> Vec<Point> {
    let Some(centre) = centre(parts) else { return Vec::new() };
    let weight: f64 = parts.iter().map(|p| p.weight).sum();
    let mut blocks: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for part in parts {
        for point in &part.points {
            let (held, deviation) = blocks.entry(point.block).or_default();
            *held += part.weight;
            *deviation += part.weight * (point.log - part.mean);
        }
    }
    blocks
        .into_iter()
        .filter(|(_, (held, _))| *held > weight / 2.0)
        .map(|(block, (held, deviation))| Point { block, log: centre + deviation / held })
        .collect()
}

/// The mean over tests with the error that its blocks show.
pub(crate) fn estimate(parts: &[Part]) -> Option<Estimate> {
    let error = Estimate::of_sample(&logs(&scores(parts))).and_then(|e| e.error);
    centre(parts).map(|mean| Estimate { mean, error })
}

/// The mean over tests of `candidate` minus that of `base`, where the two share no block: Welch on
/// the scores that the blocks of each side give.
pub(crate) fn estimate_apart(candidate: &[Part], base: &[Part]) -> Option<Estimate> {
    let mean = centre(candidate)? - centre(base)?;
    let (a, b) = (logs(&scores(candidate)), logs(&scores(base)));
    let error = if a.len() > 1 && b.len() > 1 { welch(&a, &b).error } else { None };
    Some(Estimate { mean, error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::normal;

    fn part(weight: f64, logs: &[(u32, f64)]) -> Part {
        Part::of(weight, logs.iter().map(|&(block, log)| Point { block, log }).collect())
    }

    #[test]
    fn complete_blocks_give_plain_weighted_means() {
        let parts = [part(1.0, &[(0, 1.0), (1, 2.0)]), part(3.0, &[(0, 5.0), (1, 7.0)])];
        assert_eq!(logs(&scores(&parts)), [4.0, 5.75]);
    }

    #[test]
    fn a_missing_test_does_not_move_the_level() {
        let parts = [
            part(1.0, &[(0, 1.0), (1, 1.2)]),
            part(1.0, &[(0, 1.0), (1, 1.2)]),
            part(1.0, &[(0, 9.0)]),
        ];
        let scores = logs(&scores(&parts));
        assert!((scores[1] - scores[0]).abs() < 0.2, "{scores:?}");
    }

    /// Does the interval over `n` blocks hold the truth, 0, when each block shifts all its tests?
    #[allow(clippy::unwrap_used)]
    fn covers(seed: u64, n: u32) -> bool {
        let mut rng = model::Rng::new(seed);
        let shared: Vec<f64> = (0..n).map(|_| 0.03 * normal(&mut rng)).collect();
        let mut noisy = |b: u32| (b, shared[b as usize] + 0.02 * normal(&mut rng));
        let parts: Vec<Part> =
            (0..8).map(|_| part(1.0, &(0..n).map(&mut noisy).collect::<Vec<_>>())).collect();
        let estimate = estimate(&parts).unwrap();
        estimate.mean.abs() <= estimate.half_width().unwrap()
    }

    #[test]
    fn intervals_cover_when_a_block_shares_its_noise() {
        for n in [3, 5, 10] {
            let hits = (0..2_000).filter(|seed| covers(seed * 31 + u64::from(n), n)).count();
            let coverage = hits as f64 / 2_000.0;
            assert!((0.93..=0.97).contains(&coverage), "n={n}: {coverage}");
        }
    }

    // Scores 0.9, 1.1, 1.3 against 0.2, 0.3: Satterthwaite's df is 2.635036496, the 0.975 quantile of t
    // by Simpson's rule on its density 3.446938169, the standard error 0.125830574.
    #[test]
    fn sides_without_a_shared_block_are_compared_by_welch() {
        let a = [
            part(1.0, &[(0, 1.0), (1, 1.2), (2, 1.4)]),
            part(1.0, &[(0, 0.8), (1, 1.0), (2, 1.2)]),
        ];
        let b = [part(1.0, &[(5, 0.1), (6, 0.2)]), part(1.0, &[(5, 0.3), (6, 0.4)])];
        let apart = estimate_apart(&a, &b).unwrap();
        assert!((apart.mean - 0.85).abs() < 1e-12);
        let half = apart.half_width().unwrap();
        assert!((half - 0.433730208047).abs() < 1e-9, "{half}");
        assert_eq!(estimate_apart(&a, &b[..0]), None);
        let once = [part(1.0, &[(5, 0.1)])];
        assert_eq!(estimate_apart(&a, &once).unwrap().error, None);
    }

    #[test]
    fn tests_in_separate_blocks_give_no_interval() {
        let parts = [part(1.0, &[(0, 1.0)]), part(1.0, &[(1, 2.0)])];
        assert_eq!(estimate(&parts), Some(Estimate { mean: 1.5, error: None }));
    }
}

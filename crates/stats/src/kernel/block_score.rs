//! Scores of blocks: one number for each block, averaged over tests.
//!
//! A block shares its noise among all of its tests, so the error of a mean over tests must come from
//! block to block. Summing the variances of the tests instead covers 72 to 81 %, not 95. For the same
//! reason a score learns nothing from the noise of its tests: it learns from other scores.

use crate::kernel::{
    point::{Point, logs, mean, variance},
    prior::{Member, Prior},
    ratio::{Estimate, welch},
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

/// Of each of `rows` the mean over its tests with the error that its blocks show, moderated by those of the
/// other rows.
pub(crate) fn estimates(rows: &[Vec<Part>]) -> Vec<Option<Estimate>> {
    let prior = prior(rows);
    rows.iter().map(|parts| moderated(parts, prior.as_ref())).collect()
}

/// What the rows tell of the noise of one of them.
pub(crate) fn prior(rows: &[Vec<Part>]) -> Option<Prior> {
    Prior::fit(&rows.iter().map(|parts| member(parts)).collect::<Vec<_>>())
}

/// The mean over the tests of one row with the error that its blocks show.
pub(crate) fn estimate(parts: &[Part]) -> Option<Estimate> {
    moderated(parts, None)
}

fn moderated(parts: &[Part], prior: Option<&Prior>) -> Option<Estimate> {
    let scores = member(parts);
    let expected = prior.and_then(|prior| prior.at(scores.covariate));
    let error = Estimate::moderated(&logs(&scores.points), expected).and_then(|e| e.error);
    centre(parts).map(|mean| Estimate { mean, error })
}

/// The scores, with what their variance would be if the tests shared no noise.
fn member(parts: &[Part]) -> Member {
    let weight: f64 = parts.iter().map(|p| p.weight).sum();
    let share = |p: &Part| (p.weight / weight).powi(2) * variance(&logs(&p.points));
    let replicated = parts.iter().filter(|p| p.points.len() > 1);
    let apart: f64 = replicated.map(share).sum();
    Member { points: scores(parts), covariate: (apart > 0.0).then(|| apart.ln()) }
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
    use crate::kernel::draw::normal;

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
        let mut rng = model::random::Rng::new(seed);
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

    /// Twelve tables of four tests over three blocks: the shares of intervals that hold the truth, and the
    /// mean of their widths over those of tables that learn nothing.
    fn tables(shared_sd: f64) -> (f64, f64) {
        let (mut hits, mut width, campaigns) = (0, 0.0, 500);
        for seed in 0..campaigns {
            let mut rng = model::random::Rng::new(seed);
            let shared: Vec<f64> = (0..3).map(|_| shared_sd * normal(&mut rng)).collect();
            let mut noisy = |b: u32| (b, shared[b as usize] + 0.04 * normal(&mut rng));
            let mut test = || part(1.0, &(0..3).map(&mut noisy).collect::<Vec<_>>());
            let rows: Vec<Vec<Part>> = (0..12).map(|_| (0..4).map(|_| test()).collect()).collect();
            let half = |e: &Option<Estimate>| e.and_then(|e| e.half_width()).unwrap();
            let all = estimates(&rows);
            hits += all.iter().filter(|e| e.unwrap().mean.abs() <= half(e)).count();
            let alone = rows.iter().map(|row| half(&estimate(row))).sum::<f64>();
            width += all.iter().map(half).sum::<f64>() / alone;
        }
        (hits as f64 / (12 * campaigns) as f64, width / campaigns as f64)
    }

    #[test]
    fn tables_learn_from_each_other_what_their_blocks_do_not_share() {
        let (covered, width) = tables(0.0);
        assert!((0.94..=0.975).contains(&covered) && width < 0.8, "{covered}, {width}");
        // Where all tables share the noise of a block, twelve tell what one does.
        let (covered, width) = tables(0.06);
        assert!((0.93..=0.97).contains(&covered) && width > 0.9, "{covered}, {width}");
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

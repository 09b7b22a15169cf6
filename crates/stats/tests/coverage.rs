//! Simulation with known truth: do 95 % intervals hold the truth in 95 % of campaigns? Seeds are
//! fixed, so these tests never flicker.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Noise, dataset, normal, sample, test};
use model::{random::Rng, workload::Group};
use stats::{
    description::Settings,
    evaluation::findings,
    kernel::{Ratio, log_ratio},
};
use std::ops::RangeInclusive;

const SEEDS: u64 = 2_000;
/// What a 95 % interval may cover over [`SEEDS`] campaigns.
const NOMINAL: RangeInclusive<f64> = 0.93..=0.97;

fn covers(ratio: &Ratio, truth: f64) -> bool {
    ratio.low.is_some_and(|low| low <= truth) && ratio.high.is_some_and(|high| truth <= high)
}

/// Share of campaigns of `n` blocks whose interval holds the true ratio, 1.2. `noise` gives the noise
/// of candidate and baseline in a block, logarithmic; a block shifts both by 10 %.
fn coverage(n: u64, noise: impl Fn(&mut Rng) -> [f64; 2]) -> f64 {
    let hits = (0..SEEDS).filter(|seed| {
        let mut rng = Rng::new(seed * 1_000 + n);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let shared = 0.1 * normal(&mut rng);
            let [own_a, own_b] = noise(&mut rng);
            a.push(120.0 * (shared + own_a).exp());
            b.push(100.0 * (shared + own_b).exp());
        }
        covers(&log_ratio(&a, &b).unwrap(), 1.2)
    });
    hits.count() as f64 / SEEDS as f64
}

#[test]
fn intervals_of_a_ratio_cover() {
    for n in [2, 3, 5, 7, 10, 20] {
        for sd in [0.02, 0.05, 0.2] {
            let coverage = coverage(n, |rng| [(); 2].map(|()| sd * normal(rng)));
            assert!(NOMINAL.contains(&coverage), "n={n}, {sd}: {coverage}");
        }
    }
}

#[test]
fn a_target_with_ten_times_the_noise_of_the_other_changes_nothing() {
    for n in [3, 5, 10, 20] {
        let coverage = coverage(n, |rng| [0.2 * normal(rng), 0.02 * normal(rng)]);
        assert!(NOMINAL.contains(&coverage), "n={n}: {coverage}");
    }
}

/// Every other block is on average five times as noisy as the rest: a mixture, with heavy tails. The
/// interval then covers at least as much as it says.
#[test]
fn blocks_of_unequal_noise_make_intervals_conservative() {
    for n in [3, 5, 10, 20] {
        let coverage = coverage(n, |rng| {
            let sd = if rng.unit() < 0.5 { 0.02 } else { 0.1 };
            [sd * normal(rng), sd * normal(rng)]
        });
        assert!((0.94..=0.99).contains(&coverage), "n={n}: {coverage}");
    }
}

/// A tenth of the runs takes half as long again: 96 to 99 % are expected, and no outlier is dropped.
#[test]
fn slow_outliers_make_intervals_conservative() {
    for n in [3, 5, 10, 20] {
        let coverage = coverage(n, |rng| {
            [(); 2].map(|()| {
                let slow = if rng.unit() < 0.1 { 1.5_f64.ln() } else { 0.0 };
                0.05 * normal(rng) - slow
            })
        });
        assert!((0.94..=0.99).contains(&coverage), "n={n}: {coverage}");
    }
}

/// One campaign has a hundred tests, so twenty of them are as many ratios as there are seeds. Block
/// numbers that are not shared force Welch.
fn unpaired(n: u32, sd: [f64; 2]) -> Vec<Ratio> {
    let (tests, campaigns) = (100, SEEDS / 100);
    let infos: Vec<_> = (0..tests).map(|t| test(&format!("t{t}"), Group::Meta)).collect();
    let ratios = |seed: u64| {
        let mut rng = Rng::new(seed * 1_000 + u64::from(n));
        let mut samples = Vec::new();
        for (block, info) in (0..n).flat_map(|block| infos.iter().map(move |info| (block, info))) {
            let mut draw = |level: f64, sd: f64| level * (sd * normal(&mut rng)).exp();
            samples.push(sample("a", &info.id, block, draw(100.0, sd[0])));
            samples.push(sample("b", &info.id, n + block, draw(120.0, sd[1])));
        }
        let found =
            findings(&dataset(&["a", "b"], infos.clone(), samples), &Settings::default()).unwrap();
        let rows = found.tables.into_iter().flat_map(|t| t.rows);
        rows.map(|r| r.cells[1].ratio.unwrap()).collect::<Vec<_>>()
    };
    (0..campaigns).flat_map(ratios).collect()
}

#[test]
fn intervals_of_campaigns_that_share_no_block_cover() {
    for n in [3, 5, 10, 20] {
        for sd in [[0.05, 0.05], [0.2, 0.02]] {
            let hits = unpaired(n, sd).iter().filter(|r| covers(r, 1.2)).count();
            let coverage = hits as f64 / SEEDS as f64;
            // With three blocks a side and equal noise, Satterthwaite's approximation is conservative.
            let allowed = if n == 3 { 0.93..=0.98 } else { NOMINAL };
            assert!(allowed.contains(&coverage), "n={n}, {sd:?}: {coverage}");
        }
    }
}

/// The noise of a block is shared by its tests: summing the variances of the tests would cover 72 to
/// 81 %.
#[test]
fn intervals_of_geometric_means_cover() {
    let noise = Noise { block_sd: 0.03, own_sd: 0.02 };
    for n in [3, 5, 10] {
        let seeds = SEEDS / 2;
        let hits = (0..seeds).filter(|seed| {
            let data = noise.dataset(&[("a", 100.0), ("b", 120.0)], 6, n, seed * 17);
            let found = findings(&data, &Settings::default()).unwrap();
            covers(&found.tables[0].footers[1].ratio.unwrap(), 1.2)
        });
        let coverage = hits.count() as f64 / seeds as f64;
        assert!(NOMINAL.contains(&coverage), "n={n}: {coverage}");
    }
}

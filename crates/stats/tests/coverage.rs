//! Simulation with known truth: do 95 % intervals cover 95 %, and how often is a difference claimed
//! where there is none? Seeds are fixed, so these tests never flicker.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Noise, normal};
use model::Rng;
use stats::{Settings, findings, log_ratio};

const SEEDS: u64 = 2_000;

fn covers(low: Option<f64>, high: Option<f64>, truth: f64) -> bool {
    low.is_some_and(|low| low <= truth) && high.is_some_and(|high| truth <= high)
}

#[test]
fn intervals_of_a_ratio_cover() {
    for n in [3, 5, 10] {
        let hits = (0..SEEDS).filter(|&seed| {
            let mut rng = Rng::new(seed * 100 + n);
            let blocks: Vec<f64> = (0..n).map(|_| 0.1 * normal(&mut rng)).collect();
            let mut arm = |level: f64| -> Vec<f64> {
                blocks.iter().map(|b| level * (b + 0.05 * normal(&mut rng)).exp()).collect()
            };
            let (a, b) = (arm(120.0), arm(100.0));
            let ratio = log_ratio(&a, &b).unwrap();
            covers(ratio.low, ratio.high, 1.2)
        });
        let coverage = hits.count() as f64 / SEEDS as f64;
        assert!((0.93..=0.97).contains(&coverage), "n={n}: {coverage}");
    }
}

#[test]
fn equal_targets_are_rarely_called_different() {
    let noise = Noise { block_sd: 0.0, own_sd: 0.05 };
    let (mut cells, mut claimed, mut marked, tables) = (0, 0, 0, 200);
    for seed in 0..tables {
        let data = noise.dataset(&[("a", 1.0), ("a#2", 1.0)], 60, 5, seed);
        let table = findings(&data, &Settings::default()).unwrap().tables.remove(0);
        let counts = table.footers[1].counts;
        cells += table.rows.len();
        claimed += counts.better + counts.worse;
        marked += usize::from(table.rows.iter().any(|r| r.cells[1].holm));
    }
    let (claims, marks) = (claimed as f64 / cells as f64, marked as f64 / tables as f64);
    assert!(claims < 0.05, "{claims} of the cells");
    assert!((0.01..0.08).contains(&marks), "{marks} of the tables");
}

#[test]
fn clear_calls_are_right() {
    let noise = Noise { block_sd: 0.02, own_sd: 0.02 };
    let clear = |levels: &[(&str, f64)]| {
        let calls = (0..200).filter(|seed| {
            let call =
                findings(&noise.dataset(levels, 4, 5, *seed), &Settings::default()).unwrap().call;
            call.kind == stats::CallKind::Clear
        });
        calls.count() as f64 / 200.0
    };
    let false_calls = clear(&[("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)]);
    let true_calls = clear(&[("a", 1.0), ("b", 1.1), ("c", 1.0), ("d", 1.0)]);
    assert!(false_calls < 0.05, "{false_calls}");
    assert!(true_calls > 0.95, "{true_calls}");
}

//! What stands beside the figures of a table: marks of cells, and what its ratios are over.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::Dataset;
use report::{TerminalOptions, terminal};
use stats::{Settings, findings};

fn on_terminal(data: &Dataset) -> String {
    let found = findings(data, &Settings::default()).unwrap();
    terminal(data, &found, &TerminalOptions::default())
}

/// Twelve blocks have a larger range than three of the same spread, by being more.
#[test]
fn many_blocks_are_not_noisier_than_three_of_the_same_spread() {
    // Quantiles of the normal distribution, of standard deviation 1 around 0.
    let three = [-1.0, 0.0, 1.0];
    let twelve = [-1.81, -1.20, -0.83, -0.54, -0.28, -0.05, 0.05, 0.28, 0.54, 0.83, 1.20, 1.81];
    let is_noisy = |places: &[f64], sd: f64| {
        let mut data = common::campaign(places.len() as u32);
        for sample in &mut data.samples {
            sample.metrics[0].value = 100.0 * (1.0 + sd * places[sample.block as usize]);
        }
        let text = on_terminal(&data);
        text.lines().any(|line| line.contains("disk sort") && line.contains("noisy"))
    };
    assert_eq!([is_noisy(&three, 0.13), is_noisy(&twelve, 0.13)], [false, false]);
    assert_eq!([is_noisy(&three, 0.17), is_noisy(&twelve, 0.17)], [true, true]);
}

/// A baseline that nobody asked for is told where its ratios stand.
#[test]
fn the_headings_say_why_the_first_target_is_not_the_baseline() {
    let mut data = common::campaign(3);
    let is_left =
        |s: &model::Sample| s.case.target != "ext4" || s.case.test == "columnar.sort.disk";
    data.samples.retain(is_left);
    let text = on_terminal(&data);
    let why = "over xfs, as ext4, the first target, has a valid sample in 2 of 10 cells";
    for heading in ["1 process; ratios ", "Geometric means of the ratios ", "Ratios are "] {
        let all = text.replace('\n', " ");
        assert!(all.contains(&format!("{heading}{why}")), "{heading}: {text}");
    }
}

//! The gate for continuous integration: what is a regression, and what is not.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use common::Noise;
use model::{Better, Dataset, Metric};
use stats::{Comparison, Settings, compare};

fn campaign(id: &str, levels: &[(&str, f64)], own_sd: f64, blocks: u32, seed: u64) -> Dataset {
    let mut data = Noise { block_sd: 0.0, own_sd }.dataset(levels, 4, blocks, seed);
    data.campaign.id = id.into();
    data
}

fn compared(a: &Dataset, b: &Dataset, band: f64) -> Comparison {
    let settings = Settings { band, ..Settings::default() };
    compare(a, b, &settings).unwrap().1.comparison.unwrap()
}

#[test]
fn only_decided_losses_of_the_same_target_beyond_the_limit_count() {
    let a = campaign("a", &[("ext4", 100.0), ("xfs", 100.0)], 0.002, 5, 1);
    let b = campaign("b", &[("ext4", 160.0), ("xfs", 80.0)], 0.002, 5, 2);
    let comparison = compared(&a, &b, 0.05);
    let gate = comparison.gate(0.05).unwrap();
    assert!(gate.regressions.iter().all(|d| d.a == "A:xfs" && d.b == "B:xfs"));
    assert_eq!(gate.regressions.len(), 4);
    assert!(gate.sentence.contains("B:xfs is 0.80x A:xfs"), "{}", gate.sentence);
    let counts = "; cells worse by that much: 4";
    assert!(gate.sentence.ends_with(counts), "{}", gate.sentence);
    // 0.80 is a loss of 25 % in this scale, on which 1/1.25 is as far from 1 as 1.25.
    assert!(comparison.gate(0.3).unwrap().regressions.is_empty());
    // The other way round only ext4 is worse.
    let back = compared(&b, &a, 0.05);
    assert!(back.gate(0.05).unwrap().regressions.iter().all(|d| d.b == "B:ext4"));
}

#[test]
fn noise_is_no_regression() {
    let a = campaign("a", &[("xfs", 100.0)], 0.5, 3, 1);
    let b = campaign("b", &[("xfs", 80.0)], 0.5, 3, 2);
    let comparison = compared(&a, &b, 0.05);
    let gate = comparison.gate(0.05).unwrap();
    assert!(gate.regressions.is_empty());
    let expected = "no regression beyond 5 %: of 4 ratios of B over A on the same target none is certainly \
                    worse by more; 4 are unclear";
    assert_eq!(gate.sentence, expected);
}

#[test]
fn a_busy_machine_is_named_where_nothing_is_judged() {
    let a = campaign("a", &[("xfs", 100.0)], 0.002, 3, 1);
    let mut b = campaign("b", &[("xfs", 50.0)], 0.002, 3, 2);
    for s in b.samples.iter_mut().filter(|s| s.case.test <= "t1".into()) {
        s.metrics.push(Metric::new("foreign_cpu_pct", 60.0, "%", Better::Lower));
    }
    for s in b.samples.iter_mut().filter(|s| s.case.test > "t1".into()) {
        s.metrics.push(Metric::new("foreign_cpu_pct", 1.0, "%", Better::Lower));
    }
    let comparison = compared(&a, &b, 0.05);
    assert_eq!(comparison.gate(0.05).unwrap().regressions.len(), 2);
    let passed = comparison.gate(9.0).unwrap().sentence;
    assert!(
        passed.ends_with("2 are unclear, 2 of them because the machine was busy with other work"),
        "{passed}"
    );
}

#[test]
fn single_runs_make_a_gate_blind() {
    let a = campaign("a", &[("xfs", 100.0)], 0.002, 1, 1);
    let b = campaign("b", &[("xfs", 50.0)], 0.002, 3, 2);
    assert!(compared(&a, &b, 0.05).gate(0.05).unwrap().is_blind);
    let replicated = campaign("a", &[("xfs", 100.0)], 0.002, 2, 1);
    assert!(!compared(&replicated, &b, 0.05).gate(0.05).unwrap().is_blind);
}

#[test]
fn without_a_common_target_there_is_no_gate() {
    let a = campaign("a", &[("xfs", 100.0)], 0.002, 3, 1);
    let b = campaign("b", &[("ext4", 50.0)], 0.002, 3, 2);
    assert_eq!(compared(&a, &b, 0.05).gate(0.05), None);
}

/// What a gate costs: sixty cells of two equal campaigns of five blocks fail one time in twenty at
/// most, whatever their noise.
#[test]
fn equal_campaigns_seldom_fail() {
    let fails = |own_sd: f64| {
        let fails = |seed: &u64| {
            let side = |id: &str, seed: u64| {
                let mut data =
                    Noise { block_sd: 0.0, own_sd }.dataset(&[("xfs", 1.0)], 60, 5, seed);
                data.campaign.id = id.into();
                data
            };
            let comparison = compared(&side("a", 2 * seed), &side("b", 2 * seed + 1), 0.05);
            !comparison.gate(0.05).unwrap().regressions.is_empty()
        };
        (0..200).filter(fails).count() as f64 / 200.0
    };
    let (quiet, noisy) = (fails(0.02), fails(0.05));
    println!("gates of equal campaigns that fail: {quiet} at 2 % noise, {noisy} at 5 %");
    assert!(quiet <= 0.05 && noisy <= 0.05, "{quiet}, {noisy}");
}

//! Rates at several process counts, of known truth.
#![allow(clippy::unwrap_used)]

use crate::common;
use common::{dataset, sample, test};
use model::{
    figure::Better,
    result::Sample,
    workload::{Group, TestInfo},
};
use stats::{
    description::{Scaling, Settings},
    evaluation::findings,
};

/// The samples of a target: its rate in three blocks at each process count.
fn samples(target: &str, rates: &[(u32, [f64; 3])]) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (procs, rates) in rates {
        for (block, rate) in (0..).zip(rates) {
            let mut sample = sample(target, "r", block, *rate);
            sample.case.procs = *procs;
            samples.push(sample);
        }
    }
    samples
}

fn found(test: TestInfo, samples: Vec<Sample>) -> Vec<Scaling> {
    findings(&dataset(&["a", "b"], vec![test], samples), &Settings::default()).unwrap().scalings
}

#[test]
fn a_rate_that_doubles_with_four_processes_is_half_as_efficient() {
    let of_a = samples("a", &[(1, [10.0, 11.0, 12.0]), (4, [20.0, 22.0, 24.0])]);
    let of_b = samples("b", &[(4, [20.0, 22.0, 24.0])]);
    let found = found(test("r", Group::ReadHot), [of_a, of_b].concat());
    let [scaling] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((scaling.test.as_str(), scaling.unit.as_str()), ("r", "MB/s"));
    assert_eq!(scaling.procs, [1, 4]);
    let [only] = scaling.targets.as_slice() else { panic!("b has nothing to begin with") };
    let [Some(first), Some(fourth)] = only.steps[..] else { panic!("{only:?}") };
    assert_eq!((first.speedup.point, first.speedup.low, first.efficiency), (1.0, None, 1.0));
    assert!((fourth.speedup.point - 2.0).abs() < 1e-12 && (fourth.efficiency - 0.5).abs() < 1e-12);
    // Both vary alike from block to block, so that their ratio does not.
    assert!(fourth.speedup.low.is_some_and(|low| (low - 2.0).abs() < 1e-6), "{fourth:?}");
}

// reference: t(0.975, 2) = 4.302653; ln of 1.5, 2, 2.5 has the mean 0.671634 and the SD 0.256168.
#[test]
fn an_interval_holds_what_varies_between_blocks() {
    let rates = [(1, [10.0; 3]), (4, [15.0, 20.0, 25.0])];
    let found = found(test("r", Group::ReadHot), samples("a", &rates));
    let step = found[0].targets[0].steps[1].unwrap();
    let half = 4.302_653 * 0.256_168 / 3f64.sqrt();
    let ends = [-half, half].map(|off| (0.671_634 + off).exp());
    let close =
        |seen: Option<f64>, end: f64| seen.is_some_and(|seen| (seen / end - 1.0).abs() < 1e-3);
    assert!(close(step.speedup.low, ends[0]) && close(step.speedup.high, ends[1]), "{step:?}");
}

#[test]
fn a_time_and_a_single_count_do_not_scale() {
    let lower = TestInfo { better: Better::Lower, ..test("r", Group::ReadHot) };
    let both = || samples("a", &[(1, [10.0; 3]), (4, [15.0; 3])]);
    assert!(found(lower, both()).is_empty());
    assert!(found(test("r", Group::ReadHot), samples("a", &[(4, [15.0; 3])])).is_empty());
}

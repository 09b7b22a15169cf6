//! Tests of the cells in which the first two candidates differ most.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{dataset, sample, test};
use model::{result::Dataset, workload::Group};
use stats::{
    description::Settings,
    evaluation::findings,
    verdict::{Contrast, Leaders},
};

/// xfs over ext4 by these factors in each test, block by block; ext4 is the baseline, btrfs far behind.
fn campaign(factors: &[[f64; 3]]) -> Dataset {
    let id = |at: usize| format!("t{at}");
    let tests = (0..factors.len()).map(|at| test(&id(at), Group::ReadCold)).collect();
    let mut samples = Vec::new();
    for block in 0..3 {
        for (at, factor) in factors.iter().enumerate() {
            let own = [("ext4", 100.0), ("xfs", 100.0 * factor[block]), ("btrfs", 10.0)];
            samples.extend(own.map(|(target, v)| sample(target, &id(at), block as u32, v)));
        }
    }
    dataset(&["ext4", "xfs", "btrfs"], tests, samples)
}

fn leaders(factors: &[[f64; 3]]) -> Leaders {
    findings(&campaign(factors), &Settings::default()).unwrap().leaders.unwrap()
}

fn names(side: &[Contrast]) -> Vec<&str> {
    side.iter().map(|contrast| contrast.test.as_str()).collect()
}

#[test]
fn what_is_decided_comes_first_and_then_the_size() {
    let found = leaders(&[
        [2.0, 2.1, 2.2],
        [5.0, 0.9, 20.0],
        [3.0, 3.1, 3.2],
        [0.5, 0.51, 0.52],
        [0.8, 0.81, 0.82],
        [1.0, 1.0, 1.0],
    ]);
    assert_eq!((found.first.as_str(), found.second.as_str()), ("xfs", "ext4"));
    assert_eq!(names(&found.ahead), ["t2", "t0", "t1"], "t1 is the largest and is not decided");
    assert_eq!(names(&found.behind), ["t3", "t4"], "what is equal is on no side");
    let decided: Vec<bool> = found.ahead.iter().map(|c| c.comparison.is_difference()).collect();
    assert_eq!(decided, [true, true, false]);
    assert!((found.ahead[0].ratio.point - 3.099).abs() < 1e-3 && found.ahead[0].holm);
    assert!(found.behind[0].ratio.high.unwrap() < 1.0);
}

#[test]
fn a_side_has_five_at_most_and_one_candidate_no_sides() {
    let found = leaders(&[[2.0, 2.1, 2.2]; 9]);
    assert_eq!((found.ahead.len(), found.behind.len()), (5, 0));
    let mut alone = campaign(&[[2.0; 3]]);
    alone.samples.retain(|s| s.case.target == "ext4");
    assert_eq!(findings(&alone, &Settings::default()).unwrap().leaders, None);
}

/// In t0 the first loses against the third, of which the second tells nothing; in t1 against both, in t2 none can say.
#[test]
fn loss_to_any_candidate_is_shown_with_the_best_there() {
    let mut data = campaign(&[
        [1.5, 1.55, 1.6],
        [0.5, 0.51, 0.52],
        [1.0, 0.7, 1.4],
        [3.0, 3.1, 3.2],
        [3.0, 3.1, 3.2],
    ]);
    for sample in &mut data.samples {
        let of_btrfs = sample.case.target == "btrfs";
        let value = &mut sample.figures.metrics[0].value;
        match sample.case.test.as_str() {
            "t0" if of_btrfs => *value *= 100.0,
            _ if of_btrfs => *value *= 0.01,
            _ => {}
        }
    }
    let found = findings(&data, &Settings::default()).unwrap().leaders.unwrap();
    assert_eq!(found.first, "xfs");
    let seen: Vec<(&str, &str)> =
        found.lost.iter().map(|l| (l.contrast.test.as_str(), l.over.as_str())).collect();
    assert_eq!(seen[..2], [("t0", "btrfs"), ("t1", "ext4")]);
    assert_eq!(found.lost_in, 2, "{seen:?}");
    let worst = &found.lost[0].contrast;
    assert!((worst.ratio.point - 0.155).abs() < 1e-3 && worst.holm, "{worst:?}");
    assert_eq!(names(&found.behind)[0], "t1", "against the second alone t0 is a gain");
}

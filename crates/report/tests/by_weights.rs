//! Tests of other weights: the first place under equal weights, as in the verdict, and under a profile.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::bare::html;
use crate::common::study::Study;
use model::{
    result::Dataset,
    workload::{Group, Procs, Profile, ProfileHead, WorkGroup},
};
use stats::{
    description::Settings,
    evaluation::{findings, workloads},
};

const TESTS: [[&str; 6]; 2] =
    [["a.read", "a", "read", "r", "rate", "MB/s"], ["a.write", "a", "write", "w", "rate", "MB/s"]];

/// The second target reads half as fast again, and writes at a third of the rate.
fn data() -> Dataset {
    let study =
        Study { targets: &["ext4", "xfs"], tests: &TESTS, group: Group::RandomRead, blocks: 4 };
    let mut data = study.dataset(|test, target, block| {
        let noise = 1.0 + 0.01 * f64::from((block * 7 + test as u32 * 3 + target as u32) % 5);
        100.0 * noise * [[1.0, 1.5], [1.0, 1.0 / 3.0]][test][target]
    });
    data.tests[1].group = Group::RandomWrite;
    data
}

/// A profile that reads nine times as much as it writes.
fn reader() -> Profile {
    let group = |name: &str, weight, test: &str| WorkGroup {
        name: name.into(),
        weight,
        tests: vec![test.into()],
        cache: None,
        procs: Procs::All,
    };
    let head = ProfileHead {
        name: "reader".into(),
        intent: "It reads.".into(),
        device_class: "ssd".into(),
        tier: None,
    };
    Profile {
        profile: head,
        groups: vec![group("reads", 9.0, "a.read"), group("writes", 1.0, "a.write")],
        ops: vec![],
        floors: vec![],
        requires: vec![],
        prefers: vec![],
    }
}

#[test]
fn page_shows_how_first_place_depends_on_weights() {
    let data = data();
    let found = findings(&data, &Settings::default()).unwrap();
    let all = workloads(&data, &found, &[reader()], &[]).unwrap();
    let equal = all.equal.clone().unwrap();
    let [by_profile] = all.profiles.as_slice() else { panic!("{all:?}") };
    // Equal weights are those of the verdict.
    let lead = equal.lead.unwrap();
    assert_eq!(lead.target, found.verdict.candidates[0].target);
    let over = found.verdict.candidates[1].ratio.point / found.verdict.candidates[0].ratio.point;
    assert!((lead.ratio.point * over - 1.0).abs() < 1e-9);
    assert_eq!((lead.target.as_str(), lead.second.as_str()), ("ext4", "xfs"));
    assert_eq!(by_profile.lead.as_ref().unwrap().target, "xfs");
    // Level at a weight of reads of 0.73, nearly four standard deviations below 0.9.
    let share = |label: &str| by_profile.acceptability.iter().find(|s| s.target == label).unwrap();
    assert!((0.97..1.0).contains(&share("xfs").share), "{by_profile:?}");
    let page = html(&data, &found.clone().with_workloads(all));
    assert!(page.contains("With other weights") && page.contains("<th scope=\"row\">reader</th>"));
    assert!(!html(&data, &found).contains("With other weights"));
}

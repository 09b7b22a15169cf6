//! Tests that a target which lost acknowledged data when the power went is not mistaken for one that keeps it.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::{
    result::{AfterFault, CrashStates, Dataset, FaultOnDisk, Found, Harm},
    workload::Profile,
};
use stats::{
    advice::{Advised, Eligibility, Objection, Question},
    description::{Durability, Settings, durability},
    evaluation::advise,
};
use std::collections::BTreeMap;

const UNTRIED: &str = "btrfs[compress=zstd:3]";

/// 200 states of an honest disk in each block, nothing wrong in any.
fn clean() -> CrashStates {
    CrashStates {
        fault: FaultOnDisk::Crash,
        contract: "append".into(),
        seed: 1,
        tried: 200,
        harmed: 0,
        is_complete: false,
        recovery: None,
        checked: 0,
        found: BTreeMap::new(),
    }
}

/// The same, with three in which appended data is missing.
fn losing() -> CrashStates {
    let detail = "log: 4096 bytes long, and 8192 were synced".into();
    let found = BTreeMap::from([(Harm::Lost, Found { states: 3, example: 1, detail })]);
    CrashStates { harmed: 3, found, ..clean() }
}

/// Two blocks, in which ext4 was found as `on_ext4` says, XFS lost nothing, and no other was tried.
fn campaign(on_ext4: &CrashStates) -> Dataset {
    let mut data = common::campaign(2);
    let case = data.samples[0].case.clone();
    for sample in &mut data.samples {
        let own = &sample.case;
        if own.test == case.test && own.procs == case.procs && own.target != UNTRIED {
            let states = if own.target == "ext4" { on_ext4.clone() } else { clean() };
            sample.evidence.after_fault = Some(Box::new(AfterFault::Crash(states)));
        }
    }
    data
}

#[test]
fn a_measured_loss_counts_for_more_than_what_options_promise() {
    assert_eq!(durability(&campaign(&clean()), "ext4"), Durability::Keeps);
    let data = campaign(&losing());
    let Durability::Loses(why) = durability(&data, "ext4") else { panic!("it lost data") };
    assert!(why.contains("6 of 400 states after a power failure"), "{why}");
    assert_eq!(durability(&data, "xfs"), Durability::Keeps);
    let of_early_disk = CrashStates { fault: FaultOnDisk::CrashOfEarlyDisk, ..losing() };
    let kept = durability(&campaign(&of_early_disk), "ext4");
    assert_eq!(kept, Durability::Keeps, "no file system can mend such a disk");
}

fn standing(data: &Dataset, target: &str) -> (Eligibility, Vec<Objection>) {
    let profile: Profile = serde_json::from_value(serde_json::json!({
        "profile": { "name": "mine", "intent": "Writes.", "device_class": "ssd" },
        "group": [{ "name": "all", "weight": 1.0, "tests": ["columnar.*"] }],
        "require": [{ "feature": "crash_safe" }],
    }))
    .unwrap();
    let question = Question { profile: &profile, facts: &[], requirements: &[], block_s: None };
    let found = advise(data, &question, &Settings::default()).unwrap();
    let all = found.others.iter().chain([&found]).filter_map(|own| own.advice.as_ref());
    let all: Vec<&Advised> = all.flat_map(|advice| &advice.candidates).collect();
    let own = all.iter().find(|own| own.target == target).unwrap();
    (own.standing, own.objections.clone())
}

#[test]
fn crash_safe_is_what_was_tried_and_lost_nothing() {
    let data = campaign(&losing());
    assert_eq!(standing(&data, "xfs").0, Eligibility::Eligible);
    let unknown = vec![Objection::Unknown(vec!["crash_safe".into()])];
    assert_eq!(standing(&data, UNTRIED), (Eligibility::AtRisk, unknown));
    let (out, why) = standing(&data, "ext4");
    assert_eq!(out, Eligibility::RuledOut, "{why:?}");
}

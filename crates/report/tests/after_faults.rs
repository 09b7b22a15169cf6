//! Tests that what is found after a fault is counted, bounded and named.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::{
    result::{AfterFault, Dataset, FaultOnDisk, Found, Harm, Spread},
    workload::Group,
};
use report::markdown;
use stats::{description::Settings, evaluation::findings};
use std::collections::BTreeMap;

fn clean(tried: u64) -> AfterFault {
    AfterFault {
        fault: FaultOnDisk::Crash,
        contract: "append".into(),
        seed: 1,
        tried,
        harmed: 0,
        is_complete: false,
        recovery: Spread::of(vec![1_500_000, 2_500_000, 9_000_000]),
        checked: 0,
        found: BTreeMap::new(),
    }
}

/// A campaign in which each sample of the first cell and of the same test on xfs tried 200 states.
fn campaign() -> Dataset {
    let mut data = common::campaign(2);
    let case = data.samples[0].case.clone();
    for sample in &mut data.samples {
        let own = &sample.case;
        let is_tried = ["ext4", "xfs"].contains(&own.target.as_str());
        if own.test == case.test && own.procs == case.procs && is_tried {
            sample.evidence.after_fault = Some(Box::new(clean(200)));
        }
    }
    data
}

fn text(data: &Dataset) -> String {
    markdown(data, &findings(data, &Settings::default()).unwrap())
}

#[test]
fn no_harm_is_said_with_the_share_that_it_leaves_possible() {
    assert!(!text(&common::campaign(2)).contains("## After faults"), "no fault was made");
    let text = text(&campaign());
    let (_, section) = text.split_once("## After faults").unwrap();
    let row = section.lines().find(|line| line.contains("0 of 400")).unwrap();
    assert_eq!(row.matches("0 of 400 (below 0.746 %)").count(), 2, "{row}");
    assert!(section.contains("2.50") && section.contains("1.50-9.00"), "{section}");
    assert!(!section.contains("Harm after"), "{section}");
}

#[test]
fn lost_data_is_named_first_with_a_state_to_make_again() {
    let mut data = campaign();
    let hurt = data.samples.iter_mut().find(|s| s.evidence.after_fault.is_some()).unwrap();
    let target = hurt.case.target.clone();
    let after = hurt.evidence.after_fault.as_mut().unwrap();
    after.harmed = 3;
    let found = |states, example, detail: &str| Found { states, example, detail: detail.into() };
    after.found.insert(Harm::Zeros, found(1, 9, "a: bytes 0 to 4096"));
    after.found.insert(Harm::Lost, found(2, 17, "a: ends at 4096"));
    let text = text(&data);
    let (_, section) = text.split_once("## After faults").unwrap();
    let said = format!("{target}: after a crash, acknowledged data is lost in 2 of 400");
    assert!(section.contains(&said), "{section}");
    let example = section.lines().find(|line| line.contains("state 17: a: ends at 4096")).unwrap();
    assert!(example.contains(&target), "{example}");
    assert!(section.contains("3 of 400"), "{section}");
}

/// Only what a fault left: no test has a score.
fn faults_alone(mut data: Dataset) -> Dataset {
    data.samples.retain(|sample| sample.evidence.after_fault.is_some());
    let kept: Vec<String> = data.samples.iter().map(|s| s.case.test.clone()).collect();
    data.tests.retain(|test| kept.contains(&test.id));
    data.tests.iter_mut().for_each(|test| test.group = Group::AfterFaults);
    data
}

#[test]
fn without_a_score_the_verdict_is_what_faults_left() {
    let mut data = faults_alone(campaign());
    let all = text(&data);
    let (_, verdict) = all.split_once("After a power failure, ").unwrap();
    assert!(verdict.starts_with("ext4 and xfs were unharmed in all 800 states."), "{verdict}");
    assert!(!all.contains("no sample of"), "{all}");
    let after = data.samples[0].evidence.after_fault.as_mut().unwrap();
    after.harmed = 5;
    after.found.insert(Harm::Zeros, Found { states: 5, example: 1, detail: "a".into() });
    let target = data.samples[0].case.target.clone();
    let said = format!("{target} was harmed in 5 of 400 states (zeros in place of data); ");
    assert!(text(&data).contains(&said), "{}", text(&data));
}

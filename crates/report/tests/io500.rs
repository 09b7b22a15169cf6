//! Tests of the IO500 score.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, markdown},
    common,
};
use model::{
    result::{Dataset, Sample},
    workload::TestInfo,
};
use stats::{description::Settings, evaluation::findings};

const PHASES: [&str; 12] = [
    "ior.easy.write",
    "ior.easy.read",
    "ior.hard.write",
    "ior.hard.read",
    "mdtest.easy.file.create",
    "mdtest.hard.file.create",
    "find",
    "mdtest.easy.file.stat",
    "mdtest.hard.file.stat",
    "mdtest.easy.file.remove",
    "mdtest.hard.file.read",
    "mdtest.hard.file.remove",
];

/// A campaign in which each phase has the figures of one test.
fn campaign(phases: &[&str]) -> Dataset {
    let mut data = common::campaign(2);
    let first = data.tests[0].clone();
    let own: Vec<Sample> =
        data.samples.iter().filter(|sample| sample.case.test == first.id).cloned().collect();
    let id = |phase: &str| format!("io500.{phase}");
    data.tests = phases.iter().map(|phase| TestInfo { id: id(phase), ..first.clone() }).collect();
    data.samples = phases
        .iter()
        .flat_map(|phase| {
            own.iter().cloned().map(|mut sample| {
                sample.case.test = id(phase);
                sample
            })
        })
        .collect();
    data
}

#[test]
fn the_score_says_that_it_is_no_official_one() {
    let data = campaign(&PHASES);
    let found = findings(&data, &Settings::default()).unwrap();
    for text in [html(&data, &found), markdown(&data, &found)] {
        assert!(text.contains("IO500") && text.contains("not an official submission"), "{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&json(&data, &found)).unwrap();
    assert_eq!(json["io500"].as_array().unwrap().len(), 2, "one for each process count");
    assert!(json["io500"][0]["targets"][0]["score"].as_f64().is_some_and(|score| score > 0.0));
}

#[test]
fn a_phase_that_is_missing_is_named() {
    let data = campaign(&PHASES[1..]);
    let text = markdown(&data, &findings(&data, &Settings::default()).unwrap());
    assert!(text.contains("io500.ior.easy.write"), "{text}");
    let data = common::campaign(2);
    let text = markdown(&data, &findings(&data, &Settings::default()).unwrap());
    assert!(!text.contains("IO500"), "{text}");
}

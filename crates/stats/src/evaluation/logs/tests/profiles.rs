//! Vectors by profile: groups that share a cell, one of which nothing is there, and a candidate that is ruled out.

use super::*;
use crate::{advice::workload::tests::answer, description::Settings};
use model::workload::{Floor, Procs, Profile, ProfileHead, WorkGroup};

fn group(name: &str, weight: f64, tests: &[&str], procs: Procs) -> WorkGroup {
    let tests = tests.iter().map(|glob| (*glob).into()).collect();
    WorkGroup { name: name.into(), weight, tests, cache: None, procs }
}

fn profile(groups: Vec<WorkGroup>, floors: Vec<Floor>) -> Profile {
    let head = ProfileHead {
        name: "own".into(),
        intent: String::new(),
        device_class: "ssd".into(),
        tier: None,
    };
    Profile { profile: head, groups, ops: vec![], floors, requires: vec![], prefers: vec![] }
}

fn profiles() -> [Profile; 2] {
    let mixed = vec![
        group("writes", 60.0, &["w.*"], Procs::Most),
        group("reads", 25.0, &["r.*"], Procs::All),
        group("random", 10.0, &["r.random", "meta"], Procs::One),
        group("absent", 5.0, &["none"], Procs::All),
    ];
    // The first that others are compared with is ruled out.
    let floor = Floor { test: "r.cold".into(), max_ratio_to_best: Some(1.04), limit: None };
    let few = vec![
        group("writes", 1.0, &["w.large"], Procs::All),
        group("reads", 2.5, &["r.cold"], Procs::All),
    ];
    [profile(mixed, vec![]), profile(few, vec![floor])]
}

fn labelled(all: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(all.into_iter().collect())
}

/// What this crate says by each profile over each baseline.
pub(super) fn answers(dataset: &Dataset) -> Vec<Value> {
    let baselines = ["ext4", "btrfs"];
    let pairs = profiles().into_iter().flat_map(|own| baselines.map(|base| (own.clone(), base)));
    pairs.map(|(profile, baseline)| of_profile(dataset, &profile, baseline)).collect()
}

fn of_profile(dataset: &Dataset, profile: &Profile, baseline: &str) -> Value {
    let settings = Settings { baseline: Some(baseline.into()), ..Settings::default() };
    let found = findings(dataset, &Settings::default()).unwrap();
    let known = crate::evaluation::workloads(dataset, &found, std::slice::from_ref(profile), &[])
        .unwrap()
        .profiles;
    let own = answer(dataset, profile, &settings);
    let scores = own.scores.iter().map(|(label, ratio)| (label.clone(), said(Some(ratio), None)));
    let of_group =
        |group: &Vec<(String, Ratio, crate::description::Comparison)>| {
            labelled(group.iter().map(|(label, ratio, word)| {
                (label.clone(), said(Some(ratio), Some(word.as_str())))
            }))
        };
    let groups = known[0].groups.iter();
    json!({
        "baseline": baseline,
        "groups": groups.map(|g| json!({ "weight": g.weight, "cells": g.cells })).collect::<Vec<_>>(),
        "out": known[0].ruled_out.iter().map(|(label, _)| label).collect::<Vec<_>>(),
        "scores": labelled(scores),
        "means": own.groups.iter().map(of_group).collect::<Vec<_>>(),
    })
}

#[test]
fn one_profile_rules_out_and_the_other_does_not() {
    let dataset = dataset();
    let all = answers(&dataset);
    let out: Vec<usize> = all.iter().map(|own| own["out"].as_array().unwrap().len()).collect();
    assert_eq!(out, [0, 0, 1, 1], "{all:#?}");
    assert_eq!(all[0]["scores"].as_object().unwrap().len(), 3);
    assert_eq!(all[2]["scores"].as_object().unwrap().len(), 2);
}

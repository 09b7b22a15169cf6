//! Timed parts below the floor of their preset are shown and score nothing; what is cold, read ahead, says so.

use crate::common::Noise;
use model::{
    result::{Dataset, Sample, known},
    workload::{Procs, Profile, ProfileHead, WorkGroup},
};
use report::words::verdict;
use stats::{
    advice::Question,
    description::Settings,
    evaluation::{Findings, advise, findings},
    verdict::VerdictKind,
};

const QUIET: Noise = Noise { block_sd: 0.002, own_sd: 0.002 };
const FLOOR_S: f64 = 0.1 / 3.0;

/// xfs is as fast as ext4 but in `t0`, where it is a hundred times faster, in parts of `lengths_s` on each.
fn campaign(lengths_s: [f64; 2]) -> Dataset {
    let mut data = QUIET.dataset(&[("ext4", 100.0), ("xfs", 130.0)], 4, 5, 1);
    for sample in &mut data.samples {
        let length_s = lengths_s[usize::from(sample.case.target == "xfs")];
        let is_first = sample.case.test == "t0";
        sample.figures.seconds = if is_first { length_s } else { 0.2 };
        sample.figures.metrics[0].value *=
            if is_first && sample.case.target == "ext4" { 0.01 } else { 1.0 };
        sample.set(known::FLOOR_S, FLOOR_S);
    }
    data
}

fn judged(data: &Dataset) -> Findings {
    findings(data, &Settings::default()).unwrap()
}

/// The same without `t0`.
fn without_first(mut data: Dataset) -> Dataset {
    data.tests.retain(|test| test.id != "t0");
    data.samples.retain(|sample| sample.case.test != "t0");
    data
}

#[test]
fn a_short_part_is_shown_and_scores_nothing() {
    let data = campaign([0.05, 0.0002]);
    let (all, others) = (judged(&data), judged(&without_first(data.clone())));
    let (table, alone) = (&all.tables[0], &others.tables[0]);
    let row = &table.rows[0];
    assert!(row.is_short() && !row.cells[0].short && row.cells[1].short);
    assert!(row.cells[1].ratio.unwrap().point > 100.0, "it keeps its ratio");
    let footer = &table.footers[1];
    assert_eq!((footer.tests, footer.of_tests, footer.counts.total()), (3, 3, 3));
    let point = |footer: &stats::description::Footer| footer.ratio.unwrap().point;
    assert!((point(footer) - point(&alone.footers[1])).abs() < 1e-12);
    assert_ne!(footer.max_ratio.as_ref().unwrap().test, "t0");
    assert_eq!((all.verdict.cells, all.verdict.kind), (3, others.verdict.kind));
    assert_eq!((all.verdict.of_cells, others.verdict.of_cells), (4, 3), "of those asked for");
    assert!((all.verdict.lead.unwrap().point - others.verdict.lead.unwrap().point).abs() < 1e-12);
    let contrasts = all.leaders.unwrap().ahead;
    assert!(contrasts.iter().all(|contrast| contrast.test != "t0"), "{contrasts:?}");
}

#[test]
fn a_part_of_the_floor_scores() {
    let all = judged(&campaign([0.05, FLOOR_S]));
    assert_eq!((all.tables[0].footers[1].tests, all.verdict.cells), (4, 4));
    assert!(!all.tables[0].rows[0].is_short());
}

#[test]
fn what_was_not_measured_here_is_never_short() {
    let mut data = campaign([0.0002, 0.0002]);
    data.samples.iter_mut().for_each(|sample| sample.set(known::FLOOR_S, None));
    assert_eq!(judged(&data).verdict.cells, 4);
}

#[test]
fn a_campaign_of_short_parts_recommends_nothing() {
    let mut data = campaign([0.0002, 0.0002]);
    data.samples.iter_mut().for_each(|sample| sample.figures.seconds = 0.0002);
    let all = judged(&data);
    assert!(all.tables[0].footers.is_empty() && all.tables[0].rows.len() == 4);
    assert_eq!((all.verdict.kind, all.verdict.cells), (VerdictKind::Insufficient, 0));
    let sentence = verdict(&all);
    assert!(sentence.contains("every timed part is too short"), "{sentence}");
}

#[test]
fn a_profile_weighs_no_short_part() {
    let group = |name: &str, tests: &str| WorkGroup {
        name: name.into(),
        weight: 1.0,
        tests: vec![tests.into()],
        cache: None,
        procs: Procs::All,
    };
    let profile = Profile {
        profile: ProfileHead {
            name: "p".into(),
            intent: "Writes.".into(),
            device_class: "ssd".into(),
            tier: None,
        },
        groups: vec![group("first", "t0"), group("others", "t2")],
        ops: vec![],
        floors: vec![],
        requires: vec![],
        prefers: vec![],
    };
    let advised = |data: &Dataset| {
        let question = Question { profile: &profile, facts: &[], requirements: &[], block_s: None };
        advise(data, &question, &Settings::default()).unwrap().advice.unwrap()
    };
    let long = advised(&campaign([0.05, 0.05]));
    let short = advised(&campaign([0.05, 0.0002]));
    assert!(long.covered > 0.99 && (short.covered - 0.5).abs() < 1e-9, "{}", short.covered);
}

#[test]
fn what_was_read_ahead_says_how_much() {
    let mut data = campaign([0.2, 0.2]);
    let share = |sample: &mut Sample, pct: f64| {
        sample.set(known::READ_AHEAD_HIT_PCT, pct);
    };
    for sample in data.samples.iter_mut().filter(|sample| sample.case.test == "t1") {
        let pct = if sample.case.target == "ext4" { 10.0 } else { 90.0 + f64::from(sample.block) };
        share(sample, pct);
    }
    let all = judged(&data);
    let shares: Vec<Option<f64>> =
        all.tables[0].rows[1].cells.iter().map(|cell| cell.read_ahead_pct).collect();
    assert_eq!(shares, [None, Some(92.0)]);
    assert_eq!(all.verdict.cells, 4, "it is labelled, and counts");
}

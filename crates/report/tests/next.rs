//! Tests of what would settle an open verdict.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common::study::Study;
use crate::{bare::markdown, common};
use model::{
    result::{BY_HAND, CampaignState, Dataset, Note, Origin, known},
    target::{Fact, FactSheet, FactValue},
    workload::Group,
};
use stats::{
    description::{Settings, Timed},
    evaluation::{Findings, findings},
    verdict::{Next, VerdictKind},
};

/// The paragraph when the statistics find `next`, and a block took a minute and a half.
fn said(data: &Dataset, next: Option<Next>) -> Option<String> {
    let found = findings(data, &Settings::default()).unwrap();
    let timed = Timed { blocks: 2, wall_s: 180.0, timed_s: 90.0, parts: 9, median_s: 0.1 };
    let found = Findings { next, ..found.with_time(Some(timed)) };
    let page = markdown(data, &found).replace('\\', "");
    let (_, rest) = page.split_once("## Verdict\n\n").unwrap();
    // The verdict, what to do next, whether to trust it, the candidates, the scope.
    let (head, _) = rest.split_once("\nScope: ").unwrap();
    let head = head.split("\n**Candidates over ").next().unwrap();
    let lines: Vec<&str> = head.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines[0].starts_with("> "));
    let is_next = |line: &&&str| !line.starts_with("Can I trust this?");
    let next: Vec<&str> = lines[1..].iter().filter(is_next).copied().collect();
    assert!(next.len() < 2, "{next:?}");
    next.first().map(|line| (*line).to_string())
}

#[test]
fn it_names_blocks_time_and_command() {
    let data = common::campaign(3);
    let told = |next| said(&data, Some(next)).unwrap();
    assert_eq!(
        told(Next::Separate { blocks: 5 }),
        "About 5 more blocks (7m 30s) would separate xfs from ext4 with 80 % probability, if \
         their difference stays the same: `assay resume c7 --blocks +5`"
    );
    assert_eq!(
        told(Next::Within { blocks: 1 }),
        "About 1 more block (1m 30s) would show that xfs and ext4 are the same within 5 % with 80 \
         % probability, if their difference stays the same: `assay resume c7 --blocks +1`"
    );
    assert_eq!(
        told(Next::Interval { blocks: 2 }),
        "2 more blocks (3m) would provide intervals: `assay resume c7 --blocks +2`"
    );
    assert_eq!(
        told(Next::Same),
        "xfs and ext4 are the same within 5 % overall, so more blocks would not change the result."
    );
    assert!(told(Next::TooMany).contains("find the source of the noise"));
}

#[test]
fn nothing_is_said_where_more_blocks_cannot_be_run_or_are_still_to_come() {
    let mut data = common::campaign(3);
    assert_eq!(said(&data, None), None);
    data.campaign.state = CampaignState::Open;
    assert_eq!(said(&data, Some(Next::Same)), None);
}

#[test]
fn import_says_how_many_repetitions_are_needed_and_how_to_measure_it() {
    let mut data = common::campaign(3);
    data.campaign.origin = Origin::Import;
    let told = |next| said(&data, next).unwrap();
    let measure = "To measure what is not known, use `assay run --aa` on that machine.";
    assert_eq!(told(None), measure);
    assert_eq!(
        told(Some(Next::Interval { blocks: 2 })),
        format!("2 more repetitions of each run would provide intervals. {measure}")
    );
    assert_eq!(
        told(Some(Next::Separate { blocks: 5 })),
        format!(
            "About 5 more repetitions of each run would separate xfs from ext4 with 80 % probability, if their \
             difference stays the same. {measure}"
        )
    );
    data.campaign.origin = Origin::Published;
    assert_eq!(said(&data, None).unwrap(), "To measure this on your machine, use `assay run`.");
}

#[test]
fn the_statistics_find_it() {
    let found = |blocks| findings(&common::campaign(blocks), &Settings::default()).unwrap();
    assert_eq!(found(1).next, Some(Next::Interval { blocks: 2 }));
    assert!(matches!(
        found(5).next,
        Some(Next::Same | Next::Separate { .. } | Next::Within { .. })
    ));
}

#[test]
fn more_blocks_are_not_offered_while_other_programs_run() {
    let mut data = common::campaign(3);
    let busy = data.samples.iter_mut();
    busy.for_each(|sample| sample.set(known::FOREIGN_CPU_PCT, 60.0));
    let told = said(&data, Some(Next::Interval { blocks: 2 })).unwrap();
    assert!(told.ends_with("`assay run --like c7 --wait-quiet 10m`"), "{told}");
}

#[test]
fn report_says_how_to_make_the_winner() {
    let tests = [["t.a", "s", "a", "read disk", "rate", "MB/s"]];
    let study =
        Study { targets: &["ext4", "xfs"], tests: &tests, group: Group::ReadCold, blocks: 8 };
    let mut data = study.dataset(|_, target, block| {
        (100.0 + 100.0 * target as f64) * (1.0 + 0.001 * f64::from(block))
    });
    data.samples.iter_mut().for_each(|sample| {
        sample.figures.seconds = 1.5;
        sample.position = (sample.position + sample.block) % 2;
    });
    let winner = data.targets.iter_mut().find(|target| target.label == "xfs").unwrap();
    let lines = "mkfs.xfs DEVICE; mount -t xfs DEVICE DIRECTORY";
    winner.facts.0.insert(BY_HAND.into(), lines.into());
    let found = findings(&data, &Settings::default()).unwrap();
    assert_eq!(found.verdict.kind, VerdictKind::Clear, "{:?}", found.verdict.reason);
    assert_eq!(
        said(&data, None).unwrap(),
        "To use xfs as it was measured: `mkfs.xfs DEVICE`, then `mount -t xfs DEVICE DIRECTORY`"
    );
    data.targets.iter_mut().for_each(|target| target.facts.0.clear());
    data.campaign.notes.push(Note::OnImages { is_side_by_side: true });
    assert_eq!(
        said(&data, None).unwrap(),
        "To repeat this on a disk (erases the disk): `assay run --like c7 --device /dev/DISK`"
    );
}

#[test]
fn of_candidates_that_are_the_same_each_is_said_how_to_make() {
    let tests = [["t.a", "s", "a", "read disk", "rate", "MB/s"]];
    let study =
        Study { targets: &["ext4", "xfs"], tests: &tests, group: Group::ReadCold, blocks: 8 };
    let mut data = study.dataset(|_, _, block| 100.0 * (1.0 + 0.001 * f64::from(block)));
    data.samples.iter_mut().for_each(|sample| {
        sample.figures.seconds = 1.5;
        sample.position = (sample.position + sample.block) % 2;
    });
    for target in &mut data.targets {
        let line = format!("mkfs.{} DEVICE", target.label);
        target.facts.0.insert(BY_HAND.into(), line);
    }
    data.campaign.notes.push(Note::OnImages { is_side_by_side: true });
    let facts = [
        sheet("ext4", &[("shrink", true), ("reflink", false), ("quota", true)]),
        sheet("xfs", &[("shrink", false), ("reflink", true), ("quota", true), ("dax", true)]),
    ];
    let found = findings(&data, &Settings::default()).unwrap().with_features(&data, &facts);
    assert_eq!(found.verdict.kind, VerdictKind::Equivalent, "{:?}", found.verdict.reason);
    let page = markdown(&data, &found).replace('\\', "");
    for told in [
        "They differ in features: only ext4 has shrink; only xfs has reflink.",
        "To use ext4 as it was measured: `mkfs.ext4 DEVICE`",
        "To use xfs as it was measured: `mkfs.xfs DEVICE`",
        "`assay run --like c7 --device /dev/DISK`",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
}

fn sheet(name: &str, features: &[(&str, bool)]) -> FactSheet {
    let fact = |(feature, has): &(&str, bool)| Fact {
        feature: (*feature).into(),
        value: FactValue::Has(*has),
        scope: "Linux".into(),
        only_with: None,
        unless: Vec::new(),
        with: Vec::new(),
        but: None,
        source: "a manual".into(),
        as_of: "2026-11-21".into(),
        checked_by: "maintainers".into(),
    };
    FactSheet { file_system: name.into(), facts: features.iter().map(fact).collect() }
}

//! Tests of the short form: its content, and that it never grows.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{bare::summary, common};
use model::{
    figure::{Better, Metric},
    random::Rng,
    result::{Dataset, Note, Reason, Sample, TESTS_LEFT_OUT, TargetRecord, TargetState, Validity},
    workload::{CacheState, Case, Group, TestInfo},
};
use report::TerminalOptions;
use stats::{
    description::{Settings, Timed},
    evaluation::{Findings, findings},
};

const CLOSING: &str = "All tables: `assay report c7`. The page: /tmp/report.html";

fn judged(data: &Dataset) -> Findings {
    let timed = Timed { blocks: 5, wall_s: 450.0, timed_s: 240.0, parts: 90, median_s: 0.2 };
    findings(data, &Settings::default()).unwrap().with_time(Some(timed))
}

fn at(data: &Dataset, found: &Findings, width: usize) -> String {
    summary(data, found, &TerminalOptions { width, color: false }, CLOSING)
}

/// The campaign of the other tests, of which a preset left tests out.
fn campaign() -> Dataset {
    let mut data = common::campaign(5);
    let left_out =
        "75 of the 80 tests of columnar, excluded by the preset quick (standard runs all)";
    data.campaign.environment.0.insert(TESTS_LEFT_OUT.into(), left_out.into());
    data
}

#[test]
fn the_answer_looks_like_this() {
    let data = campaign();
    insta::assert_snapshot!(at(&data, &judged(&data), 120), @"
    ext4, xfs & btrfs <on> a loop image

    For these tests of columnar at these sizes on this machine, xfs and ext4 are the same within 5 % (xfs is 1.03x ext4, 95
    % CI 1.01-1.04, 4 blocks). Choosing either costs at most 4 % (each with 95 % probability); decide by features.
    xfs and ext4 are the same within 5 % overall, so more blocks would not change the result.
    Scope: device P5510, backing ext4, kernel 6.18.2, 5 blocks, scale 0.2, 2025-11-21, suite columnar.
    loop-backed: compares candidates on this machine, not comparable with a device.

    Candidates over 8 of 10 cells, each group of tests weighted equally
     Target                  Score / ext4  95 % CI    P(best)  Rank  Loss of score (95 %)
    --------------------------------------------------------------------------------------
     xfs                             1.03  1.01-1.04    >0.99     1                   0 %
     ext4                            1.00               <0.01     2                   4 %
     btrfs[compress=zstd:3]          0.66  0.66-0.66    <0.01     3                  37 %

    Geometric means of the ratios over ext4, by group
     Group: target                                        1 process           64 processes
    ---------------------------------------------------------------------------------------
     Write, critical: xfs                     1.04 same   1.04-1.05  1.06 better 1.05-1.06
     Write, critical: btrfs[compress=zstd:3]  0.33 worse  0.32-0.33  0.33 worse  0.32-0.33
     Read, cold: xfs                          1.01 same   0.98-1.05  1.00 same   0.98-1.03
     Read, cold: btrfs[compress=zstd:3]       1.33 better 1.31-1.35  1.32 better 1.32-1.32

    Where xfs and ext4 differ most; selected as extremes, so likely overstated
     Test                                Processes  xfs / ext4
    --------------------------------------------------------------------------------
     Write, critical: write float large         64           1.25 better* 1.23-1.26
     Write, critical: write float large          1           1.22 better* 1.20-1.24
     Read, cold: random read 64k                 1  1.04 slightly better* 1.02-1.06
     Write, critical: disk sort                  1            0.92 worse* 0.90-0.94
     Write, critical: disk sort                 64            0.92 worse* 0.91-0.93

    Left out: 75 of the 80 tests of columnar, excluded by the preset quick (standard runs all). 12 of 150 samples: no space
    left after 17 MB (10); not in the requested cache state (2).
    All tables: `assay report c7`. The page: /tmp/report.html
    ");
}

/// A number of candidates with labels of this length, in five groups of tests at two process counts, with invalid
/// samples, failed targets and notes.
fn many(candidates: usize, label: usize, blocks: u32) -> Dataset {
    let mut data = common::campaign(0);
    let groups =
        [Group::WriteCritical, Group::WriteOther, Group::ReadCold, Group::ReadHot, Group::Meta];
    let test = data.tests[0].clone();
    data.tests = (groups.iter().zip(0..))
        .flat_map(|(group, g)| (0..4).map(move |t| (*group, format!("columnar.g{g}.t{t}"))))
        .map(|(group, id)| TestInfo {
            name: format!("a test with a name, {id}"),
            id,
            group,
            ..test.clone()
        })
        .collect();
    let record = data.targets[0].clone();
    let name = |i: usize| format!("fs{i}[{}]", "o".repeat(label));
    data.targets =
        (0..candidates).map(|i| TargetRecord { label: name(i), ..record.clone() }).collect();
    let mut rng = Rng::new(5);
    for block in 0..blocks {
        for (target, i) in (0..candidates).map(name).zip(0..) {
            for (test, procs) in data.tests.iter().flat_map(|test| [(test, 1), (test, 64)]) {
                let value = 100.0 * (1.0 + 0.1 * f64::from(i)) * (1.0 + 0.4 * rng.unit());
                let case = Case {
                    target: target.clone(),
                    suite: "columnar".into(),
                    test: test.id.clone(),
                    procs,
                    threads: 1,
                    cache: CacheState::Any,
                };
                let metric = Metric::new("rate", value, "MB/s", Better::Higher);
                let place = (i + block) % candidates as u32;
                data.samples.push(Sample::bare(block, place, case, vec![metric]));
            }
        }
    }
    data
}

#[test]
fn it_never_has_more_than_40_lines_nor_wider_ones() {
    for (candidates, label) in [(1, 3), (2, 3), (3, 3), (6, 12), (12, 3), (40, 60)] {
        for (blocks, notes) in [(1, 0), (3, 3), (3, 60)] {
            let mut data = many(candidates, label, blocks);
            for i in 0..notes {
                data.campaign.notes.push(Note::Said(format!(
                    "Note {i} that says something of the campaign in a line or two."
                )));
                *data.samples[i].evidence.validity =
                    Validity::Invalid(Reason::said(format!("{} of its own", "why ".repeat(i))));
                let why = TargetState::Failed("a reason that is rather long ".repeat(9));
                data.targets
                    .iter_mut()
                    .skip(1)
                    .take(i)
                    .for_each(|target| target.state = why.clone());
            }
            let found = judged(&data);
            for width in [60, 100, 120] {
                let text = at(&data, &found, width);
                let what =
                    format!("{candidates} candidates, {blocks} blocks, {notes} notes at {width}");
                assert!(text.lines().count() <= 40, "{what}:\n{text}");
                assert!(text.lines().all(|line| line.chars().count() <= width), "{what}:\n{text}");
                assert!(
                    text.contains("Scope: ") && text.ends_with("report.html\n"),
                    "{what}:\n{text}"
                );
            }
        }
    }
}

#[test]
fn what_has_no_room_is_counted() {
    let data = many(12, 3, 3);
    insta::assert_snapshot!(at(&data, &judged(&data), 100), @r"
    ext4, xfs & btrfs <on> a loop image

    For these tests of columnar at these sizes on this machine, fs11[ooo] is best (P=0.98): 1.05x
    fs10[ooo] (95 % CI 1.03-1.10, 3 blocks). Weakest cell: a test with a name, columnar.g0.t0, 1
    process, 0.86x fs9[ooo] (0.75-0.99).
    Scope: device P5510, backing ext4, kernel 6.18.2, 3 blocks, scale 0.2, 2025-11-21, quick look, suite
    columnar.
    loop-backed: compares candidates on this machine, not comparable with a device.

    Candidates over 40 of 40 cells, each group of tests weighted equally; 2 more
     Target     Score / fs0[ooo]  95 % CI    P(best)  Rank  Loss of score (95 %)
    -----------------------------------------------------------------------------
     fs11[ooo]              2.09  2.01-2.17     0.98     1                   0 %
     fs10[ooo]              1.99  1.89-2.09    <0.01   2-6                   8 %
     fs9[ooo]               1.88  1.80-1.96    <0.01   2-7                  13 %
     fs8[ooo]               1.78  1.68-1.88    <0.01   3-7                  18 %
     fs7[ooo]               1.70  1.68-1.72    <0.01   2-7                  21 %
     fs6[ooo]               1.59  1.58-1.60    <0.01   3-8                  26 %
     fs5[ooo]               1.49  1.35-1.64    <0.01  2-12                  33 %
     fs4[ooo]               1.40  1.36-1.43    <0.01   5-9                  35 %
     fs3[ooo]               1.28  1.26-1.31    <0.01  7-10                  40 %
     fs2[ooo]               1.18  1.15-1.20    <0.01  8-11                  45 %

    Geometric means of the ratios over fs0[ooo], by group; 50 more lines
     Group: target                           1 process           64 processes
    --------------------------------------------------------------------------
     Write, critical: fs11[ooo]  2.06 better 2.00-2.12  2.12 better 1.81-2.47
     Write, other: fs11[ooo]     1.91 better 1.76-2.06  2.14 better 1.75-2.60
     Read, cold: fs11[ooo]       2.20 better 2.06-2.34  2.13 better 1.90-2.38
     Read, hot: fs11[ooo]        2.10 better 1.68-2.62  1.93 better 1.80-2.06
     Metadata: fs11[ooo]         2.15 better 1.94-2.38  2.17 better 1.91-2.46

    Where fs11[ooo] and fs10[ooo] differ most; selected as extremes, so likely overstated
     Test                                                 Processes  fs11[ooo] / fs10[ooo]
    ---------------------------------------------------------------------------------------
     Write, other: a test with a name, columnar.g1.t3            64  1.24 better 1.09-1.41
     Write, critical: a test with a name, columnar.g0.t0          1       0.90 ? 0.79-1.03

    Left out: nothing, every test ran on every target, and every sample is valid.
    All tables: `assay report c7`. The page: /tmp/report.html
    ");
}

#[test]
fn ten_candidates_are_all_shown_at_60_columns() {
    let data = many(10, 3, 3);
    let text = at(&data, &judged(&data), 60);
    let table = text.split("\n\n").find(|part| part.starts_with("Candidates over")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with(" fs"));
    assert_eq!(rows.count(), 10, "{text}");
    assert!(!table.contains("more"), "{table}");
}

#[test]
fn long_notes_give_way_to_the_candidates() {
    let mut data = many(3, 3, 3);
    for note in 0..4 {
        data.campaign.notes.push(Note::Said(format!("Note {note}. {}", "It is long. ".repeat(40))));
    }
    let text = at(&data, &judged(&data), 60);
    let table = text.split("\n\n").find(|part| part.starts_with("Candidates over")).unwrap();
    assert_eq!(table.lines().filter(|line| line.starts_with(" fs")).count(), 3, "{text}");
    assert!(text.contains("more notes are in the report."), "{text}");
    assert!(text.lines().count() <= 40, "{text}");
}

//! The report of a campaign that was not measured on the host alone.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, markdown, summary, terminal},
    common,
};
use insta::assert_snapshot;
use model::{
    plan::LabKind,
    result::{Dataset, TargetRecord, TargetState},
};
use report::{TerminalOptions, csv};
use stats::{
    description::Settings,
    evaluation::{Findings, compare, findings},
};

/// The campaign with its targets measured in these labs.
fn measured_in(labs: [LabKind; 3]) -> Dataset {
    let mut data = common::campaign(3);
    for (target, lab) in data.targets.iter_mut().zip(labs) {
        target.lab = lab;
        if lab != LabKind::Host {
            target.facts.0.insert("lab.kernel".into(), "6.1.176".into());
        }
        let own = data.samples.iter_mut().filter(|s| s.case.target == target.label);
        own.for_each(|sample| sample.lab = lab);
    }
    data
}

fn judged(data: &Dataset) -> Findings {
    findings(data, &Settings::default()).unwrap()
}

fn on_terminal(data: &Dataset) -> String {
    terminal(data, &judged(data), &TerminalOptions::default())
}

#[test]
fn one_lab_has_one_note_and_its_own_kernel() {
    let text = on_terminal(&measured_in([LabKind::Uml; 3]));
    let head: Vec<&str> = text.lines().take(12).collect();
    assert_snapshot!(head.join("\n"), @"
    ext4, xfs & btrfs <on> a loop image

    Measured in User-Mode Linux: ext4, xfs, btrfs[compress=zstd:3]. One CPU runs everything, and system calls take 150 to
    300 times as long as natively: compare these targets with each other only. Its fsync is not proven to be durable.

    For these tests of columnar at these sizes on this machine in User-Mode Linux, xfs leads with P=0.95, not decided (1.03x
    ext4, 95 % CI 0.97-1.13, 2 blocks). Choosing either of xfs and ext4 costs at most 7 % (each with 95 % probability);
    decide by features, or measure more blocks. It is not proven for any of them that a sync reaches the disk.

    About 4 more blocks would separate xfs from ext4 with 80 % probability, if their difference stays the same:
    `assay resume c7 --blocks +4`
    ");
    assert!(!text.contains("kinds of lab"));
    let host = on_terminal(&measured_in([LabKind::Host; 3]));
    assert!(!host.contains("Measured") && host.contains("kernel 6.18.2"));
}

#[test]
fn each_kernel_is_shown_with_its_targets() {
    let mut data = measured_in([LabKind::Tcg; 3]);
    data.targets[1].facts.0.insert("lab.kernel".into(), "6.12.48".into());
    let text = on_terminal(&data).replace('\n', " ");
    let kernels = "kernels 6.1.176 (ext4, btrfs[compress=zstd:3]), 6.12.48 (xfs)";
    assert!(text.contains(kernels), "{text}");
    assert!(!on_terminal(&measured_in([LabKind::Tcg; 3])).contains("kernels 6"));
}

#[test]
fn a_fact_settles_whether_fsync_is_durable() {
    let said = |lab, fact: Option<&str>| {
        let mut data = measured_in([lab; 3]);
        for target in &mut data.targets {
            target.facts.0.extend(fact.map(|f| ("lab.durable".to_string(), f.to_string())));
        }
        on_terminal(&data).contains("not proven to be durable")
    };
    assert!(said(LabKind::Uml, None) && said(LabKind::Tcg, Some("not shown")));
    assert!(!said(LabKind::Uml, Some("shown")) && !said(LabKind::Kvm, None));
}

#[test]
fn each_lab_has_tables_of_its_own_in_every_format() {
    let data = measured_in([LabKind::Host, LabKind::Host, LabKind::Uml]);
    let found = judged(&data);
    let page = html(&data, &found);
    for heading in [
        "Labs",
        "Lab, on the host",
        "Ratios, on the host",
        "Lab, in User-Mode Linux",
        "Environment",
    ] {
        assert_eq!(page.matches(&format!("<h2>{heading}</h2>")).count(), 1, "{heading}");
    }
    assert!(markdown(&data, &found).contains("\n## Ratios, in User-Mode Linux\n"));
    let lines = csv(&data, &found);
    let lab = |line: &str| line.split(',').nth_back(5).map(str::to_string);
    assert!(lines.lines().skip(1).all(|line| {
        lab(line).as_deref() == Some(if line.contains("btrfs") { "uml" } else { "host" })
    }));
    let value: serde_json::Value = serde_json::from_str(&json(&data, &found)).unwrap();
    assert_eq!(value["others"][0]["lab"], "uml");
    assert_eq!(value["lab"], serde_json::Value::Null);
    let text = on_terminal(&data);
    let paragraph = text.split("\n\n").find(|p| p.contains("kinds of lab")).unwrap();
    assert_snapshot!(paragraph, @"
    The targets were measured in 2 kinds of lab (on the host: ext4, xfs; in User-Mode Linux: btrfs[compress=zstd:3]). A lab
    is a separate machine between the work and the disk, so results of two labs are not comparable: each lab has its own
    tables and baseline, and nothing is ranked across them.
    ");
}

#[test]
fn the_short_form_has_a_call_for_each_lab_and_no_more_lines() {
    let data = measured_in([LabKind::Host, LabKind::Host, LabKind::Uml]);
    let text = summary(&data, &judged(&data), &TerminalOptions::default(), "the rest");
    assert!(text.lines().count() <= 40 && text.ends_with("the rest\n"), "{text}");
    assert!(
        text.contains("Measured on the host: ext4, xfs.") && text.contains("xfs leads slightly"),
        "{text}"
    );
    assert!(text.contains("only btrfs[compress=zstd:3] has a valid sample"), "{text}");
}

#[test]
fn what_could_not_be_made_was_not_measured() {
    let mut data = measured_in([LabKind::Host, LabKind::Host, LabKind::Uml]);
    let failed = TargetRecord {
        label: "zfs".into(),
        target: "zfs".into(),
        lab: LabKind::Host,
        state: TargetState::Failed("no module".into()),
        facts: Default::default(),
    };
    data.targets.push(failed);
    let text = on_terminal(&data);
    assert!(text.contains("Measured on the host: ext4, xfs."), "{text}");
    assert!(text.contains("(on the host: ext4, xfs; in User-Mode Linux:"), "{text}");
}

#[test]
fn figures_of_two_labs_are_shown_and_not_compared() {
    let a = common::campaign(3);
    let mut b = measured_in([LabKind::Uml; 3]);
    b.campaign.id = "c8".into();
    let (data, found) = compare(&[a], &[b], &Settings::default()).unwrap();
    let text = terminal(&data, &found, &TerminalOptions::default());
    let start = text.find("A:ext4 was measured").unwrap();
    let end = text.find("Measured on the host: A:ext4").unwrap();
    assert_snapshot!(&text[start..end], @"
    A:ext4 was measured on the host and B:ext4 was measured in User-Mode Linux: figures of different labs are not
    comparable, so they are shown side by side without a ratio.

    The campaigns share no blocks, so their ratios are not paired (Welch's interval), and anything else that changed between
    them is part of each ratio. Ratios within a campaign stay paired.

    loop-backed: compares candidates on this machine, not comparable with a device.

    Measured in different labs: shown side by side, not comparable
     Test                                            Unit  A:ext4  B:ext4  A:xfs  B:xfs   A:btrfs[   B:btrfs[
                                                             host     uml   host    uml  compress=  compress=
                                                                                           zstd:3]    zstd:3]
                                                                                              host        uml
    ----------------------------------------------------------------------------------------------------------
     write float large, 1 process                    MB/s    1055    1055   1281   1281        550        550
     write float large, 64 processes                 MB/s    8285    8285  10389  10389       4416       4416
     open append mid float, sync once, 1 process     MB/s     413     413    420    420        305        305
     open append mid float, sync once, 64 processes  MB/s    3276    3276   3376   3376       2392       2392
     disk sort, 1 process                            MB/s     105     105   96.3   96.3       9.48       9.48
     disk sort, 64 processes                         MB/s     846     846    779    779       76.6       76.6
     sequential read, 1 process                      MB/s    2183    2183   2245   2245       2933       2933
     sequential read, 64 processes                   MB/s   17619   17619  17636  17636      23211      23211
     random read 64k, 1 process                      MB/s   0.819   0.819  0.846  0.846          -          -
     random read 64k, 64 processes                   MB/s    6.55    6.55   6.76   6.76          -          -
    ");
    assert!(!html(&data, &found).contains("<h2>Call"));
}

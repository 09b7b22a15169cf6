//! Notes of every kind.

use super::text;
use crate::{
    plan::{ObjectStore, Purge},
    result::{
        Copied, EndCause, Ended, HostsWith, LastLook, Mending, NamedTarget, Note, OtherEdition,
        Ratios, Side, Standing, WideRatio,
    },
    workload::{DataKind, Numa},
};
use proptest::{collection::vec, prelude::*, sample::select};

/// At least one note of each kind, and of each kind of what is within one.
pub fn notes() -> Vec<Note> {
    let mut all = of_backing();
    all.extend(of_course());
    all.extend(ends());
    all.extend(of_comparison());
    all.extend(of_import());
    all
}

/// A note of any kind with any texts.
pub fn note() -> impl Strategy<Value = Note> {
    (select(notes()), vec(text(), 8)).prop_map(|(mut note, texts)| {
        note.texts().into_iter().zip(texts).for_each(|(own, drawn)| *own = drawn);
        note
    })
}

fn of_backing() -> Vec<Note> {
    let store = ObjectStore {
        url: "http://10.0.0.1:9000".into(),
        bucket: "bench".into(),
        prefix: "a/b".into(),
        region: "eu-1".into(),
    };
    let on_disks =
        |partitions, is_overwritten, purge| Note::OnDisks { partitions, is_overwritten, purge };
    let nodes = |nodes| Note::NumaNodes { numa: Numa::RoundRobin, nodes };
    vec![
        Note::Said("by jane".into()),
        Note::Named {
            names: vec![NamedTarget { name: "fast".into(), target: "xfs[bigtime=1]".into() }],
        },
        on_disks(None, true, Purge::Discard),
        on_disks(Some(3), false, Purge::ZeroRange),
        Note::OnImages { is_side_by_side: true },
        Note::OnImages { is_side_by_side: false },
        Note::OnObjects { store },
        Note::UnequalDisks {
            most: "raid1(ext4)".into(),
            most_disks: 2,
            fewest: "xfs".into(),
            fewest_disks: 1,
        },
        Note::SharedDevice {
            first: "dir:/a".into(),
            second: "dir:/b".into(),
            device: "sda".into(),
        },
        Note::ProgramsUnconfined {},
        nodes(vec![0]),
        nodes(vec![0, 1]),
        Note::Data { kind: DataKind::Zeros },
        Note::SmallImage {
            target: "btrfs".into(),
            image_bytes: 3 << 30,
            below_bytes: 16 << 30,
            effect: "it reserves less".into(),
        },
    ]
}

fn of_course() -> Vec<Note> {
    let hosts = |hosts: &str| Some(hosts.to_string());
    let with = |value: Option<&str>, host: &str| HostsWith {
        value: value.map(String::from),
        hosts: vec![host.into(), "n9".into()],
    };
    let health = |temperature_c, written_bytes| Note::DiskAfter {
        disk: 1,
        temperature_c,
        media_errors: Some(0),
        used_pct: None,
        written_bytes,
    };
    vec![
        Note::DeviceInUse { target: "dir:/a".into() },
        Note::HostsDiffer {
            fact: "kernel.release".into(),
            values: vec![with(Some("6.1"), "n1"), with(None, "n2")],
        },
        Note::Shifted {},
        Note::HostsChanged { begun: hosts("n1:2,n2:2"), now: hosts("n1:2,n3:2") },
        Note::HostsChanged { begun: None, now: hosts("n1:2") },
        Note::BlocksAdded { blocks: 1, after_blocks: 4 },
        Note::BlocksAdded { blocks: 3, after_blocks: 4 },
        health(Some(-5), None),
        health(None, Some(1 << 40)),
        Note::TuningStage { target: "xfs".into() },
        dropped(1),
        dropped(2),
        dropped(3),
        Note::RankedBy { metric: "read_p99_us".into() },
    ]
}

fn dropped(tables: usize) -> Note {
    Note::Dropped { target: "btrfs".into(), after_blocks: 5, leader: "xfs".into(), tables }
}

fn ends() -> Vec<Note> {
    let ended =
        |after_blocks, cause, seen| Note::Ended(Ended { after_blocks, cause, seen, band_pct: 5.0 });
    let wide = |half_width_pct| WideRatio {
        test: "read".into(),
        procs: 4,
        target: "xfs".into(),
        half_width_pct,
    };
    let ratios = Ratios { resolved: 7, all: 9 };
    let of_ratios = |widest| LastLook::Ratios { ratios, widest };
    let verdicts = |verdicts| LastLook::Verdicts { verdicts, ratios };
    let same = Standing::Same(vec!["xfs".into(), "ext4".into()]);
    vec![
        ended(1, EndCause::Enough, of_ratios(None)),
        ended(20, EndCause::Most, of_ratios(Some(wide(Some(12.5))))),
        ended(20, EndCause::Most, of_ratios(Some(wide(None)))),
        ended(3, EndCause::Enough, verdicts(Vec::new())),
        ended(4, EndCause::Enough, verdicts(vec![Standing::Decided("xfs".into()), same])),
        ended(
            7,
            EndCause::Budget { budget_s: 600, used_s: 541, block_s: 60 },
            verdicts(vec![Standing::Open]),
        ),
    ]
}

fn of_comparison() -> Vec<Note> {
    let inner =
        Note::SharedDevice { first: "xfs".into(), second: "b".into(), device: "sda".into() };
    vec![
        Note::Pooled { campaigns: 3 },
        Note::SyncsOmitted { rows: 1 },
        Note::SyncsOmitted { rows: 2 },
        Note::OtherProcesses { tests: 4, a_procs: 1, b_procs: 8 },
        Note::CampaignsDiffer { side: Side::A, facts: vec!["machine cpu.model".into()] },
        Note::OfSide { side: Side::B, note: Box::new(inner) },
        Note::OfSide { side: Side::A, note: Box::new(Note::Said("loop-backed".into())) },
    ]
}

fn of_import() -> Vec<Note> {
    let mendings = [
        Mending::Wide,
        Mending::Characters,
        Mending::QuotedPrintable,
        Mending::Prefix("> ".into()),
        Mending::Stamp,
        Mending::Indent(4),
        Mending::Trailing,
        Mending::Stray("$".into()),
        Mending::Nested("Results".into()),
        Mending::Wrapped(72),
        Mending::Preamble(2),
    ];
    let copied = |mending| {
        Note::Copied(Copied { mending, files: vec!["a.txt".into(), "b.txt".into()], more_files: 1 })
    };
    let mut all: Vec<Note> = mendings.into_iter().map(copied).collect();
    all.extend([
        Note::Unfinished {},
        Note::TablesOnly {},
        Note::RepeatsAreBlocks {},
        Note::CaseRepeats {},
        Note::JobRepeats {},
        Note::NotRead { tool: "fio".into(), files: vec!["a.log".into(), "b.log".into()] },
        Note::LeftOut { why: "bad.json, line 1: no result".into() },
        Note::OtherEdition(OtherEdition {
            title: "the same, later".into(),
            id: "published-later".into(),
            ratios: 326,
            baseline: "ext4".into(),
            reversed: 33,
            median_factor: 1.25,
            most_factor: 9.5,
        }),
    ]);
    all
}

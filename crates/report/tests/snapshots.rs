//! Tests that what snapshots cost and keep is shown, and that a target which changes them is not advised.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{bare::markdown, common};
use model::result::{
    AfterFault, CrashStates, Dataset, FaultOnDisk, Found, Harm, SnapshotLevel, SnapshotMoment,
    SnapshotOperation, SnapshotReads, SnapshotSpeed, SnapshotTry, Snapshots, Spread,
};
use stats::{
    description::{Durability, Settings, durability},
    evaluation::findings,
};

fn level(snapshots: u64, ns: u64, used_bytes: u64, left_bytes: u64) -> SnapshotLevel {
    let some = |ns| if snapshots > 0 { Spread::of(vec![ns]) } else { None };
    let speed = |operation| SnapshotSpeed { operation, time: Spread::of(vec![ns]) };
    SnapshotLevel {
        snapshots,
        make: some(7_000_000),
        make_unsynced: some(9_000_000),
        sync: some(300_000),
        drop: some(20_000),
        back: some(11_000_000),
        back_half_ns: (snapshots > 0).then_some(77_000_000),
        late: 0,
        speeds: SnapshotOperation::ALL.map(speed).into(),
        used_bytes,
        left_bytes,
    }
}

/// One try, with operations three times as slow with 100 snapshots.
fn one_try() -> SnapshotTry {
    let kib = 1024;
    let reads = |moment| SnapshotReads { moment, read: 110, wrong: 0, live_read: 3, live_wrong: 0 };
    SnapshotTry {
        levels: vec![
            level(0, 100, 1000 * kib, 1000 * kib),
            level(10, 200, 1640 * kib, 1000 * kib),
            level(100, 300, 9000 * kib, 1048 * kib),
        ],
        reads: SnapshotMoment::ALL.map(reads).into(),
        example: None,
        is_damaged: Some(false),
    }
}

fn states(harmed: u64) -> CrashStates {
    let none = CrashStates::none(FaultOnDisk::Crash, "snapshots", 1);
    let mut states = CrashStates { tried: 100, harmed, is_complete: false, ..none };
    if harmed > 0 {
        let detail = "snapshot 3: it is not there".into();
        states.found.insert(Harm::NameGone, Found { states: harmed, example: 7, detail });
    }
    states
}

/// A campaign of two blocks, in which ext4 is as `on_ext4` with `harmed` harmed states, and xfs as [`one_try`].
fn campaign(on_ext4: &SnapshotTry, harmed: u64) -> Dataset {
    let mut data = common::campaign(2);
    let case = data.samples[0].case.clone();
    for sample in &mut data.samples {
        let own = &sample.case;
        let is_tried = ["ext4", "xfs"].contains(&own.target.as_str());
        if own.test == case.test && own.procs == case.procs && is_tried {
            let is_ext4 = own.target == "ext4";
            let (one, harmed) = if is_ext4 { (on_ext4.clone(), harmed) } else { (one_try(), 0) };
            let snapshots = Snapshots {
                seed: 1,
                device_bytes: 1000,
                tries: vec![one],
                synced: Some(states(harmed)),
                returned: Some(states(4)),
            };
            sample.evidence.after_fault = Some(Box::new(AfterFault::Snapshots(snapshots)));
        }
    }
    data
}

/// The same without any other sample, so no test has a score.
fn alone(data: Dataset) -> String {
    let data = common::faults_alone(data);
    markdown(&data, &findings(&data, &Settings::default()).unwrap())
}

#[test]
fn reads_times_ratios_and_space_are_shown() {
    let text = alone(campaign(&one_try(), 0));
    assert!(text.contains("Every snapshot read as it was taken."), "{text}");
    let (_, section) = text.split_once("## After faults").unwrap();
    let row = |word: &str| section.lines().find(|line| line.contains(word)).unwrap();
    let first = row("after later changes");
    assert_eq!(first.matches("0 of 220").count(), 2, "{first}");
    assert_eq!(first.matches("live files 0 of 6").count(), 2, "{first}");
    assert_eq!(row(": synced |").matches("0 of 200 (below 1.49 %)").count(), 2, "{section}");
    assert_eq!(row(": call returned |").matches("8 of 200").count(), 2, "{section}");
    assert!(row("make one, all synced, 100").contains("7.00"), "{section}");
    assert!(row("delete one, call, 10 snapshots |").contains("0.0200"), "{section}");
    assert!(row("delete half, space back, 100").contains("77.0"), "{section}");
    assert!(row("4 KiB overwrite, 100").contains("3.00"), "{section}");
    assert!(row("64 KiB read, 10 snapshots |").contains("2.00"), "{section}");
    assert!(row(": held, 10 snapshots |").contains("640"), "{section}");
    assert!(row(": not back, 100 snapshots |").contains("48.0"), "{section}");
    assert!(!section.contains("within a minute"), "{section}");
}

#[test]
fn wrong_snapshot_is_named_and_costs_the_advice() {
    let mut wrong = one_try();
    wrong.reads[2].wrong = 5;
    wrong.example = Some("snapshot 4: f3: later data in block 1".into());
    let text = alone(campaign(&wrong, 0));
    let said = "5 reads of snapshots were not as taken (snapshot 4: f3: later data in block 1)";
    assert!(text.contains(&format!("With snapshots, ext4 in 2 of 2 tries: {said}.")), "{text}");
    assert!(text.contains("10 of 220"), "{text}");
    let data = campaign(&wrong, 0);
    let Durability::Loses(why) = durability(&data, "ext4") else { panic!("it lost data") };
    assert!(why.contains("2 of 2 tries with snapshots"), "{why}");
    assert_eq!(durability(&data, "xfs"), Durability::Keeps);
    let damaged = SnapshotTry { is_damaged: Some(true), ..one_try() };
    assert!(
        alone(campaign(&damaged, 0)).contains("ext4 in 2 of 2 tries: the checker finds damage")
    );
}

#[test]
fn snapshot_that_a_power_failure_takes_is_named_if_it_was_synced() {
    let data = campaign(&one_try(), 3);
    let Durability::Loses(why) = durability(&data, "ext4") else { panic!("it lost data") };
    assert!(why.contains("6 of 200 states after a power failure"), "{why}");
    assert_eq!(durability(&data, "xfs"), Durability::Keeps, "a call that returned is no promise");
    let text = alone(data);
    let said = "ext4 in 6 of 200 states after a power failure: an acknowledged name is gone \
                (snapshot 3: it is not there)";
    assert!(text.contains(said), "{text}");
    assert!(!text.contains("xfs in "), "{text}");
}

#[test]
fn space_that_is_late_is_said() {
    let mut late = one_try();
    (late.levels[2].late, late.levels[2].back_half_ns) = (2, None);
    let text = alone(campaign(&late, 0));
    assert!(text.contains("ext4: space was not back within a minute, 4 times."), "{text}");
}

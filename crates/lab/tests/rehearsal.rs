//! Rehearses every target that this machine can make: what is said of wrong options, and that nothing is left. Needs
//! root; where it or a file system is missing, a test says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::stand_in::can_attach;
use fs::ResolvedTarget;
use lab::{error::LabError, machine::Availability, setup::Lab};
use model::text::Bytes;
use needs::{Need, skip};
use std::{
    fs as files,
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, Instant},
};

const SIZE: Bytes = Bytes(1 << 30);

fn is_ready(name: &str) -> bool {
    lab::machine::available(fs::find(name).unwrap()) == Availability::Ready
}

fn blocks_below(dir: &Path) -> u64 {
    let entries = files::read_dir(dir).unwrap().flatten();
    entries.map(|entry| entry.metadata().unwrap().blocks()).sum()
}

fn said(lab: &Lab, dir: &Path, target: &str) -> String {
    let target: ResolvedTarget = target.parse().unwrap();
    match lab.rehearse(&target, dir, SIZE) {
        Err(LabError::Disk(disk::Error::Command { last_line, of_options: true, .. })) => last_line,
        other => panic!("{target}: {other:?}"),
    }
}

#[test]
fn every_target_is_rehearsed_and_leaves_nothing() {
    if !can_attach("a rehearsal") {
        return;
    }
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "c").unwrap();
    for fs in fs::ALL {
        let name = fs.about().name;
        if !is_ready(name) {
            skip(Need::file_system(name), format!("{name} cannot be made here"));
            continue;
        }
        // An object store is a part of targets alone.
        let Ok(target) = name.parse::<ResolvedTarget>() else { continue };
        if let Some(part) = target.parts().iter().find(|part| !is_ready(part.fs.about().name)) {
            let part = part.fs.about().name;
            skip(
                Need::file_system(part),
                format!("{part}, on which {name} is, cannot be made here"),
            );
            continue;
        }
        if let Some(why) = target.unrehearsed() {
            println!("{name} is not rehearsed: {why}");
            continue;
        }
        lab.rehearse(&target, dir.path(), SIZE).unwrap();
        assert_eq!(blocks_below(dir.path()), 0, "{name} left a file");
    }
    let report = lab.close().unwrap();
    assert!(report.failed.is_empty());
    assert_eq!(files::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn wrong_options_are_reported_in_the_words_of_the_tools() {
    if !can_attach("a rehearsal") {
        return;
    }
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "c").unwrap();
    for (name, target, words) in [
        ("xfs", "xfs[mkfs.m=banana=1]", "unknown option -m banana"),
        ("xfs", "xfs[mkfs.m=\"banana=1;noatime\"]", "unknown option -m banana=1;noatime"),
        ("ext4", "ext4[mkfs.O=banana]", "Invalid filesystem option set: banana"),
        ("ext4", "ext4[o.banana]", "Unknown parameter 'banana'"),
        ("ext4", "ext4[o.jqfmt=banana]", "Bad value for 'jqfmt'"),
        ("btrfs", "btrfs[mkfs.csum=crc32c,mkfs.O=banana]", "unrecognized filesystem feature"),
    ] {
        if !is_ready(name) {
            skip(Need::file_system(name), format!("{name} cannot be made here"));
            continue;
        }
        let said = said(&lab, dir.path(), target);
        assert!(said.contains(words), "{target}: {said}");
    }
    lab.close().unwrap();
    assert_eq!(files::read_dir(dir.path()).unwrap().count(), 0, "something is left");
}

#[test]
fn targets_with_options_that_work_are_rehearsed() {
    if !can_attach("a rehearsal") {
        return;
    }
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "c").unwrap();
    for (name, target) in [
        ("btrfs", "btrfs[raid1]"),
        ("btrfs", "btrfs[raid1,degraded]"),
        ("btrfs", "btrfs[raid1,resync=20]"),
        ("btrfs", "btrfs[raid0]"),
        ("btrfs", "btrfs[raid1c4]"),
        ("btrfs", "btrfs[raid10]"),
        ("btrfs", "btrfs[raid5,degraded]"),
        ("btrfs", "btrfs[raid6,resync=20]"),
        ("bindfs", "bindfs(xfs)"),
        ("tmpfs", "tmpfs[size=1000G]"),
        ("ext4", "ext4[noatime,cap.read_iops=500]"),
    ] {
        if !is_ready(name) {
            skip(Need::file_system(name), format!("{name} cannot be made here"));
            continue;
        }
        lab.rehearse(&target.parse().unwrap(), dir.path(), SIZE).unwrap();
    }
    lab.close().unwrap();
    assert_eq!(files::read_dir(dir.path()).unwrap().count(), 0, "something is left");
}

#[test]
fn server_that_refuses_its_options_says_so_at_once() {
    if !can_attach("a rehearsal") || !is_ready("bindfs") {
        return;
    }
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "c").unwrap();
    let target: ResolvedTarget = "bindfs[o.no_such_option=1]".parse().unwrap();
    let start = Instant::now();
    let said = lab.rehearse(&target, dir.path(), SIZE).unwrap_err().to_string();
    assert!(said.contains("no_such_option"), "{said}");
    // Waiting for a server that is gone would take longer.
    assert!(start.elapsed() < Duration::from_secs(20), "it took {:?}", start.elapsed());
    lab.close().unwrap();
    assert_eq!(files::read_dir(dir.path()).unwrap().count(), 0, "something is left");
}

#[test]
fn target_that_needs_more_than_its_least_size_is_rehearsed_at_its_own() {
    if !can_attach("a rehearsal") || !is_ready("xfs") {
        return;
    }
    let (state, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "c").unwrap();
    let many: ResolvedTarget = "xfs[mkfs.d=agcount=40]".parse().unwrap();
    lab.rehearse(&many, dir.path(), Bytes(8 << 30)).unwrap();
    assert!(lab.rehearse(&many, dir.path(), SIZE).is_err(), "there is no room for 40 groups");
    lab.close().unwrap();
}

//! Faults of one leg of a Btrfs mirror on recording disks: with sums, what is read is right and the leg is repaired;
//! without, the reader gets what the leg that it reads from holds. Needs root; where it or a program is
//! missing, a test says so.
#![allow(clippy::unwrap_used)]

mod common;

use campaign::faults::{FaultsError, FilesRead, Mirror, Read, SeenMirror};
use common::ready;
use lab::{
    error::LabError,
    guest::{GuestExit, Machine},
    setup::Lab,
};
use model::{
    plan::LabKind,
    result::{
        LegFault::{self, BadData, BadMetadata, LostDisk, PowerCut},
        Moment::{self, Fault, MadeAlike, Replaced, Scrubbed},
        ReadFrom::{self, FaultyLeg, OtherLeg},
    },
    text::Bytes,
};
use std::{os::unix::fs::PermissionsExt, sync::atomic::AtomicBool, time::Duration};

const WHOLE: FilesRead = FilesRead { read: Read::Right, missing: 0 };
const EIO: Read = Read::Failed(5);

/// What `tries` of the fault see on `target`.
fn tried(target: &str, fault: LegFault, tries: u64) -> Vec<SeenMirror> {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "mirrors").unwrap();
    let target = fs::resolve(&target.parse().unwrap()).unwrap();
    let mut mirror = Mirror::make(&lab, &target).unwrap();
    let one = |seed| match fault {
        LostDisk => mirror.lost_disk(seed).unwrap(),
        PowerCut => mirror.power_cut(seed).unwrap(),
        BadData | BadMetadata => mirror.bad_copy(fault, seed).unwrap(),
    };
    let all: Vec<SeenMirror> = (1..=tries).map(one).collect();
    drop(mirror);
    lab.close().unwrap();
    all
}

fn at(seen: &SeenMirror, moment: Moment, from: ReadFrom) -> Vec<FilesRead> {
    let own = seen.looks.iter().filter(|(when, of, _)| (*when, *of) == (moment, from));
    own.map(|(.., look)| *look).collect()
}

#[test]
fn btrfs_repairs_a_bad_copy_that_it_reads_or_scrubs() {
    if !ready("btrfs") {
        return;
    }
    for (fault, tries) in [(BadData, 6), (BadMetadata, 6)] {
        for seen in tried("btrfs[raid1]", fault, tries) {
            let bad = at(&seen, Fault, FaultyLeg);
            assert!(bad[0].read == EIO && bad[0].missing > 0, "{fault:?}: {seen:?}");
            assert_eq!(at(&seen, Fault, OtherLeg), [WHOLE], "{fault:?}");
            for moment in [Moment::Read, Scrubbed] {
                let reads = at(&seen, moment, ReadFrom::Mirror);
                assert!(!reads.is_empty() && reads.iter().all(|look| *look == WHOLE), "{seen:?}");
                assert_eq!(at(&seen, moment, FaultyLeg), [WHOLE], "{fault:?} {moment:?}: {seen:?}");
                assert_eq!(at(&seen, moment, OtherLeg), [WHOLE], "{fault:?} {moment:?}");
            }
            assert!(seen.scrub.unwrap().has_repaired, "{seen:?}");
        }
    }
}

#[test]
fn without_sums_the_bad_leg_is_read_and_stays_bad() {
    if !ready("btrfs") {
        return;
    }
    for seen in tried("btrfs[raid1,nodatasum]", BadData, 4) {
        let wrong = FilesRead { read: Read::Wrong, missing: 1 };
        for moment in [Fault, Moment::Read, Scrubbed] {
            assert_eq!(at(&seen, moment, FaultyLeg), [wrong], "{seen:?}");
            assert_eq!(at(&seen, moment, OtherLeg), [WHOLE], "{seen:?}");
        }
        assert_eq!(at(&seen, Moment::Read, ReadFrom::Mirror).last(), Some(&wrong), "{seen:?}");
        assert!(!seen.scrub.unwrap().has_detected, "{seen:?}");
    }
}

#[test]
fn lost_disk_costs_nothing_and_is_whole_again_after_a_scrub_or_a_replacement() {
    if !ready("btrfs") {
        return;
    }
    for seen in tried("btrfs[raid1]", LostDisk, 4) {
        assert!(!seen.is_refused && seen.written == 64, "{seen:?}");
        for moment in [Fault, Moment::Read, Scrubbed, Replaced] {
            let reads = at(&seen, moment, ReadFrom::Mirror);
            assert!(!reads.is_empty() && reads.iter().all(|look| *look == WHOLE), "{seen:?}");
            assert_eq!(at(&seen, moment, OtherLeg), [WHOLE], "{moment:?}");
        }
        assert_eq!(at(&seen, Fault, FaultyLeg)[0].read, Read::Wrong, "it is older: {seen:?}");
        for moment in [Scrubbed, Replaced] {
            assert_eq!(at(&seen, moment, FaultyLeg), [WHOLE], "{moment:?}: {seen:?}");
        }
        assert!(seen.scrub.unwrap().has_repaired && seen.rebuild.is_some(), "{seen:?}");
    }
}

/// Profiles of more than two legs.
const PROFILES: [&str; 5] = ["raid1c3", "raid1c4", "raid10", "raid5", "raid6"];

#[test]
fn every_profile_repairs_a_bad_copy_that_it_reads_or_scrubs() {
    if !ready("btrfs") {
        return;
    }
    for profile in PROFILES {
        for fault in [BadData, BadMetadata] {
            for seen in tried(&format!("btrfs[{profile}]"), fault, 4) {
                let bad = at(&seen, Fault, FaultyLeg);
                assert!(bad.iter().any(|look| look.read == EIO), "{profile} {fault:?}: {seen:?}");
                assert!(bad.iter().all(|look| look.read != Read::Wrong), "{profile}: {seen:?}");
                for moment in [Fault, Moment::Read, Scrubbed] {
                    let without = at(&seen, moment, OtherLeg);
                    assert!(!without.is_empty(), "{profile}: {seen:?}");
                    assert!(without.iter().all(|look| *look == WHOLE), "{profile}: {seen:?}");
                }
                for moment in [Moment::Read, Scrubbed] {
                    for from in [ReadFrom::Mirror, FaultyLeg] {
                        let reads = at(&seen, moment, from);
                        assert!(
                            !reads.is_empty() && reads.iter().all(|look| *look == WHOLE),
                            "{profile} {fault:?} {moment:?} {from:?}: {seen:?}"
                        );
                    }
                }
                assert!(seen.scrub.unwrap().has_repaired, "{profile}: {seen:?}");
            }
        }
    }
}

#[test]
fn power_failure_of_all_legs_costs_nothing_acknowledged() {
    if !ready("btrfs") {
        return;
    }
    for profile in ["raid1", "raid1c3", "raid10"] {
        for seen in tried(&format!("btrfs[{profile}]"), PowerCut, 6) {
            let places = [(Fault, OtherLeg), (Moment::Read, ReadFrom::Mirror)];
            for (moment, from) in places.into_iter().chain([(Scrubbed, OtherLeg)]) {
                let reads = at(&seen, moment, from);
                assert!(
                    !reads.is_empty() && reads.iter().all(|look| *look == WHOLE),
                    "{profile} {moment:?} {from:?}: {seen:?}"
                );
            }
        }
    }
}

#[test]
fn every_profile_survives_a_lost_disk() {
    if !ready("btrfs") {
        return;
    }
    for profile in PROFILES {
        for seen in tried(&format!("btrfs[{profile}]"), LostDisk, 3) {
            assert!(!seen.is_refused && seen.written == 64, "{profile}: {seen:?}");
            for moment in [Fault, Moment::Read, Scrubbed, Replaced] {
                for from in [ReadFrom::Mirror, OtherLeg] {
                    let reads = at(&seen, moment, from);
                    assert!(
                        !reads.is_empty() && reads.iter().all(|look| *look == WHOLE),
                        "{profile} {moment:?} {from:?}: {seen:?}"
                    );
                }
            }
            for moment in [Scrubbed, Replaced] {
                let with = at(&seen, moment, FaultyLeg);
                assert!(with.iter().all(|look| *look == WHOLE), "{profile} {moment:?}: {seen:?}");
            }
        }
    }
}

#[test]
fn target_without_a_leg_to_try_is_refused() {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "mirrors").unwrap();
    for (target, word) in [
        ("ext4", "is not on several disks"),
        ("btrfs[mkfs.m=raid1]", "without one of its disks"),
        ("raid0(ext4)", "without one of its disks"),
    ] {
        let target = fs::resolve(&target.parse().unwrap()).unwrap();
        let error = Mirror::make(&lab, &target).unwrap_err();
        assert!(matches!(error, FaultsError::NoMirror { .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
    }
    lab.close().unwrap();
}

/// md raid1 does not know which copy is right: a bad one stays after a scrub, and `repair` makes both legs alike. What
/// was acknowledged is there after the loss of a disk and after a power failure.
#[test]
#[ignore = "runs in a guest"]
fn in_guest_md_mirror_is_tried() {
    for seen in tried("raid1(ext4)", BadData, 3) {
        let bad = at(&seen, Fault, FaultyLeg)[0];
        assert_eq!((bad.read, bad.missing), (Read::Wrong, 1), "{seen:?}");
        assert_eq!(at(&seen, Scrubbed, FaultyLeg), [bad], "a scrub repairs nothing: {seen:?}");
        for moment in [Fault, Scrubbed] {
            assert_eq!(at(&seen, moment, OtherLeg), [WHOLE], "{seen:?}");
        }
        let scrub = seen.scrub.unwrap();
        assert!(scrub.has_detected && !scrub.has_repaired, "{seen:?}");
        let alike = at(&seen, MadeAlike, FaultyLeg);
        assert_eq!(alike, at(&seen, MadeAlike, OtherLeg), "{seen:?}");
        let reads = at(&seen, MadeAlike, ReadFrom::Mirror);
        assert!(reads.iter().all(|look| *look == alike[0]), "{seen:?}");
    }
    for seen in tried("raid1(ext4)", LostDisk, 1) {
        assert!(!seen.is_refused && seen.written == 64, "{seen:?}");
        assert_eq!(at(&seen, Fault, FaultyLeg)[0].read, Read::Wrong, "it is older: {seen:?}");
        for moment in [Scrubbed, Replaced] {
            assert_eq!(at(&seen, moment, FaultyLeg), [WHOLE], "{moment:?}: {seen:?}");
        }
        for moment in [Fault, Moment::Read, Scrubbed, Replaced] {
            let reads = at(&seen, moment, ReadFrom::Mirror);
            assert!(!reads.is_empty() && reads.iter().all(|look| *look == WHOLE), "{seen:?}");
        }
    }
    for seen in tried("raid1(ext4)", PowerCut, 1) {
        assert!(seen.looks.iter().all(|(.., look)| *look == WHOLE), "{seen:?}");
    }
}

/// Boots a guest whose kernel has md, and runs the test above in it.
#[test]
fn mirrors_of_md_are_tried_in_a_guest() {
    if !needs::uml_or_skip() || !needs::root_or_skip("a guest as another user") {
        return;
    }
    let guest = lab::guest::find(LabKind::Uml, None).unwrap();
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let machine = Machine {
        out: out.clone(),
        program: std::env::current_exe().unwrap(),
        args: ["--ignored", "--exact", "in_guest_md_mirror_is_tried"].map(String::from).into(),
        disks: Vec::new(),
        assets: Vec::new(),
        cache: dir.path().join("cache"),
        memory: Bytes(2 << 30),
        timeout: Duration::from_secs(1200),
    };
    let stop = AtomicBool::new(false);
    let ended = lab::guest::run(&*guest, &machine, &stop, &mut || Ok::<(), LabError>(()));
    let log = std::fs::read_to_string(out.join("log")).unwrap_or_default();
    assert_eq!(ended.unwrap(), GuestExit::Exit(0), "{log}");
    assert!(log.contains("1 passed"), "{log}");
}

//! Makes snapshots of Btrfs, and holds what is left of them, also after a power failure, against what is known of Linux
//! 6.18. Needs root; where it or a program is missing, a test says so.
#![allow(clippy::unwrap_used)]

mod common;

use campaign::faults::{Asked, FaultsError, RecordedTarget, SnapshotTarget, SnapshotsAsked};
use common::ready;
use lab::setup::Lab;
use model::result::{CrashStates, FaultOnDisk, Harm, SnapshotOperation, SnapshotTry};
use std::{sync::atomic::AtomicBool, time::Duration};

/// Makes snapshots of `target` once; `None` where it cannot be made here.
fn tried(target: &str) -> Option<SnapshotTry> {
    if !ready(target) {
        return None;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "snapshots").unwrap();
    let resolved = fs::resolve(&target.parse().unwrap()).unwrap();
    let memory = SnapshotTarget::make(&lab, &resolved).unwrap();
    let asked = SnapshotsAsked { files: 32, change: 4, times: 3, seed: 11 };
    let seen = memory.snapshots(asked).unwrap();
    drop(memory);
    lab.close().unwrap();
    Some(seen)
}

#[test]
fn snapshots_of_btrfs_stay_as_they_were_and_their_space_comes_back() {
    for target in ["btrfs", "btrfs[nodatacow]"] {
        let Some(seen) = tried(target) else { continue };
        let counts: Vec<_> = seen
            .reads
            .iter()
            .map(|own| (own.read, own.wrong, own.live_read, own.live_wrong))
            .collect();
        assert_eq!(counts, [(110, 0, 3, 0), (110, 0, 3, 0), (55, 0, 3, 0)], "{target}: {seen:?}");
        assert_eq!((seen.example.as_ref(), seen.is_damaged), (None, Some(false)), "{target}");
        let snapshots: Vec<u64> = seen.levels.iter().map(|level| level.snapshots).collect();
        assert_eq!(snapshots, [0, 10, 100], "{target}");
        for level in &seen.levels {
            assert_eq!(level.late, 0, "{target}: {level:?}");
            assert!(level.speeds.iter().all(|speed| speed.time.is_some()), "{target}: {level:?}");
            assert_eq!(level.make.is_some(), level.snapshots > 0, "{target}: {level:?}");
        }
        for operation in SnapshotOperation::ALL {
            assert!(seen.ratio(operation, 100).is_some(), "{target}: {operation:?}");
        }
        let (few, _) = seen.held(10).unwrap();
        let (many, left) = seen.held(100).unwrap();
        assert!(many > few, "{target}: {few} {many}");
        assert!(left < many / 2, "{target}: {left} of {many} bytes are still in use");
    }
}

/// States after the power went while snapshots of `target` were made.
fn cut_off(target: &str) -> Option<[CrashStates; 2]> {
    if !ready(target) {
        return None;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "snapshots").unwrap();
    let resolved = fs::resolve(&target.parse().unwrap()).unwrap();
    let mut recorded = RecordedTarget::make(&lab, &resolved).unwrap();
    let asked = Asked {
        seed: 3,
        states: 40,
        atomic_bytes: 4096,
        slow_writes: Duration::ZERO,
        fault: FaultOnDisk::Crash,
        check_every: 10,
    };
    let seen = recorded.crash_snapshots(&asked, &AtomicBool::new(false)).unwrap();
    drop(recorded);
    lab.close().unwrap();
    Some(seen)
}

#[test]
fn snapshot_is_there_after_a_power_failure_as_soon_as_its_call_has_returned() {
    let Some(states) = cut_off("btrfs") else { return };
    for own in states {
        assert_eq!((own.tried, own.harmed), (40, 0), "{own:?}");
        assert!(own.checked > 0);
    }
}

#[test]
fn without_barriers_synced_snapshots_are_lost() {
    let Some([synced, _]) = cut_off("btrfs[nobarrier]") else { return };
    let is_lost = |harm| synced.count(harm) > 0;
    assert!(is_lost(Harm::NameGone) || is_lost(Harm::NotMounted), "{synced:?}");
}

#[test]
fn target_without_snapshots_is_refused() {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "snapshots").unwrap();
    for target in ["ext4", "xfs", "raid1(btrfs)"] {
        let resolved = fs::resolve(&target.parse().unwrap()).unwrap();
        let error = SnapshotTarget::make(&lab, &resolved).unwrap_err();
        assert!(matches!(error, FaultsError::NoSnapshots { .. }), "{error:?}");
        assert!(error.to_string().starts_with(target), "{error}");
    }
    let mirror = fs::resolve(&"btrfs[raid1]".parse().unwrap()).unwrap();
    let error = SnapshotTarget::make(&lab, &mirror).unwrap_err();
    assert!(matches!(error, FaultsError::Target { .. }), "{error:?}");
    lab.close().unwrap();
}

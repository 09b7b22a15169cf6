//! Has another program sync all disks while a write fails under ext4, XFS and Btrfs: what it does to the disk is not
//! taken for an answer to the fsync. Needs root; where it or a program is missing, a test says so.
#![allow(clippy::unwrap_used)]

mod common;

use campaign::faults::{FaultsError, RecordedTarget};
use common::ready;
use lab::setup::Lab;
use model::result::{Change::Append, FailedWrite, Failing, FileHistory, FsyncAnswer};
use rustix::fs::sync;
use std::sync::{Mutex, PoisonError};

/// Held by one test at a time, as the sync of one reaches the disk of the other.
static ALONE: Mutex<()> = Mutex::new(());

/// Has the commit of an append fail on `target`, where `others` do something before the fsync.
fn fail(target: &str, others: impl FnMut()) -> Result<Option<FailedWrite>, FaultsError> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "synced").unwrap();
    let target = fs::resolve(&target.parse().unwrap()).unwrap();
    let mut recorded = RecordedTarget::make(&lab, &target).unwrap();
    let seen = recorded.fail_write_beside(Append, Failing::Commit, FileHistory::Mounted, others);
    drop(recorded);
    lab.close().unwrap();
    seen
}

#[test]
fn a_try_with_a_sync_is_repeated() {
    for target in ["ext4", "xfs", "btrfs"] {
        if !ready(target) {
            continue;
        }
        let mut calls = 0;
        let once = || {
            calls += 1;
            if calls == 1 {
                sync();
            }
        };
        let seen = fail(target, once).unwrap().unwrap();
        assert!(calls > 1, "{target}: {seen:?}");
        // The sync would have had the error.
        assert_eq!(seen.fd1, FsyncAnswer::Failed(5), "{target}");
    }
}

#[test]
fn where_each_try_has_one_there_is_no_answer() {
    if ready("ext4") {
        let error = fail("ext4", sync).unwrap_err();
        assert!(matches!(error, FaultsError::Synced { tries: 10, .. }), "{error}");
        assert!(error.to_string().contains("called sync in each of 10 tries on ext4"), "{error}");
    }
}

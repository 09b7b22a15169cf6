//! Power cuts below real applications on real file systems: those that sync what they promise keep it, on a disk that
//! obeys, and are caught on one that does not.
#![allow(clippy::unwrap_used)]

mod common;

use ::faults::contract::Finding;
use campaign::faults::{Asked, RecordedTarget, Work};
use common::ready;
use lab::setup::Lab;
use model::result::{CrashStates, FaultOnDisk, Harm};
use needs::{Need, skip};
use std::{
    fs,
    io::Write,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};
use suites::{Application, TestError, applications, program};

const SEED: u64 = 11;
const SLOW: Duration = Duration::from_micros(500);

/// What the disk writes whole: a torn superblock of Btrfs, of 4096 bytes, cannot be mounted, whatever the application
/// does.
fn atomic_bytes(target: &str) -> u64 {
    if target == "btrfs" { 4096 } else { 512 }
}

fn tried(
    target: &str,
    application: &Arc<dyn Application>,
    (states, fault): (usize, FaultOnDisk),
) -> CrashStates {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "applications").unwrap();
    let atomic_bytes = atomic_bytes(target);
    let target = ::fs::resolve(&target.parse().unwrap()).unwrap();
    let mut recorded = RecordedTarget::make(&lab, &target).unwrap();
    let asked =
        Asked { seed: SEED, states, atomic_bytes, slow_writes: SLOW, fault, check_every: 0 };
    let after = recorded
        .crash(Work::Application(application), &asked, &AtomicBool::new(false))
        .unwrap()
        .after;
    drop(recorded);
    lab.close().unwrap();
    assert!(after.tried > 0 && after.count(Harm::Hung) == 0, "{after:?}");
    assert_eq!(after.contract, application.name());
    after
}

fn known(name: &str) -> Arc<dyn Application> {
    applications::find(name).unwrap().make(12, SEED)
}

#[test]
fn what_is_promised_is_kept() {
    for target in ["ext4", "xfs", "btrfs"] {
        if !ready(target) {
            continue;
        }
        for name in
            ["sqlite-delete", "sqlite-delete-extra", "sqlite-wal", "sqlite-wal-normal", "columnar"]
        {
            let after = tried(target, &known(name), (60, FaultOnDisk::Crash));
            assert_eq!(after.found.len(), 0, "{target}: {after:#?}");
            assert!(after.tried == 60 || after.is_complete, "{target}: {after:?}");
        }
    }
}

#[test]
fn git_keeps_its_repository_whole_where_it_syncs_everything() {
    if program::find("git").is_none() {
        return skip(Need::program("git"), "git is not installed");
    }
    for target in ["ext4", "xfs", "btrfs"] {
        if !ready(target) {
            continue;
        }
        let after = tried(target, &known("git"), (60, FaultOnDisk::Crash));
        assert_eq!(after.found.len(), 0, "{target}: {after:#?}");
    }
}

/// Whether PostgreSQL can run here.
fn has_postgresql() -> bool {
    let known = applications::find("postgresql").unwrap();
    let missing = known.programs.iter().find(|name| program::find(name).is_none());
    if let Some(name) = missing {
        skip(Need::program(*name), "PostgreSQL is not installed");
    }
    missing.is_none()
}

#[test]
fn postgresql_keeps_what_it_acknowledged_and_catches_an_early_disk() {
    if !has_postgresql() {
        return;
    }
    for target in ["ext4", "xfs", "btrfs"] {
        if !ready(target) {
            continue;
        }
        let after = tried(target, &known("postgresql"), (20, FaultOnDisk::Crash));
        assert_eq!(after.found.len(), 0, "{target}: {after:#?}");
        let after = tried(target, &known("postgresql"), (20, FaultOnDisk::CrashOfEarlyDisk));
        let lost = after.found.keys().any(|harm| harm.loses_acknowledged());
        assert!(lost || after.found.contains_key(&Harm::Malformed), "{target}: {after:#?}");
    }
}

#[test]
fn a_disk_that_answers_flushes_early_is_caught_by_each_that_promises() {
    if !ready("ext4") {
        return;
    }
    for name in ["sqlite-delete-extra", "sqlite-wal", "columnar"] {
        let after = tried("ext4", &known(name), (60, FaultOnDisk::CrashOfEarlyDisk));
        let lost = after.found.keys().any(|harm| harm.loses_acknowledged());
        assert!(lost, "{after:#?}");
    }
}

/// Acknowledges lines of a file, which it syncs or not, and leaves a file behind wherever it looks.
#[derive(Debug)]
struct Lines {
    is_synced: bool,
}

const COUNT: u64 = 12;

impl Application for Lines {
    fn name(&self) -> &str {
        "lines"
    }

    fn prepare(&self, root: &Path) -> Result<(), TestError> {
        fs::write(root.join("lines"), "").map_err(TestError::io("create", root))
    }

    fn work(&self, root: &Path, mark: &dyn Fn(u64)) -> Result<(), TestError> {
        let failed = |what| TestError::io(what, root);
        let file = fs::OpenOptions::new().append(true).open(root.join("lines"));
        let mut file = file.map_err(failed("open"))?;
        for number in 0..COUNT {
            writeln!(file, "{number:03}").map_err(failed("append to"))?;
            if self.is_synced {
                file.sync_data().map_err(failed("sync"))?;
            }
            mark(number);
        }
        // Something else is synced, so that there are states between.
        fs::write(root.join("other"), "x").map_err(failed("create"))?;
        fs::File::open(root.join("other")).and_then(|file| file.sync_all()).map_err(failed("sync"))
    }

    fn look(&self, root: &Path, acknowledged: Option<u64>) -> Result<Vec<Finding>, TestError> {
        let left = root.join("looked");
        assert!(!left.exists(), "each look begins from the state as it is shown");
        fs::write(&left, "x").map_err(TestError::io("create", &left))?;
        let lines = fs::read_to_string(root.join("lines")).unwrap_or_default();
        let least = acknowledged.map_or(0, |mark| mark + 1);
        let count = lines.lines().count() as u64;
        let detail = format!("{count} lines of {least}");
        let gone = Finding { harm: Harm::TransactionGone, path: "lines".into(), detail };
        Ok(Some(gone).filter(|_| count < least).into_iter().collect())
    }
}

#[test]
fn an_application_that_does_not_sync_what_it_acknowledges_is_caught() {
    if !ready("ext4") {
        return;
    }
    let synced: Arc<dyn Application> = Arc::new(Lines { is_synced: true });
    assert_eq!(tried("ext4", &synced, (60, FaultOnDisk::Crash)).found.len(), 0);
    let unsynced: Arc<dyn Application> = Arc::new(Lines { is_synced: false });
    let after = tried("ext4", &unsynced, (60, FaultOnDisk::Crash));
    assert!(after.count(Harm::TransactionGone) > 0, "{after:#?}");
    assert_eq!(after.found.len(), 1, "{after:#?}");
}

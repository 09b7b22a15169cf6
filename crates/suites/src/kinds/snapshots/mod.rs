//! The kind `snapshots`: do snapshots stay as they were taken, what do they cost, and when does their space come back?
//! The lab runs it; a declaration names the files and their changes.

use super::{Kind, check_count, settings};
use crate::{
    FaultWork, SnapshotWork,
    lab_test::{LabTest, lab_test},
};
use model::target::Knob;
use serde::Deserialize;

pub(super) static KIND: Kind = Kind {
    name: "snapshots",
    about: "0, 10 and 100 snapshots of changing files; whether each stays as it was taken, also \
            after a power failure, the time to make and to delete one, the speed of the live files, \
            and how much space comes back when.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        let Settings { tries, times, files, change, states } = settings;
        Ok(lab_test(
            head,
            LabTest {
                kind: &KIND,
                name: "snapshots".into(),
                testtype: "snapshots",
                metric: "try_ms",
                work: FaultWork::Snapshots(SnapshotWork { tries, times, files, change, states }),
                fixed_s: settings.seconds(),
                does: settings.does(),
                read_it: READ_IT,
                cut_off: None,
                programs: &[],
                assets: Vec::new(),
            },
        ))
    },
};

static KNOBS: [Knob; 5] = [
    Knob::new("tries", "", "3", "tries, each with three fresh file systems, from 1 to 100"),
    Knob::new(
        "times",
        "",
        "15",
        "how often each operation is timed with each number of snapshots, from 1 to 1000",
    ),
    Knob::new("files", "", "64", "live files of 64 KiB each, from 1 to 500"),
    Knob::new(
        "change",
        "",
        "4",
        "files that are overwritten in part between two snapshots, from 1 to 100",
    ),
    Knob::new(
        "states",
        "",
        "100",
        "states after a power failure to try for each promise, 0 for none, at most 10000",
    ),
];

/// Seconds for a try on a slow machine, without and for each of the files, as all snapshots are read three times.
const TRY_S: f64 = 6.0;
const FILE_S: f64 = 0.1;
/// Seconds for the operations that are timed once with each number of snapshots.
const ROUND_S: f64 = 0.3;
/// Seconds to look at a state after a power failure.
const STATE_S: f64 = 0.1;
/// Promises that states are held to.
const PROMISES: f64 = 2.0;
/// Most states of each.
const MOST_STATES: u64 = 10_000;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    tries: u64,
    times: u64,
    files: u64,
    change: u64,
    states: u64,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        check_count("tries", self.tries, 100)?;
        check_count("times", self.times, 1000)?;
        check_count("files", self.files, 500)?;
        check_count("change", self.change, 100)?;
        match self.states {
            0 => Ok(()),
            states => check_count("states", states, MOST_STATES),
        }
    }

    fn seconds(&self) -> f64 {
        let one = TRY_S + self.files as f64 * FILE_S + self.times as f64 * ROUND_S;
        self.tries as f64 * one + self.states as f64 * PROMISES * STATE_S
    }

    fn does(&self) -> String {
        format!(
            "With each of 0, 10 and 100 snapshots, in a drawn order, the file system is made with \
             the target's options on a disk of 300 MiB (more where it needs more) in memory, with \
             {files} files of 64 KiB in a subvolume. 100 times, 4 to 16 KiB of each of {change} \
             drawn files are overwritten, a file is deleted and one is created; the number of \
             snapshots says after how many of these changes a read-only snapshot is made. Half of \
             the snapshots are made before the changes are synced. {tries} tries, each with other \
             data.\n\n\
             - Then, {times} times: the oldest snapshot is deleted, its space is waited for, a new \
             one is made after further changes, and each operation is timed once, in a drawn order: \
             4 KiB of an old file are overwritten, a file of 64 KiB is created, a file is deleted, \
             each with an fsync, and an old file is read from the disk. Without snapshots all but \
             the deleting and making is done.\n\
             - All snapshots and the live files are read and compared with what they were, after \
             these changes, after a fresh mount, and after a drawn half of the snapshots was deleted \
             and another mount. Then the rest is deleted, and the checker looks at the file system.\n\
             - Space is waited for with a sync that also starts the cleaning (`btrfs filesystem \
             sync`), for at most a minute. What the snapshots held, and what did not come back, is \
             the space in use (statvfs) beyond that of the file system without snapshots.\n\
             - On a recording disk the power goes while 12 snapshots are made and 8 of them deleted: \
             {states} states are held to the snapshots that were synced, and {states} to those whose \
             call had returned. This disk writes 4096 bytes whole.\n\
             - A target that is not one file system with subvolumes is reported as not supported. \
             `btrfs` can be tried.",
            files = self.files,
            change = self.change,
            tries = self.tries,
            times = self.times,
            states = self.states,
        )
    }
}

const READ_IT: &str = "How long a try takes is shown and enters no score. What counts is in the \
                       section After faults: a snapshot that reads otherwise than when it was taken \
                       is harm, and so are live files that are not as they were synced. Speeds are \
                       relative to the same changes without snapshots, in the same try; a disk in \
                       memory says nothing of seeks. A snapshot that is gone after a power failure \
                       is harm if it was synced; if its call alone had returned, it is an answer.";

#[cfg(test)]
mod tests;

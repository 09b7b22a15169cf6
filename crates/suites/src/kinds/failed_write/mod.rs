//! The kind `failed_write`: one request to the disk fails with EIO during an fsync; what does fsync return, and what
//! data is left? The lab runs it; a declaration names what is written and which request fails.

use super::{Kind, check_count, settings};
use crate::{
    FailedWriteWork, FaultWork,
    lab_test::{LabTest, lab_test},
};
use model::{
    result::{Change, Failing},
    target::Knob,
};
use serde::Deserialize;

pub(super) static KIND: Kind = Kind {
    name: "failed_write",
    about: "a request to the disk that fails during an fsync; what fsync answers on each descriptor, and \
            what is read from the cache, after it was dropped, after a mount and after a power \
            failure.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        check_count("tries", settings.tries, 1000)?;
        let Settings { change, failing, tries } = settings;
        Ok(lab_test(
            head,
            LabTest {
                kind: &KIND,
                name: settings.name(),
                testtype: "failed-write",
                metric: "try_ms",
                work: FaultWork::FailedWrite(FailedWriteWork { change, failing, tries }),
                fixed_s: MAKE_S + 2.0 * tries as f64 * TRY_S,
                does: settings.does(),
                read_it: READ_IT,
                cut_off: None,
                programs: &[],
                assets: Vec::new(),
            },
        ))
    },
};

static KNOBS: [Knob; 3] = [
    Knob::new("change", "", "append", "what is written before the fsync")
        .one_of(&["overwrite", "append"]),
    Knob::new("failing", "", "data", "what fails").one_of(&[
        "data",
        "data_in_place",
        "data_in_journal",
        "commit",
        "trees",
        "log_tree",
        "flush",
    ]),
    Knob::new("tries", "", "2", "tries with each history of the file, from 1 to 1000"),
];

/// Seconds to make the target.
const MAKE_S: f64 = 1.0;
/// Seconds for a try on a slow machine: three mounts.
const TRY_S: f64 = 0.3;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    change: Change,
    failing: Failing,
    tries: u64,
}

impl Settings {
    fn name(&self) -> String {
        let change = match self.change {
            Change::Overwrite => "overwrite",
            Change::Append => "append",
        };
        format!("failed write: {change}, {}", short(self.failing))
    }

    fn does(&self) -> String {
        let Settings { change, failing, tries } = *self;
        let change = match change {
            Change::Overwrite => "a block of 4 KiB is written over",
            Change::Append => "a block of 4 KiB is appended to a file",
        };
        format!(
            "The file system is made with the target's options on a disk of 300 MiB (more where it \
             needs more) in memory, whose requests assay answers itself. Then {change}, and during \
             the fsync that follows {} with EIO. Once with a file that was there before the file \
             system was mounted, and once with one that was made and synced since; each {tries} \
             times.\n\n\
             - Asked are four fsyncs, in this order: on the descriptor that wrote, on one that was \
             open before, on one that is opened now, and again on the first.\n\
             - Read is the block: from the cache, after its pages were dropped, after an unmount \
             and a mount, and after a power failure right after the last fsync, by a disk that \
             kept all that it had completed.\n\
             - A target that has no such request says so: only ext4 with data=journal copies data \
             to a journal, only Btrfs has trees for its log, and without barriers no flush is \
             sent. A fault that nothing met makes the sample invalid.",
            what_fails(failing),
        )
    }
}

/// What fails, in short.
fn short(failing: Failing) -> &'static str {
    match failing {
        Failing::Data => "data",
        Failing::DataInPlace => "data in its place",
        Failing::DataInJournal => "copy in the journal",
        Failing::Commit => "commit",
        Failing::Trees => "trees",
        Failing::LogTree => "log tree",
        Failing::Flush => "flush",
    }
}

/// What fails, as the subject of a sentence, with its verb.
fn what_fails(failing: Failing) -> &'static str {
    match failing {
        Failing::Data => "the first write of the data fails once",
        Failing::DataInPlace => {
            "the write of the data in its own place, after its copy in the journal, fails once"
        }
        Failing::DataInJournal => "the write of the copy of the data in the journal fails once",
        Failing::Commit => {
            "the write that makes the transaction valid (ext4's commit block, XFS's log, Btrfs's \
             superblock) fails once"
        }
        Failing::Trees => "every write of a tree fails",
        Failing::LogTree => "the first write of the tree of the log fails once",
        Failing::Flush => "the first flush fails once",
    }
}

const READ_IT: &str = "How long a try takes is shown and enters no score. What counts is in the \
                       section After faults. `EIO, EIO, 0, 0; cut: old` are the answers of the four \
                       fsyncs and what is left after the power went. An error once and success \
                       from then on is what POSIX allows and Linux does: a program that got an error \
                       knows that the data is gone, and must not ask again. A lie is success for a \
                       descriptor that was open when the write failed and never got an error, while \
                       the data is lost.";

#[cfg(test)]
mod tests;

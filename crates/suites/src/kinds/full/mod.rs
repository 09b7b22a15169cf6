//! The kind `full`: a disk that is filled until it refuses more; what does a program see, what is kept, and how fast is
//! it on the way? The lab runs it; a declaration names the files that fill it.

use super::{Kind, check_count, settings};
use crate::{
    FaultWork, FullWork,
    lab_test::{LabTest, lab_test},
};
use model::{result::Fill, target::Knob};
use serde::Deserialize;

pub(super) static KIND: Kind = Kind {
    name: "full",
    about: "a disk that is filled until it refuses more; which call is refused, what is still \
            allowed, whether all that was acknowledged is kept, when deleted space comes back, \
            and how fast it is at 50, 95, 98 and 100 %.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        let Settings { fill, tries, times } = settings;
        Ok(lab_test(
            head,
            LabTest {
                kind: &KIND,
                name: settings.name(),
                testtype: "full-disk",
                metric: "try_ms",
                work: FaultWork::Full(FullWork { fill, tries, times }),
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

static KNOBS: [Knob; 3] = [
    Knob::new("fill", "", "large", "what fills it: files of 8 MiB, or of 16 KiB")
        .one_of(&["large", "small"]),
    Knob::new("tries", "", "3", "tries, each with two fresh file systems, from 1 to 100"),
    Knob::new(
        "times",
        "",
        "15",
        "how often each operation is timed at each degree of fullness, from 1 to 1000",
    ),
];

/// Seconds for a try with files of each kind, on a slow machine: two file systems are made, filled and read.
const LARGE_S: f64 = 6.0;
const SMALL_S: f64 = 60.0;
/// Seconds for one timed operation.
const OPERATION_S: f64 = 0.005;
/// Timed operations, at all degrees of fullness.
const OPERATIONS: f64 = 12.0;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    fill: Fill,
    tries: u64,
    times: u64,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        check_count("tries", self.tries, 100)?;
        check_count("times", self.times, 1000)
    }

    fn name(&self) -> String {
        let files = match self.fill {
            Fill::Large => "large files",
            Fill::Small => "small files",
        };
        format!("full disk: {files}")
    }

    fn seconds(&self) -> f64 {
        let fill_s = match self.fill {
            Fill::Large => LARGE_S,
            Fill::Small => SMALL_S,
        };
        self.tries as f64 * (fill_s + self.times as f64 * OPERATIONS * OPERATION_S)
    }

    fn does(&self) -> String {
        let files = match self.fill {
            Fill::Large => "files of 8 MiB, in pieces of 1 MiB",
            Fill::Small => "files of 16 KiB",
        };
        format!(
            "The file system is made with the target's options on a disk of 300 MiB (more where it \
             needs more) in memory. It is filled with {files}, each followed by an fsync. When a \
             call is refused, smaller pieces down to 4 KiB follow until these are refused, too. \
             {} tries, each with other data.\n\n\
             - Noted are the first call that was refused, the bytes that an fsync had acknowledged \
             by then, and those in a file that no write had accepted.\n\
             - On the full disk a block of an old file is written over, an empty file and a \
             directory are created, a file is renamed over another, deleted, and truncated, each \
             with an fsync. Before each of them the disk is filled up again.\n\
             - A tenth of the data is deleted, and nine tenths of that are written again. After a \
             refusal it waits for 10 ms, and after each 100 refusals the file system is synced.\n\
             - After an unmount and a mount all that was acknowledged is compared with what was \
             written, and the checker looks at the file system.\n\
             - A fresh file system is filled to 50, 95, 98 and 100 % of what went in. At each of \
             them, {} times in a drawn order: 4 KiB of an old file are written over, 1 MiB is \
             appended (and cut off again, which is not timed), and a file of 1 MiB is deleted and \
             written again, each with an fsync. Then all is compared again.",
            self.tries, self.times,
        )
    }
}

const READ_IT: &str = "How long a try takes is shown and enters no score. What counts is in the \
                       section After faults: acknowledged data that is lost is harm, a refusal is \
                       not. Speeds are relative to the same disk half full, in the same try; a \
                       disk in memory says nothing of seeks. assay writes as root, which may use \
                       what ext4 reserves: other users are refused earlier, by 5 % of the disk \
                       with its defaults.";

#[cfg(test)]
mod tests;

//! The kind `mirror`: one leg of a mirror silently holds a bad copy, or is lost; what is read through the mirror, and
//! what does each leg hold alone? The lab runs it; a declaration names the fault.

use super::{Kind, check_count, settings};
use crate::{
    FaultWork, MirrorWork,
    lab_test::{LabTest, lab_test},
};
use model::{result::LegFault, target::Knob};
use serde::Deserialize;

pub(super) static KIND: Kind = Kind {
    name: "mirror",
    about: "a mirror, one leg of which silently holds a bad copy, or is lost; what is read through \
            the mirror, what each leg holds alone, and whether reads, a scrub or a replacement \
            repair it.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        let Settings { fault, tries } = settings;
        check_count("tries", tries, 1000)?;
        Ok(lab_test(
            head,
            LabTest {
                kind: &KIND,
                name: settings.name().into(),
                testtype: "mirror",
                metric: "try_ms",
                work: FaultWork::Mirror(MirrorWork { fault, tries }),
                fixed_s: MAKE_S + tries as f64 * TRY_S,
                does: settings.does(),
                read_it: READ_IT,
                cut_off: None,
                programs: &[],
                assets: Vec::new(),
            },
        ))
    },
};

static KNOBS: [Knob; 2] = [
    Knob::new("fault", "", "bad_data", "what happens to one leg").one_of(&[
        "bad_data",
        "bad_metadata",
        "lost_disk",
        "power_cut",
    ]),
    Knob::new(
        "tries",
        "",
        "10",
        "tries, each with other data, a drawn leg, and a drawn block or moment, from 1 to 1000",
    ),
];

/// Seconds to make the target.
const MAKE_S: f64 = 1.0;
/// Seconds for a try on a slow machine: some twenty mounts.
const TRY_S: f64 = 1.5;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    fault: LegFault,
    tries: u64,
}

impl Settings {
    fn name(&self) -> &'static str {
        match self.fault {
            LegFault::BadData => "bad copy: data",
            LegFault::BadMetadata => "bad copy: metadata",
            LegFault::LostDisk => "lost disk",
            LegFault::PowerCut => "power cut",
        }
    }

    fn does(&self) -> String {
        let fault = match self.fault {
            LegFault::BadData => {
                "Files are written and synced. On one leg a block of 4 KiB of their data is then \
                 overwritten with other data, without an error"
            }
            LegFault::BadMetadata => {
                "Files are written and synced. On one leg a block of 4 KiB of the tree that holds \
                 their names and inodes is then overwritten with other data, without an error"
            }
            LegFault::LostDisk => {
                "A program overwrites 32 files and makes 32 others, each with an fsync. From a drawn \
                 request on one leg answers every request with EIO. Afterwards it answers again, and \
                 holds what it held when it was lost"
            }
            LegFault::PowerCut => {
                "A program overwrites 32 files and makes 32 others, each with an fsync. At a drawn request \
                 the power of all legs goes: each keeps what it had flushed and, drawn for each by \
                 itself, all, none or some of its writes since then"
            }
        };
        let steps = match self.fault {
            LegFault::BadData | LegFault::BadMetadata => {
                "- All files are read through the mirror, each time after a fresh mount and in a new \
                 thread, until a read has met the bad block. A mount that fails is an error, too.\n\
                 - Starting from the bad block again, all legs are scrubbed in place of these reads.\n"
            }
            LegFault::LostDisk => {
                "- The program's errors are counted. All files that were acknowledged are read while \
                 the file system is still mounted, and after a fresh mount with all legs.\n\
                 - Starting from the disk's return again, all legs are scrubbed in place of these \
                 reads. Starting from it once more, the other legs are mounted degraded, and an empty \
                 disk replaces the lost one.\n"
            }
            LegFault::PowerCut => {
                "- What was acknowledged is read from each leg alone, as if the others had been lost in the \
                 same moment. Starting from the power failure again, it is read with all legs, and once more \
                 after a scrub.\n"
            }
        };
        format!(
            "The mirror is made with the target's options on disks of 300 MiB each (more where it needs \
             more) in memory, whose requests assay answers itself. {fault}. {} tries, each \
             with other data and a drawn leg.\n\n\
             {steps}\
             - Each leg is read alone at each of these moments: a copy of it is mounted read-only \
             and degraded, while the disks fail all requests. Where one leg is not enough, every smallest \
             set of legs that is enough is read.\n\
             - A target that cannot be read without one of its disks is reported as not supported. \
             Every profile of Btrfs with redundancy can be tried, and arrays of md and volumes of LVM, \
             e.g. `btrfs[raid6]`, `raid1(ext4)` or `raid5(xfs)`.",
            self.tries,
        )
    }
}

const READ_IT: &str = "How long a try takes is shown and enters no score. What counts is in the \
                       section After faults: reads through the mirror that were wrong without an \
                       error, and what each leg holds alone before and after. A leg that is \
                       wrong or fails alone has no second copy for the block: the mirror is one \
                       fault away from losing it. After a repair, each leg alone is \
                       right. One read of a mirror shows the leg that happened to be read; \
                       therefore each leg is read.";

#[cfg(test)]
mod tests;

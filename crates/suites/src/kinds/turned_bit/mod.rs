//! The kind `turned_bit`: the disk silently corrupts what was written; is wrong data then read without an error? The
//! lab runs it; a declaration names the corruption and what it hits.

use super::{Kind, check_count, settings};
use crate::{
    FaultWork, TurnedBitWork,
    lab_test::{LabTest, lab_test},
};
use model::{
    result::{DamagedPlace, SilentFault},
    target::Knob,
};
use serde::Deserialize;

pub(super) static KIND: Kind = Kind {
    name: "turned_bit",
    about: "a disk that silently holds other data than what was written: a turned bit, a lost \
            or a misdirected write; are reads wrong without an error, do they fail, or is the \
            data repaired?",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        let Settings { fault, place, tries } = settings;
        Ok(lab_test(
            head,
            LabTest {
                kind: &KIND,
                name: settings.name(),
                testtype: "silent-fault",
                metric: "try_ms",
                work: FaultWork::TurnedBit(TurnedBitWork { fault, place, tries }),
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

static KNOBS: [Knob; 3] = [
    Knob::new("fault", "", "turned_bit", "what the disk does").one_of(&[
        "turned_bit",
        "lost_write",
        "misdirected_write",
    ]),
    Knob::new("place", "", "data", "what it does it to").one_of(&[
        "data",
        "name",
        "inode",
        "tree",
        "superblock",
    ]),
    Knob::new("tries", "", "10", "tries, each with another bit and other data, from 1 to 1000"),
];

/// Seconds to make the target.
const MAKE_S: f64 = 1.0;
/// Seconds for a try on a slow machine: mounts, and a scrub or a checker.
const TRY_S: f64 = 0.4;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    fault: SilentFault,
    place: DamagedPlace,
    tries: u64,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        check_count("tries", self.tries, 1000)?;
        match (self.fault, self.place) {
            (SilentFault::TurnedBit, _)
            | (_, DamagedPlace::Data)
            | (SilentFault::LostWrite, DamagedPlace::Name) => Ok(()),
            (SilentFault::LostWrite, _) => Err("a lost write can be of `data` or `name`".into()),
            (SilentFault::MisdirectedWrite, _) => {
                Err("a misdirected write can be of `data`".into())
            }
        }
    }

    fn name(&self) -> String {
        let fault = match self.fault {
            SilentFault::TurnedBit => "turned bit",
            SilentFault::LostWrite => "lost write",
            SilentFault::MisdirectedWrite => "misdirected write",
        };
        let place = match self.place {
            DamagedPlace::Data => "data",
            DamagedPlace::Name => "name",
            DamagedPlace::Inode => "inode",
            DamagedPlace::Tree => "tree",
            DamagedPlace::Superblock => "superblock",
        };
        format!("{fault}: {place}")
    }

    fn does(&self) -> String {
        let fault = match self.fault {
            SilentFault::TurnedBit => "one bit of it is turned on the disk",
            SilentFault::LostWrite => {
                "the disk is as if it had answered its last write and not done it"
            }
            SilentFault::MisdirectedWrite => {
                "the disk is as if it had done its last write in the place of another file"
            }
        };
        let place = match self.place {
            DamagedPlace::Data => "a file of 64 KiB, written over once and synced",
            DamagedPlace::Name => "the name of a file in its directory",
            DamagedPlace::Inode => {
                "an inode that holds the target of a short symbolic link (of Btrfs a block of the \
                 tree that holds it)"
            }
            DamagedPlace::Tree => "a block of the tree that says where 600 pieces of a file are",
            DamagedPlace::Superblock => "the first superblock",
        };
        format!(
            "The file system is made with the target's options on a disk of 300 MiB (more where it \
             needs more) in memory, whose requests assay answers itself. Files are written, synced \
             and unmounted. Damaged is {place}: {fault}. {} tries, each with other data and another \
             bit; where there are copies, one of them is damaged, each in its turn.\n\n\
             - A fresh mount reads it: what was written, something else, or an error. A mount that \
             fails is an error, too.\n\
             - The disk is compared with what was written: the file system may have repaired it.\n\
             - Where it did not, Btrfs is scrubbed, and of others the checker looks at it.\n\
             - A target that has no such place says so. Damage that nothing read makes the sample \
             invalid.",
            self.tries,
        )
    }
}

const READ_IT: &str = "How long a try takes is shown and enters no score. What counts is in the \
                       section After faults: in how many tries something else was read than was \
                       written, without an error. A file system without sums of its data cannot \
                       know better. None of 10 means less than 26 % of such bits, with 95 % \
                       probability; where a sum is checked at each read, all of them are found but \
                       those that happen to give the same sum.";

#[cfg(test)]
mod tests;

//! Does what a file system says would make it whole again.

use super::{Mirror, failed};
use crate::faults::{FaultsError, mount::Mounted};
use ::fs::Repair;
use lab::{error::LabError, programs::Run, recording::btrfs};
use std::fs::File;

impl Mirror<'_> {
    /// Takes `steps` while it is `mounted`, one after the other. Returns the errors that were found.
    pub(super) fn repair(&self, steps: &[Repair], mounted: &Mounted) -> Result<u64, FaultsError> {
        let root = File::open(mounted.root()).map_err(LabError::io("open", mounted.root()))?;
        let failed = |what| failed(what, mounted.root());
        let mut found = 0;
        for step in steps {
            match step {
                Repair::Command(command) => drop(command.run()?),
                Repair::BtrfsScrub => {
                    for disk in 1..=self.legs.len() as u64 {
                        found += btrfs::scrub(&root, disk).map_err(failed("scrub"))?;
                    }
                }
                Repair::BtrfsReplace { number, by } => {
                    let replaced = btrfs::replace(&root, *number as u64, by);
                    replaced.map_err(failed("replace a disk of"))?;
                }
                Repair::BtrfsConvert { data, metadata } => {
                    btrfs::convert(&root, [data, metadata]).map_err(failed("balance"))?;
                }
            }
        }
        Ok(found)
    }
}

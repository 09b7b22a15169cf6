//! Does what a file system says would make it whole again.

use super::{Mirror, assembly::Up, failed};
use crate::faults::FaultsError;
use ::fs::Repair;
use lab::{error::LabError, programs::Run, recording::btrfs};
use std::fs::File;

impl Mirror<'_> {
    /// Takes `steps` while it is `up`, one after the other. Returns the errors that were found, as far as they tell.
    pub(super) fn repair(&self, steps: &[Repair], up: &Up<'_>) -> Result<u64, FaultsError> {
        let root = File::open(up.root()).map_err(LabError::io("open", up.root()))?;
        let failed = |what| failed(what, up.root());
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

    /// Scrubs it while it is `up`. Returns the errors or differences that were found.
    pub(super) fn scrub_up(&self, up: &Up<'_>) -> Result<u64, FaultsError> {
        let (fs, site) = (self.part().fs, up.site());
        let seen = self.repair(&fs.scrub(site), up)?;
        let Some(ask) = fs.found(site) else { return Ok(seen) };
        let output = ask.run()?.stdout;
        let unread = || FaultsError::Unread { command: ask.to_string(), said: output.clone() };
        fs.read_found(&output).ok_or_else(unread)
    }
}

//! Overwrites a block on one leg of a mirror silently, and observes what is read, and whether reads or a scrub repair
//! it.

use super::{Mirror, SeenMirror, reads::Written};
use crate::faults::FaultsError;
use ::faults::{
    log::Log,
    mirror::{FILES, content, data_block, garbage, name, tree_block},
    rule::{On, Rule, What, When},
};
use model::result::{LegFault, Moment, ReadFrom};
use rustix::fs::syncfs;
use std::{
    fs::{self, File},
    io,
    ops::Range,
    path::Path,
    time::Duration,
};

/// Most reads of each copy until one meets the bad block.
const TURNS_EACH: u64 = 4;

/// A mirror with a bad block on one leg.
struct Bad {
    leg: usize,
    block: Range<u64>,
    /// What was asked of each leg before.
    logs: Vec<Log>,
    garbage: Vec<u8>,
}

impl Mirror<'_> {
    /// Writes files, overwrites a drawn block of one leg, of the data or, for [`LegFault::BadMetadata`], of a tree, and
    /// reads them.
    ///
    /// # Errors
    /// It cannot be mounted without the fault, or what is to be overwritten was never written as it is.
    pub fn bad_copy(&mut self, fault: LegFault, seed: u64) -> Result<SeenMirror, FaultsError> {
        let bad = self.make_bad(fault, seed)?;
        let files: Vec<Written> = (0..FILES).map(|file| (file, 0)).collect();
        let files = (seed, files.as_slice());
        let legs = &self.with_fault_of(bad.leg);
        let mut seen = SeenMirror { written: FILES, ..SeenMirror::default() };

        self.show_bad(&bad)?;
        self.look_at_legs(Moment::Fault, legs, files, &mut seen)?;
        seen.is_unmet = !self.read_until_met(&bad, files, &mut seen)?;
        if !seen.is_unmet {
            self.look_at_legs(Moment::Read, legs, files, &mut seen)?;
        }

        self.show_bad(&bad)?;
        self.scrub(legs, false, files, &mut seen)?;
        Ok(seen)
    }

    fn make_bad(&self, fault: LegFault, seed: u64) -> Result<Bad, FaultsError> {
        self.begin_recorded()?;
        let done = self.up(|up| write(up.root(), seed).map_err(FaultsError::Prepare));
        let logs = self.logs()?;
        done?;
        let block = match fault {
            LegFault::BadMetadata => tree_block(&logs, seed),
            _ => data_block(&logs, seed),
        };
        let lost = || FaultsError::FaultNotTriggered {
            target: self.name(),
            what: "wrote the block to overwrite",
        };
        let (leg, block) = block.ok_or_else(lost)?;
        Ok(Bad { leg, block, logs, garbage: garbage(seed) })
    }

    /// Shows the legs as they were written, one of them with the bad block.
    fn show_bad(&self, bad: &Bad) -> Result<(), FaultsError> {
        self.show(bad.logs.iter().enumerate().map(|(number, log)| {
            let garbage = (number == bad.leg).then(|| (bad.block.start, bad.garbage.clone()));
            log.written(usize::MAX).into_iter().chain(garbage).collect()
        }))
    }

    /// Reads through the mirror until a read has met the bad block; false if none has, e.g. where all reads are of one
    /// leg.
    fn read_until_met(
        &self,
        bad: &Bad,
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<bool, FaultsError> {
        let what = What::Delay(Duration::ZERO);
        let probe = Rule { on: On::Read, range: bad.block.clone(), when: When::ALWAYS, what };
        let (leg, whole) = (&self.legs[bad.leg], self.whole()?);
        leg.inject(vec![probe]);
        for turn in 0..TURNS_EACH * self.redundancy.copies.max(2) as u64 {
            seen.note(Moment::Read, ReadFrom::Mirror, self.look(&whole, files, turn)?);
            if leg.served().injected.iter().sum::<u64>() > 0 {
                leg.inject(Vec::new());
                return Ok(true);
            }
        }
        leg.inject(Vec::new());
        Ok(false)
    }
}

/// Writes all files, and has all of them on the legs.
fn write(root: &Path, seed: u64) -> io::Result<()> {
    for file in 0..FILES {
        fs::write(root.join(name(file)), content(seed, file, 0))?;
    }
    Ok(syncfs(File::open(root)?)?)
}

//! Reads every set of legs of a mirror that is just enough by itself: copies of them are mounted read-only, without the
//! other legs.

use super::{
    Mirror, SeenMirror,
    legs::Legs,
    lost,
    reads::{FilesRead, Written},
};
use crate::faults::FaultsError;
use lab::recording::RecordingDisk;
use model::result::{Moment, ReadFrom};
use std::path::Path;

impl Mirror<'_> {
    /// Reads `files` from each set of `legs` that is just enough.
    pub(super) fn look_at_legs(
        &self,
        moment: Moment,
        legs: &Legs<'_>,
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<(), FaultsError> {
        for set in self.sets() {
            let has_fault = legs.faulty.is_some_and(|faulty| set.contains(&faulty));
            let from = if has_fault { ReadFrom::FaultyLeg } else { ReadFrom::OtherLeg };
            let set: Vec<&RecordingDisk> = set.iter().map(|leg| legs.all[*leg]).collect();
            seen.note(moment, from, self.look_at_set(&set, files)?);
        }
        Ok(())
    }

    /// Reads `files` from copies of `set`. The kernel cannot take anything from the disks themselves meanwhile: all
    /// their requests fail.
    fn look_at_set(
        &self,
        set: &[&RecordingDisk],
        files: (u64, &[Written]),
    ) -> Result<FilesRead, FaultsError> {
        self.forget()?;
        for (copy, leg) in self.copies.iter().zip(set) {
            copy.show(&leg.image()?, &[])?;
        }
        self.disks().for_each(|disk| disk.inject(vec![lost(0)]));
        let copies: Vec<&Path> = self.copies.iter().map(|copy| copy.device()).collect();
        let look = self.look(&self.degraded(&copies)?.read_only(), files, 0);
        self.disks().for_each(|disk| disk.inject(Vec::new()));
        self.forget()?;
        look
    }
}

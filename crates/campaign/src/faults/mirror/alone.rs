//! Reads one leg of a mirror alone: a copy of it is mounted read-only, without the other leg.

use super::{
    Mirror, SeenMirror, lost,
    reads::{FilesRead, Written},
};
use crate::faults::FaultsError;
use lab::recording::RecordingDisk;
use model::result::{Moment, ReadFrom};

impl Mirror<'_> {
    /// Reads `files` from each leg alone. `faulty` is the leg with the fault, or what replaced it.
    pub(super) fn look_at_legs(
        &self,
        moment: Moment,
        [faulty, other]: [&RecordingDisk; 2],
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<(), FaultsError> {
        seen.note(moment, ReadFrom::FaultyLeg, self.look_at_leg(faulty, files)?);
        seen.note(moment, ReadFrom::OtherLeg, self.look_at_leg(other, files)?);
        Ok(())
    }

    /// Reads `files` from a copy of `leg`. The kernel cannot take anything from the disks themselves meanwhile: all
    /// their requests fail.
    fn look_at_leg(
        &self,
        leg: &RecordingDisk,
        files: (u64, &[Written]),
    ) -> Result<FilesRead, FaultsError> {
        self.forget()?;
        self.copy.show(&leg.image()?, &[])?;
        let disks = || self.legs.iter().chain([&self.spare]);
        disks().for_each(|disk| disk.inject(vec![lost(0)]));
        let how = self.how.alone(self.copy.device()).with(&["ro"]);
        let look = self.look(&how, files, 0);
        disks().for_each(|disk| disk.inject(Vec::new()));
        self.forget()?;
        look
    }
}

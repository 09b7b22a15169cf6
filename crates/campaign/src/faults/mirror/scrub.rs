//! Scrubs a mirror, and looks at what each leg has afterwards.

use super::{Mirror, SeenMirror, failed, open, reads::Written};
use crate::faults::{FaultsError, Read, Scrubbed};
use lab::recording::{RecordingDisk, btrfs};
use model::result::Moment;
use std::time::{Duration, Instant};

impl Mirror<'_> {
    /// Scrubs both legs after a fresh mount, then reads `files` from each leg and through the mirror. Nothing is
    /// scrubbed where it cannot be mounted.
    pub(super) fn scrub(
        &self,
        legs: [&RecordingDisk; 2],
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<(), FaultsError> {
        let done = self.scrub_mounted()?;
        self.look_at_legs(Moment::Scrubbed, legs, files, seen)?;
        let own = seen.looks.iter().filter(|(moment, ..)| *moment == Moment::Scrubbed);
        let has_repaired = own.map(|(.., look)| look.read).all(|read| read == Read::Right);
        let scrubbed = |(found, took)| Scrubbed { has_detected: found > 0, has_repaired, took };
        seen.scrub = done.map(scrubbed);
        self.look_through(Moment::Scrubbed, &self.how, files, seen)
    }

    /// The errors that a scrub of both legs found, and how long it took; `None` where it cannot be mounted.
    fn scrub_mounted(&self) -> Result<Option<(u64, Duration)>, FaultsError> {
        let Ok(mounted) = self.how.without_access_times().mount()? else { return Ok(None) };
        let root = open(mounted.root())?;
        let start = Instant::now();
        let mut found = 0;
        for device in 1..=self.legs.len() as u64 {
            let errors = btrfs::scrub(&root, device);
            found += errors.map_err(failed("scrub", mounted.root()))?;
        }
        let took = start.elapsed();
        drop(root);
        self.unmount(mounted)?;
        Ok(Some((found, took)))
    }
}

//! Scrubs a mirror, and looks at what its legs have afterwards.

use super::{Mirror, SeenMirror, legs::Legs, reads::Written};
use crate::faults::{FaultsError, Read, Scrubbed};
use model::result::Moment;
use std::time::{Duration, Instant};

impl Mirror<'_> {
    /// Scrubs all legs after a fresh mount, then reads `files` from each set of legs and through the mirror. Nothing is
    /// scrubbed where it cannot be mounted.
    pub(super) fn scrub(
        &self,
        legs: &Legs<'_>,
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<(), FaultsError> {
        let done = self.scrub_mounted()?;
        self.look_at_legs(Moment::Scrubbed, legs, files, seen)?;
        let own = seen.looks.iter().filter(|(moment, ..)| *moment == Moment::Scrubbed);
        let has_repaired = own.map(|(.., look)| look.read).all(|read| read == Read::Right);
        let scrubbed = |(found, took)| Scrubbed { has_detected: found > 0, has_repaired, took };
        seen.scrub = done.map(scrubbed);
        self.look_through(Moment::Scrubbed, &self.whole()?, files, seen)
    }

    /// The errors that a scrub of all legs found, and how long it took; `None` where it cannot be mounted.
    fn scrub_mounted(&self) -> Result<Option<(u64, Duration)>, FaultsError> {
        let whole = self.whole()?;
        let Ok(mounted) = whole.mount()? else { return Ok(None) };
        let start = Instant::now();
        let found = self.repair(&self.part.fs.scrub(whole.site()), &mounted);
        let took = start.elapsed();
        self.unmount(mounted)?;
        Ok(Some((found?, took)))
    }
}

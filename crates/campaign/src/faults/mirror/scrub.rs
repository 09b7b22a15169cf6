//! Scrubs a mirror, and looks at what its legs have afterwards.

use super::{Mirror, SeenMirror, legs::Legs, reads::Written};
use crate::faults::{FaultsError, Read, Scrubbed};
use model::result::Moment;
use std::time::{Duration, Instant};

impl Mirror<'_> {
    /// Scrubs all legs after a fresh start, then reads `files` from each set of legs and through the mirror. Where the
    /// disks are `back` after a loss, the faulty one is taken in again first, and what the mirror makes alike by
    /// itself is awaited. Where a scrub only counts, the copies are then made alike, and all is read again. Nothing is
    /// scrubbed where it cannot be mounted.
    pub(super) fn scrub(
        &self,
        legs: &Legs<'_>,
        back: bool,
        files: (u64, &[Written]),
        seen: &mut SeenMirror,
    ) -> Result<(), FaultsError> {
        let done = self.scrubbed(legs, back)?;
        self.look_at_legs(Moment::Scrubbed, legs, files, seen)?;
        let own = seen.looks.iter().filter(|(moment, ..)| *moment == Moment::Scrubbed);
        let has_repaired = own.map(|(.., look)| look.read).all(|read| read == Read::Right);
        let scrubbed = |(found, took)| Scrubbed { has_detected: found > 0, has_repaired, took };
        seen.scrub = done.map(scrubbed);
        let whole = self.whole()?;
        self.look_through(Moment::Scrubbed, &whole, files, seen)?;

        let steps = self.part().fs.make_alike(whole.site());
        if steps.is_empty() || done.is_none() {
            return Ok(());
        }
        self.up_on(&whole, |up| self.repair(&steps, up))?;
        self.look_at_legs(Moment::MadeAlike, legs, files, seen)?;
        self.look_through(Moment::MadeAlike, &whole, files, seen)
    }

    /// The errors that a scrub of all legs found, and how long it took; `None` where it cannot be mounted.
    fn scrubbed(
        &self,
        legs: &Legs<'_>,
        back: bool,
    ) -> Result<Option<(u64, Duration)>, FaultsError> {
        let whole = self.whole()?;
        let Ok(up) = whole.up()? else { return Ok(None) };
        let back = back.then(|| &whole.site().disks[legs.faulty.unwrap_or(0)]);
        let join = back.map(|disk| self.part().fs.rejoin(whole.site(), disk));
        let joined = self.repair(&join.unwrap_or_default(), &up);
        let start = Instant::now();
        let found = joined.and_then(|_| self.scrub_up(&up));
        let took = start.elapsed();
        self.take_down(up)?;
        Ok(Some((found?, took)))
    }
}

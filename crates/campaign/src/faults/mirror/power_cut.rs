//! Cuts the power of all legs at once while a program writes, and observes what is read from all of them, and from each
//! set that is just enough where a leg is lost as well.

use super::{
    Mirror, SeenMirror,
    lost_disk::{prepare, put},
    reads::Written,
};
use crate::faults::FaultsError;
use ::faults::{
    cut::{Cut, cut},
    mirror::FILES,
};
use model::result::Moment;

impl Mirror<'_> {
    /// Writes and syncs one file after the other, and cuts the power at a drawn request: each leg keeps what it had
    /// flushed, and any of its writes since.
    ///
    /// # Errors
    /// It cannot be mounted or written without the fault, or no file was acknowledged.
    pub fn power_cut(&mut self, seed: u64) -> Result<SeenMirror, FaultsError> {
        let cut = self.make_cut(seed)?;
        let files = files(cut.acknowledged);
        let files = (seed, files.as_slice());
        let mut seen = SeenMirror { written: cut.acknowledged, ..SeenMirror::default() };
        let legs = &self.without_fault();

        self.show(cut.written.iter().cloned())?;
        self.look_at_legs(Moment::Fault, legs, files, &mut seen)?;

        self.show(cut.written)?;
        let whole = self.whole()?;
        self.look_through(Moment::Read, &whole, files, &mut seen)?;
        self.scrub(legs, true, files, &mut seen)?;
        Ok(seen)
    }

    fn make_cut(&self, seed: u64) -> Result<Cut, FaultsError> {
        self.begin_recorded()?;
        let done = self.up(|up| {
            prepare(up.root(), seed).map_err(FaultsError::Prepare)?;
            self.legs[0].mark(0);
            for file in 0..FILES {
                put(up.root(), seed, file).map_err(FaultsError::Prepare)?;
                self.legs[0].mark(file + 1);
            }
            Ok(())
        });
        let logs = self.logs()?;
        done?;
        let none =
            || FaultsError::FaultNotTriggered { target: self.name(), what: "was acknowledged" };
        cut(&logs, seed).ok_or_else(none)
    }
}

/// What has to be there when the first files, as many as were `acknowledged`, had been synced: those, and of the others
/// what there was before. Of the one that was being written nothing is known.
fn files(acknowledged: u64) -> Vec<Written> {
    let new = (0..acknowledged).map(|file| (file, 1));
    let old = (acknowledged + 1..FILES).filter(|file| file % 2 == 0).map(|file| (file, 0));
    new.chain(old).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_in_flight_may_be_anything() {
        let none = files(0);
        assert!(!none.contains(&(0, 0)) && !none.contains(&(0, 1)), "{none:?}");
        assert_eq!(none.len() as u64, FILES / 2 - 1);
        let some = files(5);
        assert_eq!(some[..6], [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (6, 0)]);
        assert_eq!(files(FILES).len() as u64, FILES);
    }
}

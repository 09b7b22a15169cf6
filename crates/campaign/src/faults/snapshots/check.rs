//! Reads all snapshots and the live files, and compares them with what they have to hold.

use super::{
    kept::Kept,
    volume::{Place, Volume},
};
use ::faults::{
    full::Content,
    snapshots::{Tree, name},
};
use model::result::{SnapshotMoment, SnapshotReads};
use std::fmt::Display;

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) reads: Vec<SnapshotReads>,
    /// The first that was wrong.
    pub(super) example: Option<String>,
}

impl Checked {
    /// Reads all of `kept` from `volume`.
    pub(super) fn check(&mut self, moment: SnapshotMoment, kept: &Kept<'_>, volume: &impl Volume) {
        let places = kept.taken.iter().map(|(number, tree)| (Some(*number), tree));
        for (place, tree) in places.chain([(None, &kept.live)]) {
            self.note(moment, place, wrong(volume, kept.content, (place, tree)));
        }
    }

    /// Notes that nothing of `kept` can be read.
    pub(super) fn note_lost(&mut self, moment: SnapshotMoment, kept: &Kept<'_>, why: &dyn Display) {
        for place in kept.taken.keys().map(|number| Some(*number)).chain([None]) {
            self.note(moment, place, Some(format!("it cannot be mounted: {why}")));
        }
    }

    fn note(&mut self, moment: SnapshotMoment, place: Place, wrong: Option<String>) {
        let is_wrong = u64::from(wrong.is_some());
        let own = self.at(moment);
        let (read, bad) = match place {
            Some(_) => (&mut own.read, &mut own.wrong),
            None => (&mut own.live_read, &mut own.live_wrong),
        };
        (*read, *bad) = (*read + 1, *bad + is_wrong);
        if let (Some(wrong), None) = (wrong, &self.example) {
            let of =
                place.map_or_else(|| "live files".into(), |number| format!("snapshot {number}"));
            self.example = Some(format!("{of}: {wrong}"));
        }
    }

    fn at(&mut self, moment: SnapshotMoment) -> &mut SnapshotReads {
        let at = self.reads.iter().position(|own| own.moment == moment);
        let at = at.unwrap_or_else(|| {
            self.reads.push(SnapshotReads::none(moment));
            self.reads.len() - 1
        });
        &mut self.reads[at]
    }
}

/// What is wrong with the files in a place that has to hold `tree`; `None` if nothing is.
pub(super) fn wrong(
    volume: &impl Volume,
    content: &Content,
    (place, tree): (Place, &Tree),
) -> Option<String> {
    let names = match volume.names(place) {
        Ok(names) => names,
        Err(error) => return Some(error.to_string()),
    };
    let of_file = |file| match volume.read(place, file) {
        Ok(found) => tree.wrong(content, file, &found),
        Err(error) => Some(error.to_string()),
    };
    let files =
        || tree.files().find_map(|file| Some(format!("{}: {}", name(file), of_file(file)?)));
    tree.wrong_names(&names).or_else(files)
}

//! The legs of a mirror as they are now, and which of them has the fault.

use super::Mirror;
use lab::recording::RecordingDisk;

/// The legs in their order; what replaced one is in its place.
#[derive(Clone, Debug)]
pub(super) struct Legs<'a> {
    pub(super) all: Vec<&'a RecordingDisk>,
    /// The number of the one with the fault, or of what replaced it; `None` where none has one of its own.
    pub(super) faulty: Option<usize>,
}

impl Mirror<'_> {
    /// All legs, of which `faulty` has the fault.
    pub(super) fn with_fault_of(&self, faulty: usize) -> Legs<'_> {
        Legs { all: self.legs.iter().collect(), faulty: Some(faulty) }
    }

    /// All legs, of which none has a fault of its own.
    pub(super) fn without_fault(&self) -> Legs<'_> {
        Legs { all: self.legs.iter().collect(), faulty: None }
    }

    /// The same with the spare disk in place of leg `faulty`.
    pub(super) fn with_spare_for(&self, faulty: usize) -> Legs<'_> {
        let mut legs = self.with_fault_of(faulty);
        legs.all[faulty] = &self.spare;
        legs
    }
}

impl<'a> Legs<'a> {
    /// All but the one with the fault.
    pub(super) fn others(&self) -> Vec<&'a RecordingDisk> {
        let others = self.all.iter().enumerate().filter(|(number, _)| Some(*number) != self.faulty);
        others.map(|(_, leg)| *leg).collect()
    }
}

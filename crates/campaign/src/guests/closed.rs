//! Kinds of guests that cannot be booted here, each reason once.

use model::plan::LabKind;

/// Reasons, each with the kinds that it is of.
#[derive(Debug, Default)]
pub(super) struct Closed(Vec<(Vec<&'static str>, String)>);

impl Closed {
    pub(super) fn add(&mut self, kind: LabKind, why: String) {
        match self.0.iter_mut().find(|(_, known)| *known == why) {
            Some((places, _)) => places.push(kind.place()),
            None => self.0.push((vec![kind.place()], why)),
        }
    }

    /// Returns each reason after the kinds that it is of: `in QEMU with KVM: ...`.
    pub(super) fn reasons(&self) -> Vec<String> {
        let reason = |(places, why): &(Vec<_>, String)| format!("{}: {why}", places.join(", "));
        self.0.iter().map(reason).collect()
    }
}

//! Finds which guests this machine can boot, and what is missing for the others.

use super::{Guest, Missing, Venue, qemu, uml};
use model::plan::LabKind;
use std::path::Path;

/// The guest of `kind`; a virtual machine with the kernel `image`, else with the newest installed one.
/// For KVM a kernel is booted, at most for ten seconds.
///
/// # Errors
/// A program or a kernel is missing, KVM does not work, or `kind` is no guest.
pub fn find(kind: LabKind, image: Option<&Path>) -> Result<Box<dyn Guest>, Missing> {
    Ok(match kind {
        LabKind::Host => {
            return Err(Missing::new(
                "this machine is not a \
                                                  guest",
                "name uml or qemu",
            ));
        }
        LabKind::Uml => Box::new(uml::find()?),
        LabKind::Kvm | LabKind::Tcg => Box::new(qemu::find(kind, image)?),
    })
}

/// Every kind of guest, the preferred first, as [`find`] finds it.
pub fn available(image: Option<&Path>) -> Vec<(LabKind, Result<Venue, Missing>)> {
    let guests = LabKind::ALL.into_iter().filter(|kind| *kind != LabKind::Host);
    guests.map(|kind| (kind, find(kind, image).map(|guest| guest.venue()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_requirement_has_a_next_step() {
        for (kind, found) in available(None) {
            match found {
                Ok(venue) => assert_eq!(venue.kind, kind),
                Err(missing) => assert!(!missing.fix.is_empty(), "{kind}: {missing:?}"),
            }
        }
        assert!(find(LabKind::Tcg, Some(Path::new("/no/kernel"))).is_err());
    }
}

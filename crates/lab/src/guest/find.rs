//! Finds which guests this machine can boot, and what is missing for the others.

use super::{Guest, Missing, Venue, kernels, qemu, uml};
use model::plan::LabKind;
use std::path::Path;

/// The guest of `kind`; a virtual machine with the kernel `image`, else with the newest installed one.
/// For KVM a kernel is booted, at most for ten seconds.
///
/// # Errors
/// A program or a kernel is missing, KVM does not work, or `kind` is no guest.
pub fn find(kind: LabKind, image: Option<&Path>) -> Result<Box<dyn Guest>, Missing> {
    Ok(match kind {
        LabKind::Host => return Err(no_guest()),
        LabKind::Uml => Box::new(uml::find()?),
        LabKind::Kvm | LabKind::Tcg => {
            let kernel = image.map_or_else(kernels::newest, kernels::given);
            Box::new(qemu::find(kind, kernel)?)
        }
    })
}

/// Releases of the kernels that guests of `kind` could boot, the newest first. The programs of virtual machines may
/// still be missing.
///
/// # Errors
/// There is none, or `kind` is not a guest.
pub fn releases(kind: LabKind) -> Result<Vec<String>, Missing> {
    match kind {
        LabKind::Host => Err(no_guest()),
        LabKind::Uml => Ok(vec![uml::find()?.venue().kernel]),
        LabKind::Kvm | LabKind::Tcg => {
            let all: Vec<String> =
                kernels::installed().into_iter().map(|kernel| kernel.release).collect();
            if all.is_empty() { Err(kernels::none()) } else { Ok(all) }
        }
    }
}

/// The guest of `kind` with the installed kernel `release`. For KVM it is booted, at most for ten seconds.
///
/// # Errors
/// As of [`find`]; another release is installed.
pub fn with_release(kind: LabKind, release: &str) -> Result<Box<dyn Guest>, Missing> {
    match kind {
        LabKind::Kvm | LabKind::Tcg => Ok(Box::new(qemu::find(kind, kernels::of(release))?)),
        LabKind::Host | LabKind::Uml => {
            let guest = find(kind, None)?;
            let kernel = guest.venue().kernel;
            match kernel == release {
                true => Ok(guest),
                false => Err(Missing::new(
                    format!("kernel {release} is not installed (installed: {kernel})"),
                    "name the installed one",
                )),
            }
        }
    }
}

fn no_guest() -> Missing {
    Missing::new("this machine is not a guest", "name uml or qemu")
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
        assert!(releases(LabKind::Host).is_err());
        for kind in LabKind::ALL {
            assert!(with_release(kind, "1.0-none").is_err(), "{kind}");
        }
    }
}

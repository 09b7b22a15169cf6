//! One kind of guest for all kernels, and refusals that list what is installed.

use super::*;
use crate::{
    guests::still::{Kinds, Still, StillMachine},
    testing,
};
use model::{
    plan::Plan,
    result::{Environment, TargetState},
};

const ONE: &[&str] = &["6.1.176"];
const TWO: &[&str] = &["6.18.2-amd64", "6.12.48+deb13-amd64", "6.12.9"];

/// The kind and the kernels that `on` gets from a machine that has `supply`, or the refusal.
fn chosen(on: &[&str], lab: LabChoice, supply: Kinds) -> Result<(LabKind, Vec<String>), String> {
    let targets: Vec<ResolvedTarget> = on.iter().map(|target| target.parse().unwrap()).collect();
    let targets: Vec<&ResolvedTarget> = targets.iter().collect();
    let guests = choose(&targets, lab, &StillMachine(supply)).map_err(|error| error.to_string())?;
    let venues: Vec<_> = guests.values().map(|guest| guest.venue()).collect();
    assert!(venues.iter().all(|venue| venue.kind == venues[0].kind), "{venues:?}");
    Ok((venues[0].kind, venues.into_iter().map(|venue| venue.kernel).collect()))
}

#[test]
fn all_kernels_are_in_guests_of_one_kind() {
    use LabKind::{Kvm, Tcg, Uml};
    let both = ["xfs@6.12", "xfs@6.18"];
    let kernels = vec!["6.12.48+deb13-amd64".to_string(), "6.18.2-amd64".to_string()];
    let all = |kvm| vec![(Uml, ONE, Ok(())), (Tcg, TWO, Ok(())), (Kvm, TWO, kvm)];
    assert_eq!(chosen(&both, LabChoice::Auto, all(Ok(()))), Ok((Kvm, kernels.clone())));
    assert_eq!(chosen(&both, LabChoice::Auto, all(Err("no /dev/kvm"))), Ok((Tcg, kernels)));
    let uml = Ok((Uml, vec!["6.1.176".to_string()]));
    assert_eq!(chosen(&["ext4@6.1", "xfs@6.1"], LabChoice::Auto, all(Ok(()))), uml);
    assert_eq!(chosen(&["ext4@6"], LabChoice::Uml, all(Ok(()))), uml);
}

#[test]
fn kernel_that_no_guest_has_is_refused_with_those_installed() {
    use LabKind::{Kvm, Tcg, Uml};
    let all = || vec![(Uml, ONE, Ok(())), (Tcg, TWO, Ok(())), (Kvm, TWO, Ok(()))];
    let refused = chosen(&["xfs@6.12", "xfs@6.11"], LabChoice::Auto, all()).unwrap_err();
    for part in [
        "xfs@6.12, xfs@6.11 cannot be measured, because no kind of guest has all these kernels: ",
        "in QEMU with KVM, in QEMU with an emulated CPU: no installed kernel begins with 6.11 \
         (installed: 6.18.2-amd64, 6.12.48+deb13-amd64, 6.12.9); ",
        "in User-Mode Linux: no installed kernel begins with 6.11 or 6.12 (installed: 6.1.176); ",
        &how_to_install_kernel(&"6.11".parse().unwrap()),
    ] {
        assert!(refused.contains(part), "{part}\n{refused}");
    }
    // Each is installed, but not for guests of one kind.
    let refused = chosen(&["xfs@6.1.176", "xfs@6.12"], LabChoice::Auto, all()).unwrap_err();
    assert!(refused.contains("begins with 6.1.176 (installed: 6.18.2-amd64"), "{refused}");
    assert!(refused.contains("begins with 6.12 (installed: 6.1.176)"), "{refused}");
    let none = chosen(&["xfs@6.12"], LabChoice::Qemu, Vec::new()).unwrap_err();
    assert!(none.contains("has this kernel: in QEMU with KVM: no kvm; install it"), "{none}");
    assert!(!none.contains("User-Mode Linux"), "only QEMU was asked for: {none}");
    let broken = vec![(Tcg, TWO, Err("`busybox` is not installed"))];
    let broken = chosen(&["xfs@6.12"], LabChoice::Qemu, broken).unwrap_err();
    assert!(broken.contains("emulated CPU: `busybox` is not installed; use another"), "{broken}");
}

#[test]
fn resumed_target_keeps_its_kernel() {
    let targets = vec!["tmpfs@6.12".parse().unwrap(), "tmpfs".parse().unwrap()];
    let mut placed = testing::placed(Plan { targets, ..Plan::default() });
    let guest = |kernel| TargetPlace::Guest(Arc::new(Still(LabKind::Tcg, kernel)));
    placed.settle(vec![guest("6.12.48"), guest("6.18.2")]).unwrap();
    let record = |label: &str, kernel: Option<&str>| TargetRecord {
        label: label.into(),
        target: label.into(),
        lab: LabKind::Tcg,
        state: TargetState::Ok,
        facts: Environment(
            kernel
                .map(|kernel| (guest::KERNEL.to_string(), kernel.to_string()))
                .into_iter()
                .collect(),
        ),
    };
    let check =
        |kernel| check_same(&placed, &[record("tmpfs@6.12", kernel), record("tmpfs", Some("6.1"))]);
    assert!(check(Some("6.12.48")).is_ok() && check(None).is_ok());
    let refused = check(Some("6.12.9")).unwrap_err().to_string();
    assert!(
        refused.starts_with(
            "tmpfs@6.12 was measured with kernel 6.12.9, and would continue with 6.12.48"
        ),
        "{refused}"
    );
}

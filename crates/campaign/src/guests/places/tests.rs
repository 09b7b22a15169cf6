//! Chooses one lab among those that can make the targets.

use super::*;
use crate::{
    guests::still::{Still, StillMachine},
    testing,
};
use model::plan::Plan;
use std::cell::RefCell;

/// Returns the lab chosen for each target, given with the labs that can make it, and the note.
fn chosen(given: &[(&str, &[LabKind])]) -> (Vec<LabKind>, Option<String>) {
    let targets: Vec<ResolvedTarget> =
        given.iter().map(|(name, _)| name.parse().unwrap()).collect();
    let place = |kind: &LabKind| match kind {
        LabKind::Host => TargetPlace::Host,
        kind => TargetPlace::Guest(Arc::new(Still(*kind, "6"))),
    };
    let search = |(target, (_, kinds)): (_, &(&str, &[LabKind]))| Search {
        target,
        places: kinds.iter().map(place).collect(),
        reasons: Vec::new(),
        lacks_programs: false,
    };
    let all: Vec<Search<'_>> = targets.iter().zip(given).map(search).collect();
    let one = one_lab(&all);
    let said = said(&all, one);
    let made = all.into_iter().map(|search| search.place(one));
    (made.filter(|place| place.nowhere().is_none()).map(|place| place.kind()).collect(), said)
}

#[test]
fn candidates_share_one_lab() {
    use LabKind::{Host, Tcg, Uml};
    let (labs, said) = chosen(&[("ext4", &[Host]), ("xfs", &[Host]), ("zfs", &[])]);
    assert_eq!((labs, said), (vec![Host, Host], None));
    let (labs, said) = chosen(&[("ext4", &[Host, Uml, Tcg]), ("zfs", &[Tcg])]);
    let said = said.unwrap();
    assert_eq!(labs, [Tcg, Tcg]);
    assert!(
        said.contains(
            "in QEMU with an emulated CPU, because the host does not support \
                           zfs"
        ),
        "{said}"
    );
    let (labs, said) =
        chosen(&[("ext4", &[Host, Uml, Tcg]), ("f2fs", &[Uml, Tcg]), ("zfs", &[Tcg])]);
    assert_eq!((labs, said.is_some()), (vec![Tcg; 3], true));
    let (labs, _) = chosen(&[("ext4", &[Host, Uml]), ("f2fs", &[Uml])]);
    assert_eq!(labs, [Uml, Uml]);
}

#[test]
fn targets_without_a_common_lab_are_listed_by_lab() {
    use LabKind::{Host, Tcg, Uml};
    let (labs, said) = chosen(&[("ext4", &[Host, Uml]), ("nilfs2", &[Uml]), ("zfs", &[Tcg])]);
    let said = said.unwrap();
    assert_eq!(labs, [Host, Uml, Tcg]);
    assert!(said.contains("ext4 on the host; nilfs2 in User-Mode Linux; zfs in QEMU"), "{said}");
    assert!(said.contains("no lab supports all targets"), "{said}");
    let (labs, said) = chosen(&[("dir:/mnt", &[Host]), ("f2fs", &[Uml])]);
    assert_eq!((labs, said.is_some()), (vec![Host, Uml], true));
}

#[test]
fn guests_that_cannot_be_booted_are_explained_once() {
    let targets: Vec<ResolvedTarget> =
        ["f2fs", "jfs", "xfs"].iter().map(|name| name.parse().unwrap()).collect();
    let reasons = |own: &[&str]| own.iter().map(|why| why.to_string()).collect();
    let search = |at: usize, own: &[&str], lacks_programs| Search {
        target: &targets[at],
        places: Vec::new(),
        reasons: reasons(own),
        lacks_programs,
    };
    let closed = || {
        let mut closed = Closed::default();
        closed.add(LabKind::Kvm, "no qemu; install it".into());
        closed.add(LabKind::Uml, "no uml; install that".into());
        closed.add(LabKind::Tcg, "no qemu; install it".into());
        closed
    };
    let mut all = vec![search(0, &["no f2fs"], false), search(1, &["no jfs"], false)];
    let line = closed().explain(&mut all).unwrap();
    assert_eq!(
        line,
        "no guest can stand in for this machine: in QEMU with KVM, in QEMU with an emulated CPU: no qemu; install it; \
         in User-Mode Linux: no uml; install that"
    );
    assert_eq!(all[0].reasons, ["no f2fs"]);
    let mut all = vec![search(2, &["no mkfs.xfs"], true)];
    assert_eq!(closed().explain(&mut all), None, "no guest would help");
    // Where guests alone were asked for.
    let mut all = vec![search(2, &[], false)];
    assert_eq!((closed().explain(&mut all), all[0].reasons.len()), (None, 2));
}

/// Where the targets `on` are made on a machine whose kernels are for virtual machines without KVM, each with the
/// kernel of its guest, and the notes. No guest makes `never`.
fn placed_on(on: &[&str], never: &str) -> (Vec<(LabKind, Option<String>)>, Vec<String>) {
    const KERNELS: &[&str] = &["6.18.901-amd64", "6.12.909-amd64"];
    let supply = StillMachine(vec![(LabKind::Tcg, KERNELS, Ok(()))]);
    let targets = on.iter().map(|target| target.parse().unwrap()).collect();
    let placed = testing::placed(Plan { targets, ..Plan::default() });
    let lines = RefCell::new(Vec::new());
    let trial = |_: &dyn Guest, targets: &[&ResolvedTarget]| {
        let why = |target: &&ResolvedTarget| {
            (target.to_string() == never).then(|| "mount failed".to_string())
        };
        Ok(targets.iter().map(why).collect())
    };
    let places =
        search(&placed, &trial, &supply, &|line| lines.borrow_mut().push(line.to_string()));
    let place = |place: TargetPlace| match &place {
        TargetPlace::Guest(guest) => (place.kind(), Some(guest.venue().kernel)),
        TargetPlace::Host => (LabKind::Host, None),
        TargetPlace::Nowhere(why) => (LabKind::Host, Some(why.clone())),
    };
    let places = places.unwrap().into_iter().map(place).collect();
    (places, lines.into_inner())
}

#[test]
fn each_target_is_in_a_guest_with_its_kernel() {
    let in_guest = |kernel: &str| (LabKind::Tcg, Some(kernel.to_string()));
    let (places, notes) = placed_on(&["tmpfs@6.18", "tmpfs@6.12", "tmpfs[mode=700]@6.18"], "");
    let six_18 = in_guest("6.18.901-amd64");
    assert_eq!(places, [six_18.clone(), in_guest("6.12.909-amd64"), six_18.clone()]);
    assert_eq!(notes, [""; 0]);

    let (places, notes) = placed_on(&["tmpfs", "tmpfs@6.12"], "");
    assert_eq!(places, [(LabKind::Host, None), in_guest("6.12.909-amd64")]);
    let note = "tmpfs@6.12 in QEMU with an emulated CPU and tmpfs on the host: results from two labs are not \
                compared; give each target a kernel to compare them";
    assert_eq!(notes, [note]);

    let (places, _) = placed_on(&["tmpfs@6.12", "tmpfs@6.18"], "tmpfs@6.18");
    let why = "in QEMU with an emulated CPU: mount failed";
    assert_eq!(places, [in_guest("6.12.909-amd64"), (LabKind::Host, Some(why.into()))]);
}

#[test]
fn export_of_a_server_has_no_kernel() {
    let (places, _) = placed_on(&["nfs[server=files.lan:/srv]@6.12", "tmpfs@6.12"], "");
    assert!(places[0].1.as_deref().unwrap().contains("cannot reach the server"), "{places:?}");
    assert_eq!(places[1].0, LabKind::Tcg);
}

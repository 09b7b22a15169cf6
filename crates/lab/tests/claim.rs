//! A claimed disk, from its first wipe to its release, on a loop device that stands in for one. Needs
//! root; where it or a file system is missing, a test says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::stand_in;
use crate::victim;

use disk::{DiskRequest, Refusal};
use lab::{backing::inspect, cleanup::Cleanup, error::LabError, machine::Availability, setup::Lab};
use model::{plan::Purge, text::Bytes};
use needs::{Need, skip};
use stand_in::{Disk, can_attach, run};
use std::{
    env, fs as files,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

const SIZE: u64 = 400 << 20;
/// Tell the helper test below that it runs in a process of its own, and on what.
const VICTIM_STATE: &str = "ASSAY_CLAIM_TEST_STATE";
const VICTIM_LINK: &str = "ASSAY_CLAIM_TEST_LINK";

fn request(link: &Path, serial: &str) -> DiskRequest {
    DiskRequest { links: vec![link.into()], serials: vec![serial.into()], ..DiskRequest::default() }
}

fn named(disk: &Disk, kinds: &[&str]) -> DiskRequest {
    let wipe_signatures = kinds.iter().map(ToString::to_string).collect();
    DiskRequest { wipe_signatures, ..request(&disk.link, &disk.serial()) }
}

fn ready(name: &str) -> bool {
    let ready = lab::machine::available(fs::find(name).unwrap()) == Availability::Ready;
    if !ready {
        skip(Need::file_system(name), format!("{name} cannot be made here"));
    }
    ready
}

fn refusal(error: LabError) -> Refusal {
    match error {
        LabError::Disk(disk::Error::Refused(refusal)) => refusal,
        other => panic!("{other}"),
    }
}

/// Content of the image as a whole, to see whether anybody wrote to the disk.
fn bytes(disk: &Disk, at: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    files::File::open(disk.image()).unwrap().read_exact_at(&mut bytes, at).unwrap();
    bytes
}

#[test]
fn file_systems_follow_each_other_and_none_is_left() {
    if !can_attach("a claimed disk") {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    let mut lab = Lab::open(state.path(), "c").unwrap();
    let (infos, purge) = inspect(&named(&disk, &[])).unwrap();
    assert_eq!((infos.len(), infos[0].size, purge), (1, Bytes(SIZE), Purge::Discard));
    lab.claim(&named(&disk, &[])).unwrap();
    for name in ["ext4", "xfs", "btrfs", "ext4"].into_iter().filter(|name| ready(name)) {
        let instance = lab.provision(&name.parse().unwrap(), name).unwrap();
        assert_eq!(instance.facts().0["device.purge"], "discard");
        files::write(instance.root().join("data"), vec![7; 1 << 20]).unwrap();
        instance.make_cold().unwrap();
        let busy = refusal(inspect(&named(&disk, &[])).unwrap_err());
        assert!(matches!(busy, Refusal::Mounted { .. }), "{busy}");
        instance.teardown().unwrap();
    }
    lab.close().unwrap();
    inspect(&named(&disk, &[])).unwrap();
    assert!(Cleanup::of(state.path()).run().unwrap().done.is_empty());
}

#[test]
fn targets_on_two_disks_follow_those_on_one() {
    if !can_attach("two disks") || !ready("btrfs") || !ready("ext4") {
        return;
    }
    let (one, two) = (Disk::new(SIZE), Disk::new(SIZE));
    let state = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(state.path(), "c").unwrap();
    let request = DiskRequest {
        links: vec![one.link.clone(), two.link.clone()],
        serials: vec![two.serial(), one.serial()],
        ..DiskRequest::default()
    };
    lab.claim(&request).unwrap();
    for target in ["ext4", "btrfs[raid1]", "ext4", "btrfs[raid1]"] {
        let instance = lab.provision(&target.parse().unwrap(), target).unwrap();
        let on_both = target.starts_with("btrfs");
        assert_eq!(instance.devices().len(), if on_both { 2 } else { 1 }, "{target}");
        if on_both {
            let second = refusal(inspect(&named(&two, &["btrfs"])).unwrap_err());
            assert!(
                matches!(second, Refusal::BtrfsMounted { .. } | Refusal::Mounted { .. }),
                "{second}"
            );
        }
        instance.teardown().unwrap();
    }
    lab.close().unwrap();
    inspect(&request).unwrap();
}

#[test]
fn a_refused_disk_keeps_every_byte() {
    if !can_attach("a claimed disk") {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    run("mkfs.ext4", &["-q", disk.node.to_str().unwrap()]);
    let before = bytes(&disk, 0, SIZE as usize);
    let mut lab = Lab::open(state.path(), "c").unwrap();
    let claimed = |lab: &mut Lab, request: &DiskRequest| refusal(lab.claim(request).unwrap_err());
    let wrong =
        claimed(&mut lab, &DiskRequest { serials: vec!["X".into()], ..named(&disk, &["ext4"]) });
    assert!(matches!(wrong, Refusal::WrongSerial { .. }), "{wrong}");
    let other = claimed(&mut lab, &named(&disk, &["xfs"]));
    assert!(matches!(&other, Refusal::Content { kind, .. } if kind == "ext4"), "{other}");
    // Permitted, but never used: what is there stays there.
    lab.claim(&named(&disk, &["ext4"])).unwrap();
    lab.close().unwrap();
    assert!(bytes(&disk, 0, SIZE as usize) == before, "the disk was written to");
}

#[test]
fn data_of_others_on_a_claimed_disk_is_not_wiped() {
    if !can_attach("a claimed disk") || !ready("ext4") {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    run("mkfs.ext4", &["-q", disk.node.to_str().unwrap()]);
    let mut lab = Lab::open(state.path(), "c").unwrap();
    let request = DiskRequest { purge: Some(Purge::None), ..named(&disk, &["ext4"]) };
    lab.claim(&request).unwrap();
    let ext4 = "ext4".parse().unwrap();
    lab.provision(&ext4, "e").unwrap().teardown().unwrap();
    lab.provision(&ext4, "e").unwrap().teardown().unwrap();
    // Of the same type, and permitted before; but another one.
    disk.make("mkfs.ext4", &["-q", "-F"]);
    let refused = refusal(lab.provision(&ext4, "e").err().unwrap());
    assert!(matches!(&refused, Refusal::Content { kind, .. } if kind == "ext4"), "{refused}");
    let not_undone = lab.close().unwrap_err().to_string();
    assert!(not_undone.contains("carries ext4"), "{not_undone}");
    run("e2fsck", &["-f", "-n", disk.node.to_str().unwrap()]);
}

#[test]
fn one_assay_at_a_time_has_a_disk() {
    if !can_attach("a claimed disk") {
        return;
    }
    let mut disk = Disk::new(SIZE);
    let state = tempfile::tempdir().unwrap();
    let mut first = Lab::open(state.path(), "one").unwrap();
    first.claim(&named(&disk, &[])).unwrap();
    // By another name and another part of it, too.
    let part = disk.partition(1, 1 << 20, 64 << 20);
    let link = disk.name(&part);
    let mut second = Lab::open(state.path(), "two").unwrap();
    let locked = second.claim(&request(&link, &disk.serial())).unwrap_err();
    assert!(matches!(refusal(locked), Refusal::Locked { .. }));
    first.close().unwrap();
    second.claim(&request(&link, &disk.serial())).unwrap();
}

#[test]
fn a_disk_that_was_exchanged_is_not_wiped() {
    if !can_attach("a claimed disk") || !ready("ext4") {
        return;
    }
    let (disk, other) = (Disk::new(SIZE), Disk::new(SIZE));
    let state = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(state.path(), "c").unwrap();
    lab.claim(&named(&disk, &[])).unwrap();
    files::remove_file(&disk.link).unwrap();
    std::os::unix::fs::symlink(&other.node, &disk.link).unwrap();
    let refused = refusal(lab.provision(&"ext4".parse().unwrap(), "e").err().unwrap());
    assert!(matches!(refused, Refusal::WrongSerial { .. }), "{refused}");
    assert!(bytes(&other, 0, SIZE as usize).iter().all(|byte| *byte == 0), "it was written to");
    lab.close().unwrap();
}

#[test]
fn claim_keeps_the_number_of_its_disk() {
    if !can_attach("a claimed disk") || !ready("ext4") {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    let mut lab = Lab::open(state.path(), "c").unwrap();
    lab.claim(&named(&disk, &[])).unwrap();
    assert!(!disk.exchange(), "its node was attached to a file again");
    lab.provision(&"ext4".parse().unwrap(), "e").unwrap().teardown().unwrap();
    lab.close().unwrap();
}

#[test]
fn every_purge_empties_the_disk_and_conditioning_fills_it() {
    if !can_attach("a claimed disk") || !ready("ext4") {
        return;
    }
    for purge in [Purge::Discard, Purge::ZeroRange, Purge::None] {
        let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
        let file = files::File::options().write(true).open(&disk.node).unwrap();
        file.write_all_at(b"old rows", SIZE / 2).unwrap();
        drop(file);
        let mut lab = Lab::open(state.path(), "c").unwrap();
        lab.claim(&DiskRequest { purge: Some(purge), ..named(&disk, &[]) }).unwrap();
        lab.provision(&"ext4".parse().unwrap(), "e").unwrap().teardown().unwrap();
        let kept = bytes(&disk, SIZE / 2, 8) == b"old rows";
        assert_eq!(kept, purge == Purge::None, "{purge}");
        if purge == Purge::None {
            let mut seen = 0;
            lab.precondition(&AtomicBool::new(false), &mut |done| seen = done).unwrap();
            assert_eq!(seen, 2 * SIZE);
            assert_ne!(bytes(&disk, SIZE / 2, 8), b"old rows");
        }
        lab.close().unwrap();
        inspect(&named(&disk, &[])).unwrap();
    }
}

/// Not a test of its own: the process that the next test kills.
#[test]
fn victim() {
    let (Some(state), Some(link)) = (env::var_os(VICTIM_STATE), env::var_os(VICTIM_LINK)) else {
        return;
    };
    let (state, link) = (PathBuf::from(state), PathBuf::from(link));
    let mut lab = Lab::open(&state, "victim").unwrap();
    let serial = inspect(&request(&link, "")).unwrap().0.remove(0).serials.remove(0);
    lab.claim(&request(&link, &serial)).unwrap();
    let _instance = lab.provision(&"ext4".parse().unwrap(), "e").unwrap();
    victim::wait_for_the_end()
}

#[test]
fn cleanup_after_a_kill_wipes_nothing_and_reports_what_is_left() {
    if !can_attach("a claimed disk") || !ready("ext4") {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    let victim = victim::start(module_path!(), |command| {
        command.env(VICTIM_STATE, state.path()).env(VICTIM_LINK, &disk.link)
    });
    victim::kill(victim);
    let report = Cleanup::of(state.path()).run().unwrap();
    assert!(report.failed.is_empty(), "{report:?}");
    let told = report.done.iter().find(|line| line.contains("--wipe-signature ext4"));
    assert!(told.is_some(), "{report:?}");
    let refused = refusal(inspect(&named(&disk, &[])).unwrap_err());
    assert!(matches!(refused, Refusal::Content { .. }), "{refused}");
    inspect(&named(&disk, &["ext4"])).unwrap();
}

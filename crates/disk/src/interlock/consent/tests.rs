//! Every refusal, over facts that a test sets.

use super::*;
use crate::interlock::signature::Signature;

const SERIAL: &str = "S1";

fn clear() -> Facts {
    Facts {
        link: "/dev/disk/by-id/ata-D_S1".into(),
        node: "/dev/sdb".into(),
        number: "8:16".into(),
        size_bytes: 1 << 40,
        serials: vec![SERIAL.into(), "D_S1".into()],
        space: ["8:16".to_string(), "8:17".to_string()].into(),
        ..Facts::default()
    }
}

fn permission() -> Permission {
    Permission { serials: Some(vec![SERIAL.into()]), ..Permission::default() }
}

fn content(place: &str, kind: &str, id: &str) -> Content {
    let signature = Signature { kind: kind.into(), id: id.into() };
    Content { place: place.into(), signature }
}

/// The refusal of a disk that is as `change` makes it.
fn refused(change: impl FnOnce(&mut Facts)) -> String {
    let mut facts = clear();
    change(&mut facts);
    let judged = state(&facts, &permission()).and_then(|()| contents(&facts, &permission()));
    judged.unwrap_err().to_string()
}

fn used(using: Use) -> String {
    refused(|facts| facts.uses = vec![using])
}

fn holding(kind: &str) -> String {
    refused(|facts| facts.contents = vec![content("the disk", kind, "")])
}

#[test]
fn a_clear_disk_is_granted() {
    assert_eq!(state(&clear(), &permission()), Ok(()));
    assert_eq!(contents(&clear(), &permission()), Ok(()));
    let by_udev = Permission { serials: Some(vec!["D_S1".into()]), ..permission() };
    assert_eq!(state(&clear(), &by_udev), Ok(()));
}

#[test]
fn the_serial_number_is_exact() {
    for given in [vec![], vec!["S"], vec!["S12"], vec!["s1"], vec![""]] {
        let serials = Some(given.iter().map(ToString::to_string).collect());
        let refusal = state(&clear(), &Permission { serials, ..permission() }).unwrap_err();
        assert!(matches!(refusal, Refusal::WrongSerial { .. }), "{given:?}: {refusal}");
    }
    assert!(refused(|facts| facts.serials.clear()).contains("has no serial number"));
    assert!(
        refused(|facts| facts.namesake = Some("sdc".into()))
            .contains("have the same serial number")
    );
}

#[test]
fn every_use_is_refused_in_its_own_words() {
    let at = |part: Option<&str>| Use::Mounted {
        part: part.map(Into::into),
        mount_point: "/srv".into(),
    };
    assert!(used(at(None)).contains("ata-D_S1 is mounted at /srv"));
    assert!(used(at(Some("sdb1"))).contains("holds sdb1, which is mounted at /srv"));
    assert!(used(Use::System { what: "the root file system".into() }).contains("root file system"));
    assert!(used(Use::Btrfs { uuid: "u".into() }).contains("mounted Btrfs file system u"));
    assert!(used(Use::Swap { swap: "/dev/sdb2".into() }).contains("swapoff /dev/sdb2"));
    assert!(used(Use::Holder { name: "md0".into() }).contains("held by md0"));
    let writer = Use::Writer(Writer { pid: 7, program: "qemu".into(), file: None });
    assert!(used(writer).contains("open for writing by qemu (process 7)"));
    let both = refused(|facts| {
        facts.uses =
            vec![Use::Holder { name: "md0".into() }, Use::System { what: "the root".into() }];
    });
    assert!(both.contains("in use by the system"), "the gravest is reported: {both}");
}

#[test]
fn disks_that_cannot_serve_are_refused() {
    assert!(refused(|facts| facts.is_read_only = true).contains("read-only"));
    assert!(refused(|facts| facts.zones = Some("host-managed".into())).contains("host-managed"));
    assert!(refused(|facts| facts.indirect = Some("/dev/sda".into())).contains("over /dev/sda"));
    assert!(refused(|facts| facts.size_bytes = 0).contains("has 0"));
    let large = Permission { needed: Bytes(2 << 40), ..permission() };
    assert!(matches!(state(&clear(), &large), Err(Refusal::TooSmall { .. })));
}

#[test]
fn disks_that_cannot_be_split_are_refused() {
    let judged = |takes_partitions: bool, parts, needed| {
        let facts = Facts { takes_partitions, ..clear() };
        state(&facts, &Permission { parts: Some(parts), needed: Bytes(needed), ..permission() })
    };
    assert!(matches!(judged(false, 2, 0), Err(Refusal::Indivisible { .. })));
    assert_eq!(judged(true, 2, 500 << 30), Ok(()));
    let small = judged(true, 3, 500 << 30).unwrap_err().to_string();
    assert!(small.contains("into 3 gives 341 GiB each"), "{small}");
    let none = judged(true, 1 << 21, 0).unwrap_err();
    assert!(matches!(none, Refusal::PartTooSmall { .. }), "{none}");
}

#[test]
fn content_is_refused_by_what_it_is() {
    for (kind, word) in [
        ("linux_raid_member", "member of an md array"),
        ("LVM2_member", "member of an LVM volume group"),
        ("zfs_member", "member of a ZFS pool"),
        ("btrfs", "member of a Btrfs file system"),
        ("promise_fasttrack_raid_member", "member of a RAID set"),
        ("crypto_LUKS", "is encrypted"),
        ("gpt", "has a partition table"),
        ("unknown", "data of no known type"),
        ("ext4", "the disk carries ext4"),
        ("swap", "the disk carries swap"),
    ] {
        let refusal = holding(kind);
        assert!(refusal.contains(word), "{refusal}");
        assert!(refusal.contains(&format!("`--wipe-signature {kind}`")), "{refusal}");
    }
}

#[test]
fn only_the_type_that_was_named_may_go() {
    let mut facts = clear();
    facts.contents =
        vec![content("the disk", "gpt", "1"), content("the partition sdb1", "xfs", "2")];
    let named = |kinds: &[&str]| {
        let kinds = kinds.iter().map(ToString::to_string).collect();
        contents(&facts, &Permission { kinds, ..permission() })
    };
    assert_eq!(named(&["gpt", "xfs"]), Ok(()));
    let refusal = named(&["gpt", "ext4"]).unwrap_err().to_string();
    assert!(refusal.contains("the partition sdb1 carries xfs"), "{refusal}");
    let refusal = named(&[]).unwrap_err().to_string();
    assert!(refusal.contains("`--wipe-signature gpt,xfs`"), "all are named at once: {refusal}");
}

#[test]
fn of_our_own_only_the_very_same_may_go() {
    let mut facts = clear();
    let ours = Permission { ours: [content("the disk", "xfs", "1")].into(), ..permission() };
    facts.contents = vec![content("the disk", "xfs", "1")];
    assert_eq!(contents(&facts, &ours), Ok(()));
    for other in [content("the disk", "xfs", "2"), content("the disk", "ext4", "1")] {
        facts.contents = vec![other];
        assert!(contents(&facts, &ours).is_err(), "{:?}", facts.contents);
    }
}

#[test]
fn disks_are_named_once() {
    let part = |number: &str| Facts {
        number: number.into(),
        space: [number.to_string(), "8:16".to_string()].into(),
        ..clear()
    };
    let judged = |all: &[Facts]| together(all, &permission());
    assert_eq!(judged(&[part("8:17"), part("8:18")]), Ok(()));
    for all in [[clear(), clear()], [clear(), part("8:17")], [part("8:17"), clear()]] {
        assert!(matches!(judged(&all), Err(Refusal::Twice { .. })));
    }
}

#[test]
fn serial_number_of_no_disk_is_reported() {
    let stray = Permission { serials: Some(vec![SERIAL.into(), "S9".into()]), ..permission() };
    assert!(together(&[clear()], &stray).unwrap_err().to_string().contains("--destroy S9"));
}

//! Chains of devices, uses and serial numbers, over a tree as sysfs has it.

use super::*;
use crate::interlock::facts::{self, Around, Use};
use std::os::unix::fs::symlink;

/// A tree as sysfs has it, with the disks that a test puts there.
pub(in crate::interlock) struct Tree {
    dir: tempfile::TempDir,
}

impl Tree {
    pub(in crate::interlock) fn new() -> Tree {
        let dir = tempfile::tempdir().unwrap();
        for name in ["sys/block", "sys/dev/block", "sys/devices", "udev"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        Tree { dir }
    }

    pub(in crate::interlock) fn system(&self) -> System {
        System { sys: self.dir.path().join("sys"), udev: self.dir.path().join("udev") }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, target: &str, link: &str) {
        let link = self.dir.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(self.dir.path().join(target), link).unwrap();
    }

    /// A disk, with attributes as `serial`.
    pub(in crate::interlock) fn disk(&self, name: &str, number: &str, attributes: &[(&str, &str)]) {
        let dir = format!("sys/devices/{name}");
        self.write(&format!("{dir}/dev"), &format!("{number}\n"));
        attributes.iter().for_each(|(key, text)| self.write(&format!("{dir}/{key}"), text));
        self.link(&dir, &format!("sys/block/{name}"));
        self.link(&dir, &format!("sys/dev/block/{number}"));
    }

    fn partition(&self, disk: &str, name: &str, number: &str) {
        let dir = format!("sys/devices/{disk}/{name}");
        for (key, text) in [("dev", number), ("partition", "1"), ("start", "2048"), ("size", "16")]
        {
            self.write(&format!("{dir}/{key}"), text);
        }
        self.link(&dir, &format!("sys/dev/block/{number}"));
    }

    /// `upper` is on `lower`, a path below `sys/devices`.
    fn stack(&self, lower: &str, upper: &str) {
        let name = lower.rsplit('/').next().unwrap();
        self.link(&format!("sys/devices/{lower}"), &format!("sys/devices/{upper}/slaves/{name}"));
        self.link(&format!("sys/devices/{upper}"), &format!("sys/devices/{lower}/holders/{upper}"));
    }
}

/// sda carries the root on a logical volume over sda2, and sdb is empty.
fn machine() -> Tree {
    let tree = Tree::new();
    tree.disk("sda", "8:0", &[("size", "1000"), ("ro", "0"), ("device/serial", " A1 \n")]);
    tree.partition("sda", "sda1", "8:1");
    tree.partition("sda", "sda2", "8:2");
    tree.disk("sdb", "8:16", &[("size", "2000"), ("ro", "0"), ("device/serial", "B1")]);
    tree.disk("dm-0", "253:0", &[("dm/uuid", "LVM-x")]);
    tree.stack("sda/sda2", "dm-0");
    tree
}

fn uses(tree: &Tree, number: &str, mounts: &[(&str, &str)]) -> Vec<Use> {
    let mounts = mounts.iter().map(|(number, dir)| mounts::Mount {
        number: number.to_string(),
        mount_point: dir.into(),
        kind: "xfs".into(),
        source: "/no/such/node".into(),
        options: String::new(),
    });
    let kept = ["/srv/assay/state".into()];
    let around = Around { mounts: mounts.collect(), swaps: Vec::new(), kept: &kept };
    let system = tree.system();
    let block = system.by_number(number).unwrap();
    facts::uses(&system, &block, &facts::space(&system, &block), &around)
}

use crate::mounts;

#[test]
fn disks_and_partitions_know_each_other() {
    let tree = machine();
    let system = tree.system();
    let sda2 = system.by_number("8:2").unwrap();
    assert_eq!((sda2.name.as_str(), sda2.start(), sda2.size()), ("sda2", 1 << 20, 8192));
    assert_eq!(system.disk(&sda2).name, "sda");
    let sda = system.by_number("8:0").unwrap();
    let names: Vec<String> = system.partitions(&sda).into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["sda1", "sda2"]);
    assert_eq!(sda.size(), 512_000);
    assert!(!sda.is_read_only() && system.by_number("253:0").unwrap().is_read_only(), "unknown");
}

#[test]
fn what_lies_below_is_followed_through_mappings() {
    let tree = machine();
    let below = tree.system().below("253:0");
    assert_eq!(below, ["253:0".to_string(), "8:2".to_string()].into());
}

#[test]
fn a_disk_under_the_root_is_seen_through_mapping_and_partition() {
    let tree = machine();
    let root = [("253:0", "/")];
    for number in ["8:0", "8:2", "253:0"] {
        let first = uses(&tree, number, &root).into_iter().next();
        assert_eq!(first, Some(Use::System { what: "the root file system".into() }), "{number}");
    }
    assert_eq!(uses(&tree, "8:1", &root), [], "another partition");
    assert_eq!(uses(&tree, "8:16", &root), [], "another disk");
}

#[test]
fn mounts_and_holders_are_found_for_the_disk_and_its_partitions() {
    let tree = machine();
    let mounted = |part: Option<&str>| Use::Mounted {
        part: part.map(Into::into),
        mount_point: "/data".into(),
    };
    assert_eq!(uses(&tree, "8:16", &[("8:16", "/data")]), [mounted(None)]);
    let sda = uses(&tree, "8:0", &[("8:1", "/data")]);
    assert_eq!(sda, [mounted(Some("sda1")), Use::Holder { name: "dm-0".into() }]);
    assert_eq!(uses(&tree, "8:1", &[("8:0", "/data")]), [mounted(Some("sda"))], "the whole disk");
}

#[test]
fn what_the_campaign_needs_is_not_destroyed() {
    let tree = machine();
    let state = Use::System { what: "/srv/assay/state".into() };
    assert_eq!(uses(&tree, "8:16", &[("8:16", "/srv")])[0], state);
    assert_ne!(uses(&tree, "8:16", &[("8:16", "/srv"), ("8:1", "/srv/assay")])[0], state);
}

#[test]
fn members_of_a_mounted_btrfs_are_known_by_sysfs() {
    let tree = machine();
    tree.write("sys/fs/btrfs/uuid-1/devices/sdb", "");
    assert_eq!(uses(&tree, "8:16", &[]), [Use::Btrfs { uuid: "uuid-1".into() }]);
}

#[test]
fn serial_numbers_come_from_the_kernel_and_udev() {
    let tree = machine();
    tree.write("udev/b8:16", "S:disk/by-id/x\nE:ID_SERIAL_SHORT=B1\nE:ID_SERIAL=Disk\n");
    let system = tree.system();
    let serials = |number: &str| system.serials(&system.by_number(number).unwrap());
    assert_eq!(serials("8:16"), ["B1"], "a model is no serial number");
    assert_eq!(serials("8:0"), ["A1"]);
    assert_eq!(serials("253:0"), ["LVM-x"]);
    tree.disk("sdc", "8:32", &[("device/vpd_pg80", "\0\u{0}\0\u{6}  C1  \0")]);
    assert_eq!(serials("8:32"), ["C1"]);
}

#[test]
fn one_serial_number_on_two_disks_is_reported() {
    let tree = machine();
    tree.disk("sdc", "8:32", &[("device/serial", "B1")]);
    tree.disk("nvme0n1", "259:0", &[("device/serial", "N"), ("wwid", "eui.1")]);
    tree.disk("nvme0n2", "259:1", &[("device/serial", "N"), ("wwid", "eui.2")]);
    let path = [("device/serial", "A1"), ("hidden", "1")];
    tree.disk("nvme0c0n1", "259:9", &path);
    let system = tree.system();
    let namesake = |number: &str| {
        let disk = system.by_number(number).unwrap();
        facts::namesake(&system, &disk, &system.serials(&disk))
    };
    assert_eq!(namesake("8:16"), Some("sdc".into()));
    assert_eq!(namesake("8:0"), None, "a hidden path is no disk");
    assert_eq!(namesake("259:0"), None, "namespaces of one controller");
}

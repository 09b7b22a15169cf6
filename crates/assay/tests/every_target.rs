//! Every kind of target is really made, mounted, written to and read cold: on this machine, in
//! User-Mode Linux, and, once their builds are in the cache, ZFS in an emulated machine and ZeroFS.
//! Missing requirements are reported, and that target is skipped.

use crate::common::{Place, root_or_skip, text};
use needs::{Need, skip};
use std::{collections::BTreeSet, fs};

const HERE: &[&str] = &["ext4", "xfs", "btrfs", "btrfs[raid1]", "bindfs(ext4)", "mergerfs(xfs)"];
const IN_UML: &[&str] = &[
    "f2fs",
    "nilfs2",
    "jfs",
    "raid1(ext4)",
    "nbd(ext4)",
    "nfs[vers=3](ext4)",
    "nfs[nconnect=2,vers=4.2](ext4)",
];
/// Need a build of their own, which `assay doctor --install` makes.
const BUILT: &[&str] = &["zfs", "zfs[mirror]"];
/// Need a kernel of a distribution, which an emulated machine boots.
const IN_QEMU: &[&str] = &["exfat", "ntfs3"];
const SERVED: &[&str] = &["zerofs-nfs", "zerofs-9p", "zerofs-nbd(ext4)"];

/// Have a server of this program before their store.
const FAR_AWAY: &[&str] = &["rclone[store=s3,s3.delay=20](xfs)", "s3fs[s3.mbit=4000](ext4)"];

/// Why a target may be left out: something is not there. All else is a failure.
const LACKING: &[&str] = &["not installed", "no module", "the kernel has no", "is not built"];

/// Runs a write and a cold read on each of `targets` and returns those that gave figures.
fn measured(targets: &[&str]) -> BTreeSet<String> {
    let place = Place::new();
    let on = targets.join(",");
    let output = place.assay(&[
        "run",
        "--on",
        &on,
        "--preset",
        "smoke",
        "--scale",
        "smoke",
        "--procs",
        "1",
        "--tests",
        "columnar.write.int.medium",
        "--tests",
        "columnar.read.int.medium",
    ]);
    let said = text(&output.stderr);
    for line in said.lines().filter(|line| line.contains("left out: ")) {
        assert!(LACKING.iter().any(|why| line.contains(why)), "{said}");
        skip(Need::Other, line);
    }
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{said}");
    place.assert_clean();
    if output.status.code() == Some(3) {
        skip(Need::Other, said);
        return BTreeSet::new();
    }
    let file = place.ok(&["export", "--format", "json", "--out", "out"]);
    let dataset = fs::read_to_string(place.path(file.trim())).unwrap();
    let dataset: serde_json::Value = serde_json::from_str(&dataset).unwrap();
    let samples = dataset["samples"].as_array().unwrap();
    let of = |target: &str, test: &str| {
        samples.iter().any(|sample| {
            sample["case"]["target"] == target
                && sample["case"]["test"] == test
                && sample["metrics"].as_array().is_some_and(|metrics| !metrics.is_empty())
        })
    };
    let tests = ["columnar.write.int.medium", "columnar.read.int.medium"];
    let all =
        targets.iter().map(|target| target.parse::<model::target::Target>().unwrap().to_string());
    all.filter(|target| {
        let out = said.lines().any(|l| l.contains(&format!("left out: {target}:")));
        let has = tests.iter().all(|test| of(target, test));
        assert!(has || out, "{target} gave no sample and was not left out: {said}");
        has
    })
    .collect()
}

#[test]
fn file_systems_of_this_machine_and_fuse() {
    if root_or_skip("loop devices") {
        println!("measured: {:?}", measured(HERE));
    }
}

#[test]
fn what_this_kernel_lacks_in_a_guest() {
    if root_or_skip("guests") {
        println!("measured: {:?}", measured(IN_UML));
    }
}

#[test]
fn zfs_in_an_emulated_machine() {
    if root_or_skip("guests") {
        println!("measured: {:?}", measured(BUILT));
    }
}

#[test]
fn file_systems_of_others_in_an_emulated_machine() {
    if root_or_skip("guests") {
        println!("measured: {:?}", measured(IN_QEMU));
    }
}

#[test]
fn zerofs_in_a_guest() {
    if root_or_skip("guests") {
        println!("measured: {:?}", measured(SERVED));
    }
}

#[test]
fn object_stores_that_are_far_away() {
    if root_or_skip("loop devices") {
        println!("measured: {:?}", measured(FAR_AWAY));
    }
}

#[test]
fn a_run_leaves_nothing_at_home() {
    let place = Place::new();
    let ready = crate::common::ready(&place, &["rclone", "sshfs", "gocryptfs"]);
    if ready.is_empty() || !root_or_skip("mounting") {
        return;
    }
    let targets: Vec<String> = ready.iter().map(|name| format!("{name}(ext4)")).collect();
    let home = place.dir("home");
    let mut run = place.command(&["run", "--suite", "files", "--procs", "1", "--quiet"]);
    run.args(["--preset", "smoke", "--scale", "smoke", "--no-aa", "--on", &targets.join(",")]);
    let output = run.env("HOME", &home).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let left: Vec<_> = fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

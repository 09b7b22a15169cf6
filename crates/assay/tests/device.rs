//! A whole campaign on a disk that the user allows to be erased, for which a loop device with a stable name stands in;
//! and every reason for which a run does not begin.

use crate::common::{Place, ready, root_or_skip, text};
use crate::stand_in::{Disk, can_attach, run};
use std::{fs, os::unix::fs::FileExt, path::Path};

const SIZE: u64 = 2 << 30;

/// What every run here does, on `disk`.
fn args<'a>(disk: &'a Disk, on: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let link = disk.link.to_str().unwrap();
    let base = [
        "run", "--device", link, "--on", on, "--preset", "smoke", "--scale", "smoke", "--procs",
        "1",
    ];
    [&base[..], &["--tests", "columnar.write.*"], more].concat()
}

fn head(disk: &Disk) -> Vec<u8> {
    let mut bytes = vec![0; 4 << 20];
    fs::File::open(disk.image()).unwrap().read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

#[test]
fn a_campaign_runs_on_a_disk_and_leaves_it_blank() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    let (place, disk) = (Place::new(), Disk::new(SIZE));
    let serial = disk.serial();
    let targets = ready(&place, &["ext4", "xfs", "btrfs"]);
    let on = targets.join(",");
    if targets.is_empty() {
        return;
    }
    let plan_args = args(&disk, &on, &[]);
    let plan = place.ok(&[&["plan"], &plan_args[1..]].concat());
    assert!(plan.contains(&serial) && plan.contains("will be written to it"), "{plan}");
    assert!(!plan.contains("losetup"), "{plan}");

    let output = place.assay(&args(&disk, &on, &["--destroy", &serial, "--purge", "discard"]));
    let stderr = text(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("a run destroys all data on it"), "{stderr}");
    let report = text(&output.stdout);
    assert!(report.contains("On disks") && !report.contains("Loop-backed"), "{report}");
    place.assert_clean();
    place.ok(&["export", "--format", "json", "--out", "out"]);
    let document: String = fs::read_dir(place.path("out"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    for target in &targets {
        assert!(document.contains(&format!("\"{target}\"")), "{target}");
    }
    assert!(document.contains("\"device.purge\""), "the purge is recorded");
    // It is blank, so that the same run may begin again.
    let again = place.assay(&args(&disk, targets[0], &["--destroy", &serial, "--condition"]));
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert!(text(&again.stdout).contains("overwritten twice"));
}

#[test]
fn a_run_that_is_refused_begins_nothing() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    let (place, disk) = (Place::new(), Disk::new(SIZE));
    run("mkfs.ext4", &["-q", disk.node.to_str().unwrap()]);
    let before = head(&disk);
    let serial = disk.serial();
    let given = ["--destroy", serial.as_str()];
    let fails = |more: &[&str]| place.fails(&args(&disk, "ext4", more), 2);

    assert!(fails(&given).contains("--wipe-signature ext4"));
    let other = [&given[..], &["--wipe-signature", "xfs"]].concat();
    assert!(fails(&other).contains("carries ext4"));
    let named = |serial: &[&'static str]| [serial, &["--wipe-signature", "ext4"]].concat();
    for (serial, why) in [
        (&[][..], "would be destroyed; confirm with --destroy"),
        (&["--destroy", "S0"], "which --destroy does not name"),
    ] {
        let refused = place.assay(&args(&disk, "ext4", &named(serial)));
        assert_eq!(refused.status.code(), Some(2));
        let told = text(&refused.stderr);
        assert!(told.lines().last().unwrap().contains(why), "{told}");
    }
    let stray = ["--destroy", "S0", "--wipe-signature", "ext4"];
    let stray = place.assay(&args(&disk, "ext4", &[&given[..], &stray].concat()));
    assert!(
        text(&stray.stderr).contains("--destroy S0 matches no disk of --device"),
        "{}",
        text(&stray.stderr)
    );

    let node = disk.node.to_str().unwrap();
    let kernel_name = place.fails(
        &["run", "--device", node, "--on", "ext4", "--preset", "smoke", "--scale", "smoke"],
        2,
    );
    assert!(kernel_name.contains(disk.link.to_str().unwrap()), "{kernel_name}");
    let both = place.fails(&["run", "--on", "ext4", "--destroy", "S0"], 2);
    assert!(both.contains("--device"), "{both}");
    assert_eq!(place.ok(&["list"]).lines().filter(|line| line.contains("smoke")).count(), 0);
    assert!(head(&disk) == before, "the disk was written to");
    place.assert_clean();
}

#[test]
fn a_disk_that_is_too_small_is_refused_before_anything_is_done() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    let (place, disk) = (Place::new(), Disk::new(64 << 20));
    let serial = disk.serial();
    let told = place.fails(&args(&disk, "ext4", &["--destroy", &serial]), 2);
    assert!(told.contains("are needed"), "{told}");
    assert!(!Path::new(&place.path("state/mnt")).exists());
}

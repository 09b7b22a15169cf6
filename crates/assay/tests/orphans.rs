//! Tests of journals that outlived a boot: what they name is gone, or belongs to others now.

use crate::common::{Place, record, root_or_skip, text};
use crate::stand_in::{Disk, can_attach, run};
use needs::Mounted;
use std::{
    fs,
    path::{Path, PathBuf},
};

const ID: &str = "2026-01-01-00-00-aaa";
const BOOT: &str = "00000000-0000-4000-8000-000000000000";

/// Writes the journal of a campaign that ran in another boot.
fn write_journal(place: &Place, entries: &[String]) -> PathBuf {
    let path = place.dir("state/journal").join(format!("{ID}.jsonl"));
    let lines = [&[format!("{{\"boot\":\"{BOOT}\"}}")], entries].concat();
    let text: String = lines.iter().map(|line| record(line)).collect();
    fs::write(&path, text).unwrap();
    path
}

/// One entry: its kind, and names with texts.
fn entry(kind: &str, fields: &[(&str, &Path)]) -> String {
    let fields: String =
        fields.iter().map(|(name, path)| format!(",\"{name}\":\"{}\"", path.display())).collect();
    format!("{{\"undo\":\"{kind}\"{fields}}}")
}

/// A private directory of the campaign, as a crash leaves it.
fn private_dir(place: &Place, name: &str) -> PathBuf {
    let dir = place.dir(&format!("state/{name}"));
    let state = place.path("state").canonicalize().unwrap();
    let mark =
        format!("{{\"campaign\":\"{ID}\",\"state\":\"{}\",\"boot\":\"{BOOT}\"}}", state.display());
    fs::write(dir.join(".assay-private"), mark).unwrap();
    dir
}

/// A foreign mount.
fn mount_at(dir: &Path) -> Mounted {
    fs::create_dir_all(dir).unwrap();
    let mounted = Mounted::new(&["-t", "tmpfs", "-o", "size=1M", "theirs"], dir);
    fs::write(dir.join("precious"), "x").unwrap();
    mounted
}

#[test]
fn what_is_gone_is_passed_over_what_is_ours_goes_and_what_is_not_stays() {
    if !root_or_skip("mounts") || !can_attach("loop devices") {
        return;
    }
    let place = Place::new();
    // Ours: the image and the mount points, of which a boot left the files.
    let images = private_dir(&place, "images/assay-image0");
    let image = images.join("image");
    fs::write(&image, vec![7; 1 << 20]).unwrap();
    let mounts = private_dir(&place, "mnt/assay-mnt");
    fs::create_dir(mounts.join("assay-0-ext4")).unwrap();
    // Foreign: a directory without our marker, the device that has our number now, with its cap,
    // and the disk that we had, with a partition in the very place of ours and a file system in it.
    let foreign = place.dir("state/mnt/assay-foreign");
    fs::write(foreign.join("precious"), "x").unwrap();
    let caps = place.path("blkio.throttle.read_bps_device");
    fs::write(&caps, "7:0 1048576\n").unwrap();
    let disk = Disk::new(64 << 20);
    let part = disk.partition(1, 8 << 20, 48 << 20);
    run("mkfs.ext4", &["-q", part.to_str().unwrap()]);
    let mounted = mount_at(&place.path("theirs"));

    let number = fs::read_to_string(sysfs(&disk).join("dev")).unwrap();
    let sequence = fs::read_to_string(sysfs(&disk).join("diskseq")).unwrap_or("-".into());
    let identity =
        format!("{}, {} bytes, {} #{}", disk.serial(), 64 << 20, number.trim(), sequence.trim());
    let forget = format!(
        "{{\"undo\":\"forget_parts\",\"link\":\"{}\",\"disk\":\"{identity}\",\
         \"parts\":[{{\"number\":1,\"start\":{},\"bytes\":{}}}]}}",
        disk.link.display(),
        8 << 20,
        48 << 20
    );
    let journal = write_journal(
        &place,
        &[
            entry("remove_dir", &[("path", &mounts)]),
            entry("remove_dir", &[("path", &images)]),
            entry("detach_loop", &[("image", &image)]),
            entry("report_disk", &[("link", &disk.link)]),
            forget,
            entry("unmount", &[("mount_point", &mounts.join("assay-0-ext4"))]),
            entry("unmount", &[("mount_point", mounted.dir())]),
            entry("unmount", &[("mount_point", Path::new("/no/such/mount"))]),
            entry("remove_dir", &[("path", &place.path("state/mnt/assay-gone"))]),
            entry("uncap", &[("file", &caps), ("device", Path::new("7:0"))]),
            entry("leave_group", &[("group", &foreign), ("home", &foreign)]),
            entry("end_network", &[("namespace", mounted.dir())]),
        ],
    );
    let told = place.ok(&["cleanup"]);
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.contains("removed ") && !images.exists() && !mounts.exists(), "{told}");
    assert!(!journal.exists());
    assert!(foreign.join("precious").exists() && mounted.dir().join("precious").exists());
    assert_eq!(fs::read_to_string(&caps).unwrap(), "7:0 1048576\n");
    assert!(part.exists());
    run("e2fsck", &["-f", "-n", part.to_str().unwrap()]);
    assert_eq!(place.ok(&["cleanup"]).trim(), "nothing to clean up");
}

fn sysfs(disk: &Disk) -> PathBuf {
    Path::new("/sys/block").join(disk.node.file_name().unwrap())
}

#[test]
fn a_loop_device_that_has_another_file_now_stays_attached() {
    if !root_or_skip("loop devices") || !can_attach("loop devices") {
        return;
    }
    let (place, disk) = (Place::new(), Disk::new(1 << 20));
    let images = private_dir(&place, "images/assay-image0");
    let image = images.join("image");
    write_journal(
        &place,
        &[
            entry("remove_dir", &[("path", &images)]),
            entry("detach_loop", &[("image", &image)]),
            entry("detach_loop", &[("image", &disk.image())]),
        ],
    );
    let output = place.assay(&["cleanup"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.contains(&format!(
            "{} is in the journal of campaign \
                                    {ID}",
            disk.serial()
        )),
        "{told}"
    );
    assert!(!images.exists());
    let backing = fs::read_to_string(sysfs(&disk).join("loop/backing_file")).unwrap();
    assert_eq!(Path::new(backing.trim()), disk.image());
}

#[test]
fn foreign_mount_on_our_mount_point_is_reported_and_kept() {
    if !root_or_skip("mounts") {
        return;
    }
    let place = Place::new();
    let mounts = private_dir(&place, &format!("mnt/assay-{ID}"));
    let theirs = mount_at(&mounts.join("assay-0-ext4"));
    let journal = write_journal(
        &place,
        &[
            entry("remove_dir", &[("path", &mounts)]),
            entry("unmount", &[("mount_point", theirs.dir())]),
        ],
    );
    let output = place.assay(&["cleanup"]);
    assert_eq!(output.status.code(), Some(1));
    let why = text(&output.stderr);
    assert!(why.contains("is mounted") && why.contains("cannot remove"), "{why}");
    assert!(theirs.dir().join("precious").exists() && journal.exists());
    // As soon as they are gone, the rest goes.
    drop(theirs);
    place.ok(&["cleanup"]);
    place.assert_clean();
    assert!(!mounts.exists());
}

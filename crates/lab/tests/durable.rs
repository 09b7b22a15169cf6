//! Checks what a lab finds after a mount about syncs: options in force, directories and images in memory. Mounting
//! needs root; where it or a file system is missing, a test says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use lab::{machine::Availability, setup::Lab};
use model::{
    result::{NOT_AS_ASKED, NOT_DURABLE},
    target::Target,
    text::Bytes,
};
use needs::{Need, skip};
use std::{fs as files, path::Path, sync::atomic::AtomicBool};

const IMAGE: Bytes = Bytes(320 << 20);
/// A memory file system that nearly every Linux has.
const MEMORY: &str = "/dev/shm";

fn ready(name: &str) -> bool {
    match lab::machine::available(fs::find(name).unwrap()) {
        Availability::Ready => true,
        Availability::Missing { what, .. } => {
            skip(Need::file_system(name), format!("{name}: {what}"));
            false
        }
    }
}

/// A directory in memory, where there is one.
fn in_memory() -> Option<tempfile::TempDir> {
    let mounts = files::read_to_string("/proc/self/mounts").unwrap();
    let is_tmpfs = mounts.lines().any(|line| line.split(' ').skip(1).take(2).eq([MEMORY, "tmpfs"]));
    if !is_tmpfs {
        skip(Need::Other, format!("{MEMORY} is no tmpfs"));
        return None;
    }
    Some(tempfile::Builder::new().prefix("assay-durable-").tempdir_in(MEMORY).unwrap())
}

/// Why `target` loses what it synced, when the images are in `images`.
fn loss(images: &Path, target: &str) -> Option<String> {
    let state = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(state.path(), "d").unwrap();
    lab.make_images(images, IMAGE, 1, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let instance = lab.provision(&target.parse().unwrap(), "d").unwrap();
    let loss = instance.facts().0.get(NOT_DURABLE).cloned();
    instance.teardown().unwrap();
    loss
}

#[test]
fn a_directory_in_memory_is_found_by_its_mount() {
    let Some(data) = in_memory() else { return };
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let instance =
        lab.provision(&fs::resolve(&Target::Dir(data.path().into())).unwrap(), "d").unwrap();
    assert_eq!(instance.facts().0[NOT_DURABLE], "tmpfs: all of it is in memory");
    instance.teardown().unwrap();
}

#[test]
fn the_options_in_force_decide() {
    let images = tempfile::tempdir().unwrap();
    let flushed =
        [("ext4", "ext4[barrier=0]", "ext4[barrier=1]"), ("btrfs", "btrfs[nobarrier]", "btrfs")];
    for (name, loses, keeps) in flushed.into_iter().filter(|(name, ..)| ready(name)) {
        let why = format!("{name}: the cache of the device is not flushed");
        assert_eq!(loss(images.path(), loses), Some(why));
        assert_eq!(loss(images.path(), keeps), None, "{keeps}");
    }
}

#[test]
fn a_disk_image_in_memory_is_not_durable() {
    let Some(images) = in_memory() else { return };
    if ready("ext4") {
        let why = loss(images.path(), "ext4");
        assert_eq!(why.as_deref(), Some("the disk image is in memory (tmpfs)"));
    }
}

#[test]
fn options_that_the_kernel_changed_are_facts() {
    if !ready("tmpfs") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let differs = |target: &str| {
        let instance = lab.provision(&target.parse().unwrap(), "d").unwrap();
        let differs = instance.facts().0.get(NOT_AS_ASKED).cloned();
        instance.teardown().unwrap();
        differs
    };
    // The kernel has whole pages.
    let rounded = differs("tmpfs[size=4000000,noatime]").unwrap();
    assert!(rounded.starts_with("size is "), "{rounded}");
    assert!(rounded.ends_with("k, not 4000000 as requested"), "{rounded}");
    assert_eq!(differs("tmpfs[size=4M,noatime,nodev]"), None);
}

//! FUSE file systems really mounted: programs over a directory of ext4, and those with a device of
//! their own. Needs root; where it or a program is missing, a test says so.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use lab::{
    instance::Instance,
    machine::Availability,
    observe::Snapshot,
    page_cache::{Coldness, residency},
    setup::Lab,
};
use model::{target::Target, text::Bytes};
use needs::{Need, skip};
use std::os::unix::net::UnixListener;
use std::{fs as files, path::Path, sync::atomic::AtomicBool};

const IMAGE: Bytes = Bytes(320 << 20);
const FILE_BYTES: usize = 8 << 20;

fn ready(name: &str) -> bool {
    match lab::machine::available(fs::find(name).unwrap()) {
        Availability::Ready => true,
        Availability::Missing { what, .. } => {
            let need = if what == "root" { Need::Root } else { Need::file_system(name) };
            skip(need, format!("{name}: {what}"));
            false
        }
    }
}

fn content() -> Vec<u8> {
    (0..FILE_BYTES).map(|i| (i * 31 % 251) as u8).collect()
}

/// Processes that were started with a path below `dir`.
fn processes(dir: &Path) -> Vec<String> {
    let all = files::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| files::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(dir.to_str().unwrap())).collect()
}

/// Cold means that what is read comes from the device: neither the kernel's cache of the mount, nor
/// that of the directory below, nor the memory of the server holds it.
fn cold_is_true(instance: &Instance<'_>, name: &str) {
    let path = instance.root().join("data");
    files::write(&path, content()).unwrap();
    assert_eq!(instance.make_cold().unwrap(), Coldness::Remounted, "{name}");
    assert_eq!(residency(std::slice::from_ref(&path)).unwrap().resident_bytes, 0, "{name}");
    let before = Snapshot::take(instance.devices()).unwrap();
    assert!(files::read(&path).unwrap() == content(), "{name} gave back other bytes");
    let usage = Snapshot::take(instance.devices()).unwrap().since(&before);
    assert!(usage.device_read_bytes.unwrap() >= FILE_BYTES as u64, "{name}: {usage:?}");
    assert!(
        !instance.passes_direct_on(),
        "{name} may keep in memory what it is asked for directly"
    );
}

/// Makes all that are ready, one after the other, and undoes them.
fn provision(campaign: &str, targets: &[&str]) {
    let ready = |target: &&&str| match target.parse().unwrap() {
        Target::Made { name, .. } => ready(&name),
        Target::Dir(_) => false,
    };
    let targets: Vec<&&str> = targets.iter().filter(ready).collect();
    if targets.is_empty() {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(state.path(), campaign).unwrap();
    lab.make_images(state.path(), IMAGE, 2, &AtomicBool::new(false), &mut |_| {}).unwrap();
    for target in targets {
        let instance = lab.provision(&target.parse().unwrap(), "t").unwrap();
        instance.check().unwrap();
        cold_is_true(&instance, target);
        assert!(instance.used_bytes().unwrap() >= FILE_BYTES as u64, "{target}");
        instance.teardown().unwrap();
        let mounts = files::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(state.path().to_str().unwrap()), "{target}: {mounts}");
        assert_eq!(processes(state.path()), Vec::<String>::new(), "{target}");
    }
    lab.close().unwrap();
}

#[test]
fn programs_over_a_directory_are_cold_and_leave_nothing() {
    provision(
        "over",
        &[
            "bindfs",
            "bindfs[multithreaded](xfs)",
            "mergerfs[cache.files=partial]",
            "gocryptfs",
            "gocryptfs[mkfs.xchacha,mkfs.plaintextnames]",
            "sshfs[max_conns=2]",
            "glusterfs",
            "glusterfs[write-behind=off,io-cache=on,io-thread-count=4](xfs)",
            "rclone",
        ],
    );
}

/// The store is a server with a directory of its own, and all of it ends with the target.
#[test]
fn clients_of_an_object_store_are_cold_and_leave_nothing() {
    if ready("s3") {
        provision(
            "objects",
            &["rclone[store=s3]", "rclone(s3(xfs))", "s3fs", "zerofs-9p[store=s3]"],
        );
    }
}

#[test]
fn programs_on_a_device_are_cold_and_leave_nothing() {
    provision("device", &["ntfs-3g[big_writes]", "ntfs-3g[mkfs.c=65536]"]);
}

/// Its programs have the names of those of OpenZFS: with both installed, PATH decides.
#[test]
fn zfs_fuse_is_cold_and_leaves_nothing() {
    leave_socket_of_ended_server();
    provision("zfs-fuse", &["zfs-fuse[recordsize=16k]", "zfs-fuse[mirror]"]);
}

/// Leaves what a server leaves that was ended within its first moments: a socket that no process listens on.
fn leave_socket_of_ended_server() {
    // Fails where there is one, and without root, where the test is skipped.
    drop(UnixListener::bind("/run/zfs/zfs_socket"));
}

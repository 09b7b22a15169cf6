//! Makes subvolumes and snapshots of a mounted Btrfs, and drops them.

use super::name;
pub use crate::btrfs::sync;
use crate::btrfs::{MAGIC, SearchKey};
use rustix::{
    io::Errno,
    ioctl::{Opcode, Setter, Updater, ioctl, opcode},
};
use std::{
    fs::File,
    os::fd::{AsRawFd, RawFd},
    path::Path,
};

/// `BTRFS_IOC_SUBVOL_CREATE_V2`, `BTRFS_IOC_SNAP_CREATE_V2`, `BTRFS_IOC_SNAP_DESTROY` and `BTRFS_IOC_TREE_SEARCH`.
const CREATE: Opcode = opcode::write::<NewArguments>(MAGIC, 24);
const SNAPSHOT: Opcode = opcode::write::<NewArguments>(MAGIC, 23);
const DESTROY: Opcode = opcode::write::<OldArguments>(MAGIC, 15);
const SEARCH: Opcode = opcode::read_write::<SearchArguments>(MAGIC, 17);
/// `BTRFS_SUBVOL_RDONLY`.
const READ_ONLY: u64 = 2;
/// `BTRFS_ROOT_TREE_OBJECTID`, `BTRFS_ORPHAN_OBJECTID` and `BTRFS_ORPHAN_ITEM_KEY`: where the kernel notes which
/// subvolumes are dropped and not cleaned up yet.
const ROOT_TREE: u64 = 1;
const ORPHANS: u64 = -5_i64 as u64;
const ORPHAN: u32 = 48;
/// Bytes of a name in arguments, with the zero at its end.
const NEW_NAME_BYTES: usize = 4040;
const OLD_NAME_BYTES: usize = 4088;
const FOUND_BYTES: usize = 4096 - size_of::<SearchKey>();

/// `struct btrfs_ioctl_vol_args_v2`.
#[repr(C)]
struct NewArguments {
    source: i64,
    generation: u64,
    flags: u64,
    unused: [u64; 4],
    name: [u8; NEW_NAME_BYTES],
}

/// `struct btrfs_ioctl_vol_args`.
#[repr(C)]
struct OldArguments {
    fd: i64,
    name: [u8; OLD_NAME_BYTES],
}

/// `struct btrfs_ioctl_search_args`.
#[repr(C)]
struct SearchArguments {
    key: SearchKey,
    found: [u8; FOUND_BYTES],
}

const _: () = assert!(size_of::<NewArguments>() == 4096, "the kernel knows the call by this size");
const _: () = assert!(size_of::<OldArguments>() == 4096, "the kernel knows the call by this size");
const _: () =
    assert!(size_of::<SearchArguments>() == 4096, "the kernel knows the call by this size");

/// Makes the subvolume `own` in the directory `parent`.
///
/// # Errors
/// It is no Btrfs, there is one of that name, or there is no space.
pub fn create(parent: &File, own: &str) -> Result<(), Errno> {
    let arguments = new(0, 0, own)?;
    // SAFETY: `arguments` is laid out as `struct btrfs_ioctl_vol_args_v2`, whose size is in the number of the call; the
    // kernel only reads it.
    unsafe { ioctl(parent, Setter::<CREATE, NewArguments>::new(arguments)) }
}

/// Makes a read-only snapshot of the subvolume that `source` is the root of, as `own` in the directory `parent`.
///
/// # Errors
/// `source` is no root of a subvolume of the same file system, there is one of that name, or there is no space.
pub fn snapshot(parent: &File, source: &File, own: &str) -> Result<(), Errno> {
    let arguments = new(source.as_raw_fd(), READ_ONLY, own)?;
    // SAFETY: as in `create`; the descriptor in `arguments` is open as long as `source` is borrowed.
    unsafe { ioctl(parent, Setter::<SNAPSHOT, NewArguments>::new(arguments)) }
}

/// Drops the subvolume or snapshot `own` of the directory `parent`. Its space comes back later.
///
/// # Errors
/// There is none of that name, or it is in use.
pub fn drop_one(parent: &File, own: &str) -> Result<(), Errno> {
    let arguments = OldArguments { fd: 0, name: name(Path::new(own))? };
    // SAFETY: `arguments` is laid out as `struct btrfs_ioctl_vol_args`, whose size is in the number of the call; the
    // kernel only reads it.
    unsafe { ioctl(parent, Setter::<DESTROY, OldArguments>::new(arguments)) }
}

/// Whether any subvolume of the file system that `root` is of was dropped and is not cleaned up yet.
///
/// # Errors
/// It is no Btrfs, or its trees cannot be read.
pub fn is_cleaning(root: &File) -> Result<bool, Errno> {
    let key = SearchKey {
        tree: ROOT_TREE,
        objects: [ORPHANS; 2],
        offsets: [0, u64::MAX],
        generations: [0, u64::MAX],
        kinds: [ORPHAN; 2],
        items: 1,
        ..SearchKey::default()
    };
    let mut arguments = SearchArguments { key, found: [0; FOUND_BYTES] };
    // SAFETY: `arguments` is laid out as `struct btrfs_ioctl_search_args`, whose size is in the number of the call; the
    // kernel writes no more than it and keeps no pointer.
    unsafe { ioctl(root, Updater::<SEARCH, SearchArguments>::new(&mut arguments))? };
    Ok(arguments.key.items > 0)
}

fn new(source: RawFd, flags: u64, own: &str) -> Result<NewArguments, Errno> {
    let name = name(Path::new(own))?;
    Ok(NewArguments { source: source.into(), generation: 0, flags, unused: [0; 4], name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{btrfs::SYNC, mounts::detached, programs::Run, recording::ShownDisk, setup::Lab};
    use ::fs::Cmd;
    use needs::{Need, skip};
    use rustix::mount::MountAttrFlags;
    use std::{
        fs,
        path::PathBuf,
        thread,
        time::{Duration, Instant},
    };

    #[test]
    fn calls_have_the_numbers_of_the_kernel() {
        let known = [0x5000_9418, 0x5000_9417, 0x5000_940f, 0x9408, 0xd000_9411];
        assert_eq!([CREATE, SNAPSHOT, DESTROY, SYNC, SEARCH], known);
    }

    #[test]
    fn snapshot_has_unsynced_data_and_is_cleaned_up_after_it_was_dropped() {
        if let Some(why) = crate::recording::RecordingDisk::missing() {
            return skip(Need::Root, why);
        }
        if !matches!(
            crate::machine::available(::fs::find("btrfs").unwrap()),
            crate::machine::Availability::Ready
        ) {
            return skip(Need::file_system("btrfs"), "btrfs");
        }
        let state = tempfile::tempdir().unwrap();
        let lab = Lab::open(state.path(), "subvolumes").unwrap();
        let disk = ShownDisk::make(&lab, 300 << 20).unwrap();
        Cmd::new("mkfs.btrfs").args(["-q", "-f"]).arg(disk.device()).run().unwrap();
        let source = [("source", disk.device().to_str())];
        let mounted = detached::mount("btrfs", source, MountAttrFlags::empty()).unwrap();
        let root = PathBuf::from(format!("/proc/self/fd/{}", mounted.as_raw_fd()));
        let open = |name: &str| File::open(root.join(name)).unwrap();
        let parent = open(".");
        create(&parent, "live").unwrap();
        fs::write(root.join("live/a"), "old").unwrap();
        snapshot(&parent, &open("live"), "s").unwrap();
        fs::write(root.join("live/a"), "new").unwrap();
        assert_eq!(fs::read_to_string(root.join("s/a")).unwrap(), "old", "it was not synced");
        assert!(fs::write(root.join("s/a"), "other").is_err(), "it is read-only");
        assert_eq!(snapshot(&parent, &open("live"), "s"), Err(Errno::EXIST));
        assert_eq!(drop_one(&parent, "none"), Err(Errno::NOENT));
        assert!(!is_cleaning(&parent).unwrap());
        drop_one(&parent, "s").unwrap();
        assert!(!root.join("s").exists());
        let start = Instant::now();
        while is_cleaning(&parent).unwrap() {
            sync(&parent).unwrap();
            thread::sleep(Duration::from_millis(1));
            assert!(start.elapsed() < Duration::from_secs(120), "it is never cleaned up");
        }
        drop((parent, mounted));
        ::disk::wait_free(disk.device()).unwrap();
        drop(disk);
        lab.close().unwrap();
    }
}

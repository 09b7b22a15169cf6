//! Scrubs and balances a mounted Btrfs, replaces a disk of it, and has the kernel forget one, by ioctl. The program
//! `btrfs` is not used, because it leaves a record of each scrub on the machine, and looks the file system up in the
//! mount table.

pub mod subvolumes;

use crate::btrfs::MAGIC;
use rustix::{
    io::Errno,
    ioctl::{Opcode, Setter, Updater, ioctl, opcode},
};
use std::{fs::File, os::unix::ffi::OsStrExt, path::Path};

/// `BTRFS_IOC_SCRUB`, `BTRFS_IOC_DEV_REPLACE`, `BTRFS_IOC_BALANCE_V2` and `BTRFS_IOC_FORGET_DEV`.
const SCRUB: Opcode = opcode::read_write::<ScrubArguments>(MAGIC, 27);
const REPLACE: Opcode = opcode::read_write::<ReplaceArguments>(MAGIC, 53);
const BALANCE: Opcode = opcode::read_write::<BalanceArguments>(MAGIC, 32);
const FORGET: Opcode = opcode::write::<ForgetArguments>(MAGIC, 5);
/// Where requests are made that are of no mounted file system.
const CONTROL: &str = "/dev/btrfs-control";
/// `BTRFS_IOCTL_DEV_REPLACE_CMD_START`.
const START: u64 = 0;
/// `BTRFS_BALANCE_DATA`, `_SYSTEM`, `_METADATA` and `_FORCE`, which lets the system be converted.
const EVERYTHING: u64 = 0b1111;
/// `BTRFS_BALANCE_ARGS_CONVERT` and `_SOFT`: only what does not have the profile yet.
const CONVERT: u64 = 1 << 8 | 1 << 9;
/// Profiles by their names, as `BTRFS_BLOCK_GROUP_*`.
const PROFILES: [(&str, u64); 8] = [
    ("raid0", 1 << 3),
    ("raid1", 1 << 4),
    ("dup", 1 << 5),
    ("raid10", 1 << 6),
    ("raid5", 1 << 7),
    ("raid6", 1 << 8),
    ("raid1c3", 1 << 9),
    ("raid1c4", 1 << 10),
];
/// Bytes of a path in arguments, with the zero at its end.
const PATH_BYTES: usize = 1025;
const FORGET_PATH_BYTES: usize = 4088;

/// `struct btrfs_ioctl_scrub_args`, which is 1 KiB in all.
#[repr(C)]
#[derive(Clone, Copy)]
struct ScrubArguments {
    device: u64,
    start: u64,
    end: u64,
    flags: u64,
    progress: Progress,
    unused: [u64; 128 - 4 - 15],
}

/// `struct btrfs_scrub_progress`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Progress {
    data_extents: u64,
    tree_extents: u64,
    data_bytes: u64,
    tree_bytes: u64,
    read_errors: u64,
    sum_errors: u64,
    verify_errors: u64,
    no_sum: u64,
    sum_discards: u64,
    super_errors: u64,
    malloc_errors: u64,
    uncorrectable_errors: u64,
    corrected_errors: u64,
    last_place: u64,
    unverified_errors: u64,
}

/// `struct btrfs_ioctl_dev_replace_args`, with what starts a replacement.
#[repr(C)]
struct ReplaceArguments {
    command: u64,
    result: u64,
    source: u64,
    mode: u64,
    source_name: [u8; PATH_BYTES],
    target_name: [u8; PATH_BYTES],
    spare: [u64; 64],
}

/// `struct btrfs_ioctl_balance_args`, which is 1 KiB in all.
#[repr(C)]
struct BalanceArguments {
    flags: u64,
    state: u64,
    data: Filter,
    metadata: Filter,
    system: Filter,
    progress: [u64; 3],
    unused: [u64; 72],
}

/// `struct btrfs_balance_args`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Filter {
    before: [u64; 7],
    target: u64,
    flags: u64,
    after: [u64; 8],
}

/// `struct btrfs_ioctl_vol_args`.
#[repr(C)]
struct ForgetArguments {
    fd: i64,
    name: [u8; FORGET_PATH_BYTES],
}

const _: () =
    assert!(size_of::<ScrubArguments>() == 1024, "the kernel knows the call by this size");
const _: () =
    assert!(size_of::<ReplaceArguments>() == 2600, "the kernel knows the call by this size");
const _: () =
    assert!(size_of::<ForgetArguments>() == 4096, "the kernel knows the call by this size");

const _: () =
    assert!(size_of::<BalanceArguments>() == 1024, "the kernel knows the call by this size");

/// Reads all that the disk with the number `device`, from 1, has of the file system that `root` is of, and repairs what
/// there is another copy of. Returns the errors that it found.
///
/// # Errors
/// It is no Btrfs, it has no such disk, or it cannot be scrubbed.
pub fn scrub(root: &File, device: u64) -> Result<u64, Errno> {
    let progress = Progress::default();
    let mut arguments = ScrubArguments {
        device,
        start: 0,
        end: u64::MAX,
        flags: 0,
        progress,
        unused: [0; 128 - 4 - 15],
    };
    // SAFETY: `arguments` is laid out as `struct btrfs_ioctl_scrub_args`, whose size is in the number of the call; the
    // kernel writes no more than it and keeps no pointer.
    unsafe { ioctl(root, Updater::<SCRUB, ScrubArguments>::new(&mut arguments))? };
    let Progress { read_errors, sum_errors, verify_errors, super_errors, .. } = arguments.progress;
    Ok(read_errors + sum_errors + verify_errors + super_errors)
}

/// Replaces the disk with the number `device`, from 1, of the file system that `root` is of by `new`, and waits until
/// all is copied.
///
/// # Errors
/// It is no Btrfs, another replacement runs, or `new` is too small, in use, or fails.
pub fn replace(root: &File, device: u64, new: &Path) -> Result<(), Errno> {
    let mut arguments = ReplaceArguments {
        command: START,
        result: 0,
        source: device,
        mode: 0,
        source_name: [0; PATH_BYTES],
        target_name: name(new)?,
        spare: [0; 64],
    };
    // SAFETY: `arguments` is laid out as `struct btrfs_ioctl_dev_replace_args`, whose size is in the number of the
    // call; the kernel writes no more than it and keeps no pointer.
    unsafe { ioctl(root, Updater::<REPLACE, ReplaceArguments>::new(&mut arguments))? };
    // Zero, or why it was not started.
    if arguments.result == 0 { Ok(()) } else { Err(Errno::INPROGRESS) }
}

/// Gives all of the file system that `root` is of these profiles of data and of metadata, which is that of the system,
/// too, where it does not have them yet, and waits for it.
///
/// # Errors
/// It is no Btrfs, it lacks space or disks, there is no such profile, or another balance runs.
pub fn convert(root: &File, [data, metadata]: [&str; 2]) -> Result<(), Errno> {
    let filter = |name| {
        let (_, target) = PROFILES.iter().find(|(own, _)| *own == name).ok_or(Errno::INVAL)?;
        Ok(Filter { before: [0; 7], target: *target, flags: CONVERT, after: [0; 8] })
    };
    let (data, metadata) = (filter(data)?, filter(metadata)?);
    let mut arguments = BalanceArguments {
        flags: EVERYTHING,
        state: 0,
        data,
        metadata,
        system: metadata,
        progress: [0; 3],
        unused: [0; 72],
    };
    // SAFETY: `arguments` is laid out as `struct btrfs_ioctl_balance_args`, whose size is in the number of the call;
    // the kernel writes no more than it and keeps no pointer.
    unsafe { ioctl(root, Updater::<BALANCE, BalanceArguments>::new(&mut arguments)) }
}

/// Has the kernel forget `device`, which it remembers from a mount as a disk of a Btrfs. One that it does not know is
/// no error.
///
/// # Errors
/// It is mounted, or there is no such device.
pub fn forget(device: &Path) -> Result<(), Errno> {
    let control =
        File::open(CONTROL).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let arguments = ForgetArguments { fd: 0, name: name(device)? };
    // SAFETY: `arguments` is laid out as `struct btrfs_ioctl_vol_args`, whose size is in the number of the call; the
    // kernel only reads it.
    match unsafe { ioctl(control, Setter::<FORGET, ForgetArguments>::new(arguments)) } {
        Err(Errno::NOENT) => Ok(()),
        done => done,
    }
}

/// `path` with zeros behind it.
fn name<const BYTES: usize>(path: &Path) -> Result<[u8; BYTES], Errno> {
    let path = path.as_os_str().as_bytes();
    let mut name = [0; BYTES];
    match name.get_mut(..path.len()) {
        Some(own) if path.len() < BYTES => own.copy_from_slice(path),
        _ => return Err(Errno::NAMETOOLONG),
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_numbers_of_the_kernel() {
        let known = [0xc400_941b, 0xca28_9435, 0xc400_9420, 0x5000_9405];
        assert_eq!([SCRUB, REPLACE, BALANCE, FORGET], known);
    }

    #[test]
    fn a_path_ends_with_a_zero_or_is_refused() {
        assert_eq!(name::<4>(Path::new("abc")), Ok(*b"abc\0"));
        assert_eq!(name::<3>(Path::new("abc")), Err(Errno::NAMETOOLONG));
    }
}

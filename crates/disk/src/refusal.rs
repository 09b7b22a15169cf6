//! Reasons to refuse a disk. Each states the finding and what the user can do.

use model::text::Bytes;
use std::path::PathBuf;

/// A disk that assay does not write to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A kernel name, or a link from elsewhere: it may mean another disk after the next boot.
    #[error("{path} is not a stable disk name; use {}", stable_names(.stable))]
    NotStable {
        /// The path as given.
        path: PathBuf,
        /// The stable names of the same disk.
        stable: Vec<PathBuf>,
    },
    /// Nothing there.
    #[error("{path} does not exist; `ls -l /dev/disk/by-id` shows the disks of this machine")]
    Absent {
        /// The path as given.
        path: PathBuf,
    },
    /// Something other than a block device.
    #[error("{path} leads to {node}, which is not a block device; use a disk from /dev/disk/by-id")]
    NotBlock {
        /// The path as given.
        path: PathBuf,
        /// The node it leads to.
        node: PathBuf,
    },
    /// Named twice.
    #[error("{path} and {other} share disk space; give each disk once")]
    Twice {
        /// The one.
        path: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// The disk cannot be identified.
    #[error("{path} has no serial number, so it cannot be told from other disks; use another")]
    NoSerial {
        /// The path as given.
        path: PathBuf,
    },
    /// Another disk has the same serial number.
    #[error("{path} and {other} have the same serial number; unplug one, or use another disk")]
    SameSerial {
        /// The path as given.
        path: PathBuf,
        /// The other disk.
        other: String,
    },
    /// The serial number was not given, or is another.
    #[error(
        "{path} has the serial number `{serial}`, which --destroy does not name; check that it is \
         the right disk, then pass its serial number"
    )]
    WrongSerial {
        /// The path as given.
        path: PathBuf,
        /// The serial number that the disk reports.
        serial: String,
    },
    /// A serial number that no disk has.
    #[error("--destroy {serial} matches no disk of --device; omit or correct it")]
    StraySerial {
        /// The serial number as given.
        serial: String,
    },
    /// The system runs from it, or assay keeps its own files there.
    #[error("{path} is in use by the system: {what} is on it; use another disk")]
    System {
        /// The path as given.
        path: PathBuf,
        /// The part of the system on it.
        what: String,
    },
    /// It carries a mounted file system.
    #[error("{path} is mounted at {mount_point}; unmount it first if it may be destroyed")]
    Mounted {
        /// The path as given.
        path: PathBuf,
        /// Where.
        mount_point: PathBuf,
    },
    /// A partition of it, or what is on it, is mounted.
    #[error(
        "{path} holds {part}, which is mounted at {mount_point}; unmount it first if it may be destroyed"
    )]
    PartMounted {
        /// The path as given.
        path: PathBuf,
        /// The partition, mapping or array.
        part: String,
        /// Where.
        mount_point: PathBuf,
    },
    /// It is one of several disks of a mounted Btrfs.
    #[error(
        "{path} belongs to the mounted Btrfs file system {uuid}; unmount that first if it may be destroyed"
    )]
    BtrfsMounted {
        /// The path as given.
        path: PathBuf,
        /// The file system.
        uuid: String,
    },
    /// Swap space in use.
    #[error(
        "{path} holds the swap space {swap}; run `swapoff {swap}` first if it may be destroyed"
    )]
    Swap {
        /// The path as given.
        path: PathBuf,
        /// The node, as `/proc/swaps` names it.
        swap: PathBuf,
    },
    /// Device-mapper, md, bcache or a loop device is on it.
    #[error("{path} is held by {holder}; stop that first if it may be destroyed")]
    Held {
        /// The path as given.
        path: PathBuf,
        /// Name of the device above it.
        holder: String,
    },
    /// A loop device over another block device.
    #[error("{path} is a loop device over {below}; name that disk itself")]
    Indirect {
        /// The path as given.
        path: PathBuf,
        /// The device below.
        below: PathBuf,
    },
    /// Write protected.
    #[error("{path} is read-only; remove the write protection or use another disk")]
    ReadOnly {
        /// The path as given.
        path: PathBuf,
    },
    /// Zones that must be written in order.
    #[error(
        "{path} is a zoned disk ({model}), which allows only sequential writes; use another \
             disk"
    )]
    Zoned {
        /// The path as given.
        path: PathBuf,
        /// The zone model, as the kernel names it.
        model: String,
    },
    /// Too small for the candidates.
    #[error("{path} has {size}, but {needed} are needed; use a larger disk or a smaller --scale")]
    TooSmall {
        /// The path as given.
        path: PathBuf,
        /// Its size.
        size: Bytes,
        /// The required size.
        needed: Bytes,
    },
    /// The kernel takes no partitions of it.
    #[error(
        "{path} cannot be split: it is a partition or a mapping, or does not support partitions; \
         name a whole disk, or omit --split"
    )]
    Indivisible {
        /// The path as given.
        path: PathBuf,
    },
    /// Its parts are too small for the candidates.
    #[error(
        "splitting {path} into {parts} gives {size} each, but {needed} are needed; use a larger \
         disk, fewer candidates, a smaller --scale, or no --split"
    )]
    PartTooSmall {
        /// The path as given.
        path: PathBuf,
        /// Number of parts.
        parts: u32,
        /// Size of each.
        size: Bytes,
        /// The required size.
        needed: Bytes,
    },
    /// The kernel shows another partition than the one it was told of, or none.
    #[error(
        "partition {node} of {path} did not appear; check what else reads its partition table, \
         then start again"
    )]
    PartAbsent {
        /// The path as given.
        path: PathBuf,
        /// The node of the part.
        node: PathBuf,
    },
    /// A member of an array, a pool or a volume group.
    #[error(
        "{path}: {place} is a member of {of} ({kind}); if that may be destroyed, add `--wipe-signature {wipe}`"
    )]
    Member {
        /// The path as given.
        path: PathBuf,
        /// The disk or one of its partitions.
        place: String,
        /// The kind of set it is a member of.
        of: &'static str,
        /// Type, as `blkid` prints it.
        kind: String,
        /// Every type on the disk that is not named yet, by commas.
        wipe: String,
    },
    /// Encrypted content.
    #[error(
        "{path}: {place} is encrypted ({kind}); if its content may be destroyed, add `--wipe-signature {wipe}`"
    )]
    Encrypted {
        /// The path as given.
        path: PathBuf,
        /// The disk or one of its partitions.
        place: String,
        /// Type, as `blkid` prints it.
        kind: String,
        /// Every type on the disk that is not named yet, by commas.
        wipe: String,
    },
    /// A partition table.
    #[error(
        "{path} has a partition table ({kind}); if all partitions may be destroyed, add `--wipe-signature {wipe}`"
    )]
    Table {
        /// The path as given.
        path: PathBuf,
        /// Type, as `blkid` prints it.
        kind: String,
        /// Every type on the disk that is not named yet, by commas.
        wipe: String,
    },
    /// Content of no known type.
    #[error(
        "{path}: {place} holds data of no known type; if it may be destroyed, add `--wipe-signature {wipe}`"
    )]
    Unknown {
        /// The path as given.
        path: PathBuf,
        /// The disk or one of its partitions.
        place: String,
        /// Every type on the disk that is not named yet, by commas.
        wipe: String,
    },
    /// Any other signature.
    #[error(
        "{path}: {place} carries {kind}; if it may be destroyed, add `--wipe-signature {wipe}`"
    )]
    Content {
        /// The path as given.
        path: PathBuf,
        /// The disk or one of its partitions.
        place: String,
        /// Type, as `blkid` prints it.
        kind: String,
        /// Every type on the disk that is not named yet, by commas.
        wipe: String,
    },
    /// The kernel grants no exclusive access.
    #[error(
        "{path} is busy: a pool, an array, a program or a mount elsewhere uses it; stop that \
         first if the disk may be destroyed"
    )]
    Busy {
        /// The path as given.
        path: PathBuf,
    },
    /// A program can write to it.
    #[error(
        "{path} is open for writing by {program} (process {pid}); stop it first if the disk may \
         be destroyed"
    )]
    OpenForWriting {
        /// The path as given.
        path: PathBuf,
        /// Number of the process.
        pid: u32,
        /// Its name.
        program: String,
    },
    /// A program can write to the file behind it.
    #[error(
        "{path} is backed by the file {file}, which {program} (process {pid}) has open for \
         writing; stop it first if the disk may be destroyed"
    )]
    FileOpenForWriting {
        /// The path as given.
        path: PathBuf,
        /// The file behind the loop device, or behind one below it.
        file: PathBuf,
        /// Number of the process.
        pid: u32,
        /// Its name.
        program: String,
    },
    /// Another assay works on the disk.
    #[error(
        "{path} is in use by another assay process (which holds {lock}); wait for it or stop \
             it"
    )]
    Locked {
        /// The path as given.
        path: PathBuf,
        /// The locked file.
        lock: PathBuf,
    },
    /// The name leads elsewhere, or the disk was exchanged, since it was claimed.
    #[error("{path} is now another disk (was {was}, now {is}); start again")]
    Changed {
        /// The path as given.
        path: PathBuf,
        /// Identity when it was claimed.
        was: String,
        /// Identity now.
        is: String,
    },
    /// The content cannot be determined.
    #[error("the contents of {path} cannot be determined: {why}; it is not touched")]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

fn stable_names(stable: &[PathBuf]) -> String {
    if stable.is_empty() {
        return "one from /dev/disk/by-id".into();
    }
    stable.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" or ")
}

//! Requests of Btrfs that several parts of the lab make.

use rustix::{
    io::Errno,
    ioctl::{NoArg, Opcode, ioctl, opcode},
};
use std::fs::File;

/// The kind of all of them, `BTRFS_IOCTL_MAGIC`.
pub(crate) const MAGIC: u8 = 0x94;
/// `BTRFS_IOC_SYNC`.
pub(crate) const SYNC: Opcode = opcode::none(MAGIC, 8);

/// `struct btrfs_ioctl_search_key`: which items of a tree to find.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct SearchKey {
    /// 0: the one that the file is in.
    pub(crate) tree: u64,
    pub(crate) objects: [u64; 2],
    pub(crate) offsets: [u64; 2],
    pub(crate) generations: [u64; 2],
    pub(crate) kinds: [u32; 2],
    /// Most items to find; then those that were found.
    pub(crate) items: u32,
    pub(crate) unused: u32,
    pub(crate) reserved: [u64; 4],
}

/// Syncs the file system that `root` is of, as `btrfs filesystem sync` does: syncfs alone does not wake the thread that
/// cleans up what was dropped.
///
/// # Errors
/// It is no Btrfs, or it cannot be written.
pub fn sync(root: &File) -> Result<(), Errno> {
    // SAFETY: the request has no argument, so that the kernel reads and writes no memory of ours.
    unsafe { ioctl(root, NoArg::<SYNC>::new()) }
}

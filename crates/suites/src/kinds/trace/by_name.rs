//! Makes the calls that name a path, below the tree of the replay. No name leads out of it: opens resolve beneath it,
//! and what the kernel cannot hold there is not made at all ([`guard`](super::guard)).

use super::{
    actor::{Actor, now},
    step::Step,
};
use rustix::{
    fs::{self, Access, AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags},
    io::Errno,
};
use std::{
    ffi::{CStr, CString},
    os::fd::{AsFd, OwnedFd},
};
use trace::call::Op;

/// Flags of an open that are passed on.
const OPEN: OFlags = OFlags::RDONLY
    .union(OFlags::WRONLY)
    .union(OFlags::RDWR)
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::TRUNC)
    .union(OFlags::APPEND)
    .union(OFlags::SYNC)
    .union(OFlags::DIRECT)
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NOATIME)
    .union(OFlags::PATH)
    .union(OFlags::TMPFILE);
/// Those that may be combined with `O_PATH`.
const WITH_PATH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);
/// Bits of permissions that are passed on.
const PERMISSIONS: u32 = 0o777;

impl Actor<'_> {
    /// Makes the call of `step`, which names a path.
    pub(super) fn name(&mut self, step: &Step, links: &[CString]) -> Result<i64, Errno> {
        let stage = self.stage;
        let tree = &stage.tree;
        let path = stage.texts.get(step.path).ok_or(Errno::NOENT)?;
        let mode = Mode::from_raw_mode(step.mode & PERMISSIONS);
        let follow = AtFlags::from_bits_retain(step.flags) & AtFlags::SYMLINK_NOFOLLOW;
        match step.op {
            Op::Open => {
                let file = self.open(path, step.flags, mode)?;
                self.files.put(step.handle, file);
                Ok(0)
            }
            Op::Stat => fs::statat(tree, path, follow).map(|_| 0),
            Op::Access => {
                let access = Access::from_bits_truncate(step.mode & 7);
                fs::accessat(tree, path, access, AtFlags::empty()).map(|()| 0)
            }
            Op::Unlink => fs::unlinkat(tree, path, AtFlags::empty()).map(|()| 0),
            Op::Rmdir => fs::unlinkat(tree, path, AtFlags::REMOVEDIR).map(|()| 0),
            Op::Mkdir => fs::mkdirat(tree, path, mode).map(|()| 0),
            Op::Chdir => fs::statat(tree, path, AtFlags::empty()).map(|_| 0),
            Op::Readlink => self.link_target(path, step.len),
            Op::Chmod => fs::chmodat(tree, path, mode, AtFlags::empty()).map(|()| 0),
            Op::Chown => fs::chownat(tree, path, None, None, follow).map(|()| 0),
            Op::Utimens => fs::utimensat(tree, path, &now(), follow).map(|()| 0),
            Op::Mknod => fs::mknodat(tree, path, file_type(step.mode)?, mode, 0).map(|()| 0),
            Op::Rename | Op::Link => self.two_names(step, path),
            Op::Symlink => {
                let target = links.get(step.path2 as usize).ok_or(Errno::NOENT)?;
                fs::symlinkat(target, tree, path).map(|()| 0)
            }
            // These have no form with a directory; they are made through a descriptor.
            Op::Truncate => {
                let file = self.open(path, OFlags::WRONLY.bits(), Mode::empty())?;
                fs::ftruncate(file, step.len).map(|()| 0)
            }
            Op::Statfs => {
                let file = self.open(path, OFlags::PATH.bits(), Mode::empty())?;
                fs::fstatfs(file).map(|_| 0)
            }
            Op::Setxattr | Op::Getxattr | Op::Listxattr | Op::Removexattr => {
                let file = self.open(path, OFlags::RDONLY.bits(), Mode::empty())?;
                self.attribute(step, file.as_fd())
            }
            _ => Err(Errno::NOSYS),
        }
    }

    fn two_names(&self, step: &Step, path: &CStr) -> Result<i64, Errno> {
        let tree = &self.stage.tree;
        let other = self.stage.texts.get(step.path2).ok_or(Errno::NOENT)?;
        match step.op {
            Op::Rename => {
                let flags = RenameFlags::from_bits_truncate(step.flags);
                fs::renameat_with(tree, path, tree, other, flags).map(|()| 0)
            }
            _ => {
                let flags = AtFlags::from_bits_retain(step.flags) & AtFlags::SYMLINK_FOLLOW;
                fs::linkat(tree, path, tree, other, flags).map(|()| 0)
            }
        }
    }

    /// Opens `path` beneath the tree. A FIFO is not waited for.
    pub(super) fn open(&self, path: &CStr, flags: u32, mode: Mode) -> Result<OwnedFd, Errno> {
        let asked = OFlags::from_bits_retain(flags) & OPEN;
        let flags = match asked.contains(OFlags::PATH) {
            true => asked & WITH_PATH,
            false => asked | OFlags::NONBLOCK | OFlags::NOCTTY,
        } | OFlags::CLOEXEC;
        let makes = asked.contains(OFlags::CREATE) || asked.contains(OFlags::TMPFILE);
        let mode = if makes { mode } else { Mode::empty() };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        fs::openat2(&self.stage.tree, path, flags, mode, resolve)
    }
}

/// The types of nodes that a replay makes.
fn file_type(mode: u32) -> Result<FileType, Errno> {
    match FileType::from_raw_mode(mode) {
        FileType::Fifo => Ok(FileType::Fifo),
        FileType::Socket => Ok(FileType::Socket),
        FileType::RegularFile => Ok(FileType::RegularFile),
        _ if mode & !0o7777 == 0 => Ok(FileType::RegularFile),
        _ => Err(Errno::PERM),
    }
}

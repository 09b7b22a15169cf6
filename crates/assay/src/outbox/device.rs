//! Writes to descriptors that the caller handed over, and to the few devices that keep nothing.

use anyhow::{Context, Result};
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, Stat, fcntl_setfl, fstat, major, minor, openat, statat},
    io::Errno,
};
use std::{
    ffi::OsStr,
    fs::File,
    io::Write,
    os::fd::{AsFd, OwnedFd, RawFd},
    path::Path,
};

/// Numbers of `/dev/null`, `/dev/full` and `/dev/tty`.
const DEVICES: [(u32, u32); 3] = [(1, 3), (1, 7), (5, 0)];

/// The descriptor that `path` means, e.g. `/dev/stdout`, or what a shell makes of `>(command)`.
pub(super) fn descriptor(path: &Path) -> Option<Result<OwnedFd>> {
    let number = number(path)?;
    let given = lab::programs::inherited_to_write(number);
    Some(given.with_context(|| format!("descriptor {number} is not open for writing")))
}

fn number(path: &Path) -> Option<RawFd> {
    match path.to_str()? {
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        text => {
            let mut folders = ["/dev/fd/", "/proc/self/fd/"].iter();
            folders.find_map(|folder| text.strip_prefix(folder))?.parse().ok()
        }
    }
}

/// Whether `name` in `dir` is such a device.
pub(super) fn is_at(dir: &OwnedFd, name: &OsStr) -> bool {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| is_device(&stat))
}

fn is_device(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice
        && DEVICES.contains(&(major(stat.st_rdev), minor(stat.st_rdev)))
}

/// Writes to the device `name` in `dir`; false when it is none.
pub(super) fn write_at(dir: &OwnedFd, name: &OsStr, bytes: &[u8]) -> Result<bool> {
    if !is_at(dir, name) {
        return Ok(false);
    }
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let opened = openat(dir, name, flags | OFlags::CLOEXEC, Mode::empty())?;
    if !is_device(&fstat(&opened)?) {
        return Err(Errno::STALE.into());
    }
    // Only the opening must not wait.
    fcntl_setfl(&opened, OFlags::empty())?;
    write(opened.as_fd().try_clone_to_owned()?, bytes)?;
    Ok(true)
}

/// Writes to `file`, which is neither emptied nor synced.
pub(super) fn write(file: OwnedFd, bytes: &[u8]) -> Result<()> {
    Ok(File::from(file).write_all(bytes)?)
}

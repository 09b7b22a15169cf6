//! Makes and removes the directories of assay. Only these are ever removed: the name starts with `assay-`, and a marker
//! file inside, which no other user may write, names their campaign. A removal goes from descriptor to descriptor, so
//! that it follows no link and enters no mount.

use crate::{
    error::LabError,
    mounts,
    ownership::{
        mark::{Mark, OURS},
        state,
    },
};
use disk::lock::Lock;
use rustix::{
    fs::{AtFlags, CWD, Dir, Mode, OFlags, ResolveFlags, fstat, openat, openat2, unlinkat},
    io::Errno,
};
use std::{
    ffi::{CStr, CString, OsStr},
    fs::{self, DirBuilder, File},
    io::{self, Read, Write},
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

const MARKER: &str = ".assay-private";
/// A marker is shorter, bytes.
const MARKER_BYTES: u64 = 64 << 10;

/// Returns true if `dir` has the name of a private directory.
pub(crate) fn is_named(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(OURS.as_bytes()))
}

/// Returns true if `path`, seen from inside a private directory, is its marker.
pub(crate) fn is_marker(path: &Path) -> bool {
    path == Path::new(MARKER)
}

/// Creates `dir`, which must not exist yet, and puts the marker into it. Nothing is left of it on an error.
pub(crate) fn create(dir: &Path, mark: &Mark) -> Result<(), LabError> {
    DirBuilder::new().mode(0o755).create(dir).map_err(LabError::io("create", dir))?;
    let marker = dir.join(MARKER);
    let written = write_marker(&marker, mark);
    if written.is_err() {
        // What stays is empty but for a torn marker, and the journal names it.
        let _ = fs::remove_file(&marker);
        let _ = fs::remove_dir(dir);
    }
    written.map_err(LabError::io("write", &marker))
}

/// Puts `mark` into the directory `dir`, which was just made.
pub(crate) fn put_marker(dir: &OwnedFd, mark: &Mark) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    write_mark(openat(dir, MARKER, flags, mode)?.into(), mark)
}

/// Removes the directory `name` in `parent`, which is open as `dir` and called `path`, with all that is in it.
///
/// # Errors
/// Something in it cannot be removed, or is mounted.
pub(crate) fn remove_held(
    parent: &OwnedFd,
    name: &OsStr,
    dir: &OwnedFd,
    path: &Path,
) -> Result<(), LabError> {
    empty(dir, path)?;
    match unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(LabError::errno("remove", path)(errno)),
    }
}

fn write_marker(marker: &Path, mark: &Mark) -> io::Result<()> {
    write_mark(File::options().write(true).create_new(true).mode(0o600).open(marker)?, mark)
}

fn write_mark(mut file: File, mark: &Mark) -> io::Result<()> {
    file.write_all(&[&serde_json::to_vec(mark)?[..], b"\n"].concat())?;
    // What is written next to it must not outlive it.
    file.sync_all()
}

/// The mark of `dir`; `None` when it is not a private directory.
pub(crate) fn mark_of(dir: &Path) -> Option<Mark> {
    let (_, dir) = open(dir).ok().flatten()?;
    marker(&dir).ok().flatten()
}

/// Marks the campaign whose directory `dir` is as running, until the lock is dropped; `None` when another
/// process holds it, or it has no marker.
pub(crate) fn hold(dir: &Path) -> Option<Lock> {
    let (_, opened) = open(dir).ok().flatten()?;
    Lock::take(open_marker(&opened).ok().flatten()?).ok().flatten()
}

/// Returns true if a running process holds `dir` by [`hold`].
pub(crate) fn is_held(dir: &Path) -> bool {
    let opened = open(dir).ok().flatten();
    let marker = opened.and_then(|(_, opened)| open_marker(&opened).ok().flatten());
    marker.is_some_and(is_locked)
}

/// Returns true if `dir` is there and carries `mark`, or is in a directory that does.
///
/// # Errors
/// It is there, and it is not ours.
pub(crate) fn is_left(dir: &Path, mark: &Mark) -> Result<bool, LabError> {
    let Some((_, opened)) = open(dir)? else { return Ok(false) };
    check_ours(dir, &opened, mark).map(|_| true)
}

/// Removes `dir` with its content. Returns true if it existed.
///
/// # Errors
/// It does not carry `mark` and is not empty, a running campaign uses it, or something is mounted inside.
pub(crate) fn remove(dir: &Path, mark: &Mark) -> Result<bool, LabError> {
    let Some((parent, opened)) = open(dir)? else { return Ok(false) };
    if let Some(mount_point) = mounts::below(dir)? {
        return Err(not_ours(dir, format!("{} is mounted", mount_point.display())));
    }
    if check_ours(dir, &opened, mark)? {
        empty(&opened, dir)?;
    } else {
        // Killed before its marker was whole.
        remove_entry(&opened, &CString::new(MARKER).unwrap_or_default(), dir)?;
    }
    let name = dir.file_name().unwrap_or_default();
    match unlinkat(&parent, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(errno) => Err(LabError::errno("remove", dir)(errno)),
    }
}

/// Returns true if the directory `opened`, called `dir`, has a whole marker of ours, of itself or of the directory
/// that it is in; false for one that is empty or has a torn marker alone.
fn check_ours(dir: &Path, opened: &OwnedFd, mark: &Mark) -> Result<bool, LabError> {
    let lacks = || not_ours(dir, format!("it lacks the marker {MARKER} of {}", mark.campaign));
    if !is_named(dir) {
        return Err(not_ours(dir, format!("its name does not start with {OURS}")));
    }
    if open_marker(opened)?.is_some_and(is_locked) {
        return Err(not_ours(dir, "a running campaign uses it".into()));
    }
    match marker(opened)? {
        Some(own) if own.is_of(mark) => return Ok(true),
        Some(_) => return Err(lacks()),
        None => {}
    }
    let above = dir.parent().and_then(mark_of);
    if above.is_some_and(|above| above.is_of(mark)) {
        return Ok(true);
    }
    let only_marker = names(opened, dir)?.iter().all(|name| name.to_bytes() == MARKER.as_bytes());
    if only_marker { Ok(false) } else { Err(lacks()) }
}

fn not_ours(dir: &Path, why: String) -> LabError {
    LabError::NotOurs { path: dir.into(), why }
}

/// Opens `dir` and the directory in which it is, without following a link; `None` when it is not there.
fn open(dir: &Path) -> Result<Option<(OwnedFd, OwnedFd)>, LabError> {
    let parent = dir.parent().unwrap_or(Path::new("/"));
    let (Some(name), true) = (dir.file_name(), crate::ownership::mark::is_straight(dir)) else {
        return Err(not_ours(dir, "it is not an absolute path".into()));
    };
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let no_links = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let above = match openat2(CWD, parent, flags | OFlags::PATH, Mode::empty(), no_links) {
        // A kernel or a sandbox that does not know the call.
        Err(Errno::NOSYS | Errno::PERM)
            if parent.canonicalize().is_ok_and(|real| real == parent) =>
        {
            openat(CWD, parent, flags | OFlags::PATH, Mode::empty())
        }
        opened => opened,
    };
    let opened = above.and_then(|above| Ok((openat(&above, name, flags, Mode::empty())?, above)));
    match opened {
        Ok((opened, above)) => Ok(Some((above, opened))),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR) => {
            Err(not_ours(dir, "it is not a directory, or is reached through a link".into()))
        }
        Err(errno) => Err(LabError::errno("look at", dir)(errno)),
    }
}

/// Opens the marker file in `dir` if no other user can have written it.
fn open_marker(dir: &OwnedFd) -> Result<Option<File>, LabError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = openat(dir, MARKER, flags, Mode::empty()) else { return Ok(None) };
    let stat = fstat(&file).map_err(LabError::errno("look at", Path::new(MARKER)))?;
    Ok(state::check_file(Path::new(MARKER), &stat).is_ok().then(|| file.into()))
}

fn marker(dir: &OwnedFd) -> Result<Option<Mark>, LabError> {
    let Some(file) = open_marker(dir)? else { return Ok(None) };
    let mut text = Vec::new();
    file.take(MARKER_BYTES)
        .read_to_end(&mut text)
        .map_err(LabError::io("read", Path::new(MARKER)))?;
    Ok(serde_json::from_slice(&text).ok())
}

fn is_locked(marker: File) -> bool {
    matches!(Lock::take_from_the_dead(marker), Ok(None))
}

/// Removes all that is in `dir`, which is called `path`.
fn empty(dir: &OwnedFd, path: &Path) -> Result<(), LabError> {
    // The marker last: what is left after a kill is still known as ours.
    let (markers, others): (Vec<_>, Vec<_>) =
        names(dir, path)?.into_iter().partition(|name| name.to_bytes() == MARKER.as_bytes());
    others.iter().chain(&markers).try_for_each(|name| remove_entry(dir, name, path))
}

fn remove_entry(dir: &OwnedFd, name: &CStr, path: &Path) -> Result<(), LabError> {
    let path = path.join(name.to_string_lossy().as_ref());
    let failed = |errno| LabError::errno("remove", &path)(errno);
    match unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        // A directory, by the word of Linux and by that of POSIX.
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(errno) => return Err(failed(errno)),
    }
    match enter(dir, name) {
        Err(Errno::XDEV) => return Err(not_ours(&path, "something is mounted there".into())),
        entered => empty(&entered.map_err(failed)?, &path)?,
    }
    unlinkat(dir, name, AtFlags::REMOVEDIR).map_err(failed)
}

/// Opens the directory `name` in `dir`: `XDEV` when something is mounted there.
fn enter(dir: &OwnedFd, name: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    match openat2(dir, name, flags, Mode::empty(), inside) {
        Err(Errno::NOSYS | Errno::PERM) => {
            let entered = openat(dir, name, flags, Mode::empty())?;
            let same = fstat(&entered)?.st_dev == fstat(dir)?.st_dev;
            if same { Ok(entered) } else { Err(Errno::XDEV) }
        }
        opened => opened,
    }
}

fn names(dir: &OwnedFd, path: &Path) -> Result<Vec<CString>, LabError> {
    let list = || -> rustix::io::Result<Vec<CString>> {
        let names = Dir::read_from(dir)?.map(|entry| Ok(entry?.file_name().to_owned()));
        let names: rustix::io::Result<Vec<CString>> = names.collect();
        Ok(names?.into_iter().filter(|name| !matches!(name.to_bytes(), b"." | b"..")).collect())
    };
    list().map_err(LabError::errno("list", path))
}

/// Allocated bytes of all files below `dir`.
pub(crate) fn used_bytes(dir: &Path) -> Result<u64, LabError> {
    use std::os::unix::fs::MetadataExt;
    let mut sum = 0;
    for file in files(dir)? {
        sum += fs::symlink_metadata(&file).map_err(LabError::io("look at", &file))?.blocks() * 512;
    }
    Ok(sum)
}

/// Every regular file below `dir`.
pub(crate) fn files(dir: &Path) -> Result<Vec<PathBuf>, LabError> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).map_err(LabError::io("list", &dir))? {
            let entry = entry.map_err(LabError::io("list", &dir))?;
            let kind = entry.file_type().map_err(LabError::io("look at", &dir))?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;

//! Replaces a file atomically: writes a temporary file next to it, then renames it.
//!
//! The new file is made with `O_EXCL`, written, synced and renamed. So a kill or a full disk leaves what was there as
//! it was, and what has the name by then is never written to, whatever it became.

use anyhow::{Context, Result, bail};
use rustix::{
    fs::{
        AtFlags, FileType, Mode, OFlags, RenameFlags, Stat, fchmod, fstat, openat, renameat,
        renameat_with, statat, unlinkat,
    },
    io::Errno,
    process::geteuid,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{Read, Write},
    os::fd::OwnedFd,
    path::Path,
};

/// Longer than any report: what is longer is something else.
const MOST_BYTES: u64 = 64 << 20;
/// Names that are tried for a file; if other processes take all of them, it fails.
const MOST_NAMES: u32 = 1000;

/// Has `fill` write `name` in `dir`, in place of a file of this user that may have the name.
pub(super) fn replace(
    dir: &OwnedFd,
    name: &OsStr,
    fill: &mut dyn FnMut(&mut File) -> Result<()>,
) -> Result<()> {
    let there = may_replace(dir, name)?;
    Ok(New::filled(dir, there, fill)?.take_name(name)?)
}

/// The same; what is there gets a name that is free, which is given, unless `is_replaced` by its bytes.
pub(super) fn replace_or_keep(
    dir: &OwnedFd,
    name: &OsStr,
    bytes: &[u8],
    is_replaced: impl FnOnce(&[u8]) -> bool,
) -> Result<Option<OsString>> {
    let there = may_replace(dir, name)?;
    let is_kept = there.is_some() && {
        let old = read(dir, name)?;
        old.is_none_or(|old| !old.is_empty() && !is_replaced(&old))
    };
    let new = New::write(dir, bytes, there)?;
    let kept = if is_kept { Some(set_aside(dir, name)?) } else { None };
    new.take_name(name)?;
    Ok(kept)
}

/// Writes `name` in `dir` when nothing has the name; tells whether that was so.
pub(super) fn make(dir: &OwnedFd, name: &OsStr, bytes: &[u8]) -> Result<bool> {
    if statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Ok(false);
    }
    Ok(New::write(dir, bytes, None)?.take_free_name(name)?)
}

/// The file `name` in `dir`, if it may be replaced; `None` if there is none.
///
/// # Errors
/// It is anything else than a regular file of this user with one name.
pub(super) fn may_replace(dir: &OwnedFd, name: &OsStr) -> Result<Option<Stat>> {
    let found = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        found => found?,
    };
    check(&found)?;
    Ok(Some(found))
}

fn check(stat: &Stat) -> Result<()> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Symlink => {
            bail!("it is a symbolic link; remove it, or pass its destination to --out")
        }
        FileType::Directory => bail!("it is a folder; name a file in it with --out"),
        _ => bail!("it is not a regular file; remove it, or name another file with --out"),
    }
    if stat.st_uid != geteuid().as_raw() {
        let user = stat.st_uid;
        bail!("it belongs to user {user}; remove it, or name another file with --out")
    }
    if stat.st_nlink != 1 {
        bail!("it has other hard links; remove it, or name another file with --out")
    }
    Ok(())
}

/// The bytes of the file `name` in `dir`; `None` when it is longer than a report, or cannot be read.
fn read(dir: &OwnedFd, name: &OsStr) -> Result<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let Ok(file) = openat(dir, name, flags | OFlags::CLOEXEC, Mode::empty()) else {
        return Ok(None);
    };
    let found = fstat(&file)?;
    check(&found)?;
    let mut bytes = Vec::new();
    let file = File::from(file);
    let is_read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes).is_ok();
    Ok((is_read && bytes.len() as u64 <= MOST_BYTES).then_some(bytes))
}

/// Gives the file `name` the first free name such as `report.1.html`.
fn set_aside(dir: &OwnedFd, name: &OsStr) -> Result<OsString> {
    let path = Path::new(name);
    let stem = path.file_stem().unwrap_or_default();
    let spare = |number: u32| {
        let mut spare = stem.to_owned();
        spare.push(format!(".{number}"));
        path.extension().into_iter().for_each(|end| {
            spare.push(".");
            spare.push(end);
        });
        spare
    };
    for spare in (1..=MOST_NAMES).map(spare) {
        if rename_free(dir, name, &spare)? {
            return Ok(spare);
        }
    }
    bail!("it holds another report, and {MOST_NAMES} such files are already kept; remove some")
}

/// Renames unless something is called `to`; tells whether that was so.
fn rename_free(dir: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<bool, Errno> {
    match renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        // Some file systems, NFS among them, cannot do both in one step.
        Err(Errno::INVAL | Errno::NOSYS) => match statat(dir, to, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => renameat(dir, from, dir, to).map(|()| true),
            found => found.map(|_| false),
        },
        Err(error) => Err(error),
    }
}

/// A file that has no name of its own yet; it is removed unless it gets one.
struct New<'a> {
    dir: &'a OwnedFd,
    name: Option<String>,
}

impl New<'_> {
    /// Writes `bytes` as one.
    fn write<'a>(dir: &'a OwnedFd, bytes: &[u8], old: Option<Stat>) -> Result<New<'a>> {
        New::filled(dir, old, &mut |file| Ok(file.write_all(bytes)?))
    }

    /// Has `fill` write one. It is as open to others as the umask says, and no more than `old`, which it is to replace.
    fn filled<'a>(
        dir: &'a OwnedFd,
        old: Option<Stat>,
        fill: &mut dyn FnMut(&mut File) -> Result<()>,
    ) -> Result<New<'a>> {
        let (new, file) = New::make(dir).context("cannot create a file in its folder")?;
        let mode = fstat(&file)?.st_mode & old.map_or(0o777, |old| old.st_mode) & 0o777;
        fchmod(&file, Mode::from_raw_mode(mode))?;
        let mut file = File::from(file);
        fill(&mut file)?;
        file.sync_all()?;
        Ok(new)
    }

    fn make(dir: &OwnedFd) -> Result<(New<'_>, OwnedFd), Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::from_raw_mode(0o666);
        for number in 0..MOST_NAMES {
            let name = format!(".assay-{}-{number}", std::process::id());
            match openat(dir, &name, flags | OFlags::CLOEXEC, mode) {
                Err(Errno::EXIST) => {}
                made => return Ok((New { dir, name: Some(name) }, made?)),
            }
        }
        Err(Errno::EXIST)
    }

    fn take_name(mut self, to: &OsStr) -> Result<(), Errno> {
        let Some(name) = &self.name else { return Ok(()) };
        renameat(self.dir, name, self.dir, to)?;
        self.name = None;
        Ok(())
    }

    /// The same unless something has the name; tells whether that was so.
    fn take_free_name(mut self, to: &OsStr) -> Result<bool, Errno> {
        let Some(name) = &self.name else { return Ok(false) };
        let taken = rename_free(self.dir, name.as_ref(), to)?;
        if taken {
            self.name = None;
        }
        Ok(taken)
    }
}

impl Drop for New<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = unlinkat(self.dir, name, AtFlags::empty());
        }
    }
}

//! Writes every file that the program makes for its user: reports, exports, manual pages, plan files.
//!
//! The folder in which a file is to be made may be a stranger's, or hold what a stranger put there. So no link is
//! followed that another user could have made ([`crate::walk`]), only regular files of this user are replaced, and a
//! file appears under its name by a rename, whole ([`replace`]). What has a name in `/dev` of its own, e.g. the
//! standard output and the terminal, is written to as it is ([`device`]).

mod device;
mod replace;

use crate::walk;
use anyhow::{Context, Result, anyhow, bail};
use model::text::{Name, NameKind};
use rustix::{
    fs::{Access, AtFlags, Mode, OFlags, Stat, accessat, fstat, openat, statat, unlinkat},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::Write,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// A folder for exported files. The user names the folder; the names of the files come from campaigns, which may be a
/// stranger's.
pub struct Outbox {
    path: PathBuf,
    dir: OwnedFd,
}

impl Outbox {
    /// Opens the folder at `path`; makes it when it is missing.
    ///
    /// # Errors
    /// Another user could have made a link on the way, or the folder cannot be made.
    pub fn open(path: &Path) -> Result<Outbox> {
        Ok(Outbox { path: path.into(), dir: walk::folder(path, walk::Missing::Make)? })
    }

    /// Writes the file `name`, which may be in folders below this one; gives its path.
    ///
    /// # Errors
    /// A part of `name` is not a plain name, something other than a file of this user has the name, or it cannot be
    /// written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        self.fill(name, &mut |file| Ok(file.write_all(bytes)?))
    }

    /// The same, of what `fill` writes.
    ///
    /// # Errors
    /// As of [`Outbox::write`]; the error of `fill`.
    pub fn fill(
        &self,
        name: &str,
        fill: &mut dyn FnMut(&mut File) -> Result<()>,
    ) -> Result<PathBuf> {
        let (mut path, mut dir) = (self.path.clone(), self.dir.try_clone()?);
        let (folders, file) = name.rsplit_once('/').map_or((None, name), |(f, n)| (Some(f), n));
        for folder in folders.into_iter().flat_map(|folders| folders.split('/')) {
            path.push(checked(folder)?);
            dir = walk::below(&dir, OsStr::new(folder), walk::Missing::Make)
                .with_context(|| format!("cannot create {}", path.display()))?;
        }
        path.push(checked(file)?);
        replace::replace(&dir, OsStr::new(file), fill).with_context(|| cannot_write(&path))?;
        Ok(path)
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

fn checked(part: &str) -> Result<&str> {
    Name::new(NameKind::Id, part).map(|_| part).map_err(|why| anyhow!("invalid file name: {why}"))
}

/// One file that the user named.
#[derive(Debug)]
pub struct OutFile {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A name in a folder that is open.
    Named { dir: OwnedFd, name: OsString },
    /// A descriptor that the caller handed over, by a path such as `/dev/stdout`.
    Inherited(OwnedFd),
}

impl OutFile {
    /// Finds the file at `path`, and whether it may be written. Makes and changes nothing.
    ///
    /// # Errors
    /// Its folder is missing or cannot be written, another user could have made a link on the way, or something else
    /// than a file of this user has the name.
    pub fn at(path: &Path) -> Result<OutFile> {
        let place = Place::of(path).with_context(|| cannot_write(path))?;
        Ok(OutFile { path: path.into(), place })
    }

    /// Writes it. What is there stays under another name, which is given, unless `is_replaced` says of its bytes that
    /// it is not needed any more.
    ///
    /// # Errors
    /// It cannot be written; then what is there is unchanged.
    pub fn write(
        &self,
        bytes: &[u8],
        is_replaced: impl FnOnce(&[u8]) -> bool,
    ) -> Result<Option<PathBuf>> {
        let kept = self.put(bytes, is_replaced).with_context(|| cannot_write(&self.path))?;
        Ok(kept.map(|name| self.path.with_file_name(name)))
    }

    fn put(
        &self,
        bytes: &[u8],
        is_replaced: impl FnOnce(&[u8]) -> bool,
    ) -> Result<Option<OsString>> {
        match &self.place {
            Place::Inherited(file) => device::write(file.try_clone()?, bytes).map(|()| None),
            Place::Named { dir, name } => match device::write_at(dir, name, bytes)? {
                true => Ok(None),
                false => replace::replace_or_keep(dir, name, bytes, is_replaced),
            },
        }
    }
}

/// Writes the file at `path` unless something has its name; tells whether that was so.
///
/// # Errors
/// As of [`OutFile::at`] and [`OutFile::write`].
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<bool> {
    let make = || {
        let (dir, name) = folder_of(path)?;
        replace::make(&dir, name, bytes)
    };
    make().with_context(|| cannot_write(path))
}

/// Creates the file at `path`, which only this user may read, for what is written bit by bit; `None` where something
/// has its name.
///
/// # Errors
/// As of [`OutFile::at`].
pub fn open_new(path: &Path) -> Result<Option<File>> {
    let make = || -> Result<Option<File>> {
        let (dir, name) = folder_of(path)?;
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&dir, name, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => Ok(Some(File::from(file))),
            Err(Errno::EXIST) => Ok(None),
            Err(error) => Err(error.into()),
        }
    };
    make().with_context(|| cannot_write(path))
}

/// Removes the file at `path` where it is still `made`, which came to nothing.
pub fn discard(path: &Path, made: &File) {
    let Ok((dir, name)) = folder_of(path) else { return };
    let there = statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW);
    let same = |there: Stat| {
        fstat(made).is_ok_and(|m| (m.st_dev, m.st_ino) == (there.st_dev, there.st_ino))
    };
    if there.is_ok_and(same) {
        let _ = unlinkat(&dir, name, AtFlags::empty());
    }
}

/// The folder of `path`, open, and the name of the file in it.
fn folder_of(path: &Path) -> Result<(OwnedFd, &OsStr)> {
    let Some(name) = path.file_name() else {
        bail!("it is a folder; name a file in it");
    };
    Ok((walk::folder(path.parent().unwrap_or(Path::new("")), walk::Missing::Refuse)?, name))
}

impl Place {
    fn of(path: &Path) -> Result<Place> {
        if let Some(descriptor) = device::descriptor(path) {
            return Ok(Place::Inherited(descriptor?));
        }
        let (dir, name) = folder_of(path)?;
        if device::is_at(&dir, name) {
            return Ok(Place::Named { dir, name: name.into() });
        }
        replace::may_replace(&dir, name)?;
        accessat(&dir, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
            .or_else(|error| if error == Errno::NOSYS { Ok(()) } else { Err(error) })
            .context("cannot create a file in its folder")?;
        Ok(Place::Named { dir, name: name.into() })
    }
}

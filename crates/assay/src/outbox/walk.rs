//! Opens the folder of a path part by part, and follows only links that nobody else could have made.
//!
//! A link is followed where only this user and root can change the folder that it is in, or where it is their own in a
//! folder that keeps everybody's names, as `/tmp` does. Below a folder that another user can change no link is
//! followed: there a path leads where its names say, as by `openat2` with `RESOLVE_NO_SYMLINKS`, on any kernel.

use anyhow::{Context, Result, bail};
use rustix::{
    fs::{
        AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, readlinkat, stat,
        statat,
    },
    io::Errno,
    process::geteuid,
};
use std::{
    env,
    ffi::{OsStr, OsString},
    os::{fd::OwnedFd, unix::ffi::OsStringExt},
    path::{Component, Path, PathBuf},
};

/// As many links as the kernel follows.
const MOST_LINKS: u32 = 40;

/// What becomes of folders that are missing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Make,
    Refuse,
}

/// The folder at `path`.
pub(super) fn folder(path: &Path, missing: Missing) -> Result<OwnedFd> {
    let mut walk = Walk { at: open(CWD, ".")?, others: Others::here(), links: 0, missing };
    walk.along(path)?;
    Ok(walk.at)
}

/// The folder `name`, one part of a path, in `dir`; no link is followed.
pub(super) fn below(dir: &OwnedFd, name: &OsStr, missing: Missing) -> Result<OwnedFd> {
    let others = Others::Change;
    let mut walk = Walk { at: dir.try_clone()?, others, links: 0, missing };
    walk.enter(name, Path::new(name))?;
    Ok(walk.at)
}

fn open(at: impl std::os::fd::AsFd, name: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, name, flags, Mode::empty())
}

/// What users other than this one and root can do in a folder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Others {
    Nothing,
    /// Make names, and neither remove nor exchange those of others.
    Add,
    Change,
}

impl Others {
    /// In the working directory.
    fn here() -> Others {
        let Ok(here) = env::current_dir() else { return Others::Change };
        let each = here.ancestors().map(|above| stat(above).map_or(Others::Change, |s| of(&s)));
        let changed = each.clone().any(|others| others == Others::Change);
        if changed { Others::Change } else { stat(".").map_or(Others::Change, |s| of(&s)) }
    }
}

fn of(stat: &Stat) -> Others {
    // A group of the number of its user has that user alone, where distributions make users so.
    let own_group = !geteuid().is_root() && stat.st_gid == stat.st_uid;
    let writable = stat.st_mode & if own_group { 0o002 } else { 0o022 } != 0;
    let sticky = stat.st_mode & 0o1000 != 0;
    match () {
        () if !is_trusted(stat.st_uid) || writable && !sticky => Others::Change,
        () if writable => Others::Add,
        () => Others::Nothing,
    }
}

/// Whether `user` is this one, root, or who owns the root directory: in a container that may be another number.
fn is_trusted(user: u32) -> bool {
    user == geteuid().as_raw() || user == 0 || stat("/").is_ok_and(|root| root.st_uid == user)
}

struct Walk {
    at: OwnedFd,
    others: Others,
    links: u32,
    missing: Missing,
}

impl Walk {
    fn along(&mut self, path: &Path) -> Result<()> {
        let mut shown = PathBuf::new();
        for part in path.components() {
            shown.push(part);
            match part {
                Component::RootDir => self.go(open(CWD, "/")?, true)?,
                Component::ParentDir => self.go(open(&self.at, "..")?, false)?,
                Component::Normal(name) => self.enter(name, &shown)?,
                Component::CurDir | Component::Prefix(_) => {}
            }
        }
        Ok(())
    }

    fn go(&mut self, next: OwnedFd, is_root: bool) -> Result<()> {
        let others = of(&fstat(&next)?);
        // Who can change a folder can exchange all that is below it.
        let stays = self.others == Others::Change && !is_root;
        self.others = if stays { Others::Change } else { others };
        self.at = next;
        Ok(())
    }

    fn enter(&mut self, name: &OsStr, shown: &Path) -> Result<()> {
        let what = || format!("cannot open the folder {}", shown.display());
        if self.missing == Missing::Make {
            match mkdirat(&self.at, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error).with_context(what),
            }
        }
        let found = statat(&self.at, name, AtFlags::SYMLINK_NOFOLLOW).with_context(what)?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Symlink => self.follow(name, &found, shown),
            _ => self.go(open(&self.at, name).with_context(what)?, false),
        }
    }

    fn follow(&mut self, name: &OsStr, link: &Stat, shown: &Path) -> Result<()> {
        let is_own = match self.others {
            Others::Nothing => true,
            Others::Add => is_trusted(link.st_uid),
            Others::Change => false,
        };
        if !is_own {
            bail!(
                "{} is a symbolic link in a folder that another user can change; name the folder to which it leads",
                shown.display()
            );
        }
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(Errno::LOOP).with_context(|| format!("cannot follow {}", shown.display()));
        }
        let to = readlinkat(&self.at, name, Vec::new())?;
        self.along(Path::new(&OsString::from_vec(to.into_bytes())))
    }
}

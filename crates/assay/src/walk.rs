//! Opens the folder of a path part by part, and follows only links that no other user could have made.
//!
//! A link is followed where only this user and root can change the folder that it is in, or where it is their own in a
//! folder with the sticky bit, e.g. `/tmp`. Below a folder that another user can change no link is followed: there a
//! path leads where its names say, as by `openat2` with `RESOLVE_NO_SYMLINKS`, on any kernel.

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
pub enum Missing {
    /// They are made.
    Make,
    /// They are an error.
    Refuse,
}

/// The folder at `path`.
pub fn folder(path: &Path, missing: Missing) -> Result<OwnedFd> {
    let mut walk = Walk::from_here(missing)?;
    walk.along(path)?;
    Ok(walk.at)
}

/// The path of the file or folder at `path`, which may be missing, with no link in it.
///
/// # Errors
/// Another user could have made a link that is on the way, or the file itself.
pub fn real(path: &Path) -> Result<PathBuf> {
    let mut walk = Walk::from_here(Missing::Refuse)?;
    match walk.to(path) {
        Ok(name) => Ok(walk.path.join(name)),
        // Missing or inaccessible parts are reported by the code that opens them, if any.
        Err(error) if error.downcast_ref::<Errno>().is_some() => Ok(path.into()),
        Err(error) => Err(error),
    }
}

/// The folder `name`, one part of a path, in `dir`; no link is followed.
pub fn below(dir: &OwnedFd, name: &OsStr, missing: Missing) -> Result<OwnedFd> {
    let (others, path) = (Others::Change, PathBuf::new());
    let mut walk = Walk { at: dir.try_clone()?, path, others, links: 0, missing };
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
    /// The path of `at`, with no link in it.
    path: PathBuf,
    others: Others,
    links: u32,
    missing: Missing,
}

impl Walk {
    fn from_here(missing: Missing) -> Result<Walk> {
        let path = env::current_dir().unwrap_or_default();
        Ok(Walk { at: open(CWD, ".")?, path, others: Others::here(), links: 0, missing })
    }

    /// To the folder of the file at `path`; gives the name of the file there.
    fn to(&mut self, path: &Path) -> Result<OsString> {
        let Some(name) = path.file_name() else {
            self.along(path)?;
            return Ok(OsString::new());
        };
        self.along(path.parent().unwrap_or(Path::new("")))?;
        match statat(&self.at, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::Symlink => {
                let to = self.target(name, &found, path)?;
                self.to(&to)
            }
            Ok(_) | Err(Errno::NOENT) => Ok(name.into()),
            Err(error) => Err(error.into()),
        }
    }

    fn along(&mut self, path: &Path) -> Result<()> {
        let mut shown = PathBuf::new();
        for part in path.components() {
            shown.push(part);
            match part {
                Component::RootDir => {
                    self.go(open(CWD, "/")?, true)?;
                    self.path = "/".into();
                }
                Component::ParentDir => {
                    self.go(open(&self.at, "..")?, false)?;
                    self.path.pop();
                }
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
            FileType::Symlink => {
                let to = self.target(name, &found, shown)?;
                self.along(&to)
            }
            _ => {
                self.go(open(&self.at, name).with_context(what)?, false)?;
                self.path.push(name);
                Ok(())
            }
        }
    }

    /// Where the link `name`, which was `found`, leads, if it may be followed.
    fn target(&mut self, name: &OsStr, link: &Stat, shown: &Path) -> Result<PathBuf> {
        let is_own = match self.others {
            Others::Nothing => true,
            Others::Add => is_trusted(link.st_uid),
            Others::Change => false,
        };
        if !is_own {
            bail!(
                "{} is a symbolic link in a folder that another user can change; pass its \
                 destination instead",
                shown.display()
            );
        }
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(Errno::LOOP).with_context(|| format!("cannot follow {}", shown.display()));
        }
        let to = readlinkat(&self.at, name, Vec::new())?;
        Ok(OsString::from_vec(to.into_bytes()).into())
    }
}

//! A folder into which files are exported. The user names the folder; the names of the files come from
//! campaigns, which somebody else may have written. So each file is made below a descriptor of the
//! folder, through no symbolic link, and replaces only a file that could be an earlier export.

use anyhow::{Context, Result, anyhow, bail};
use model::{Name, NameKind};
use rustix::{
    fs::{
        AtFlags, FileType, Mode, OFlags, ResolveFlags, fstat, ftruncate, mkdirat, open, openat,
        openat2, statat,
    },
    io::Errno,
    process::geteuid,
};
use std::{
    fs::File,
    io::Write,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

/// A folder that is open.
pub struct Outbox {
    path: PathBuf,
    dir: OwnedFd,
}

impl Outbox {
    /// The folder at `path`, made when it is missing. The user's own path may hold links.
    pub fn open(path: &Path) -> Result<Outbox> {
        std::fs::create_dir_all(path)
            .with_context(|| format!("cannot create {}", path.display()))?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = open(path, flags, Mode::empty())
            .with_context(|| format!("cannot open {}", path.display()))?;
        Ok(Outbox { path: path.into(), dir })
    }

    /// Writes the file `name`, which may stand in folders below this one; gives its path.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let (mut path, mut dir) = (self.path.clone(), self.dir.try_clone()?);
        let (folders, file) = name.rsplit_once('/').map_or((None, name), |(f, n)| (Some(f), n));
        for folder in folders.into_iter().flat_map(|folders| folders.split('/')) {
            path.push(checked(folder)?);
            dir = subfolder(dir.as_fd(), folder).map_err(failed("create", &path, &dir, folder))?;
        }
        path.push(checked(file)?);
        let made = create(dir.as_fd(), file).map_err(failed("write", &path, &dir, file))?;
        may_replace(&made).with_context(|| format!("cannot write {}", path.display()))?;
        ftruncate(&made, 0)
            .map_err(std::io::Error::from)
            .and_then(|()| File::from(made).write_all(bytes))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

fn checked(part: &str) -> Result<&str> {
    Name::new(NameKind::Id, part)
        .map(|_| part)
        .map_err(|why| anyhow!("no file is called so: {why}"))
}

fn subfolder(dir: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    match mkdirat(dir, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(error),
    }
    beneath(dir, name, OFlags::PATH | OFlags::DIRECTORY)
}

fn create(dir: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    // Not truncated yet: it may be another's. A pipe is not waited for.
    beneath(dir, name, OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK | OFlags::NOCTTY)
}

/// Opens `name`, one part of a path, in `dir`, and follows no link.
fn beneath(dir: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mode = if flags.contains(OFlags::CREATE) { 0o666 } else { 0 };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    match openat2(dir, name, flags, Mode::from_raw_mode(mode), resolve) {
        // Linux before 5.6, and filters that do not know the call; for one part this is the same.
        Err(Errno::NOSYS | Errno::PERM) => openat(dir, name, flags, Mode::from_raw_mode(mode)),
        opened => opened,
    }
}

/// Whether what is open is a file that an earlier export could have left.
fn may_replace(file: &OwnedFd) -> Result<()> {
    let stat = fstat(file)?;
    match () {
        () if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile => {
            bail!("it is not a regular file; remove it, or name another --out")
        }
        () if stat.st_nlink != 1 => {
            bail!("it has another name elsewhere, whose content would be lost; remove it")
        }
        () if stat.st_uid != geteuid().as_raw() => {
            bail!("it belongs to another user; remove it, or name another --out")
        }
        () => Ok(()),
    }
}

/// For `map_err`: what went wrong with `name` in `dir`, in words where a link is in the way.
fn failed<'a>(
    what: &'static str,
    path: &Path,
    dir: &'a OwnedFd,
    name: &'a str,
) -> impl FnOnce(Errno) -> anyhow::Error + 'a {
    let text = format!("cannot {what} {}", path.display());
    move |error| {
        let found = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
        let why = match found.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            Ok(FileType::Symlink) => "it is a symbolic link; remove it, or name another --out",
            Ok(FileType::Fifo | FileType::Socket) => "it is not a regular file; remove it",
            _ => return anyhow::Error::new(std::io::Error::from(error)).context(text),
        };
        anyhow!("{text}: {why}")
    }
}

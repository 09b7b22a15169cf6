//! Opens the state folder: the journals, mount points and images of campaigns that run. Its contents are obeyed, so no
//! other user may enter it (mode 0700), own it or replace it; its files have mode 0600, whatever the umask. It is
//! opened once, and accessed through its descriptor. A process that works in it holds a shared lock on the folder
//! itself, which survives the removal of any file in it.

use crate::error::LabError;
use rustix::{
    fs::{
        AtFlags, Dir, FlockOperation, Mode, OFlags, Stat, fchmod, flock, fstat, mkdirat, openat,
        unlinkat,
    },
    io::Errno,
    process::geteuid,
};
use std::{
    ffi::OsStr,
    fs::{self, DirBuilder, File},
    io,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::fs::{DirBuilderExt, PermissionsExt},
    },
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Mode of the folder and of every folder in it that this module makes.
const FOLDER: u32 = 0o700;
/// Mode of every file in it.
const FILE: u32 = 0o600;
/// Entries of a folder that is taken for a state folder and closed to others. Nothing else is: `/etc` or a home,
/// named by mistake, would be closed.
const OWN: [&str; 5] = ["journal", "mnt", "images", "assets", "key"];
/// Longest time to wait for another cleanup.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

/// A state folder, open and checked.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    folder: File,
    messages: Vec<String>,
}

impl Drop for State {
    fn drop(&mut self) {
        // Closing it is not enough, as with a `Lock`.
        let _ = flock(&self.folder, FlockOperation::Unlock);
    }
}

impl State {
    /// Opens the state folder `path`; makes it, with its parents, when it is not there. One that is open
    /// to others is closed to them, which [`State::told`] tells.
    ///
    /// # Errors
    /// It, or a folder above it, belongs to another user; it is a link, or holds other things than a
    /// state; it cannot be made.
    pub fn open(path: &Path) -> Result<State, LabError> {
        let full = std::path::absolute(path).map_err(LabError::io("find", path))?;
        if let Some(parent) = full.parent() {
            let mut builder = DirBuilder::new();
            builder
                .recursive(true)
                .mode(0o755)
                .create(parent)
                .map_err(LabError::io("create", parent))?;
        }
        match mkdirat(rustix::fs::CWD, &full, Mode::from_raw_mode(FOLDER)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(LabError::errno("create", &full)(errno)),
        }
        let path = real(&full)?;
        let (folder, found) =
            open_folder(rustix::fs::CWD, path.as_os_str(), &path, Tighten::State)?;
        let messages = found.map(|mode| {
            format!(
                "changed the mode of {} from {mode:04o} to {FOLDER:04o}, to close it to other \
                 users",
                path.display()
            )
        });
        Ok(State { path, folder, messages: messages.into_iter().collect() })
    }

    /// Like [`State::open`], for an existing folder and without changes to it; `None` if it does not exist.
    ///
    /// # Errors
    /// As for [`State::open`].
    pub(crate) fn look(path: &Path) -> Result<Option<State>, LabError> {
        let path = real(path)?;
        if fs::symlink_metadata(&path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let (folder, found) =
            open_folder(rustix::fs::CWD, path.as_os_str(), &path, Tighten::Never)?;
        let messages = found.map(|mode| {
            format!("would close {} to other users: its mode is {mode:04o}", path.display())
        });
        Ok(Some(State { path, folder, messages: messages.into_iter().collect() }))
    }

    /// Returns its path, with no link in it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the changes made to it when it was opened, a line each.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// The folder `name` in it, made when it is not there.
    ///
    /// # Errors
    /// It is not a folder of this user, or cannot be made.
    pub fn folder(&self, name: &str) -> Result<File, LabError> {
        let path = self.path.join(name);
        match mkdirat(&self.folder, name, Mode::from_raw_mode(FOLDER)) {
            Ok(()) | Err(Errno::EXIST) => {}
            // The state folder itself was removed while it was open.
            Err(Errno::NOENT) => return State::open(&self.path)?.folder(name),
            Err(errno) => return Err(LabError::errno("create", &path)(errno)),
        }
        Ok(open_folder(&self.folder, OsStr::new(name), &path, Tighten::Part)?.0)
    }

    /// The folder `name` in it when it is there; it is not changed.
    pub(crate) fn look_folder(&self, name: &str) -> Result<Option<File>, LabError> {
        let path = self.path.join(name);
        match open_folder(&self.folder, OsStr::new(name), &path, Tighten::Never) {
            Ok((folder, _)) => Ok(Some(folder)),
            Err(LabError::Disk(disk::Error::Io { source, .. }))
                if source.kind() == io::ErrorKind::NotFound =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Takes part in the work in it, until the state is dropped.
    ///
    /// # Errors
    /// A cleanup is at work in it and does not end.
    pub(crate) fn enter(&self) -> Result<(), LabError> {
        let start = Instant::now();
        while !lock(&self.folder, FlockOperation::NonBlockingLockShared) {
            if start.elapsed() > PATIENCE {
                let why = "a cleanup is running in it".into();
                return Err(LabError::Disk(disk::Error::StaysBusy {
                    path: self.path.clone(),
                    seconds: PATIENCE.as_secs(),
                    why,
                }));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Returns true if no other process works in it; then none starts to until the state is dropped.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(flock(&self.folder, FlockOperation::NonBlockingLockExclusive), Ok(()))
    }
}

/// Takes a lock; true also where the file system of the folder has none.
fn lock(folder: &File, kind: FlockOperation) -> bool {
    !matches!(flock(folder, kind), Err(Errno::WOULDBLOCK))
}

/// `path` with the links above its last name resolved, as far as it is there.
pub(crate) fn real(path: &Path) -> Result<PathBuf, LabError> {
    let full = std::path::absolute(path).map_err(LabError::io("find", path))?;
    let (Some(parent), Some(name)) = (full.parent(), full.file_name()) else {
        return Err(refused(&full, "cannot be used as a state folder; choose another".into()));
    };
    let parent = parent.canonicalize().unwrap_or_else(|_| parent.into());
    let path = parent.join(name);
    if path.to_str().is_none() {
        return Err(refused(&path, "is not UTF-8; choose another".into()));
    }
    check_above(&parent)?;
    Ok(path)
}

/// Refuses a folder that another user could replace: root obeys its content.
fn check_above(parent: &Path) -> Result<(), LabError> {
    if !geteuid().is_root() || !is_first_user_namespace() {
        return Ok(());
    }
    // The owner of the root directory rules the machine: in a guest that may be another number.
    let ruler = rustix::fs::stat("/").map_or(0, |stat| stat.st_uid);
    for above in parent.ancestors() {
        let Ok(stat) = rustix::fs::stat(above) else { continue };
        let shared = stat.st_mode & 0o022 != 0 && stat.st_mode & 0o1000 == 0;
        if ![0, ruler].contains(&stat.st_uid) || shared {
            let why = format!(
                "is not safe: {} belongs to user {} with mode {:04o}, who could replace it; \
                 choose a state folder in a path that only root can change",
                above.display(),
                stat.st_uid,
                stat.st_mode & 0o7777
            );
            return Err(refused(parent, why));
        }
    }
    Ok(())
}

/// In another one the owners of most files are unknown.
fn is_first_user_namespace() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

/// The handling of a folder whose mode is not 0700.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tighten {
    /// Nothing: it is looked at and not touched.
    Never,
    /// It is set, when the folder holds nothing but a state.
    State,
    /// It is set.
    Part,
}

/// Opens the folder `name` in `at`, which is called `path`, and checks owner and mode. Returns with it the
/// mode that it had, where that was not right.
fn open_folder(
    at: impl AsFd,
    name: &OsStr,
    path: &Path,
    tighten: Tighten,
) -> Result<(File, Option<u32>), LabError> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let failed = || LabError::errno("open", path);
    let handle = match openat(&at, name, flags | OFlags::PATH, Mode::empty()) {
        Err(Errno::NOTDIR | Errno::LOOP) => return Err(refused(path, "is not a folder".into())),
        opened => opened.map_err(failed())?,
    };
    let stat = fstat(&handle).map_err(failed())?;
    check_owner(path, &stat)?;
    let mode = stat.st_mode & 0o7777;
    // Nothing is to be read in what the umask of its maker has closed even to its owner.
    let wrong = mode & 0o7777 != FOLDER;
    if wrong && tighten == Tighten::State {
        let folder = openat(&handle, c".", flags, Mode::empty()).ok();
        if let Some(other) = folder.and_then(|folder| stranger(&folder)) {
            let why = format!(
                "has mode {mode:04o} and contains `{other}`, which does not belong to assay; \
                 choose a separate folder, or run chmod 700 on it"
            );
            return Err(refused(path, why));
        }
    }
    if wrong && tighten != Tighten::Never {
        // Of the descriptor, which was opened for no more than its name.
        let opened = format!("/proc/self/fd/{}", handle.as_raw_fd());
        let closed = fs::set_permissions(&opened, fs::Permissions::from_mode(FOLDER));
        closed.map_err(LabError::io("close to others", path))?;
    }
    let folder = openat(&handle, c".", flags, Mode::empty()).map_err(failed())?;
    Ok((folder.into(), wrong.then_some(mode)))
}

/// The first name in `folder` that no state folder has.
fn stranger(folder: &OwnedFd) -> Option<String> {
    let names = Dir::read_from(folder).ok()?.flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let own = |name: &str| {
        [".", ".."].contains(&name)
            || OWN.contains(&name)
            || name.starts_with(crate::ownership::mark::OURS)
    };
    names.into_iter().find(|name| !own(name))
}

fn check_owner(path: &Path, stat: &Stat) -> Result<(), LabError> {
    let (owner, user) = (stat.st_uid, geteuid().as_raw());
    if owner == user {
        return Ok(());
    }
    let why = format!("belongs to user {owner}, not to user {user}; choose another (--state)");
    Err(refused(path, why))
}

/// Opens the file `name` in the folder `at` for reading and appending; with `create` it is made when it is
/// not there.
///
/// # Errors
/// It is not a regular file of this user alone.
pub(crate) fn open_file(
    at: &File,
    name: &str,
    path: &Path,
    create: bool,
) -> Result<File, LabError> {
    let failed = || LabError::errno("open", path);
    // Without waiting for the other end of a pipe.
    let flags =
        OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mode = Mode::from_raw_mode(FILE);
    if create {
        match openat(at, name, flags | OFlags::CREATE | OFlags::EXCL, mode) {
            Ok(file) => {
                fchmod(&file, mode).map_err(LabError::errno("close to others", path))?;
                return Ok(file.into());
            }
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(failed()(errno)),
        }
    }
    let file = match openat(at, name, flags, Mode::empty()) {
        Err(Errno::LOOP) => {
            return Err(refused(path, "is a link and is ignored; remove it".into()));
        }
        opened => opened.map_err(failed())?,
    };
    check_file(path, &fstat(&file).map_err(failed())?)?;
    Ok(file.into())
}

/// Checks that it is a regular file that only this user can access.
pub(crate) fn check_file(path: &Path, stat: &Stat) -> Result<(), LabError> {
    let user = geteuid().as_raw();
    let mode = stat.st_mode & 0o7777;
    let what = if stat.st_mode & libc::S_IFMT != libc::S_IFREG {
        "is not a regular file".to_string()
    } else if stat.st_uid != user {
        format!("belongs to user {}, not to user {user}", stat.st_uid)
    } else if mode & 0o022 != 0 {
        format!("is writable by others (mode {mode:04o})")
    } else if stat.st_nlink > 1 {
        format!("has {} hard links", stat.st_nlink)
    } else {
        return Ok(());
    };
    Err(refused(path, format!("{what} and is ignored; find out who created it, then remove it")))
}

/// Removes the file `name` from the folder `at`; a missing file is not an error.
pub(crate) fn remove_file(at: &File, name: &str, path: &Path) -> Result<(), LabError> {
    match unlinkat(at, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(LabError::errno("remove", path)(errno)),
    }
}

fn refused(path: &Path, why: String) -> LabError {
    LabError::State { path: path.into(), why }
}

#[cfg(test)]
mod tests;

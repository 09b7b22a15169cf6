//! A user's directory as a target: held open from the start, with a private directory in it. Another user may own it,
//! or a parent of it, and move or replace its contents at any time. So root acts there only with that user's rights and
//! through the open directories; whatever currently has their names is inspected, but not used.

use crate::{
    error::LabError,
    mounts,
    ownership::{
        beneath,
        mark::Mark,
        private_dir,
        user::{self, acting},
    },
    page_cache::{Coldness, Residency, drop_caches, residency},
};
use model::plan::User;
use rustix::{
    fs::{AtFlags, CWD, Gid, Mode, StatxFlags, Uid, fchown, fstat, mkdirat, statx, syncfs},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

/// Others do not look at what is measured.
const PRIVATE: Mode = Mode::RWXU;

/// The directory that the user named.
#[derive(Debug)]
pub(crate) struct NamedDir {
    path: PathBuf,
    dir: OwnedFd,
    user: Option<User>,
}

/// A private directory in it.
#[derive(Debug)]
pub(crate) struct HeldDir {
    named: NamedDir,
    name: OsString,
    path: PathBuf,
    dir: OwnedFd,
}

/// Identity of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: (u32, u32),
    inode: u64,
    /// 0 on Linux before 5.8.
    mount: u64,
}

impl Identity {
    /// Returns true if `other` is the same directory of its file system, wherever and as which device that is
    /// mounted.
    pub(crate) fn is_same_file(&self, other: &Identity) -> bool {
        self.inode == other.inode
    }
}

impl NamedDir {
    /// Opens the directory that `path` leads to now; links in it are followed this once.
    ///
    /// # Errors
    /// There is no such directory.
    pub(crate) fn open(path: &Path) -> Result<NamedDir, LabError> {
        let bad = |why: String| LabError::BadDir { path: path.into(), why };
        let found =
            path.canonicalize().map_err(|error| bad(format!("{error}; create it first")))?;
        if !found.is_dir() {
            return Err(bad("it is not a directory".into()));
        }
        let mut way = beneath::way_to(&found).map_err(|error| bad(error.to_string()))?;
        let stats: Result<Vec<_>, Errno> = way.iter().map(fstat).collect();
        let stats = stats.map_err(LabError::errno("look at", &found))?;
        let mut mounts = mounts::all()?;
        mounts.retain(|mount| found.starts_with(&mount.mount_point));
        let user = disk::is_root().then(|| user::of_way(&stats, &mounts)).flatten();
        let dir = way.pop().ok_or_else(|| bad("it is not a directory".into()))?;
        Ok(NamedDir { path: found, dir, user })
    }

    /// Returns the path of its future private directory `name`.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes the private directory `name` in it, which carries `mark`.
    ///
    /// # Errors
    /// There is one, or the user may not make one.
    pub(crate) fn make(self, name: &str, mark: &Mark) -> Result<HeldDir, LabError> {
        let bad =
            |error: io::Error| LabError::BadDir { path: self.path.clone(), why: self.why(&error) };
        let path = self.join(name);
        let dir = self.make_private(name).map_err(bad)?;
        // Root's own where that can be, so that a cleanup believes it; a user's FUSE server forbids it.
        let marked = private_dir::put_marker(&dir, mark).or_else(|_| {
            acting(self.user, &path, || {
                private_dir::put_marker(&dir, mark).map_err(LabError::io("mark", &path))
            })
            .map_err(io::Error::other)
        });
        marked.map_err(bad)?;
        let held = HeldDir { name: name.into(), path, dir, named: self };
        held.check()?;
        Ok(held)
    }

    fn make_private(&self, name: &str) -> io::Result<OwnedFd> {
        let made = acting(self.user, &self.path, || {
            mkdirat(&self.dir, name, PRIVATE).map_err(LabError::errno("create", &self.path))
        });
        let given = match made {
            Err(LabError::Disk(disk::Error::Io { source, .. }))
                if self.is_roots_to_give(&source)? =>
            {
                mkdirat(&self.dir, name, PRIVATE)?;
                true
            }
            Err(LabError::Disk(disk::Error::Io { source, .. })) => return Err(source),
            Err(other) => return Err(io::Error::other(other.to_string())),
            Ok(()) => false,
        };
        let dir = beneath::open(self.dir.as_fd(), Path::new(name), beneath::DIR)?;
        if let (Some(user), true) = (self.user, given) {
            fchown(&dir, Some(Uid::from_raw(user.uid)), Some(Gid::from_raw(user.gid)))?;
        }
        // Not another one that was put in its place before it was opened.
        let owner = fstat(&dir)?.st_uid;
        let mine = self.user.is_none_or(|user| user.uid == owner);
        if mine && beneath::is_empty(dir.as_fd())? {
            return Ok(dir);
        }
        Err(io::Error::other("its contents are being replaced by another process"))
    }

    /// Returns true if root may make a directory here for the user who may not: no other user can put another one
    /// in its place.
    fn is_roots_to_give(&self, error: &io::Error) -> io::Result<bool> {
        let stat = fstat(&self.dir)?;
        let alone = stat.st_uid == 0 && stat.st_mode & 0o022 == 0;
        Ok(self.user.is_some() && alone && error.kind() == io::ErrorKind::PermissionDenied)
    }

    fn why(&self, error: &io::Error) -> String {
        match self.user {
            Some(user) => format!(
                "{error}; root works in it as user {}, who can change it or a parent: make it \
                 writable by that user and its parents searchable, or make root the only user who \
                 can change them",
                user.uid
            ),
            None => format!("{error}; make it writable by this user"),
        }
    }
}

impl HeldDir {
    /// The private directory at `path`, which this program has made on another host.
    ///
    /// # Errors
    /// There is none, or something else has its name.
    pub(crate) fn find(path: &Path) -> Result<HeldDir, LabError> {
        let bad = |why: String| LabError::BadDir { path: path.into(), why };
        let (Some(around), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(bad("it is not a private directory".into()));
        };
        let named = NamedDir::open(around)?;
        let dir = beneath::open(named.dir.as_fd(), Path::new(name), beneath::DIR);
        let dir =
            dir.map_err(|error| bad(format!("{error}; check that it exists on all hosts")))?;
        let held = HeldDir { name: name.into(), path: path.into(), dir, named };
        held.check()?;
        Ok(held)
    }

    /// Returns its identity.
    ///
    /// # Errors
    /// It cannot be looked at.
    pub(crate) fn identity(&self) -> Result<Identity, LabError> {
        let identity = identity(self.dir.as_fd(), c"", AtFlags::EMPTY_PATH);
        identity.map_err(LabError::errno("look at", &self.path))
    }

    /// In whose name work is done in it, when not in that of this process.
    pub(crate) fn user(&self) -> Option<User> {
        self.named.user
    }

    /// Makes sure that its name, and that of the directory around it, still lead to it.
    ///
    /// # Errors
    /// It was moved, replaced or mounted over.
    pub(crate) fn check(&self) -> Result<(), LabError> {
        let same = |path: &Path, dir: BorrowedFd<'_>, found: Result<Identity, Errno>| {
            let replaced = |why: String| LabError::DirReplaced { path: path.into(), why };
            let held = identity(dir, c"", AtFlags::EMPTY_PATH);
            let held = held.map_err(|error| replaced(format!("it is lost: {error}")))?;
            match found {
                Ok(found) if found == held => Ok(()),
                Ok(_) => Err(replaced("it was replaced by another directory".into())),
                Err(Errno::NOENT) => Err(replaced("it does not exist".into())),
                Err(error) => Err(replaced(format!("cannot read it: {error}"))),
            }
        };
        let look = AtFlags::SYMLINK_NOFOLLOW;
        let named = &self.named;
        same(&named.path, named.dir.as_fd(), identity(CWD, &named.path, look))?;
        same(&self.path, self.dir.as_fd(), identity(named.dir.as_fd(), &*self.name, look))?;
        match mounts::below(&self.path)? {
            None => Ok(()),
            Some(point) => {
                let why = format!("something is mounted at {}", point.display());
                Err(LabError::DirReplaced { path: self.path.clone(), why })
            }
        }
    }

    /// Writes back the file system that it is on.
    ///
    /// # Errors
    /// The file system fails.
    pub(crate) fn sync(&self) -> Result<(), LabError> {
        syncfs(&self.dir).map_err(LabError::errno("sync", &self.path))
    }

    /// Bytes that its files take.
    ///
    /// # Errors
    /// It cannot be looked through.
    pub(crate) fn used_bytes(&self) -> Result<u64, LabError> {
        Ok(self.files()?.iter().map(|file| file.allocated).sum())
    }

    /// Like [`drop_caches::forget_files`], for its own files.
    ///
    /// # Errors
    /// A file cannot be opened or written back.
    pub(crate) fn forget_files(&self) -> Result<Coldness, LabError> {
        self.sync()?;
        // The marker is root's, and nothing that is measured.
        let files = self.files()?.into_iter().filter(|found| !private_dir::is_marker(&found.path));
        for found in files {
            self.act(|dir| match beneath::still_there(beneath::open_file(dir, &found.path))? {
                Some(file) => drop_caches::forget(&file),
                None => Ok(()),
            })
            .map_err(LabError::io("drop from the page cache", &self.path.join(&found.path)))?;
        }
        drop_caches::drop_if_allowed()
    }

    /// Like [`residency()`], for files in it.
    ///
    /// # Errors
    /// One of them does not, or cannot be opened.
    pub(crate) fn residency(&self, files: &[PathBuf]) -> Result<Residency, LabError> {
        let mut sum = Residency::default();
        for path in files {
            let of =
                self.act(|dir| residency::of_open(&beneath::open_file(dir, self.inside(path)?)?));
            sum += of.map_err(LabError::io("find the residency of", path))?;
        }
        Ok(sum)
    }

    /// Opens the file `path`, which is in it.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) fn open(&self, path: &Path) -> Result<std::fs::File, LabError> {
        self.act(|dir| beneath::open_file(dir, self.inside(path)?))
            .map_err(LabError::io("open", path))
    }

    /// Makes the directory `path`, which is in it.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn make_dir(&self, path: &Path) -> Result<(), LabError> {
        self.act(|dir| beneath::make_dirs(dir, self.inside(path)?))
            .map_err(LabError::io("create", path))
    }

    /// Removes it, with all that is in it, if it is still where it was made. One that is not is left
    /// to its owner.
    ///
    /// # Errors
    /// Something in it cannot be removed.
    pub(crate) fn remove(&self) -> Result<(), LabError> {
        if let Err(LabError::DirReplaced { .. }) = self.check() {
            return Ok(());
        }
        let (parent, name) = (&self.named.dir, OsStr::new(&self.name));
        let remove = || private_dir::remove_held(parent, name, &self.dir, &self.path);
        match acting(self.user(), &self.path, remove) {
            // Where root made it for the user, the user may not remove it.
            Err(_) if self.user().is_some() => remove(),
            removed => removed,
        }
    }

    fn files(&self) -> Result<Vec<beneath::Found>, LabError> {
        self.act(beneath::files).map_err(LabError::io("list", &self.path))
    }

    /// `path` as seen from inside.
    fn inside<'p>(&self, path: &'p Path) -> io::Result<&'p Path> {
        path.strip_prefix(&self.path).map_err(io::Error::other)
    }

    /// Does `act` in it with the rights of its user.
    fn act<T>(&self, act: impl FnOnce(BorrowedFd<'_>) -> io::Result<T>) -> io::Result<T> {
        let act = || act(self.dir.as_fd()).map_err(LabError::io("work in", &self.path));
        acting(self.user(), &self.path, act).map_err(|error| match error {
            LabError::Disk(disk::Error::Io { source, .. }) => source,
            other => io::Error::other(other.to_string()),
        })
    }
}

fn identity(
    dir: BorrowedFd<'_>,
    path: impl rustix::path::Arg,
    flags: AtFlags,
) -> Result<Identity, Errno> {
    let mask = StatxFlags::INO | StatxFlags::MNT_ID;
    let found = statx(dir, path, flags, mask)?;
    let knows_mount = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::MNT_ID);
    Ok(Identity {
        device: (found.stx_dev_major, found.stx_dev_minor),
        inode: found.stx_ino,
        mount: if knows_mount { found.stx_mnt_id } else { 0 },
    })
}

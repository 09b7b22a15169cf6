//! Lock files: the holder of a lock works on the object that the file represents.

use rustix::{
    fs::{AtFlags, CWD, FlockOperation, flock, fstat, statat},
    path::Arg,
};
use std::{
    fs::{File, OpenOptions},
    io,
    ops::{Deref, DerefMut},
    os::{fd::AsFd, unix::fs::OpenOptionsExt},
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// The time a copy of a lock may outlive its process.
const COPY_OUTLIVES: Duration = Duration::from_secs(2);

/// A file that is locked until this is dropped. Closing it is not enough: a program that another thread
/// starts has a copy of every open file between its fork and its exec, and with it the lock.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// Locks `file` for this process alone; `None` when another one holds it.
    ///
    /// # Errors
    /// The kernel or the file system has no such locks.
    pub fn take(file: File) -> io::Result<Option<Lock>> {
        Lock::of(file, FlockOperation::NonBlockingLockExclusive)
    }

    /// The same, for who must know whether a process works with the file: a program that a killed one was starting
    /// has the lock until its exec, and udev has one on a device, each for a moment. `None` comes after two seconds.
    ///
    /// # Errors
    /// The kernel or the file system has no such locks.
    pub fn take_from_the_dead(file: File) -> io::Result<Option<Lock>> {
        let start = Instant::now();
        loop {
            let lock = Lock::take(file.try_clone()?)?;
            if lock.is_some() || start.elapsed() > COPY_OUTLIVES {
                return Ok(lock);
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Locks `file` shared with others; `None` if a process holds it exclusively.
    ///
    /// # Errors
    /// The kernel or the file system has no such locks.
    pub fn share(file: File) -> io::Result<Option<Lock>> {
        Lock::of(file, FlockOperation::NonBlockingLockShared)
    }

    fn of(file: File, kind: FlockOperation) -> io::Result<Option<Lock>> {
        match flock(&file, kind) {
            Ok(()) => Ok(Some(Lock(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Deref for Lock {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for Lock {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Where it fails the lock ends with the last copy.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// Opens `path`, made when it is not there, and locks it; `None` when another process holds it. A link is
/// not followed.
///
/// # Errors
/// It cannot be opened or locked.
pub fn exclusive(path: &Path) -> io::Result<Option<Lock>> {
    loop {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).custom_flags(libc::O_NOFOLLOW);
        let Some(file) = Lock::take(options.open(path)?)? else { return Ok(None) };
        // Another process may have finished and removed the file before it was locked here.
        if is_still(CWD, path, &file) {
            return Ok(Some(file));
        }
    }
}

/// Returns true if `name` in `folder` still is the open file. A link is not followed.
pub fn is_still(folder: impl AsFd, name: impl Arg, file: &File) -> bool {
    match (fstat(file), statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)) {
        (Ok(open), Ok(named)) => (open.st_dev, open.st_ino) == (named.st_dev, named.st_ino),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_freed_with_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = exclusive(&path).unwrap().unwrap();
        assert!(exclusive(&path).unwrap().is_none());
        drop(held);
        assert!(exclusive(&path).unwrap().is_some());
    }

    #[test]
    fn a_copy_in_a_program_that_starts_does_not_keep_a_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = exclusive(&path).unwrap().unwrap();
        let _copy = held.0.try_clone().unwrap();
        drop(held);
        assert!(exclusive(&path).unwrap().is_some());
    }

    #[test]
    fn a_copy_that_ends_soon_is_no_owner() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let copy = exclusive(&path).unwrap().unwrap();
        let file = || File::open(&path).unwrap();
        assert!(Lock::take(file()).unwrap().is_none());
        let ends = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            drop(copy);
        });
        let taken = Lock::take_from_the_dead(file()).unwrap();
        assert!(taken.is_some());
        assert!(Lock::take_from_the_dead(file()).unwrap().is_none(), "it has an owner");
        ends.join().unwrap();
    }

    #[test]
    fn a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("precious"), dir.path().join("lock"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(exclusive(&link).is_err());
        assert!(!target.exists());
    }
}

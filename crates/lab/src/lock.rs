//! Files that exist to be locked: whoever holds the lock works on what the file stands for.

use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

/// Opens `path`, made when it is not there, for reading and appending, and locks it until it is closed;
/// `None` when another process holds it. A link is not followed.
pub(crate) fn exclusive(path: &Path) -> io::Result<Option<File>> {
    loop {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).custom_flags(libc::O_NOFOLLOW);
        let file = options.open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
        // Another process may have finished and removed the file before it was locked here.
        if is_still(&file, path) {
            return Ok(Some(file));
        }
    }
}

fn is_still(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
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
    fn a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("precious"), dir.path().join("lock"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(exclusive(&link).is_err());
        assert!(!target.exists());
    }
}

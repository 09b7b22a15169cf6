//! Reads what a guest hands back, from the directory that it shares with this machine, held open. Its contents are
//! untrusted once it is handed over: each is read as a plain file with no other name, never followed as a link, and
//! never more of it than asked for.

use crate::{error::LabError, ownership::beneath};
use rustix::{
    fs::{AtFlags, Mode, OFlags, openat, statat, unlinkat},
    io::Errno,
};
use std::{
    fs::{File, Permissions},
    io::{self, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::{FileExt, MetadataExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

/// A directory that a guest may write to.
#[derive(Debug)]
pub struct Shared {
    dir: OwnedFd,
    path: PathBuf,
}

impl Shared {
    /// Holds the directory at `path`.
    ///
    /// # Errors
    /// It is none.
    pub fn open(path: &Path) -> Result<Shared, LabError> {
        let flags = beneath::DIR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = rustix::fs::open(path, flags, Mode::empty());
        Ok(Shared { dir: dir.map_err(LabError::errno("open", path))?, path: path.into() })
    }

    /// Writes `bytes` as the file `name`, in the place of whatever is there.
    ///
    /// # Errors
    /// The directory is not this user's, or full.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), LabError> {
        self.put(name, 0o644, |file| file.write_all(bytes))
    }

    /// At most `most` bytes of the file `name` from byte `from` on; `None` while it is not there.
    ///
    /// # Errors
    /// It is not a regular file, has another name too, or cannot be read.
    pub fn read(&self, name: &str, from: u64, most: usize) -> Result<Option<Vec<u8>>, LabError> {
        let read = || {
            let Some(file) = self.file(name)? else { return Ok(None) };
            let left = file.metadata()?.len().saturating_sub(from);
            let mut bytes = vec![0; usize::try_from(left).map_or(most, |left| left.min(most))];
            // One that was cut short meanwhile says less than it promised.
            let mut len = 0;
            while let n @ 1.. = file.read_at(&mut bytes[len..], from + len as u64)? {
                len += n;
            }
            bytes.truncate(len);
            Ok(Some(bytes))
        };
        read().map_err(LabError::io("read", &self.path.join(name)))
    }

    /// The last `most` bytes of the file `name`; nothing where there are none to be had.
    pub(super) fn last(&self, name: &str, most: usize) -> Vec<u8> {
        let len = self.file(name).ok().flatten().and_then(|file| Some(file.metadata().ok()?.len()));
        let from = len.unwrap_or(0).saturating_sub(most as u64);
        self.read(name, from, most).ok().flatten().unwrap_or_default()
    }

    /// Returns true if there is something called `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Makes the file `name` anew, with `mode`, and has `fill` write to it.
    pub(super) fn put(
        &self,
        name: &str,
        mode: u32,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), LabError> {
        let write = || {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            self.forget(name)?;
            let file =
                openat(&self.dir, name, flags | OFlags::CLOEXEC, Mode::from_raw_mode(0o600))?;
            let mut file = File::from(file);
            fill(&mut file)?;
            file.set_permissions(Permissions::from_mode(mode))
        };
        write().map_err(LabError::io("write", &self.path.join(name)))
    }

    /// Like [`Shared::put`], for a file that is executed.
    pub(super) fn put_script(&self, name: &str, text: &str) -> Result<(), LabError> {
        self.put(name, 0o755, |file| file.write_all(text.as_bytes()))
    }

    /// Removes what is called `name`.
    pub(super) fn forget(&self, name: &str) -> io::Result<()> {
        match unlinkat(&self.dir, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn file(&self, name: &str) -> io::Result<Option<File>> {
        let file = match beneath::open_file(self.dir.as_fd(), Path::new(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        match file.metadata()?.nlink() {
            1 => Ok(Some(file)),
            _ => Err(io::Error::other("it has other hard links and was not read")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    #[test]
    fn a_growing_file_is_read_in_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let shared = Shared::open(dir.path()).unwrap();
        assert_eq!(shared.read("reports", 0, 9).unwrap(), None);
        fs::write(dir.path().join("reports"), "0123456789").unwrap();
        assert_eq!(shared.read("reports", 0, 4).unwrap().unwrap(), b"0123");
        assert_eq!(shared.read("reports", 4, 400).unwrap().unwrap(), b"456789");
        assert_eq!(shared.read("reports", 44, 4).unwrap().unwrap(), b"");
        assert_eq!(shared.last("reports", 3), b"789");
    }

    #[test]
    fn only_plain_files_with_one_name_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let (shared, at) = (Shared::open(dir.path()).unwrap(), |name: &str| dir.path().join(name));
        fs::write(at("secret"), "precious").unwrap();
        symlink("secret", at("link")).unwrap();
        fs::hard_link(at("secret"), at("hard")).unwrap();
        fs::create_dir(at("dir")).unwrap();
        for name in ["link", "hard", "dir", "dir/../link", "/etc/hostname"] {
            assert!(shared.read(name, 0, 100).is_err(), "{name}");
            assert!(shared.last(name, 100).is_empty());
        }
        assert!(shared.has("link"));
    }

    #[test]
    fn a_put_file_replaces_a_link_and_not_its_target() {
        let dir = tempfile::tempdir().unwrap();
        let (shared, at) = (Shared::open(dir.path()).unwrap(), |name: &str| dir.path().join(name));
        fs::write(at("precious"), "precious").unwrap();
        symlink("precious", at("init")).unwrap();
        shared.put_script("init", "echo").unwrap();
        assert_eq!(fs::read_to_string(at("precious")).unwrap(), "precious");
        assert_eq!(fs::read_to_string(at("init")).unwrap(), "echo");
        assert_eq!(fs::metadata(at("init")).unwrap().mode() & 0o7777, 0o755);
    }
}

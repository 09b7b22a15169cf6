//! Reads assets next to the file of their suite. Another user may have written that suite: only regular files below
//! its folder are opened, whatever links are there.

use super::{AssetError, Fault, MOST_BYTES, copied};
use crate::inputs::{file, traces};
use model::workload::{Asset, AssetName};
use rustix::{
    fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2},
    io::Errno,
    process::geteuid,
};
use std::{
    fmt,
    fs::File,
    io,
    os::fd::{AsRawFd, OwnedFd},
    path::Path,
    sync::atomic::AtomicBool,
};

/// Links may lead to other files below the folder, and nowhere else.
const STAY: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// The folder of a suite, open: all that is read of the suite is read below this one folder, whatever takes its name
/// meanwhile.
pub(super) struct Folder<'s> {
    dir: OwnedFd,
    /// The file of the suite, as the plan names it.
    suite: &'s str,
}

/// A suite whose text was found in its folder.
pub(super) struct Author<'s> {
    folder: Folder<'s>,
    /// The user who wrote the text.
    user: u32,
}

impl<'s> Folder<'s> {
    /// Opens the folder of the file `suite`, as a place only.
    ///
    /// # Errors
    /// It is not a folder that can be entered.
    pub(super) fn of(suite: &'s str) -> io::Result<Folder<'s>> {
        let folder = Path::new(suite).parent().filter(|folder| !folder.as_os_str().is_empty());
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(CWD, folder.unwrap_or(Path::new(".")), flags, Mode::empty())?;
        Ok(Folder { dir, suite })
    }

    /// Finds who wrote `text`, which was read as the suite earlier: the folder may be another one now, with a suite of
    /// another user, and only the author of this very text may name assets in it. `None` if the suite in this folder
    /// has another text.
    ///
    /// # Errors
    /// The suite in this folder cannot be read.
    pub(super) fn author(self, text: &str) -> io::Result<Option<Author<'s>>> {
        let own = Path::new(self.suite).file_name().unwrap_or_default();
        let place = openat(&self.dir, own, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        let user = fstat(&place)?.st_uid;
        let path = format!("/proc/self/fd/{}", place.as_raw_fd());
        // A trace is the asset of a suite whose text follows from its name.
        let made = traces::is_trace(self.suite).then(|| traces::declaration(self.suite));
        let found = match made {
            Some(text) => text.map_err(io::Error::other)?,
            None => file::text(path)?,
        };
        Ok((found == text).then_some(Author { folder: self, user }))
    }

    /// Opens the asset `name`.
    ///
    /// # Errors
    /// It is not a regular file below the folder, or belongs to another user than that folder under another name, too.
    pub(super) fn asset(&self, name: &AssetName) -> io::Result<File> {
        // By its name alone first: opening some devices has side effects.
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let found = openat2(&self.dir, name.as_path(), flags, Mode::empty(), STAY);
        let found = found.map_err(|errno| explained(errno.into()))?;
        let (stat, owner) = (fstat(&found)?, fstat(&self.dir)?.st_uid);
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("it is not a regular file"));
        }
        if stat.st_nlink > 1 && stat.st_uid != owner {
            return Err(io::Error::other(
                "it has other names and belongs to another user than its folder",
            ));
        }
        File::open(format!("/proc/self/fd/{}", found.as_raw_fd()))
    }
}

impl Author<'_> {
    /// Returns the asset `name` with length and hash, read until `stop`.
    ///
    /// # Errors
    /// It cannot be opened or read, is longer than assets may be, or is not for the author of the suite to read.
    pub(super) fn look(&self, name: &AssetName, stop: &AtomicBool) -> Result<Asset, AssetError> {
        let suite = self.folder.suite;
        let wrong = |why: &dyn fmt::Display| AssetError::unusable(suite, name, why);
        let file = self.folder.asset(name).map_err(|why| wrong(&why))?;
        if !self.may_read(&file).map_err(|why| wrong(&why))? {
            return Err(AssetError::NotOfAuthor { suite: suite.into(), name: name.clone() });
        }
        match copied(&file, &mut io::sink(), MOST_BYTES.0 + 1, stop) {
            Ok((bytes, _)) if bytes > MOST_BYTES => Err(AssetError::TooLong { bytes }),
            Ok((bytes, sha256)) => {
                Ok(Asset { suite: suite.into(), name: name.clone(), bytes, sha256 })
            }
            Err(Fault::Stopped) => Err(AssetError::Stopped),
            Err(why) => Err(wrong(&why)),
        }
    }

    /// Returns whether `file` belongs to the author, or the author is the user who runs the suite. Otherwise commands
    /// of another user would read what only this user may, e.g. private files next to the suite in /tmp.
    fn may_read(&self, file: &File) -> io::Result<bool> {
        Ok(self.user == geteuid().as_raw() || self.user == fstat(file)?.st_uid)
    }
}

fn explained(error: io::Error) -> io::Error {
    match Errno::from_io_error(&error) {
        Some(Errno::XDEV | Errno::LOOP) => {
            io::Error::other("it leads out of the folder of the suite")
        }
        Some(Errno::NOSYS) => {
            io::Error::other("this kernel cannot keep to a folder (openat2, Linux 5.6)")
        }
        _ => error,
    }
}

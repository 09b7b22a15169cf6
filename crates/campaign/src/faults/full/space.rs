//! The calls of a program that fills a file system; a test has one that lies.

use super::super::{failed_write::number, mount::Mounted};
use rustix::fs::{fstatvfs, syncfs};
use std::{
    fs::{self, File},
    io,
    os::{fd::BorrowedFd, unix::fs::FileExt},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// The result of a call, or its error number.
pub(super) type Answer<T = ()> = Result<T, i32>;

/// A file system that is filled. All files are in its root.
pub(super) trait Space {
    /// An open file.
    type File;
    /// Opens `name`, which does not exist yet.
    fn create(&self, name: &str) -> Answer<Self::File>;
    /// Opens `name`.
    fn open(&self, name: &str) -> Answer<Self::File>;
    /// Writes at byte `at`, as one call: maybe fewer bytes than asked for. Returns how many.
    fn write(&self, file: &Self::File, at: u64, bytes: &[u8]) -> Answer<usize>;
    /// Syncs the file.
    fn sync(&self, file: &Self::File) -> Answer;
    /// Cuts the file.
    fn truncate(&self, file: &Self::File, bytes: u64) -> Answer;
    /// Closes the file.
    fn close(&self, file: Self::File) -> Answer;
    /// Bytes of a file.
    fn length(&self, name: &str) -> Answer<u64>;
    /// The whole of a file.
    fn read(&self, name: &str) -> Answer<Vec<u8>>;
    /// Renames `from`, over `to`.
    fn rename(&self, from: &str, to: &str) -> Answer;
    /// Makes a directory.
    fn mkdir(&self, name: &str) -> Answer;
    /// Deletes a file.
    fn unlink(&self, name: &str) -> Answer;
    /// Syncs the root directory.
    fn sync_dir(&self) -> Answer;
    /// Syncs the file system.
    fn sync_all(&self) -> Answer;
    /// Bytes that it says to be available.
    fn said_free(&self) -> Answer<u64>;
    /// Waits.
    fn pause(&self, time: Duration);
}

/// One that is mounted.
pub(super) struct MountedSpace<'a> {
    root: &'a Path,
    fd: BorrowedFd<'a>,
}

impl<'a> MountedSpace<'a> {
    /// That of `mounted`.
    pub(super) fn new(mounted: &'a Mounted) -> MountedSpace<'a> {
        MountedSpace { root: mounted.root(), fd: mounted.fd() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

fn said<T>(done: io::Result<T>) -> Answer<T> {
    done.map_err(|error| number(&error))
}

impl Space for MountedSpace<'_> {
    type File = File;

    fn create(&self, name: &str) -> Answer<File> {
        said(File::options().read(true).write(true).create_new(true).open(self.at(name)))
    }

    fn open(&self, name: &str) -> Answer<File> {
        said(File::options().read(true).write(true).open(self.at(name)))
    }

    fn write(&self, file: &File, at: u64, bytes: &[u8]) -> Answer<usize> {
        said(file.write_at(bytes, at))
    }

    fn sync(&self, file: &File) -> Answer {
        said(file.sync_all())
    }

    fn truncate(&self, file: &File, bytes: u64) -> Answer {
        said(file.set_len(bytes))
    }

    fn close(&self, file: File) -> Answer {
        said(engine::calls::close(file.into()).map_err(io::Error::from))
    }

    fn length(&self, name: &str) -> Answer<u64> {
        said(fs::metadata(self.at(name)).map(|about| about.len()))
    }

    fn read(&self, name: &str) -> Answer<Vec<u8>> {
        said(fs::read(self.at(name)))
    }

    fn rename(&self, from: &str, to: &str) -> Answer {
        said(fs::rename(self.at(from), self.at(to)))
    }

    fn mkdir(&self, name: &str) -> Answer {
        said(fs::create_dir(self.at(name)))
    }

    fn unlink(&self, name: &str) -> Answer {
        said(fs::remove_file(self.at(name)))
    }

    fn sync_dir(&self) -> Answer {
        // The descriptor of the mount is a path only, which cannot be synced.
        said(File::open(self.root).and_then(|root| root.sync_all()))
    }

    fn sync_all(&self) -> Answer {
        let synced = || syncfs(File::open(self.root)?).map_err(io::Error::from);
        said(synced())
    }

    fn said_free(&self) -> Answer<u64> {
        let about = fstatvfs(self.fd).map_err(io::Error::from);
        said(about.map(|about| about.f_bavail * about.f_frsize))
    }

    fn pause(&self, time: Duration) {
        thread::sleep(time);
    }
}

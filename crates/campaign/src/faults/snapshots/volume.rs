//! The calls of a program that keeps snapshots of a subvolume; a test has a file system that lies.

use super::super::mount::Mounted;
use ::faults::snapshots::name;
use lab::recording::btrfs::subvolumes;
use rustix::fs::{Advice, fadvise, fstatvfs, syncfs};
use std::{
    fs::{self, File},
    io::{self, Read as _},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// The subvolume whose files change.
const LIVE: &str = "live";

/// Where files are: in the snapshot with this number, or live.
pub(super) type Place = Option<u64>;

/// A file system with live files and snapshots of them.
pub(super) trait Volume {
    /// Writes `bytes` from byte `at` of a live file, which is made where it does not exist; synced if asked.
    fn write(&self, file: u64, at: u64, bytes: &[u8], is_synced: bool) -> io::Result<()>;
    /// Deletes a live file; the directory is synced if asked.
    fn delete(&self, file: u64, is_synced: bool) -> io::Result<()>;
    /// The names in a place.
    fn names(&self, place: Place) -> io::Result<Vec<String>>;
    /// The whole of a file, from the disk where nothing of it is to be written.
    fn read(&self, place: Place, file: u64) -> io::Result<Vec<u8>>;
    /// Makes the snapshot with this number.
    fn make(&self, number: u64) -> io::Result<()>;
    /// Drops the snapshot with this number.
    fn drop_one(&self, number: u64) -> io::Result<()>;
    /// Syncs all.
    fn sync(&self) -> io::Result<()>;
    /// Syncs all, and has it clean up what was dropped.
    fn clean(&self) -> io::Result<()>;
    /// Whether something that was dropped is not cleaned up yet.
    fn is_cleaning(&self) -> io::Result<bool>;
    /// Bytes in use, as it says.
    fn used_bytes(&self) -> io::Result<u64>;
    /// Waits.
    fn pause(&self, time: Duration);
}

/// A Btrfs that is mounted.
#[derive(Debug)]
pub(super) struct MountedVolume {
    path: PathBuf,
    root: File,
    live: File,
}

impl MountedVolume {
    /// An empty one on the fresh file system `mounted`.
    pub(super) fn make(mounted: &Mounted) -> io::Result<MountedVolume> {
        MountedVolume::make_in(mounted.root())
    }

    /// That of `mounted`.
    pub(super) fn open(mounted: &Mounted) -> io::Result<MountedVolume> {
        MountedVolume::open_in(mounted.root())
    }

    /// An empty one in the directory `path`.
    pub(super) fn make_in(path: &Path) -> io::Result<MountedVolume> {
        subvolumes::create(&File::open(path)?, LIVE)?;
        MountedVolume::open_in(path)
    }

    /// The one in the directory `path`.
    pub(super) fn open_in(path: &Path) -> io::Result<MountedVolume> {
        let (root, live) = (File::open(path)?, File::open(path.join(LIVE))?);
        Ok(MountedVolume { path: path.into(), root, live })
    }

    /// The numbers of the snapshots that are there.
    pub(super) fn snapshots(&self) -> io::Result<Vec<u64>> {
        let number = |name: &String| name.strip_prefix('s')?.parse().ok();
        Ok(names(&self.path)?.iter().filter_map(number).collect())
    }

    fn at(&self, place: Place) -> PathBuf {
        self.path.join(place.map_or_else(|| LIVE.into(), snapshot))
    }
}

fn snapshot(number: u64) -> String {
    format!("s{number}")
}

fn names(path: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into())).collect()
}

impl Volume for MountedVolume {
    fn write(&self, file: u64, at: u64, bytes: &[u8], is_synced: bool) -> io::Result<()> {
        let path = self.at(None).join(name(file));
        let file = File::options().write(true).create(true).truncate(false).open(path)?;
        file.write_all_at(bytes, at)?;
        if is_synced { file.sync_all() } else { Ok(()) }
    }

    fn delete(&self, file: u64, is_synced: bool) -> io::Result<()> {
        fs::remove_file(self.at(None).join(name(file)))?;
        if is_synced { self.live.sync_all() } else { Ok(()) }
    }

    fn names(&self, place: Place) -> io::Result<Vec<String>> {
        names(&self.at(place))
    }

    fn read(&self, place: Place, file: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.at(place).join(name(file)))?;
        fadvise(&file, 0, None, Advice::DontNeed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn make(&self, number: u64) -> io::Result<()> {
        Ok(subvolumes::snapshot(&self.root, &self.live, &snapshot(number))?)
    }

    fn drop_one(&self, number: u64) -> io::Result<()> {
        Ok(subvolumes::drop_one(&self.root, &snapshot(number))?)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(syncfs(&self.root)?)
    }

    fn clean(&self) -> io::Result<()> {
        Ok(subvolumes::sync(&self.root)?)
    }

    fn is_cleaning(&self) -> io::Result<bool> {
        Ok(subvolumes::is_cleaning(&self.root)?)
    }

    fn used_bytes(&self) -> io::Result<u64> {
        let about = fstatvfs(&self.root)?;
        Ok((about.f_blocks - about.f_bfree) * about.f_frsize)
    }

    fn pause(&self, time: Duration) {
        thread::sleep(time);
    }
}

//! Has the disk fail during an fsync, and observes which answers a program gets and what is left.

use super::{Mounted, RecordingDisk};
use crate::{
    error::LabError,
    page_cache::{drop_caches, extents, residency},
};
use faults::{
    failed_write::{
        self, Answer, BLOCK, BTRFS_SUPER_PLACE, Change, Failing, Found, Observed, Places, found,
        new_block, old_block,
    },
    log::Event,
};
use rustix::fs::{Advice, fadvise};
use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// Most that one observation writes, bytes.
const LOG_BYTES: usize = 64 << 20;
/// Set when the power is to go.
const CUT: u64 = 1;

/// The file system of a disk, and how it is mounted.
#[derive(Clone, Copy, Debug)]
pub struct On<'a> {
    /// The disk. It holds a file system that is not mounted.
    pub disk: &'a RecordingDisk,
    /// Its kind.
    pub fs: &'a str,
    /// Options of the mount.
    pub options: &'a str,
    /// A directory of [`Lab::make_mount_dir`](crate::setup::Lab::make_mount_dir).
    pub at: &'a Path,
}

/// Makes a file with old data, does `change`, and has `failing` fail once during the fsync. `None` where the file
/// system has no such thing. The disk keeps the state that the cut left.
///
/// # Errors
/// It cannot be mounted without a fault, or what is asked fails otherwise than by its answer.
pub fn fail_fsync(
    on: On<'_>,
    change: Change,
    failing: Failing,
) -> Result<Option<Observed>, LabError> {
    let path = on.at.join("file");
    let io = |what| LabError::io(what, &path);
    let before = on.mount()?;
    fs::write(&path, old_block()).map_err(io("write"))?;
    before.unmount()?;
    // A fresh mount: nothing of the old data is to be written any more once the disk fails.
    let mounted = on.mount()?;
    let file = File::options().read(true).write(true).open(&path);
    let fd1 = file.map_err(io("open"))?;
    let fd2 = File::open(&path).map_err(io("open"))?;
    on.disk.record(LOG_BYTES);
    let at = match change {
        Change::Overwrite => 0,
        Change::Append => BLOCK as u64,
    };
    let places = on.places(&fd1)?;
    fd1.write_all_at(&new_block(), at).map_err(io("write"))?;
    let Some(rules) = failed_write::rules(on.fs, failing, &places) else {
        on.disk.recorded()?;
        return Ok(None);
    };
    on.disk.inject(rules);
    let first = answer(fd1.sync_all());
    let [second, third, again] = [answer(fd2.sync_all()), opened(&path), answer(fd1.sync_all())];
    on.disk.mark(CUT);
    let cached = read(&fd1, at);
    drop_pages(&fd1, &path)?;
    let dropped = read(&fd1, at);
    drop((fd1, fd2));
    mounted.unmount()?;
    let injected = on.disk.served().injected.iter().sum();
    on.disk.inject(Vec::new());
    let log = on.disk.recorded()?;
    let remounted = on.look(at)?;
    let cut = log.events().iter().take_while(|event| **event != Event::Mark(CUT)).count();
    on.disk.show(log.written(cut))?;
    let cut = on.look(at)?;
    Ok(Some(Observed {
        injected,
        fd1: first,
        fd2: second,
        fd3: third,
        fd1_again: again,
        cached,
        dropped,
        remounted,
        cut,
    }))
}

impl On<'_> {
    pub(super) fn mount(&self) -> Result<Mounted<'_>, LabError> {
        self.disk.mounted(self.fs, self.options, self.at)
    }

    /// What a fresh mount reads at `at` of the file; the error where it cannot be mounted or has no such file.
    fn look(&self, at: u64) -> Result<Found, LabError> {
        let mounted = self.mount()?;
        let found = match File::open(mounted.at().join("file")) {
            Ok(file) => read(&file, at),
            Err(error) => Found::Failed(number(&error)),
        };
        mounted.unmount()?;
        Ok(found)
    }

    fn places(&self, file: &File) -> Result<Places, LabError> {
        if self.fs == "btrfs" {
            let device = File::open(self.disk.device());
            let mut fsid = [0; 16];
            let read = device
                .and_then(|device| device.read_exact_at(&mut fsid, BTRFS_SUPER_PLACE.start + 32));
            read.map_err(LabError::io("read", self.disk.device()))?;
            let [a, b, c, d, e, f, g, h, ..] = fsid;
            return Ok(Places { file: Vec::new(), fsid: Some([a, b, c, d, e, f, g, h]) });
        }
        let all = extents::extents(file).map_err(LabError::errno("find the blocks of", self.at))?;
        let places = all.iter().map(|extent| extent.physical..extent.physical + extent.length);
        let mut file: Vec<_> = places.collect();
        file.sort_by_key(|range| range.start);
        Ok(Places { file, fsid: None })
    }
}

fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

fn answer(done: io::Result<()>) -> Answer {
    done.map_or_else(|error| Answer::Failed(number(&error)), |()| Answer::Done)
}

/// The answer of an fsync on a descriptor that is opened for it.
fn opened(path: &Path) -> Answer {
    match File::options().read(true).write(true).open(path) {
        Ok(file) => answer(file.sync_all()),
        Err(error) => Answer::NotOpened(number(&error)),
    }
}

/// Reads the block at byte `at`.
fn read(file: &File, at: u64) -> Found {
    let mut block = vec![0; BLOCK];
    match file.read_at(&mut block, at) {
        Ok(length) => found(&block[..length]),
        Err(error) => Found::Failed(number(&error)),
    }
}

/// Drops the pages of `file`.
fn drop_pages(file: &File, path: &PathBuf) -> Result<(), LabError> {
    fadvise(file, 0, None, Advice::DontNeed).map_err(LabError::errno("drop the pages of", path))?;
    let left = residency::residency(std::slice::from_ref(path));
    if left.is_ok_and(|left| left.resident_bytes > 0) {
        // Pages that the file system holds on to, as ext4 does those of a journal, go with all clean ones.
        drop_caches::drop_all()?;
    }
    Ok(())
}

//! Makes the cache cold and proves it, first half: remounts, measures that nothing is resident, and drops what the
//! measurement has read. One remount serves several cases if they read different files and nothing else happens between
//! them.

use super::{Instance, WorkDir};
use crate::{
    error::LabError,
    instance::held_dir::HeldDir,
    page_cache::{Coldness, Residency, drop_caches, kept::Kept},
};
use disk::Disk;
use rustix::fs::{Advice, fadvise};
use std::{
    collections::BTreeSet,
    fs::File,
    path::{Path, PathBuf},
};

/// Coldness of an instance, and its proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Cold {
    /// The way it was made cold.
    pub coldness: Coldness,
    /// Resident part of the files; `None` if there are none to look at.
    pub residency: Option<Residency>,
}

/// State since a remount, as far as it matters for the next case.
#[derive(Debug)]
pub(super) struct SinceRemount {
    /// Sectors that its devices had written by then.
    written: Vec<u64>,
    /// Files that cold cases have read since.
    read: BTreeSet<PathBuf>,
}

impl Instance<'_> {
    /// Makes it as cold as it can be: writes everything back, unmounts, mounts, checks and drops the caches.
    /// No process may have a file open.
    ///
    /// # Errors
    /// The mount stays busy, or it cannot be mounted again.
    pub fn make_cold(&self) -> Result<Coldness, LabError> {
        self.quiesce()?;
        let coldness = self.remount_or_evict()?;
        self.drop_caches_after(&coldness)?;
        Ok(coldness)
    }

    /// Makes it as cold as possible for a case that reads only `files`, measures how much of them is still resident,
    /// drops what that measurement has read (inodes, dentries, and on Btrfs the data of small files, which is in their
    /// metadata), and waits until the device is quiet.
    ///
    /// It is not remounted if its state is as after a remount: since the last one, only cold cases on other files have
    /// run, and nothing was written.
    ///
    /// # Errors
    /// As for [`Instance::make_cold`], or a file cannot be inspected.
    pub fn make_cold_for(&self, files: &[PathBuf]) -> Result<Cold, LabError> {
        self.quiesce()?;
        let is_cold = self.is_cold_for(files)?;
        let coldness = if is_cold { Coldness::Remounted } else { self.remount_or_evict()? };
        let residency = if files.is_empty() { None } else { Some(self.residency(files)?) };
        self.drop_caches_after(&coldness)?;
        self.quiesce()?;
        if !is_cold {
            let written = self.idle.written().filter(|_| coldness == Coldness::Remounted);
            let since = written.map(|written| SinceRemount { written, read: BTreeSet::new() });
            self.since_remount.replace(since);
        }
        if let Some(since) = &mut *self.since_remount.borrow_mut() {
            since.read.extend(files.iter().cloned());
        }
        Ok(Cold { coldness, residency })
    }

    /// Call it before a case that is not made cold: the next cold case then needs a remount.
    pub fn invalidate_cold(&self) {
        self.since_remount.replace(None);
    }

    /// Unmounts and mounts it, or does the closest equivalent. It must be quiet: data that a server has yet to store
    /// would be missing after the remount.
    pub(super) fn remount_or_evict(&self) -> Result<Coldness, LabError> {
        self.invalidate_cold();
        match &self.work_dir {
            WorkDir::Mounted { .. } if self.disks.is_empty() => Ok(Coldness::Impossible),
            WorkDir::Mounted { .. } => self.remount(),
            WorkDir::Held(_) if self.stack.top().is_some() => self.remount(),
            WorkDir::Plain { .. } => {
                self.check()?;
                drop_caches::forget_files(&self.root)
            }
            WorkDir::Held(held) => {
                held.get()?.check()?;
                held.get()?.forget_files()
            }
        }
    }

    fn remount(&self) -> Result<Coldness, LabError> {
        self.kept.get_or_init(|| Kept::of(self.stack.commands_of_a_remount()));
        self.check()?;
        match &self.work_dir {
            WorkDir::Held(held) => {
                held.get()?.sync()?;
                held.let_go();
            }
            WorkDir::Mounted { .. } | WorkDir::Plain { .. } => self.stack.sync()?,
        }
        self.stack.take_down(0, self.lab.mark())?;
        self.disks.iter().try_for_each(Disk::wait_free)?;
        self.disks.iter().try_for_each(Disk::sync)?;
        self.stack.bring_up()?;
        self.await_rebuild()?;
        if let WorkDir::Held(held) = &self.work_dir {
            held.find_again()?;
        }
        self.note_options()?;
        self.check()?;
        Ok(Coldness::Remounted)
    }

    /// Drops the caches, if that is permitted. After a remount it is mandatory, because data below its disk may be in
    /// memory.
    fn drop_caches_after(&self, coldness: &Coldness) -> Result<(), LabError> {
        let must = *coldness == Coldness::Remounted;
        if must || drop_caches::can_drop() { drop_caches::drop_all() } else { Ok(()) }
    }

    /// Returns true if `files` are in the state of a fresh mount once clean pages are evicted, which this does.
    fn is_cold_for(&self, files: &[PathBuf]) -> Result<bool, LabError> {
        let as_mounted = self.since_remount.borrow().as_ref().is_some_and(|since| {
            let unread = files.iter().all(|file| !since.read.contains(file));
            unread && self.idle.written().as_ref() == Some(&since.written)
        });
        if !as_mounted || files.is_empty() || self.has_own_cache() {
            return Ok(false);
        }
        files.iter().try_for_each(|file| evict(file))?;
        Ok(self.residency(files)?.resident_bytes == 0)
    }
}

/// Looks how much of `files` is in the memory of this host; they are below `root`, a private directory that this
/// program has made on another one. All below it is written back and forgotten first where it is to be `cold`.
///
/// # Errors
/// This host does not have the directory or a file, or cannot forget one.
pub fn look_from_here(root: &Path, files: &[PathBuf], cold: bool) -> Result<Residency, LabError> {
    let held = HeldDir::find(root)?;
    if cold {
        held.forget_files()?;
    }
    let residency = held.residency(files)?;
    // The look has brought back what is known of the files.
    if cold && drop_caches::can_drop() {
        drop_caches::drop_all()?;
    }
    Ok(residency)
}

/// Evicts the pages of `path` that were cached by looking whether it has to be filled.
fn evict(path: &Path) -> Result<(), LabError> {
    let given = File::open(path).and_then(|file| Ok(fadvise(&file, 0, None, Advice::DontNeed)?));
    given.map_err(LabError::io("drop from the page cache", path))
}

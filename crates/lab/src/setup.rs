//! Sets up what a campaign has on this machine: its journal, its image on a loop device, its private directories.
//! Dropping the lab tears all of it down; opening it again, after kill -9, first tears down what its journal names.

use crate::{
    backing::{
        image,
        kept::{self, Kept},
        loop_device, object_store,
    },
    cleanup::{
        self,
        journal::{CleanupReport, Journal},
    },
    error::LabError,
    ownership::{
        State,
        mark::{self, Mark},
        private_dir,
        undo::Undo,
    },
    programs::keys,
};
use disk::{Claim, Disk, DiskRequest, Image, lock::Lock};
use fs::{Endpoint, ResolvedTarget};
use model::{plan::ObjectStore, text::Bytes};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

/// The lab of one campaign.
#[derive(Debug)]
pub struct Lab {
    mark: Mark,
    /// Locked as long as it lives.
    state: State,
    /// Private directory that holds the mount points.
    mounts: PathBuf,
    /// Its marker, locked.
    held: Option<Lock>,
    journal: Journal,
    disks: Vec<Disk>,
    /// Number of disks in a set: targets are made on one set or the next; 0 for all.
    disks_of_set: usize,
    /// Locked against other assay processes.
    _locks: Vec<Lock>,
    /// Images kept for later campaigns, locked against other running ones.
    kept: Vec<Kept>,
    /// Images that guests get as their disks.
    guest_images: Vec<PathBuf>,
    /// The user's own object store, in which targets may create prefixes.
    store: Option<Endpoint>,
    count: AtomicU32,
}

impl Lab {
    /// Opens the lab of `campaign` under the directory `state`, and first undoes what a dead process
    /// of the same campaign left.
    ///
    /// # Errors
    /// Another process works on the campaign, what it left cannot be torn down, or `state` cannot be
    /// written.
    pub fn open(state: &Path, campaign: &str) -> Result<Lab, LabError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if campaign.is_empty() || campaign.starts_with('.') || !campaign.chars().all(plain) {
            return Err(LabError::BadCampaign(campaign.into()));
        }
        let state = State::open(state)?;
        state.enter()?;
        let mark = Mark::new(state.path(), campaign);
        let mounts = mark.mounts();
        if private_dir::is_held(&mounts) {
            return Err(LabError::Live { campaign: campaign.into(), journal: mounts });
        }
        undo_leftovers(&Journal::open(&state, &mark)?, &mark)?;
        let journal = Journal::open(&state, &mark)?;
        state.folder("mnt")?;
        let mut lab = Lab {
            mark,
            state,
            mounts,
            held: None,
            journal,
            disks: Vec::new(),
            disks_of_set: 0,
            _locks: Vec::new(),
            kept: Vec::new(),
            guest_images: Vec::new(),
            store: None,
            count: 0.into(),
        };
        lab.create_private(&lab.mounts)?;
        lab.held = private_dir::hold(&lab.mounts);
        Ok(lab)
    }

    /// Returns messages for the user about its start, one per line.
    pub fn messages(&self) -> &[String] {
        self.state.messages()
    }

    /// Writes `count` images of `size` in full into private directories under `dir` and attaches them,
    /// past the host's page cache where `dir` allows it. `progress` gets the bytes written so far;
    /// `stop` ends the writing.
    ///
    /// # Errors
    /// No root, no room, no free loop device, or stopped. What was written so far is removed with
    /// the lab.
    pub fn make_images(
        &mut self,
        dir: &Path,
        size: Bytes,
        count: usize,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), LabError> {
        need_root("attaching a loop image")?;
        let paths = self.write_images(dir, size, count, (loop_device::IMAGE, stop), progress)?;
        paths.into_iter().try_for_each(|path| self.add_image(path, size, None))
    }

    /// Like [`Lab::make_images`], for `sets` sets of `count` images: targets on different sets can be there at
    /// the same time.
    ///
    /// # Errors
    /// As for [`Lab::make_images`].
    pub fn make_image_sets(
        &mut self,
        dir: &Path,
        size: Bytes,
        (sets, count): (usize, usize),
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), LabError> {
        self.disks_of_set = count;
        self.make_images(dir, size, sets * count, stop, progress)
    }

    /// Like [`Lab::make_image_sets`], on images that are kept in `dir` for later campaigns: only what these lack is
    /// written, and they are not removed with the lab.
    ///
    /// # Errors
    /// As for [`Lab::make_images`], and the file system of `dir` does not report the pieces of files. What was written
    /// so far is removed.
    pub fn keep_image_sets(
        &mut self,
        dir: &Path,
        size: Bytes,
        (sets, count): (usize, usize),
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), LabError> {
        need_root("attaching a loop image")?;
        self.disks_of_set = count;
        let dir = dir.canonicalize().map_err(LabError::io("find", dir))?;
        let taken = kept::take(&dir, self.state.path(), sets * count)?;
        let mut done = 0;
        let missing = taken.iter().map(|kept| kept.missing(size)).sum();
        let written = image::check_growth(&dir, size, missing).and_then(|()| {
            taken.iter().try_for_each(|kept| {
                done += kept.complete(size, stop, &mut |bytes| progress(done + bytes))?;
                Ok(())
            })
        });
        if let Err(error) = written {
            taken.into_iter().try_for_each(|kept| kept.take_back(self.state.path()))?;
            return Err(error);
        }
        for kept in taken {
            self.add_image(kept.path(), size, Some(size))?;
            self.kept.push(kept);
        }
        Ok(())
    }

    /// Attaches the image `path`, of which targets use `size`, at most `limit` of it, and has them made on it.
    fn add_image(
        &mut self,
        path: PathBuf,
        size: Bytes,
        limit: Option<Bytes>,
    ) -> Result<(), LabError> {
        self.journal.record(&Undo::DetachLoop { image: path.clone() })?;
        let attached = loop_device::attach_part(&path, limit)?;
        let held = loop_device::hold(&attached.node).map(Arc::new);
        let image = Image { path, direct_io: attached.direct_io, held };
        self.disks.push(Disk::of_image(attached.node, size, image)?);
        Ok(())
    }

    /// Claims the disks of `request`, so that targets are made on them; all on them is destroyed when the
    /// first target is made.
    ///
    /// # Errors
    /// One of them is refused, or cannot be emptied in the way that was asked for.
    pub fn claim(&mut self, request: &DiskRequest) -> Result<(), LabError> {
        let (claims, locks) = disk::claim(request)?;
        self._locks.extend(locks);
        for claim in claims {
            let link = claim.info().link.clone();
            self.journal.record(&Undo::ReportDisk { link: link.clone() })?;
            if !claim.parts().is_empty() {
                let (disk, parts) = (claim.identity().into(), claim.parts().to_vec());
                self.journal.record(&Undo::ForgetParts { link, disk, parts })?;
            }
            self.disks.push(Disk::claimed(claim));
        }
        Ok(())
    }

    /// Writes every claimed disk in full, twice, as one that has long been in use. `progress` gets the
    /// bytes written to the disk at work.
    ///
    /// # Errors
    /// A disk is refused, fails, or `stop` became true.
    pub fn precondition(
        &self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), LabError> {
        Ok(self.claims().try_for_each(|claim| claim.precondition(stop, progress))?)
    }

    fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.disks.iter().filter_map(Disk::claim)
    }

    /// Removes our own file systems from claimed disks. Nothing is mounted any more, as instances do not
    /// outlive their lab; one that stays mounted is refused here, and reported by the journal.
    fn release(&self, report: &mut CleanupReport) {
        let failed = self.claims().filter_map(|claim| claim.release().err());
        report.failed.extend(failed.map(|error| error.to_string()));
    }

    /// Writes `count` images of `size` in full, as [`Lab::make_images`] does, and leaves them to guests.
    ///
    /// # Errors
    /// No room, or stopped. What was written so far is removed with the lab.
    pub fn make_guest_images(
        &mut self,
        dir: &Path,
        size: Bytes,
        count: usize,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), LabError> {
        self.guest_images =
            self.write_images(dir, size, count, (loop_device::GUEST_IMAGE, stop), progress)?;
        Ok(())
    }

    /// Images that guests get as their disks.
    pub fn guest_images(&self) -> &[PathBuf] {
        &self.guest_images
    }

    /// Makes a private directory for a guest, to be given to [`Lab::remove_guest_dir`].
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_guest_dir(&self) -> Result<PathBuf, LabError> {
        let dir = self.mount_point("guest");
        self.create_private(&dir)?;
        Ok(dir)
    }

    /// Removes a directory of [`Lab::make_guest_dir`].
    ///
    /// # Errors
    /// It is not such a directory, or cannot be removed.
    pub fn remove_guest_dir(&self, dir: &Path) -> Result<(), LabError> {
        private_dir::remove(dir, &self.mark).map(drop)
    }

    /// Lets targets that name the host of `store` make places of theirs in it.
    ///
    /// # Errors
    /// There are no keys to it in the environment, or it does not answer to them.
    pub fn use_store(&mut self, store: &ObjectStore) -> Result<(), LabError> {
        let store = Endpoint::of_user(store, keys::has_token());
        object_store::is_there(&store.below(&self.mark.name(0)))?;
        self.store = Some(store);
        Ok(())
    }

    /// The object store of the user's own that `target` names; `None` where it names none.
    ///
    /// # Errors
    /// It was not given.
    pub(crate) fn store_of(&self, target: &ResolvedTarget) -> Result<Option<&Endpoint>, LabError> {
        let Some(host) = target.object_host() else { return Ok(None) };
        let store = self.store.as_ref().filter(|store| store.url.ends_with(&format!("://{host}")));
        store.map(Some).ok_or_else(|| LabError::NoStore { host: host.into() })
    }

    /// Makes targets on the devices `nodes` from now on: those of a guest, which hold nothing.
    ///
    /// # Errors
    /// A device cannot be opened.
    pub fn use_guest_disks(&mut self, nodes: &[PathBuf]) -> Result<(), LabError> {
        for node in nodes {
            self.disks.push(Disk::of_guest(node)?);
        }
        Ok(())
    }

    /// Writes `count` images of `size` into private directories under `dir`, called after `kind`.
    fn write_images(
        &self,
        dir: &Path,
        size: Bytes,
        count: usize,
        (kind, stop): (&str, &AtomicBool),
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<PathBuf>, LabError> {
        let dir = dir.canonicalize().map_err(LabError::io("find", dir))?;
        image::check_room(&dir, Bytes(size.0 * count as u64))?;
        let write = |number: u64| {
            let private = mark::own_name(&format!("{}-{kind}{number}", self.mark.campaign));
            let private = dir.join(private);
            self.create_private(&private)?;
            let path = private.join("image");
            image::write(&path, size, stop, &mut |done| progress(number * size.0 + done))?;
            Ok(path)
        };
        (0..count as u64).map(write).collect()
    }

    /// All disks that targets are made on.
    pub(crate) fn disks(&self) -> &[Disk] {
        &self.disks
    }

    /// The part or the set with the number `part`.
    pub(crate) fn disks_at(&self, part: u32) -> Vec<Disk> {
        let of_set = if self.disks_of_set == 0 { self.disks.len() } else { self.disks_of_set };
        let mut sets = self.disks.chunks(of_set.max(1));
        // Without several sets the number is that of a part.
        let own = if sets.len() > 1 { sets.nth(part as usize) } else { sets.next() };
        own.unwrap_or_default().iter().map(|disk| disk.at(part)).collect()
    }

    /// Makes sure that every disk is still the one that targets were made on: after a failure, which may be
    /// an effect of its loss.
    ///
    /// # Errors
    /// One is gone, or another one has its place.
    pub fn check_disks(&self) -> Result<(), LabError> {
        Ok(self.disks.iter().try_for_each(Disk::check_there)?)
    }

    /// Undoes everything now and reports what was done.
    ///
    /// # Errors
    /// Something could not be torn down; the journal is kept for `assay cleanup`.
    pub fn close(mut self) -> Result<CleanupReport, LabError> {
        let mut report = CleanupReport::default();
        self.undo(&mut report)?;
        if report.failed.is_empty() {
            Ok(report)
        } else {
            Err(LabError::NotUndone(report.failed.join("; ")))
        }
    }

    fn undo(&mut self, report: &mut CleanupReport) -> Result<(), LabError> {
        self.release(report);
        // Their removal asks whether another process holds them.
        self.disks.clear();
        self.kept.clear();
        self.held = None;
        self.journal.undo_all(report)
    }

    /// The folder `name` in the state folder, which is made if it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn folder(&self, name: &str) -> Result<PathBuf, LabError> {
        self.state.folder(name)?;
        Ok(self.state.path().join(name))
    }

    /// A directory for a mount that no other instance of this lab uses; not made yet.
    pub(crate) fn mount_point(&self, label: &str) -> PathBuf {
        self.directory(&format!("{}-{}", self.numbers(1), slug(label)))
    }

    /// Makes a directory called after `label` on which a file system can be mounted; what is mounted there is unmounted
    /// with the lab, or by a cleanup.
    ///
    /// # Errors
    /// It cannot be made, or the journal cannot be written.
    pub fn make_mount_dir(&self, label: &str) -> Result<PathBuf, LabError> {
        let dir = self.mount_point(label);
        self.create_private(&dir)?;
        self.journal.record(&Undo::Unmount { mount_point: dir.clone() })?;
        Ok(dir)
    }

    pub(crate) fn create_private(&self, dir: &Path) -> Result<(), LabError> {
        self.journal.record(&Undo::RemoveDir { path: dir.into() })?;
        private_dir::create(dir, &self.mark)
    }

    /// The first of `count` numbers that no other instance of this lab has.
    pub(crate) fn numbers(&self, count: u32) -> u32 {
        self.count.fetch_add(count, Ordering::Relaxed)
    }

    /// The directory in its mount points for what is called `label`; not made yet.
    pub(crate) fn directory(&self, label: &str) -> PathBuf {
        self.mounts.join(mark::own_name(label))
    }

    /// Returns the mark of its campaign.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Writes `entry` to the journal; its act may happen after this returns.
    pub(crate) fn record(&self, entry: &Undo) -> Result<(), LabError> {
        self.journal.record(entry)
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // What fails here stays in the journal, and `assay cleanup` reports it.
        let _ = self.undo(&mut CleanupReport::default());
    }
}

fn undo_leftovers(journal: &Journal, mark: &Mark) -> Result<(), LabError> {
    let mut report = CleanupReport::default();
    journal.undo_all(&mut report)?;
    if mark.mounts().exists() {
        cleanup::undo_marked(mark, &mut report)?;
    }
    if report.failed.is_empty() {
        Ok(())
    } else {
        Err(LabError::NotUndone(report.failed.join("; ")))
    }
}

pub(crate) fn need_root(what: &str) -> Result<(), LabError> {
    if disk::is_root() {
        Ok(())
    } else {
        Err(LabError::Disk(disk::Error::NeedsRoot { what: what.into() }))
    }
}

/// `label` as part of a file name.
pub(crate) fn slug(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    label.chars().take(32).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn campaigns_that_are_no_file_names_are_refused() {
        let state = tempfile::tempdir().unwrap();
        for campaign in ["", "a/b", "..", "a b"] {
            assert!(matches!(Lab::open(state.path(), campaign), Err(LabError::BadCampaign(_))));
        }
    }

    #[test]
    fn labels_become_file_names() {
        assert_eq!(slug("ext4[noatime]#2"), "ext4-noatime--2");
    }
}

//! What a campaign has on this machine: its journal, its image on a loop device, its private
//! directories. Dropping the lab undoes all of it.

use crate::{
    Cmd, Device, FileSystem, Instance, LabError, drop_caches,
    fs::{self as registry, Candidate},
    image,
    instance::{Made, Place},
    journal::{CleanupReport, Journal},
    loop_device::{self, LoopDevice},
    mounts, private_dir, throttle,
    undo::Undo,
};
use model::{Bytes, Options, Target};
use std::{
    fs::{self, OpenOptions},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

/// Zeroed at both ends of the image before every mkfs, so that no old signature is found.
const PURGED: u64 = 1 << 20;

/// An image and the device it is attached to.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) path: PathBuf,
    pub(crate) size: Bytes,
    pub(crate) attached: LoopDevice,
}

/// The lab of one campaign.
#[derive(Debug)]
pub struct Lab {
    campaign: String,
    /// Private directory that holds the mount points.
    mounts: PathBuf,
    journal: Journal,
    image: Option<Image>,
    count: AtomicU32,
}

impl Lab {
    /// Opens the lab of `campaign` under the directory `state`, and first undoes what a dead process
    /// of the same campaign left.
    ///
    /// # Errors
    /// Another process works on the campaign, what it left cannot be undone, or `state` cannot be
    /// written.
    pub fn open(state: &Path, campaign: &str) -> Result<Lab, LabError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if campaign.is_empty() || campaign.starts_with('.') || !campaign.chars().all(plain) {
            return Err(LabError::BadCampaign(campaign.into()));
        }
        undo_leftovers(&Journal::open(state, campaign)?)?;
        let journal = Journal::open(state, campaign)?;
        let state = state.canonicalize().map_err(LabError::io("find", state))?;
        let parent = state.join("mnt");
        fs::create_dir_all(&parent).map_err(LabError::io("create", &parent))?;
        let mounts = parent.join(private_dir::name(campaign));
        let lab = Lab { campaign: campaign.into(), mounts, journal, image: None, count: 0.into() };
        lab.create_private(&lab.mounts)?;
        Ok(lab)
    }

    /// Writes the image of `size` in full into a private directory under `dir` and attaches it, past
    /// the host's page cache where `dir` allows it. `progress` gets the bytes written so far; `stop`
    /// ends the writing.
    ///
    /// # Errors
    /// No root, no room, no free loop device, or stopped. What was written so far is removed with
    /// the lab.
    pub fn make_image(
        &mut self,
        dir: &Path,
        size: Bytes,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), LabError> {
        need_root("attaching a loop image")?;
        let dir = dir.canonicalize().map_err(LabError::io("find", dir))?;
        image::check_room(&dir, size)?;
        let private = dir.join(private_dir::name(&format!("{}-image", self.campaign)));
        self.create_private(&private)?;
        let path = private.join("image");
        image::write(&path, size, stop, progress)?;
        self.journal.record(&Undo::DetachLoop { image: path.clone() })?;
        let attached = loop_device::attach(&path)?;
        self.image = Some(Image { path, size, attached });
        Ok(())
    }

    /// Makes `target` afresh: purge, mkfs, mount, quiesce; for a directory a private subdirectory.
    /// `label` names the mount point, for people who look at the mount table.
    ///
    /// # Errors
    /// The target is not known, cannot be made here, or a command failed; nothing is left of it.
    pub fn provision(&self, target: &Target, label: &str) -> Result<Instance<'_>, LabError> {
        match registry::resolve(target)? {
            Candidate::Directory(dir) => {
                self.provision_dir(dir, self.count.fetch_add(1, Ordering::Relaxed))
            }
            Candidate::Made(fs, options) => {
                self.provision_made(fs, options, self.mount_point(label))
            }
        }
    }

    /// Undoes everything now and tells what was done.
    ///
    /// # Errors
    /// Something could not be undone; the journal is kept for `assay cleanup`.
    pub fn close(self) -> Result<CleanupReport, LabError> {
        let mut report = CleanupReport::default();
        self.journal.undo_all(&mut report)?;
        if report.failed.is_empty() {
            Ok(report)
        } else {
            Err(LabError::NotUndone(report.failed.join("; ")))
        }
    }

    fn provision_made(
        &self,
        fs: &'static dyn FileSystem,
        options: &Options,
        dir: PathBuf,
    ) -> Result<Instance<'_>, LabError> {
        let image = if fs.has_device() { Some(self.free_image(fs)?) } else { None };
        let source = image.map_or(PathBuf::from(fs.name()), |image| image.attached.node.clone());
        let mount = fs.mount(&source, &dir, options);
        if mount.is_empty() {
            self.create_private(&dir)?;
            return Instance::start(self, Place::Plain { dir }, None);
        }
        need_root("mounting a file system")?;
        fs::create_dir(&dir).map_err(LabError::io("create", &dir))?;
        self.journal.record(&Undo::Unmount { mount_point: dir.clone() })?;
        if let Some(image) = image {
            purge(image)?;
        }
        let mkfs: Vec<Cmd> = fs.mkfs(&source, options);
        let device = image.and_then(|image| Device::of_node(&image.attached.node));
        let made = Made { fs, source, mkfs, mount, image: image.cloned(), device };
        let mut instance = Instance::start(self, Place::Mounted { dir }, Some(made))?;
        instance.impose(&throttle::caps(fs.name(), options)?)?;
        Ok(instance)
    }

    /// The image, when it is there, large enough and not in use.
    fn free_image(&self, fs: &dyn FileSystem) -> Result<&Image, LabError> {
        need_root("making a file system")?;
        let image = self.image.as_ref().ok_or(LabError::NoImage { name: fs.name() })?;
        let needed = Bytes(fs.min_bytes());
        if image.size < needed {
            return Err(LabError::TooSmall { name: fs.name(), needed, size: image.size });
        }
        let device = &image.attached.node;
        match mounts::all()?.into_iter().find(|mount| mount.source == *device) {
            Some(mount) => {
                Err(LabError::Busy { device: device.clone(), mount_point: mount.mount_point })
            }
            None => Ok(image),
        }
    }

    fn provision_dir(&self, dir: &Path, number: u32) -> Result<Instance<'_>, LabError> {
        let bad = |why: String| LabError::BadDir { path: dir.into(), why };
        let found = dir.canonicalize().map_err(|error| bad(format!("{error}; create it first")))?;
        if !found.is_dir() {
            return Err(bad("it is not a directory".into()));
        }
        let private = found.join(private_dir::name(&format!("{}-{number}", self.campaign)));
        self.create_private(&private).map_err(|error| match error {
            LabError::Io { source, .. } => bad(format!("{source}; make it writable for this user")),
            other => other,
        })?;
        Instance::start(self, Place::Plain { dir: private }, None)
    }

    fn create_private(&self, dir: &Path) -> Result<(), LabError> {
        self.journal.record(&Undo::RemoveDir { path: dir.into() })?;
        private_dir::create(dir, &self.campaign)
    }

    pub(crate) fn campaign(&self) -> &str {
        &self.campaign
    }

    /// Writes `entry` to the journal; its act may happen after this returns.
    pub(crate) fn record(&self, entry: &Undo) -> Result<(), LabError> {
        self.journal.record(entry)
    }

    /// A directory for a mount that no other instance of this lab uses; not made yet.
    pub(crate) fn mount_point(&self, label: &str) -> PathBuf {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        self.mounts.join(private_dir::name(&format!("{number}-{}", slug(label))))
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // What fails here stays in the journal, and `assay cleanup` tells it.
        let _ = self.journal.undo_all(&mut CleanupReport::default());
    }
}

fn undo_leftovers(journal: &Journal) -> Result<(), LabError> {
    let mut report = CleanupReport::default();
    journal.undo_all(&mut report)?;
    if report.failed.is_empty() {
        Ok(())
    } else {
        Err(LabError::NotUndone(report.failed.join("; ")))
    }
}

fn need_root(what: &str) -> Result<(), LabError> {
    if drop_caches::is_root() { Ok(()) } else { Err(LabError::NeedsRoot { what: what.into() }) }
}

fn purge(image: &Image) -> Result<(), LabError> {
    let node = &image.attached.node;
    let device = OpenOptions::new().write(true).open(node).map_err(LabError::io("open", node))?;
    let zeros = vec![0u8; PURGED as usize];
    let last = image.size.0.saturating_sub(PURGED) / 4096 * 4096;
    device
        .write_all_at(&zeros, 0)
        .and_then(|()| {
            device.write_all_at(&zeros[..(image.size.0 - last).min(PURGED) as usize], last)
        })
        .and_then(|()| device.sync_all())
        .map_err(LabError::io("purge", node))
}

/// `label` as part of a file name.
fn slug(label: &str) -> String {
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

//! A target on a disk in memory that the kernel serves alone, made anew as often as needed.

use super::{
    FaultsError,
    mount::{How, Mounted},
    recorded_target::{DISK_BYTES, single},
    test_disk,
};
use ::faults::image::Image;
use ::fs::{Cmd, Part, ResolvedTarget, Site};
use lab::{programs::Run, recording::ShownDisk, setup::Lab};
use rustix::io::Errno;

/// A target on a disk in memory that the kernel serves alone.
#[derive(Debug)]
pub struct MemoryTarget<'a> {
    target: &'a ResolvedTarget,
    part: &'a Part,
    disk: ShownDisk,
    bytes: u64,
    site: Site,
    how: How,
    checker: Option<Cmd>,
}

impl<'a> MemoryTarget<'a> {
    /// A disk for `target` in `lab`.
    ///
    /// # Errors
    /// The target is not one file system on one disk that the kernel mounts, or there is no disk.
    pub fn make(lab: &Lab, target: &'a ResolvedTarget) -> Result<MemoryTarget<'a>, FaultsError> {
        let part = single(target)?;
        let bytes = part.fs.about().min_bytes.max(DISK_BYTES);
        let disk = ShownDisk::make(lab, bytes)?;
        let site = test_disk::site(part, &[disk.device()], bytes);
        let how = How::of(part, &site)?;
        let checker = part.fs.check(&site);
        Ok(MemoryTarget { target, part, disk, bytes, site, how, checker })
    }

    /// Bytes of the disk.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A new file system on an empty disk, mounted.
    ///
    /// # Errors
    /// It cannot be made or mounted.
    pub(super) fn fresh(&self) -> Result<Mounted, FaultsError> {
        self.disk.show(&Image { bytes: self.bytes, pieces: Vec::new() }, &[])?;
        for command in self.part.fs.mkfs(&self.site, &self.part.options) {
            command.run()?;
        }
        self.mount()?.map_err(|errno| FaultsError::Mount { target: self.name(), errno })
    }

    /// Unmounts it, and waits until nothing uses the disk.
    ///
    /// # Errors
    /// It stays in use.
    pub(super) fn unmount(&self, mounted: Mounted) -> Result<(), FaultsError> {
        drop(mounted);
        Ok(disk::wait_free(self.disk.device())?)
    }

    /// Mounts what is on the disk. The inner error is what the kernel says of it.
    ///
    /// # Errors
    /// The machine is at fault.
    pub(super) fn mount(&self) -> Result<Result<Mounted, Errno>, FaultsError> {
        self.how.mount()
    }

    /// Whether the checker finds damage; `None` without a checker. It is not mounted.
    ///
    /// # Errors
    /// The checker cannot be run.
    pub(super) fn is_damaged(&self) -> Result<Option<bool>, FaultsError> {
        let Some(checker) = &self.checker else { return Ok(None) };
        Ok(Some(test_disk::damage(checker)?.is_some()))
    }

    /// Its name, as it was asked for.
    pub(super) fn name(&self) -> String {
        self.target.target().to_string()
    }
}

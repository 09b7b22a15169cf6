//! A mirror on some disks: all of its legs, or as many as are left.

use super::{Mirror, failed};
use crate::faults::{
    FaultsError,
    mount::{How, Mounted},
    test_disk,
};
use ::fs::{Part, Site};
use lab::recording::{RecordingDisk, btrfs};
use rustix::io::Errno;
use std::path::Path;

/// How a mirror is brought up on some disks.
#[derive(Clone, Debug)]
pub(super) struct Assembly<'a> {
    part: &'a Part,
    site: Site,
    how: How,
}

impl Mirror<'_> {
    /// On all of its legs.
    pub(super) fn whole(&self) -> Result<Assembly<'_>, FaultsError> {
        self.on(&self.legs.iter().collect::<Vec<_>>())
    }

    /// On all of these legs, as many as it has.
    pub(super) fn on(&self, legs: &[&RecordingDisk]) -> Result<Assembly<'_>, FaultsError> {
        let disks: Vec<&Path> = legs.iter().map(|leg| leg.device()).collect();
        let site = test_disk::site(self.part, &disks, self.bytes);
        let how = How::of(self.part, &site)?;
        Ok(Assembly { part: self.part, site, how })
    }

    /// On `disks` alone, though others are missing.
    pub(super) fn degraded(&self, disks: &[&Path]) -> Result<Assembly<'_>, FaultsError> {
        let site = test_disk::site(self.part, disks, self.bytes);
        let how = How::degraded(self.part, &site)?;
        Ok(Assembly { part: self.part, site, how })
    }

    /// Mounts it with all legs, before any fault.
    pub(super) fn mount(&self) -> Result<Mounted, FaultsError> {
        self.mounted(&self.whole()?)
    }

    /// Mounts it where that has to be possible.
    pub(super) fn mounted(&self, assembly: &Assembly<'_>) -> Result<Mounted, FaultsError> {
        assembly.mount()?.map_err(|errno| FaultsError::Mount { target: self.name(), errno })
    }

    /// Unmounts it, and waits until nothing uses the disks.
    pub(super) fn unmount(&self, mounted: Mounted) -> Result<(), FaultsError> {
        drop(mounted);
        self.wait_free()
    }

    pub(super) fn wait_free(&self) -> Result<(), FaultsError> {
        Ok(self.devices().try_for_each(disk::wait_free)?)
    }

    /// Has the kernel forget all disks, if it remembers them: it would take those for legs of what is mounted next.
    pub(super) fn forget(&self) -> Result<(), FaultsError> {
        let remembered = self.devices().filter(|_| self.redundancy.is_remembered);
        for device in remembered {
            btrfs::forget(device).map_err(failed("forget", device))?;
        }
        Ok(())
    }

    fn devices(&self) -> impl Iterator<Item = &Path> {
        let copies = self.copies.iter().map(|copy| copy.device());
        self.disks().map(RecordingDisk::device).chain(copies)
    }
}

impl<'a> Assembly<'a> {
    /// Its parts, and where they are.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'a Part, &Site)> {
        [(self.part, &self.site)].into_iter()
    }

    /// Where the part is that keeps everything.
    pub(super) fn site(&self) -> &Site {
        &self.site
    }

    /// The same, mounted to be read alone.
    pub(super) fn read_only(mut self) -> Self {
        self.how = self.how.with(&["ro"]);
        self
    }

    /// Mounts it without times of access. The inner error is what the kernel says of what is on the disks.
    ///
    /// # Errors
    /// The machine is at fault.
    pub(super) fn mount(&self) -> Result<Result<Mounted, Errno>, FaultsError> {
        self.how.without_access_times().mount()
    }
}

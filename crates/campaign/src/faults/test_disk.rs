//! A disk on which states are examined, and how to mount and check it.

use super::{FaultsError, mount::How};
use ::fs::{Cmd, Part, Site, sites};
use lab::{error::LabError, programs::Run, recording::ShownDisk, setup::Lab};
use std::path::{Path, PathBuf};

/// A disk on which one state after the other is examined.
#[derive(Debug)]
pub(super) struct TestDisk {
    pub(super) disk: ShownDisk,
    pub(super) how: How,
    /// Its checker, if there is one.
    pub(super) checker: Option<Cmd>,
}

impl TestDisk {
    /// Makes one for states of `part` on a disk of `bytes`.
    ///
    /// # Errors
    /// There is no loop device, or `part` is not mounted by one call.
    pub(super) fn make(lab: &Lab, part: &Part, bytes: u64) -> Result<TestDisk, FaultsError> {
        let disk = ShownDisk::make(lab, bytes)?;
        let site = site(part, &[disk.device()], bytes);
        // All disks show the same file system.
        let how = How::of(part, &site)?.with(part.fs.copy_options().unwrap_or_default());
        Ok(TestDisk { how, checker: part.fs.check(&site), disk })
    }
}

/// What `checker` says of damage; `None` where it finds none.
///
/// # Errors
/// It cannot be run.
pub(super) fn damage(checker: &Cmd) -> Result<Option<String>, FaultsError> {
    match checker.run() {
        Ok(_) => Ok(None),
        Err(LabError::Disk(error @ disk::Error::Command { .. })) => Ok(Some(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// Where `part` is made or checked on `disks`.
pub(super) fn site(part: &Part, disks: &[&Path], bytes: u64) -> Site {
    let devices: Vec<PathBuf> = disks.iter().map(|disk| disk.to_path_buf()).collect();
    let place = |_, _: &Part| ("crash".into(), "/".into(), "/".into());
    let mut sites = sites(std::slice::from_ref(part), &devices, (bytes, None), place);
    sites.remove(0)
}

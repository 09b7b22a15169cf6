//! Inspects the disks of the user before they are written. The crate `disk` judges whether one may be destroyed.

use crate::error::LabError;
use disk::{DiskInfo, DiskRequest};
use model::plan::Purge;

/// See [`disk::inspect`].
///
/// # Errors
/// The first reason for which one of the disks would not be touched.
pub fn inspect(request: &DiskRequest) -> Result<(Vec<DiskInfo>, Purge), LabError> {
    Ok(disk::inspect(request)?)
}

/// See [`disk::judge_disks`].
///
/// # Errors
/// The first reason for which one of the disks would not be touched.
pub fn judge_disks(request: &DiskRequest) -> Result<(), LabError> {
    Ok(disk::judge_disks(request)?)
}

//! The user's disks before anything is done to them. Whether one may be destroyed is for the crate `disk` to
//! judge.

use crate::error::LabError;
use disk::{DiskInfo, DiskRequest};
use model::Purge;

/// As [`disk::inspect`].
///
/// # Errors
/// The first reason for which one of the disks would not be touched.
pub fn inspect(request: &DiskRequest) -> Result<(Vec<DiskInfo>, Purge), LabError> {
    Ok(disk::inspect(request)?)
}

/// As [`disk::judge_disks`].
///
/// # Errors
/// The first reason for which one of the disks would not be touched.
pub fn judge_disks(request: &DiskRequest) -> Result<(), LabError> {
    Ok(disk::judge_disks(request)?)
}

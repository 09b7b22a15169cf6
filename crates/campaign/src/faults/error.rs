//! Errors by which a target cannot be tried; what is wrong with it is a finding and no error.

use ::faults::{contract::UnknownMark, states::Unaligned};
use lab::error::LabError;
use rustix::io::Errno;
use std::io;

/// No fault could be tried.
#[derive(Debug, thiserror::Error)]
pub enum FaultsError {
    /// The target is not one file system on one disk that the kernel mounts.
    #[error("{target} cannot be tried on a recording disk: {why}")]
    Target {
        /// As it was asked for.
        target: String,
        /// Why not.
        why: String,
    },
    /// The lab failed.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The disk is in use where it may not be.
    #[error(transparent)]
    Disk(#[from] disk::Error),
    /// A mount before any fault.
    #[error("cannot mount {target} before any fault: {errno}")]
    Mount {
        /// As it was asked for.
        target: String,
        /// What the kernel said.
        errno: Errno,
    },
    /// An operation of the workload failed without any fault.
    #[error("operation {number} of workload {workload} failed before any fault: {error}")]
    Operation {
        /// The name of the workload.
        workload: String,
        /// The number of the operation.
        number: usize,
        /// What the kernel said.
        error: io::Error,
    },
    /// Preparing for the workload failed, or the thread that mounts could not be started.
    #[error("cannot prepare for the workload: {0}")]
    Prepare(io::Error),
    /// The log has something that no disk is asked.
    #[error("the log of the disk cannot be used: {0}")]
    Log(#[from] Unaligned),
    /// The log has a mark that the workload does not set.
    #[error("the log of the disk is not of this workload: {0}")]
    Mark(#[from] UnknownMark),
}

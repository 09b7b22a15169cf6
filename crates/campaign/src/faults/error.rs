//! Errors that prevent a trial of a target. Harm that a trial finds is a result, not an error.

use ::faults::{contract::UnknownMark, ideal::Impossible, states::Unaligned};
use lab::error::LabError;
use rustix::io::Errno;
use std::io;

/// No fault could be tried.
#[derive(Debug, thiserror::Error)]
pub enum FaultsError {
    /// The target is not one file system on one disk that the kernel mounts.
    #[error("{target} cannot be tested on a recording disk: {why}")]
    Target {
        /// As it was asked for.
        target: String,
        /// Why not.
        why: String,
    },
    /// The target is not a mirror whose legs can be tried.
    #[error("{target} has no mirror leg to test: {why}")]
    NoMirror {
        /// As it was asked for.
        target: String,
        /// Why not.
        why: &'static str,
    },
    /// The target has no snapshots that can be made here.
    #[error("{target} has no snapshots to test: {why}")]
    NoSnapshots {
        /// As it was asked for.
        target: String,
        /// Why not.
        why: &'static str,
    },
    /// What a scrub found cannot be read.
    #[error("cannot read what `{command}` printed: {said}")]
    Unread {
        /// The command.
        command: String,
        /// All that it printed.
        said: String,
    },
    /// The file system refused something while it had snapshots, or was to get some.
    #[error(
        "{target} failed while snapshots were created or deleted, or its files changed: {error}"
    )]
    Snapshots {
        /// As it was asked for.
        target: String,
        /// What the kernel said.
        error: io::Error,
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
    /// An application failed without any fault, or could not look at what is left.
    #[error("the application failed before any fault: {0}")]
    Application(#[from] suites::TestError),
    /// Preparing for the workload failed, or the thread that mounts could not be started.
    #[error("cannot prepare for the workload: {0}")]
    Prepare(io::Error),
    /// No request triggered the fault, or did what the fault needs.
    #[error("no request on {target} {what}, so nothing was tested")]
    FaultNotTriggered {
        /// As it was asked for.
        target: String,
        /// What no request did, e.g. `met the fault`.
        what: &'static str,
    },
    /// Other programs wrote to all disks at that time.
    #[error(
        "other programs called sync in each of {tries} tries on {target}, and a sync may get the error that is meant \
         for an fsync; stop what calls sync, and repeat the test"
    )]
    Synced {
        /// As it was asked for.
        target: String,
        /// How often it was tried.
        tries: usize,
    },
    /// The kernel hung in an earlier state, on every disk.
    #[error("the kernel is stuck on every test disk; reboot this machine")]
    Stuck,
    /// A workload cannot be performed by anything.
    #[error(transparent)]
    Workload(#[from] Impossible),
    /// What was kept cannot be used.
    #[error("the recording of {test} on {target} cannot be used: {why}")]
    Kept {
        /// Stable test id.
        test: String,
        /// Label.
        target: String,
        /// What is wrong.
        why: String,
    },
    /// The log has something that no disk is asked.
    #[error("the log of the disk cannot be used: {0}")]
    Log(#[from] Unaligned),
    /// The log has a mark that the workload does not set.
    #[error("the log of the disk belongs to another workload: {0}")]
    Mark(#[from] UnknownMark),
}

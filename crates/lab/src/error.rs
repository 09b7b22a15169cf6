//! Defines the errors of the lab: what failed, on which object, and what to do next.

mod fault;

pub use fault::io_fault;

use model::text::Bytes;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Errors of the lab.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A target that cannot be made as it is written.
    #[error(transparent)]
    Target(#[from] fs::Error),
    /// An error of a system call, a command or a disk.
    #[error(transparent)]
    Disk(#[from] disk::Error),
    /// A program is not installed.
    #[error("`{program}` is not installed; {fix}")]
    MissingProgram {
        /// Its name.
        program: String,
        /// The remedy.
        fix: String,
    },
    /// The lab has fewer disks than the target needs.
    #[error("{name} needs {needed} disks, but the lab has {have}; name more devices")]
    FewDisks {
        /// The bottom of the target.
        name: &'static str,
        /// Disks that it needs.
        needed: usize,
        /// Disks of the lab.
        have: usize,
    },
    /// A server that does not come up.
    #[error("`{command}` did not become ready within {seconds} s; run it manually to see why")]
    NotReady {
        /// The command as a shell would take it.
        command: String,
        /// Time that was waited.
        seconds: u64,
    },
    /// A server under the target that is gone.
    #[error(
        "`{command}` exited unexpectedly ({status}): {said}. If this recurs, report it \
             upstream"
    )]
    ServerEnded {
        /// The command as a shell would take it.
        command: String,
        /// Exit status or signal.
        status: String,
        /// The last lines it wrote.
        said: String,
    },
    /// A server that did not end when it was asked to.
    #[error(
        "`{command}` did not stop within {seconds} s and was killed; unwritten data is lost: \
         {said}. If this recurs, report it upstream"
    )]
    ServerKilled {
        /// The command as a shell would take it.
        command: String,
        /// Time that was waited.
        seconds: u64,
        /// The last lines it wrote.
        said: String,
    },
    /// What a target that keeps the deleted is on is full.
    #[error(
        "no space left on {path} ({name}); use a larger --image-size or disk, or a smaller --scale"
    )]
    LowerFull {
        /// Its mount point.
        path: PathBuf,
        /// The part that is on it.
        name: &'static str,
    },
    /// A sweep without variants that can be measured.
    #[error("`{sweep}` cannot be swept: {why}")]
    Sweep {
        /// The sweep as written.
        sweep: String,
        /// The reason and what to do.
        why: String,
    },
    /// A campaign id that cannot be a file name.
    #[error(
        "`{0}` is not a campaign id; use letters, digits, `-`, `_` and `.`, and no leading \
             `.`"
    )]
    BadCampaign(String),
    /// Another process works on the campaign.
    #[error(
        "campaign {campaign} is running in another process (which holds {journal}); wait for it \
         or stop it"
    )]
    Live {
        /// Which.
        campaign: String,
        /// The locked file.
        journal: PathBuf,
    },
    /// The state folder, or a file in it, that is not obeyed.
    #[error("{path} {why}")]
    State {
        /// The folder or file.
        path: PathBuf,
        /// The reason and what to do.
        why: String,
    },
    /// A journal names what no campaign makes.
    #[error(
        "{what} is in the journal of campaign {campaign} but does not belong to it, so it was not \
         touched; remove it manually if needed, then remove the journal"
    )]
    Foreign {
        /// The entry.
        what: String,
        /// Id of the campaign.
        campaign: String,
    },
    /// Not enough room for the image.
    #[error(
        "{dir} has {free} free, but the image of {size} needs {needed}; free some space, or \
         choose a folder on another disk with --image-dir"
    )]
    NoSpace {
        /// Directory of the image.
        dir: PathBuf,
        /// Size of the image.
        size: Bytes,
        /// Size and room to spare.
        needed: Bytes,
        /// The free space.
        free: Bytes,
    },
    /// The target under the measurement is not what it was.
    #[error("the mount was lost: {path} {why}; the case is invalid")]
    MountGone {
        /// The mount point or directory.
        path: PathBuf,
        /// The thing that was found instead.
        why: String,
    },
    /// A directory that does not carry the marker, or has a mount inside.
    #[error("cannot remove {path}: {why}")]
    NotOurs {
        /// The directory.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A server that keeps a directory of ours and does not answer.
    #[error(
        "cannot remove {path}: its server {server} does not answer ({why}); remove it there later"
    )]
    NoAnswer {
        /// The directory.
        path: PathBuf,
        /// The export.
        server: String,
        /// The error.
        why: String,
    },
    /// A target directory that cannot be used.
    #[error("dir:{path} cannot be measured: {why}")]
    BadDir {
        /// The directory.
        path: PathBuf,
        /// The reason and the next step.
        why: String,
    },
    /// A target directory that was moved, replaced or mounted over while it was measured.
    #[error(
        "{path} was replaced during the run: {why}; remove the sub-directory `assay-*` that assay \
         left in the old one, then start again"
    )]
    DirReplaced {
        /// The private directory, or the one above it.
        path: PathBuf,
        /// The thing that was found instead.
        why: String,
    },
    /// An object store of the user's own without the keys to it.
    #[error(
        "no keys for the object store; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the \
         environment (with sudo, use --preserve-env)"
    )]
    NoKeys,
    /// A target names an object store that was not given.
    #[error(
        "the object store {host} must be named on the command line: --s3-endpoint \
         https://{host}/BUCKET"
    )]
    NoStore {
        /// The name in the target.
        host: String,
    },
    /// An object store does not do what it is asked for.
    #[error(
        "cannot {what} {place}: {why}; check the endpoint, bucket, region, and the permissions of \
         the keys"
    )]
    Store {
        /// The request.
        what: &'static str,
        /// Endpoint, bucket and prefix.
        place: String,
        /// The answer.
        why: String,
    },
    /// No control group can cap a device.
    #[error(
        "no cgroup controller can cap a device here; mount blkio (version 1) or io (version 2), \
         or omit the options cap.*"
    )]
    NoThrottle,
    /// A recording disk cannot do what it is asked for.
    #[error("the recording disk {disk} {why}")]
    Recording {
        /// Its device.
        disk: String,
        /// The reason and the next step.
        why: String,
    },
    /// A guest gave no result.
    #[error("{guest} {why}; its last output: {said}")]
    Guest {
        /// The guest, in words.
        guest: String,
        /// The reason.
        why: String,
        /// The last lines of its log or console.
        said: String,
    },
    /// A guest told more than one does.
    #[error(
        "a guest reported more than {most}, or more than {line} in one line; its report is ignored"
    )]
    TellsTooMuch {
        /// In all.
        most: Bytes,
        /// At once.
        line: Bytes,
    },
    /// Some of what was provisioned could not be torn down.
    #[error("cleanup was incomplete: {0}; run `assay cleanup`")]
    NotUndone(String),
}

impl LabError {
    /// For `map_err`: an I/O error on `path` during `what`.
    pub fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LabError {
        let failed = disk::Error::io(what, path);
        move |source| failed(source).into()
    }

    /// For `map_err` on rustix calls.
    pub(crate) fn errno(
        what: &'static str,
        path: &Path,
    ) -> impl FnOnce(rustix::io::Errno) -> LabError {
        let failed = disk::Error::errno(what, path);
        move |errno| failed(errno).into()
    }
}

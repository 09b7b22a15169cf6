//! Everything that can go wrong with a disk: what, on which object, and what to do next.

use crate::Refusal;
use model::text::Bytes;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a disk was not read, emptied or taken.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A system call failed.
    #[error("cannot {what} {path}: {source}")]
    Io {
        /// The act, e.g. `open`.
        what: &'static str,
        /// The object.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A program ended with an error.
    #[error("`{command}` failed ({status}): {last_line}")]
    Command {
        /// The command as a shell would take it.
        command: String,
        /// Exit status or signal.
        status: String,
        /// The last line of its standard error.
        last_line: String,
        /// Whether the program rejected an option, so that a retry would fail, too.
        of_options: bool,
    },
    /// A disk that is not touched.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A disk that cannot discard.
    #[error("{device} does not support discard; use `--purge zero-range` or `--purge none`")]
    NoDiscard {
        /// The device as given.
        device: PathBuf,
    },
    /// Root is needed.
    #[error("{what} needs root; run assay with sudo, or measure a directory with --on dir:PATH")]
    NeedsRoot {
        /// The act.
        what: String,
    },
    /// It is smaller than the file system allows.
    #[error("{name} needs at least {needed}, but the image has {size}; use a larger --image-size")]
    TooSmall {
        /// The file system.
        name: &'static str,
        /// Its minimum.
        needed: Bytes,
        /// Its size.
        size: Bytes,
    },
    /// It carries a mounted file system.
    #[error("{device} is still mounted at {mount_point}; tear that instance down first")]
    Busy {
        /// Its node.
        device: PathBuf,
        /// Where.
        mount_point: PathBuf,
    },
    /// It is gone, or another one has its place.
    #[error("the disk is lost: {device} {why}; assay stops using it")]
    DiskLost {
        /// Its node.
        device: PathBuf,
        /// The state found instead.
        why: String,
    },
    /// A disk or a mount point stays busy.
    #[error(
        "{path} is still busy after {seconds} s: {why}; stop the processes that use it, then run \
         `assay cleanup`"
    )]
    StaysBusy {
        /// The object.
        path: PathBuf,
        /// The duration of the attempts, seconds.
        seconds: u64,
        /// The last reason.
        why: String,
    },
    /// The user stopped it.
    #[error("stopped while {0}")]
    Stopped(&'static str),
}

impl Error {
    /// For `map_err`: an I/O error on `path` during `what`.
    pub fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| Error::Io { what, path, source }
    }

    /// For `map_err` on rustix calls.
    pub fn errno(what: &'static str, path: &Path) -> impl FnOnce(rustix::io::Errno) -> Error {
        let path = path.to_path_buf();
        move |errno| Error::Io { what, path, source: errno.into() }
    }
}

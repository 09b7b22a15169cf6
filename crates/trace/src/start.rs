//! The state of the disk when the recording began, as far as the application touched it.

use crate::{
    call::{HandleId, ThreadId},
    path::PathId,
};
use serde::{Deserialize, Serialize};

/// A file, directory or link that was there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartEntry {
    /// Where.
    pub path: PathId,
    /// What.
    pub kind: StartKind,
    /// Its permissions.
    pub mode: u32,
}

/// What a path named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StartKind {
    /// A regular file.
    File {
        /// Its length.
        bytes: u64,
        /// How much of it was in the page cache, bytes; `None` where that was not found out.
        cached_bytes: Option<u64>,
        /// Compressed size of a sample of it over the size of the sample, 0 to 1; `None` where none was read.
        compressed: Option<f64>,
    },
    /// A directory.
    Directory {
        /// Its entries, also those that the trace does not name: listing it takes time for these, too.
        entries: u32,
    },
    /// A symbolic link to a path of the trace; `None` leads outside its roots.
    Link(Option<PathId>),
    /// Another name of a regular file of the trace.
    HardLink(PathId),
}

/// A descriptor that was open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartHandle {
    /// The handle.
    pub handle: HandleId,
    /// A thread that has it.
    pub thread: ThreadId,
    /// The file.
    pub path: PathId,
    /// Its flags, without those that make or truncate.
    pub flags: u32,
    /// Its position.
    pub offset: u64,
}

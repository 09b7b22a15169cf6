//! Errors of a trace that cannot be read, or whose readable part ends early.

use std::io;

/// A trace that cannot be read at all, or a block that cannot.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file does not begin as traces do.
    #[error("not an assay trace: it does not start with `assaytr`")]
    NotATrace,
    /// A later version wrote it.
    #[error("the trace has format version {0}, but this version of assay only reads version 1")]
    Version(u8),
    /// There is no whole header.
    #[error("the trace has no readable header: {0}")]
    Header(Damage),
    /// A block does not hold what it should.
    #[error("the trace is damaged: {0}")]
    Damaged(#[from] Damage),
    /// The file could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Where a file stops being a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}, in the part at byte {at}")]
pub struct Damage {
    /// Where the unreadable part begins.
    pub at: u64,
    /// What is wrong with it.
    pub what: String,
}

impl Damage {
    pub(super) fn new(at: u64, what: impl Into<String>) -> Self {
        Damage { at, what: what.into() }
    }
}

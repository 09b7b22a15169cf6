//! Why a trace cannot be read, or where its readable part ends.

use std::io;

/// A trace that cannot be read at all, or a block that cannot.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file does not begin as traces do.
    #[error("this is not a trace of assay: it does not begin with `assaytr`")]
    NotATrace,
    /// A later version wrote it.
    #[error("this trace has version {0} of the format, of which this assay knows version 1 only")]
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

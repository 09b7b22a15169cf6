//! The states that a disk with a volatile cache may be left in when its power goes, from the [`Log`] of what it was
//! asked.
//!
//! The flushes divide the log into epochs. Everything before the last flush is durable. Of the writes since then any
//! subset is, in any order, and the last of them may be torn: of it only the first sectors are there. Discards are
//! writes of zeros: a loop device makes both from requests to write zeros and from requests to discard. The start of
//! the log begins an epoch, too, as a disk that is never flushed has no other.
//!
//! A state has a number, from which it is made again ([`Epochs::state`]); [`draw`] draws distinct ones.

mod digest;
mod draw;
mod epoch;
mod number;
#[cfg(test)]
mod tests;
mod uncovered;

pub use draw::{Draw, Drawn, draw};
pub use epoch::{Epochs, Unaligned};

/// The unit in which a disk writes whole or not at all, bytes.
pub const SECTOR_BYTES: u64 = 512;

/// One state that the disk may be left in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// From it the state is made again, with the same log.
    pub number: u64,
    /// The epoch in which the power went: all epochs before it are durable.
    pub epoch: usize,
    /// The writes of the epoch that are on the disk, by their places in the epoch, in the order in which they got
    /// there.
    pub kept: Vec<usize>,
    /// How many sectors of the last one of them are there, if not all.
    pub torn: Option<u64>,
    /// The last mark that the workload had set before the power went.
    pub acknowledged: Option<u64>,
}

//! The states that a power failure may leave on a disk with a volatile cache, from the [`Log`] of its requests.
//!
//! The flushes divide the log into epochs. Everything before the last flush is durable. Of the writes since then any
//! subset may be, in any order, and the last of them may be torn: only its first sectors are there. Discards count as
//! writes of zeros: a loop device issues both for requests to write zeros and for requests to discard. The start of the
//! log begins an epoch, too, because a disk that is never flushed has no other.
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
pub use number::epoch_of;

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

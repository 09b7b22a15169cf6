//! Block I/O on files: what to do comes from an operation source, how it is done from an engine, and
//! how long each operation took goes into a histogram.
//!
//! `Prepared::new` sets everything up outside of the timed part: buffers that are resident, rings,
//! registrations, mappings. `Prepared::run` is the timed part. It has one loop for all engines, made
//! for each of them at compile time. Between two operations it reads the clock once, draws an
//! offset and counts in a histogram; it allocates nothing and makes no system call but the I/O and,
//! at a fixed rate, the wait for the next start.
//!
//! A thread prepares its own engine and runs it itself; a ring belongs to one thread, so `Prepared`
//! cannot be sent to another.

mod atomic;
mod buffers;
mod drive;
mod error;
mod file;
mod latencies;
mod mapped;
mod null;
mod offsets;
mod options;
mod prepared;
mod stream;
mod sync;
mod uring;
mod work;

pub use atomic::{AtomicSizes, atomic_sizes, write_atomic};
pub use buffers::holds_written_block;
pub use error::EngineError;
pub use file::{buffered_below, direct_alignment, open};
pub use latencies::{Latencies, LatencyTable};
pub use offsets::{Access, Offsets, Order};
pub use options::{Advice, EngineKind, EngineOptions};
pub use prepared::Prepared;
pub use stream::Stream;
pub use work::{Done, Op, OpSource, Pace, Until, Work};

#[cfg(test)]
mod tests;

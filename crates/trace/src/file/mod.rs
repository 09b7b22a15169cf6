//! The file of a trace: chunks, each with its kind, lengths and checksum, compressed separately.
//!
//! A trace that was cut off, e.g. because the recorder was killed, is readable up to its last whole chunk. Calls are
//! stored by columns in blocks that can be read alone. docs/trace-format.md describes every byte.

mod chunk;
mod column;
mod columns;
mod context;
mod error;
mod names;
mod reader;
mod start;
mod varint;
mod writer;

pub use error::{Damage, TraceError};
pub use reader::{Block, Calls, Named, Trace};
pub use writer::Writer;

/// What every trace begins with; the last byte is the version.
pub const MAGIC: [u8; 8] = *b"assaytr\x01";

/// Most calls of a block.
pub const BLOCK_CALLS: usize = 65_536;

/// Most paths of a trace.
pub const MOST_PATHS: usize = 8 << 20;

/// Most bytes that the names of a trace take together.
pub const MOST_NAME_BYTES: usize = 256 << 20;

/// Most descriptors that a trace begins with.
pub const MOST_START_HANDLES: usize = 1 << 20;

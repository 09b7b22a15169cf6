//! What this machine is, and what it can do.

pub(crate) mod environment;
pub(crate) mod health;
pub(crate) mod matrix;
pub(crate) mod medium;
pub(crate) mod modules;
pub(crate) mod needs;
pub(crate) mod probe;

use crate::fs::Memory;
use model::Bytes;

/// Memory of `size` in pages of this machine.
pub fn memory(size: Bytes) -> Memory {
    Memory { size, page_bytes: rustix::param::page_size() as u64 }
}

//! The data plane: shared-memory barrier, clocks, mappings, generated data and I/O primitives.
//!
//! One of the few crates that may use `unsafe`; each block says why it is sound. Nothing here
//! allocates, locks, formats or makes a system call of its own inside a timed part.
#![allow(unsafe_code)]

pub mod aligned;
pub mod barrier;
pub mod calls;
pub mod child;
pub mod clock;
pub mod confine;
mod counters;
pub mod cpu;
pub mod data;
pub mod extents;
pub mod fork;
pub mod io;
pub mod map;
pub mod numa;
pub mod progress;

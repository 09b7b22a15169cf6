//! Tells what this machine has for a campaign: memory for targets and guests, processors and NUMA nodes for workers,
//! the space that must stay free for others, and whether
//! other programs leave it alone.

pub mod memory;
pub mod numa;
pub mod processors;
pub mod quiet;
pub mod reserve;

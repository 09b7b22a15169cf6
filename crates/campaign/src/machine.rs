//! Tells what this machine has for a campaign: memory for targets and guests, processors and NUMA nodes for workers,
//! and the space that must stay free for others.

pub mod memory;
pub mod numa;
pub mod processors;
pub mod reserve;

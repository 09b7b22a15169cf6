//! Determines what this machine offers a campaign: memory for targets and guests, processors and NUMA nodes for
//! workers, the space that must stay free for others, and whether other programs keep it busy.

pub mod memory;
pub mod numa;
pub mod processors;
pub mod quiet;
pub mod reserve;

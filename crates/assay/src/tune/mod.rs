//! Searches for better options of one file system: `variant` lists what can be tried, `bench` measures each stage as an
//! ordinary campaign, `outcome` reports the result. `stats::tuning` decides which variants advance and which one wins.

pub mod bench;
pub mod outcome;
pub mod variant;

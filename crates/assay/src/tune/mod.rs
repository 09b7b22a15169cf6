//! The search for better options of one file system: `variant` says what can be tried, `bench`
//! measures each stage as an ordinary campaign, `outcome` tells what was found. Who goes on and who
//! wins is decided by `stats::tuning`.

pub mod bench;
pub mod outcome;
pub mod variant;

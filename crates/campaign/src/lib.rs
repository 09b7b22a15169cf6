//! The campaign: from a plan to samples in the store, block by block.
//!
//! Its rooms, each of which uses only those before it: [`messages`] says what happens, [`tools`] makes suites of other
//! people's benchmarks, [`inputs`] finds and reads what a user names, [`machine`] tells what this machine has,
//! [`evidence`] turns counters into figures and proofs, [`faults`] makes power cuts and says what is left, [`stages`]
//! are what is settled on the way to a campaign, [`sizes`] finds how much each test does, [`run`] runs a target on
//! this machine, [`guests`] in a guest, [`pipeline`] makes one stage from the other with all checks, and
//! [`scheduling`] walks blocks and targets. An import names the room.

pub mod evidence;
pub mod faults;
pub mod guests;
pub mod inputs;
pub mod machine;
pub mod messages;
pub mod pipeline;
pub mod run;
pub mod scheduling;
pub mod sizes;
pub mod stages;
#[cfg(test)]
mod testing;
pub mod tools;

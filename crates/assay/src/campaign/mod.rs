//! The campaign: from a plan to samples in the store, block by block.
//!
//! `prepare` turns a plan into names that exist, `sizing` finds the scale, `schedule` walks blocks,
//! targets and tests, `case` runs one case, `judge` turns what was seen into a sample.

pub mod case;
pub mod judge;
pub mod prepare;
pub mod schedule;
pub mod sizing;

//! Schedules a campaign: tries its tests to size them, walks its blocks and targets, tries again what failed, and says
//! when the campaign ends.

mod bound;
pub mod history;
pub mod pace;
pub mod schedule;
pub mod trial;
pub mod upkeep;

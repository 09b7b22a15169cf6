//! Runs targets in guests: which target needs one, what a guest is told, and how its reports are checked.

pub mod guest;
pub mod places;
pub mod protocol;
pub mod reports;

//! Runs targets in guests: which target needs one, the task of a guest, and the check of its reports.

pub mod guest;
pub mod places;
pub mod protocol;
pub mod reports;

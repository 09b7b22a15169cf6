//! Runs targets in guests: which target needs one, the task of a guest, and the check of its reports.

mod closed;
pub mod guest;
pub mod kernels;
pub mod made;
pub mod places;
pub mod protocol;
pub mod reports;
#[cfg(test)]
mod still;

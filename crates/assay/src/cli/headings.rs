//! Headings of the options of `run` and `plan`.

/// Which targets.
pub(super) const COMPARED: &str = "Candidates";
/// Which tests, and how they are done.
pub(super) const WORK: &str = "Workload";
/// How much and in which order.
pub(super) const LENGTH: &str = "Duration and order";
/// Disks, images and machines.
pub(super) const PLACE: &str = "Disks and machines";
/// The answer.
pub(super) const OUTPUT: &str = "Output";

//! The headings under which the help of `run` and `plan` has its options.

/// Which targets.
pub(super) const COMPARED: &str = "What is compared";
/// Which tests, and how they are done.
pub(super) const WORK: &str = "The work";
/// How much and in which order.
pub(super) const LENGTH: &str = "How long it is measured";
/// Disks, images and machines.
pub(super) const PLACE: &str = "Where it is measured";
/// The answer.
pub(super) const OUTPUT: &str = "What is printed and written";

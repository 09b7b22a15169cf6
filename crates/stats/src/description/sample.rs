//! Says what a sample is worth: whether it is steady, long enough, proven and undisturbed, and how much it moved.

pub(crate) mod after_faults;
pub(crate) mod amount;
pub(crate) mod contention;
pub(crate) mod full;
pub(crate) mod injected;
pub(crate) mod proof;
pub(crate) mod run_order;
pub(crate) mod snapshots;
pub(crate) mod steady;
pub(crate) mod timed_share;
pub(crate) mod too_short;

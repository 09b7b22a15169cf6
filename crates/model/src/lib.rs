//! Plain data that every other crate speaks: plans, targets, cases, jobs, samples, datasets.
//!
//! Nothing here touches a disk, a clock or a process. A type belongs here when two crates that
//! must not depend on each other both need it.

pub mod figure;
pub mod plan;
pub mod random;
pub mod result;
#[cfg(any(test, feature = "strategies"))]
pub mod strategies;
pub mod target;
pub mod text;
pub mod workload;

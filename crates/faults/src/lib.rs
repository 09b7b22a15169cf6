//! States that a disk may be left in after a fault, and what must hold in each. Pure data and functions: no disk, no
//! process, no clock.
//!
//! A recording disk fills a [`log::Log`] while a workload runs on it.

pub mod log;
pub mod rule;
pub mod states;

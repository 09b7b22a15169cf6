//! States that a disk may be left in after a fault, and what must hold in each. Pure data and functions: no disk, no
//! process, no clock.
//!
//! A recording disk fills a [`log::Log`] while a [`workload`] runs on it. [`states`] draws the states that a power cut
//! may leave from the log, and a [`contract`] says what is wrong with the files that are found in one of them.
//! [`sequences`] generates all short workloads.

pub mod content;
pub mod contract;
pub mod cut;
pub mod failed_write;
pub mod full;
pub mod ideal;
pub mod image;
pub mod log;
pub mod mirror;
pub mod recording;
pub mod rule;
pub mod sequences;
pub mod snapshots;
pub mod states;
pub mod turned_bit;
pub mod workload;

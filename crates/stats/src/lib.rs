//! Pure statistics: a dataset into findings. No clock, no I/O, no state: the same dataset and the
//! same settings give the same findings to the last bit, so an old campaign can be judged again.
//!
//! Its rooms, each of which uses only those before it: [`kernel`] computes and knows no benchmark, [`description`]
//! turns samples into cells and tables, [`comparison`] puts campaigns next to each other, [`verdict`] decides,
//! [`advice`] weighs by a workload, [`tuning`] searches for better options, and [`evaluation`] puts a campaign through
//! all of them. An import names the room.

pub mod advice;
pub mod comparison;
pub mod description;
pub mod evaluation;
pub mod kernel;
pub mod tuning;
pub mod verdict;

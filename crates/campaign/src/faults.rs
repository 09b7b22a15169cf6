//! Makes faults below a target, on a recording disk, and says what is left: states of a power cut are made from the log
//! of a workload, mounted, and held against the workload's contract.

mod crash;
mod error;
mod looker;
mod mount;
mod observe;
mod perform;

pub use crash::{Crash, Ground};
pub use error::FaultsError;

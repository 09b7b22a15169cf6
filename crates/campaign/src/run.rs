//! Runs targets on this machine: makes one, brings it into its condition, runs its tests case by case, and tears it
//! down.

pub mod case;
pub mod condition;
pub mod context;
mod fault;
pub mod hosts;
mod own_disk;
pub mod relay;
pub mod retake;
pub mod run_end;
pub mod target_run;
mod transfer;

//! Runs targets on this machine: makes one, brings it into its condition, runs its tests case by case, and tears it
//! down.

pub mod case;
pub mod condition;
mod crash;
pub mod hosts;
pub mod relay;
pub mod retake;
pub mod run_end;
pub mod target_run;

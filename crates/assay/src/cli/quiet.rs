//! The option that waits for other programs.

use super::values;
use crate::others::OtherPrograms;
use clap::Args;
use std::time::Duration;

/// Whether other programs are waited for.
#[derive(Args, Debug)]
pub struct QuietArgs {
    /// Wait up to TIME (e.g. 10m) for other programs to stop using the CPU and the disk; fail with status 3 if they
    /// do not [default: only name them]
    #[arg(long, value_name = "TIME", value_parser = values::duration_s)]
    pub wait_quiet: Option<u64>,
}

impl QuietArgs {
    /// What is done about them.
    pub fn others(&self) -> OtherPrograms {
        self.wait_quiet.map_or(OtherPrograms::Named, |most_s| {
            OtherPrograms::Awaited(Duration::from_secs(most_s))
        })
    }
}

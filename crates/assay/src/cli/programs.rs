//! Argument that lifts the sandbox of external programs.

use super::headings::WORK;
use clap::Args;

/// Permissions of external programs.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ProgramArgs {
    /// Run the programs of suites (fio, commands of a suite file) without the sandbox that confines them to
    /// their directory on the target; the report says so. Cannot be set in a plan or suite file
    #[arg(long, help_heading = WORK)]
    pub unconfined: bool,
}

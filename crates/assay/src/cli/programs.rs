//! The argument about programs of others.

use super::headings::WORK;
use clap::Args;

/// What programs of others may do.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ProgramArgs {
    /// Let the programs that suites run (fio, the commands of a suite file) do all that you can do, instead
    /// of confining them to their directory on the target; the report says so. Neither a plan nor a suite
    /// file can ask for it
    #[arg(long, help_heading = WORK)]
    pub unconfined: bool,
}

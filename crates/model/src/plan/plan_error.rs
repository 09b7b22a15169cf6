//! Errors of a plan.

use crate::{target::NamingError, text::did_you_mean};
use std::fmt;

/// Most cycles of churn; the usual ladder is 0, 100, 300, 1000.
pub(crate) const MAX_AGE: u32 = 10_000;
/// Fullest that a file system is made, per cent; the usual steps are 50, 80, 95.
pub(crate) const MAX_FULLNESS: u32 = 98;

/// Most processes of a campaign: ranks of many hosts, of which one machine starts far fewer.
pub(crate) const MOST_PROCS: u32 = 65_536;

/// A plan that cannot be run.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanError {
    /// Not a scale.
    Scale(String),
    /// A process count outside 1 to 65536.
    Procs(u32),
    /// A thread count outside 1 to 1024.
    Threads(u32),
    /// A block count outside 1 to 1000.
    Blocks(u32),
    /// More ageing cycles than are sensible.
    Age(u32),
    /// A share to fill that leaves no room.
    Fullness(u32),
    /// A size of which no test can be made; its test.
    Size(String),
    /// An exact number of blocks and a time for them.
    BlocksAndBudget,
    /// A kernel for a lab that boots none.
    KernelWithoutMachine,
    /// A target or sweep with a kernel, where the plan lets it be in no guest, or in one with another kernel; says why.
    KernelOf(String, &'static str),
    /// A name or a tag that cannot be.
    Naming(NamingError),
    /// A backing that contradicts itself; says how, and what to do.
    Backing(&'static str),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Scale(text) => {
                let meant = did_you_mean(text, ["auto", "full", "small", "tiny", "smoke"]);
                write!(
                    f,
                    "invalid scale `{text}`{meant}; expected auto, full, small, tiny, smoke or a factor from \
                     0.0005 to 4"
                )
            }
            PlanError::Procs(n) => {
                write!(f, "--procs must be between 1 and {MOST_PROCS}, not {n}")
            }
            PlanError::Threads(n) => {
                write!(f, "--threads must be between 1 and 1024, not {n}")
            }
            PlanError::Blocks(n) => write!(f, "--blocks must be between 1 and 1000, not {n}"),
            PlanError::Age(n) => {
                write!(f, "--age must be between 0 and {MAX_AGE}, not {n}")
            }
            PlanError::Fullness(n) => {
                write!(f, "--fullness must be between 1 and {MAX_FULLNESS}, not {n}")
            }
            PlanError::Size(test) => write!(
                f,
                "the size of {test} is out of range; omit `sizes` to have sizes calibrated"
            ),
            PlanError::Naming(why) => why.fmt(f),
            PlanError::Backing(why) => f.write_str(why),
            PlanError::KernelWithoutMachine => {
                f.write_str("--kernel needs QEMU; use --lab qemu, or omit --kernel")
            }
            PlanError::KernelOf(target, why) => {
                write!(f, "{target} is measured in a guest with that kernel, {why}")
            }
            PlanError::BlocksAndBudget => {
                f.write_str("`blocks` and `budget_s` exclude each other; drop one")
            }
        }
    }
}

impl std::error::Error for PlanError {}

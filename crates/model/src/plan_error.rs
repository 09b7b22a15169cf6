//! Why a plan cannot be run.

use crate::{NamingError, did_you_mean};
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
    /// More cycles of ageing than anybody waits for.
    Age(u32),
    /// A share to fill that leaves no room.
    Fullness(u32),
    /// A size of which no test can be made; its test.
    Size(String),
    /// An exact number of blocks and a time for them.
    BlocksAndBudget,
    /// A kernel for a lab that boots none.
    KernelWithoutMachine,
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
                    "`{text}` is not a scale{meant}; use auto, full, small, tiny, smoke or a factor from 0.0005 \
                     to 4"
                )
            }
            PlanError::Procs(n) => {
                write!(f, "{n} processes cannot be run; use --procs 1 to {MOST_PROCS}")
            }
            PlanError::Threads(n) => {
                write!(f, "{n} threads cannot be run; use --threads 1 to 1024")
            }
            PlanError::Blocks(n) => write!(f, "{n} blocks cannot be run; use --blocks 1 to 1000"),
            PlanError::Age(n) => {
                write!(f, "{n} cycles of ageing are too many; use --age 0 to {MAX_AGE}")
            }
            PlanError::Fullness(n) => {
                write!(f, "{n} % cannot be filled; use --fullness 1 to {MAX_FULLNESS}")
            }
            PlanError::Size(test) => write!(
                f,
                "the size of {test} is out of range; leave `sizes` out, and they are found by trying"
            ),
            PlanError::Naming(why) => why.fmt(f),
            PlanError::Backing(why) => f.write_str(why),
            PlanError::KernelWithoutMachine => f.write_str(
                "only QEMU boots a kernel that is named; use --lab qemu, or no --kernel",
            ),
            PlanError::BlocksAndBudget => f.write_str(
                "a number of blocks and a budget exclude each other; give `blocks` or `budget_s`",
            ),
        }
    }
}

impl std::error::Error for PlanError {}

//! The protocol between a campaign and a guest: the task in one file, and events, one per line, in another.

use crate::run::{context::Event, relay::Step};
use model::{plan::Plan, target::Target};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

/// The hidden command under which this program runs in a guest.
pub const VERB: &str = "__guest";
/// File of the task, in the directory of the guest.
pub const TASK: &str = "task.json";
/// File of events, one per line.
pub const REPORTS: &str = "reports.jsonl";

/// The task of a guest.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// Campaign for which it is done.
    pub campaign: String,
    /// Nodes of its disks.
    pub disks: Vec<PathBuf>,
    /// The work.
    pub work: Work,
}

/// The work of a guest.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Make, write and undo each of these targets once.
    Try(Vec<Target>),
    /// The target runs of one target in one block.
    TargetRuns(Box<TargetRuns>),
}

/// The target runs of one target in one block, at every process count.
#[derive(Debug, Serialize, Deserialize)]
pub struct TargetRuns {
    /// The plan of the campaign, with this target alone.
    pub plan: Plan,
    /// Whether external programs run unconfined, as allowed on the command line.
    pub unconfined: bool,
    /// Label of the target.
    pub label: String,
    /// Block number.
    pub block: u32,
    /// Position of the target in the block.
    pub position: u32,
    /// Seed of the campaign.
    pub seed: u64,
    /// Factor on every size.
    pub scale: f64,
    /// Whether it waits before each step until it is called.
    pub gated: bool,
    /// Process counts by test: the guest has other processors than this machine.
    pub counts: BTreeMap<String, Vec<u32>>,
}

/// A report of a guest.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// The release of its kernel; the first report of every guest.
    Kernel(String),
    /// The result of the target with this number: why it cannot be made, or nothing.
    Tried {
        /// Its number in the task.
        target: usize,
        /// What went wrong.
        why: Option<String>,
    },
    /// An event of the target run at this process count.
    TargetRun(u32, Event),
    /// It waits until it may do this step; the file [`call`] releases it.
    Waits(Step),
}

/// The file that calls a guest for the `number`th time, from 1.
pub fn call(number: u32) -> String {
    format!("call-{number}")
}

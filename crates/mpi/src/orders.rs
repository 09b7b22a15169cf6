//! Orders of rank 0 to the others, and their answers. Jobs and reports are those of local workers.

use crate::{clocks::Offset, rounds::Round};
use model::{
    plan::User,
    result::{Dataset, Environment},
    workload::{AssetFile, Job, WorkerReport},
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// An order to one rank.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Answer this many round trips with the time.
    Clock {
        /// How many.
        trips: usize,
    },
    /// Do a job in step with others.
    Run(Box<Task>),
    /// Let the worker process of earlier jobs go.
    Dismiss,
    /// Look what of `files` is in memory, after all of `root` was made cold where that is asked for.
    Look {
        /// The private directory of the target.
        root: PathBuf,
        /// Files of the workers of this host.
        files: Vec<PathBuf>,
        /// Whether to make it cold.
        cold: bool,
    },
    /// Check that this host has these assets where rank 0 has them.
    Verify {
        /// The assets.
        assets: Vec<AssetFile>,
    },
    /// Ask for the pieces of this asset, and keep it where rank 0 has it.
    Receive {
        /// The asset.
        asset: AssetFile,
    },
    /// Say what this host is, with the file system of `dir`.
    Describe {
        /// A directory of the file system.
        dir: PathBuf,
    },
    /// Run the campaign of this host alone.
    Campaign {
        /// The words of the program.
        words: Vec<String>,
        /// Its store.
        store: PathBuf,
    },
    /// Say what a campaign of this host measured.
    HandOver {
        /// Its store.
        store: PathBuf,
        /// Its id.
        campaign: String,
    },
    /// The campaign is over.
    End,
}

/// A job with what belongs to it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// Number of the run, by which messages of an earlier one are known.
    pub run: u64,
    /// Its barrier before each phase.
    pub barrier: Vec<Round>,
    /// The job.
    pub job: Job,
    /// In whose name.
    pub user: Option<User>,
    /// What it may take, seconds.
    pub timeout_s: f64,
}

/// The point that a worker has reached: all workers of a pool must reach the same point before any continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Before the phase of this number, which a barrier begins.
    Release(usize),
    /// At the end of the phase of this number.
    End(usize),
}

/// What a rank says during run `run`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Word {
    /// Number of the run.
    pub run: u64,
    /// What it says.
    pub news: News,
}

/// How a rank fares.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// It is there.
    Alive,
    /// It waits at this step; the number of the process that works.
    At(Step, u32),
    /// Its worker's report.
    Done(Box<WorkerReport>),
    /// Others failed, or the run was stopped.
    Stopped,
    /// Its worker failed: one line.
    Failed(String),
    /// Its worker did not come to the end in time.
    TimedOut,
}

/// What rank 0 answers to those who wait at a step of `run`, or says to those who work.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ruling {
    /// Number of the run.
    pub run: u64,
    /// Whether it continues; otherwise it is over.
    pub goes_on: bool,
}

/// What a rank is, told once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// The name of its host.
    pub host: String,
    /// What tells its clock from that of others: the boot of the kernel and the time namespace.
    pub clock: String,
}

/// What a leader answers to an order other than a run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Bytes of the files in memory, all of theirs, and what they hold on their devices.
    Resident(u64, u64, u64),
    /// The host has the assets.
    Verified,
    /// It lacks those at these places of the order, from 0.
    Lacks(Vec<usize>),
    /// It takes the next piece of an asset.
    Next,
    /// What the host is.
    Described(Environment),
    /// The campaign of this host runs.
    Runs,
    /// It has ended.
    Ran(HostEnded),
    /// What it measured.
    Measured(Box<Dataset>),
    /// It could not be done: one line.
    Failed(String),
}

/// How the campaign of a host ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HostEnded {
    /// Its status; `None` after a signal.
    pub status: Option<i32>,
    /// Its id, where it was begun.
    pub campaign: Option<String>,
    /// The last that it said.
    pub said: String,
}

/// The clocks of a pool, by rank, as looked at once.
pub type Looks = std::collections::BTreeMap<usize, Offset>;

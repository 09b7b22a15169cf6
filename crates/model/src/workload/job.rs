//! Job and report of a worker process. Both cross a pipe as one JSON line.

use crate::{
    figure::{Histogram, Metric, Synced},
    target::Options,
    text::{Bytes, did_you_mean},
    workload::{AssetFile, AssetName, Like, NumaNode, Work},
};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

/// What generated data looks like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DataKind {
    /// Seeded random words, different in every worker: the default.
    #[default]
    Random,
    /// Half of every 4 KiB random, half zero.
    Compressible,
    /// All zero: only to show what a compressing file system does with nothing.
    Zeros,
    /// Words like the original suite's: a quarter counting, a quarter constant, a quarter permuted, a
    /// quarter small random numbers.
    Ancestor,
    /// As compressible and as repetitive as a sample of the user's files.
    Like(Like),
}

impl fmt::Display for DataKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DataKind::Like(like) => return write!(f, "{like}"),
            DataKind::Random => "random",
            DataKind::Compressible => "compressible",
            DataKind::Zeros => "zeros",
            DataKind::Ancestor => "ancestor",
        })
    }
}

/// What is left of the estimate for data like the user's by a compressor that does better than it.
const BEYOND_ESTIMATE: f64 = 0.75;

impl DataKind {
    /// Share of the bytes that no compressor can save, 0 to 1; rather too low than too high.
    pub fn incompressible_share(&self) -> f64 {
        match self {
            DataKind::Random => 1.0,
            DataKind::Compressible => 0.5,
            DataKind::Zeros | DataKind::Ancestor => 0.0,
            DataKind::Like(like) => {
                let unique = 1.0 - f64::from(like.duplicate()) / 1000.0;
                BEYOND_ESTIMATE * unique * like.left_coded()
            }
        }
    }
}

impl FromStr for DataKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with("like(") {
            return text.parse().map(DataKind::Like);
        }
        [DataKind::Random, DataKind::Compressible, DataKind::Zeros, DataKind::Ancestor]
            .into_iter()
            .find(|kind| kind.to_string() == text)
            .ok_or_else(|| {
                let known = ["random", "compressible", "zeros", "ancestor"];
                let meant = did_you_mean(text, known);
                format!(
                    "unknown data kind `{text}`{meant}; expected random, compressible, zeros, ancestor or, \
                     on the command line, like:PATH"
                )
            })
    }
}

impl TryFrom<String> for DataKind {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<DataKind> for String {
    fn from(kind: DataKind) -> String {
        kind.to_string()
    }
}

/// What a worker does with its test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobMode {
    /// Create, untimed, the files that the test needs and that are not there, and sync them.
    Fill,
    /// Read, untimed, what the test will read, so that it is resident.
    Warm,
    /// The timed part, and the verification after it.
    Run,
}

/// Whether a worker runs external programs, and what these can access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Programs {
    /// It runs none.
    #[default]
    None,
    /// They can write only in the worker's own directory.
    Confined,
    /// They have all rights of the user who started this program.
    Unconfined,
}

/// One order for one worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Stable test id.
    pub test: String,
    /// What to do.
    pub mode: JobMode,
    /// The worker's own directory; it exists.
    pub dir: PathBuf,
    /// Number of this worker, from 0.
    pub worker: u32,
    /// Number of workers.
    pub workers: u32,
    /// Threads for the parallel parts.
    pub threads: u32,
    /// Factor on every size; 1 is the original suite's full scale.
    pub scale: f64,
    /// Repetitions, where the test has been sized separately; `None` leaves all to `scale`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// Seed of the campaign; workers derive their own.
    pub seed: u64,
    /// What the data looks like.
    pub data: DataKind,
    /// Memory of the machine, by which the largest file is limited.
    pub memory: Bytes,
    /// Suite knobs.
    pub knobs: Options,
    /// Whether programs of others run, and how.
    #[serde(default)]
    pub programs: Programs,
    /// Bytes of the file system of `dir` that programs of others have to leave free; they are ended before.
    #[serde(default)]
    pub reserve: Bytes,
    /// The processor on which it works; anywhere where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u32>,
    /// The NUMA node on whose processors and memory it is kept from its start; on none where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NumaNode>,
    /// The declaration of the test, TOML, when it is not built into the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    /// The assets that the test needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assets: Vec<AssetFile>,
    /// Where workers are shifted, the workers of other hosts whose files this one takes: one, two and three strides
    /// further on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owners: Option<[u32; 3]>,
    /// Number of the attempt at this case, from 1; 0 if not counted.
    #[serde(default)]
    pub attempt: u32,
}

/// Largest share of the memory that assets take in the page cache before a timed part.
const ASSETS_SHARE: f64 = 0.25;

impl Job {
    /// A run of `test` by one worker in `dir` at full scale, with one thread, seed 0 and random data; it knows of no
    /// memory and has nothing that a job may lack.
    pub fn of(test: impl Into<String>, dir: impl Into<PathBuf>) -> Job {
        Job {
            test: test.into(),
            mode: JobMode::Run,
            dir: dir.into(),
            worker: 0,
            workers: 1,
            threads: 1,
            scale: 1.0,
            work: None,
            seed: 0,
            data: DataKind::default(),
            memory: Bytes(0),
            knobs: Options::new(),
            programs: Programs::None,
            reserve: Bytes(0),
            cpu: None,
            node: None,
            declaration: None,
            assets: Vec::new(),
            owners: None,
            attempt: 0,
        }
    }

    /// Where the directories of all workers lie, and what they share next to them.
    pub fn shared_dir(&self) -> &Path {
        self.dir.parent().unwrap_or(&self.dir)
    }

    /// Whether the assets are read into the page cache before a timed part, which keeps their device out of it: more
    /// than that would displace what is measured.
    pub fn warms_assets(&self) -> bool {
        let bytes = self.assets.iter().fold(0_u64, |sum, asset| sum.saturating_add(asset.bytes.0));
        bytes as f64 <= ASSETS_SHARE * self.memory.0 as f64
    }

    /// The asset called `name`; `None` where the test does not need one of that name.
    pub fn asset(&self, name: &AssetName) -> Option<&AssetFile> {
        self.assets.iter().find(|asset| asset.name == *name)
    }
}

/// What a phase of a timed part did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    /// Moving data into the page cache.
    Write,
    /// Making it durable.
    Sync,
    /// `fsync` of a directory alone, as the original suite does after a sort.
    SyncDir,
    /// Spawning the `sync` program, as the original suite does, on a file that is already clean.
    SpawnSync,
    /// Moving data out of the file system.
    Read,
    /// Operations on files.
    Operate,
}

/// One phase as one worker saw it. Times are of CLOCK_MONOTONIC of the host of worker 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseReport {
    /// What it was.
    pub kind: PhaseKind,
    /// Start, nanoseconds.
    pub start_ns: u64,
    /// End, nanoseconds.
    pub end_ns: u64,
    /// Logical bytes moved.
    pub bytes: u64,
    /// Operations done.
    pub ops: u64,
    /// User processor time of the whole process (and its children), seconds.
    pub cpu_user_s: f64,
    /// Kernel processor time of the same, seconds.
    pub cpu_sys_s: f64,
}

/// What a worker answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Number of the worker.
    pub worker: u32,
    /// Its phases in order; the same kinds in every worker.
    pub phases: Vec<PhaseReport>,
    /// Distinct file bytes, in whole pages, that the timed part touched for reading: what a cold
    /// run must at least bring from the device.
    pub footprint_bytes: u64,
    /// What the timed part made durable; `None` when it synced nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synced: Option<Synced>,
    /// Length of the command string of the original suite's sync, characters; 0 where it has none.
    pub command_chars: u32,
    /// Further numbers of the test itself.
    pub metrics: Vec<Metric>,
    /// Latencies of its operations, by kind of operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histograms: Vec<Histogram>,
    /// What the program that was run printed, when the figures are in it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Why it failed: one line, with the object; `None` when it did not.
    pub error: Option<String>,
    /// The way of I/O that its target does not support, e.g. `RWF_ATOMIC`, where that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// What was moved in one phase while every worker was in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseOverlap {
    /// Last start to first end, nanoseconds; 0 when the workers never all ran together.
    pub window_ns: u64,
    /// Bytes that all workers moved in that window, by their progress counters.
    pub bytes: u64,
    /// Operations that all workers did in that window.
    pub ops: u64,
}

/// What a pool of workers brought back from one job each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PoolReport {
    /// One report each, by worker number.
    pub workers: Vec<WorkerReport>,
    /// One entry for each phase.
    pub overlaps: Vec<PhaseOverlap>,
    /// Where each worked, by worker number; empty where all were on this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Times of different hosts may be so far apart beyond what was corrected, nanoseconds; 0 on one clock.
    #[serde(default)]
    pub clock_bound_ns: u64,
}

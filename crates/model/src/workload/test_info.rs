//! Description of a test for tables. It is stored with every campaign, so that an old campaign is shown as it was, even
//! if the suites have changed.

use crate::figure::Better;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The table in which a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Writes that a kdb+ system waits for.
    WriteCritical,
    /// The other writes.
    WriteOther,
    /// Syncs after writes. The durable rate of the write already includes the sync, and how much the file system had
    /// written back before is random: it is shown, but enters no mean and no score.
    Sync,
    /// Reads from the device.
    ReadCold,
    /// Reads from the page cache.
    ReadHot,
    /// Operations on files rather than on data.
    Meta,
    /// Blocks read one after the other.
    SequentialRead,
    /// Blocks written one after the other.
    SequentialWrite,
    /// Blocks read at random places.
    RandomRead,
    /// Blocks written at random places.
    RandomWrite,
    /// Reads and writes at random places at the same time.
    Mixed,
    /// Many small files created, rewritten, read and removed.
    Files,
    /// Small durable writes that a user waits for.
    Transactions,
    /// Whole programs.
    Applications,
    /// The state after a fault of the disk. The result is what was found: recovery time is shown, but enters no mean
    /// and no score.
    AfterFaults,
}

impl Group {
    /// Every group in the order of the tables.
    pub const ALL: [Group; 15] = [
        Group::WriteCritical,
        Group::WriteOther,
        Group::Sync,
        Group::ReadCold,
        Group::ReadHot,
        Group::Meta,
        Group::SequentialRead,
        Group::SequentialWrite,
        Group::RandomRead,
        Group::RandomWrite,
        Group::Mixed,
        Group::Files,
        Group::Transactions,
        Group::Applications,
        Group::AfterFaults,
    ];

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::WriteCritical => "write-critical",
            Group::WriteOther => "write-other",
            Group::Sync => "sync",
            Group::ReadCold => "read-cold",
            Group::ReadHot => "read-hot",
            Group::Meta => "meta",
            Group::SequentialRead => "sequential-read",
            Group::SequentialWrite => "sequential-write",
            Group::RandomRead => "random-read",
            Group::RandomWrite => "random-write",
            Group::Mixed => "mixed",
            Group::Files => "files",
            Group::Transactions => "transactions",
            Group::Applications => "applications",
            Group::AfterFaults => "after-faults",
        }
    }

    /// Whether its tests enter means, scores and the verdict.
    pub fn is_scored(self) -> bool {
        !matches!(self, Group::Sync | Group::AfterFaults)
    }

    /// The heading of the table.
    pub fn title(self) -> &'static str {
        match self {
            Group::WriteCritical => "Write, critical",
            Group::WriteOther => "Write, other",
            Group::Sync => "Sync after a write",
            Group::ReadCold => "Read, cold",
            Group::ReadHot => "Read, hot",
            Group::Meta => "Metadata",
            Group::SequentialRead => "Sequential read",
            Group::SequentialWrite => "Sequential write",
            Group::RandomRead => "Random read",
            Group::RandomWrite => "Random write",
            Group::Mixed => "Mixed reads and writes",
            Group::Files => "Small files",
            Group::Transactions => "Transactions",
            Group::Applications => "Applications",
            Group::AfterFaults => "Recovery after a fault",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Group {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Group::ALL.into_iter().find(|group| group.as_str() == text).ok_or_else(|| {
            let known = Group::ALL.map(Group::as_str).join(", ");
            format!("unknown group of tests `{text}`; expected one of {known}")
        })
    }
}

/// The cache state a test asks for before its timed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheNeed {
    /// Unmounted, dropped and proven absent.
    Cold,
    /// Read once before, untimed, so that all of it is resident.
    Hot,
    /// Whatever the tests before it left.
    Any,
}

/// A place in a grid of block sizes and threads, in which a report shows tests that differ in these alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GridCell {
    /// Name of the grid, e.g. `rndrd`; its suite has one of that name.
    pub grid: String,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Threads of a worker.
    pub threads: u32,
}

/// The nature of a test, for code that depends on it: never inferred from its name, which is free text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Whether all that it does to data is to write it, and each byte once, so that what a device wrote is due to its
    /// bytes alone and all of them are on it in the end.
    pub only_writes: bool,
    /// Its place in a grid, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<GridCell>,
}

/// A test as the tables show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestInfo {
    /// Stable id, e.g. `columnar.write.float.large`.
    pub id: String,
    /// Suite it belongs to.
    pub suite: String,
    /// Display name, as in the published tables.
    pub name: String,
    /// Test type, by which rows are grouped: `write disk`, `read mem`, ...
    pub testtype: String,
    /// Table it is in.
    pub group: Group,
    /// The metric its table ranks by.
    pub metric: String,
    /// Unit of that metric.
    pub unit: String,
    /// Which direction of that metric is better.
    pub better: Better,
    /// What it is; `None` where that is not known, as of most tests of other tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
}

impl TestInfo {
    /// What it is as far as that is known.
    pub fn shape(&self) -> Shape {
        self.shape.clone().unwrap_or_default()
    }
}

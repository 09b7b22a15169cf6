//! A case is one cell of a table: a test on a target, with a number of processes and threads and a cache state.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The state of the page cache in which a timed part ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheState {
    /// Proven absent from memory before, and read from the device during the timed part.
    Cold,
    /// Asked cold, but the proof failed.
    Lukewarm,
    /// Proven resident: the device gave less than 1 % of the bytes.
    Hot,
    /// The test writes, or does not depend on what is cached.
    Any,
}

impl CacheState {
    /// The word used in every table and file.
    pub fn as_str(self) -> &'static str {
        match self {
            CacheState::Cold => "cold",
            CacheState::Lukewarm => "lukewarm",
            CacheState::Hot => "hot",
            CacheState::Any => "any",
        }
    }
}

impl fmt::Display for CacheState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for CacheState {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [CacheState::Cold, CacheState::Lukewarm, CacheState::Hot, CacheState::Any]
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| format!("`{text}` is not a cache state; use cold, lukewarm, hot or any"))
    }
}

/// The identity of a cell; samples of the same case in different blocks are replicates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Case {
    /// Target label, unique in the campaign.
    pub target: String,
    /// Suite name.
    pub suite: String,
    /// Stable test id.
    pub test: String,
    /// Number of worker processes.
    pub procs: u32,
    /// Threads in each worker for the parallel parts of a test.
    pub threads: u32,
    /// The cache state the sample was proven to have (asked-cold that failed is lukewarm).
    pub cache: CacheState,
}

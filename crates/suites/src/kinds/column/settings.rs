//! The settings of the kind.

use super::{
    codec::Algorithm,
    trades::{BATCH_BYTES, LEAST_LEFT, TABLE},
};
use crate::kinds::{scaled, settings};
use model::{
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, DataKind, Job},
};
use serde::Deserialize;
use toml::Table;

pub(super) static KNOBS: [Knob; 6] = [
    Knob::new("action", "", "write", "write new columns, or read them all")
        .one_of(&["write", "read"]),
    Knob::new("compress", "", "none", "what the worker compresses the columns with")
        .one_of(&["none", "lz4", "snappy", "gzip"]),
    Knob::new("level", "", "1", "level of gzip, from 1 to 9"),
    Knob::new(
        "block",
        "bytes",
        "128k",
        "bytes that are compressed separately, a power of two from 4k to 1M",
    ),
    Knob::new("size", "bytes", "64M", "bytes of each of the 4 columns at scale 1; at least 1M"),
    Knob::new("cache", "", "cold", "page cache state before a read").one_of(&["cold", "hot"]),
];

/// The largest column at scale 1.
const MOST_SIZE: u64 = 1 << 44;
const LEAST_SIZE: u64 = BATCH_BYTES;
const BLOCKS: [u64; 2] = [4 << 10, BATCH_BYTES];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Write,
    Read,
}

/// What a declaration says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) action: Action,
    pub(super) compress: Algorithm,
    pub(super) level: u32,
    pub(super) block: Bytes,
    pub(super) size: Bytes,
    cache: CacheNeed,
}

impl Settings {
    pub(super) fn of(table: Table) -> Result<Settings, String> {
        let read: Settings = settings(table, &KNOBS)?;
        let (block, size) = (read.block.0, read.size.0);
        if !(1..=9).contains(&read.level) {
            return Err(format!("`level` must be from 1 to 9, not {}", read.level));
        }
        if !block.is_power_of_two() || !(BLOCKS[0]..=BLOCKS[1]).contains(&block) {
            return Err(format!("`block` must be a power of two from 4k to 1M, not {block}"));
        }
        if !(LEAST_SIZE..=MOST_SIZE).contains(&size) {
            return Err(format!("`size` must be at least 1M and at most 16T, not {}", read.size));
        }
        if read.cache == CacheNeed::Any {
            return Err("`cache` must be cold or hot".into());
        }
        Ok(read)
    }

    /// The state of the page cache before the timed part.
    pub(super) fn cache(&self) -> CacheNeed {
        match self.action {
            Action::Write => CacheNeed::Any,
            Action::Read => self.cache,
        }
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.compress != Algorithm::None
    }

    /// Rows of the table.
    pub(super) fn rows(&self, job: &Job) -> u64 {
        scaled(self.size.0, job.scale, LEAST_SIZE) / 8
    }

    /// Bytes of the values of the table.
    pub(super) fn values_bytes(&self, job: &Job) -> u64 {
        self.rows(job) * 8 * TABLE.len() as u64
    }

    /// About the bytes of the files: what each algorithm leaves of trades.
    pub(super) fn expected_bytes(&self, job: &Job) -> u64 {
        let left = match (self.compress, &job.data) {
            (Algorithm::None, _) => 1.0,
            (Algorithm::Lz4 | Algorithm::Snappy, DataKind::Random) => 0.35,
            (Algorithm::Gzip, DataKind::Random) => 0.24,
            (_, other) => other.incompressible_share().max(0.01),
        };
        (self.values_bytes(job) as f64 * left) as u64
    }

    /// Share of `file_bytes` bytes of files that no file system can save.
    pub(super) fn incompressible_share(&self, job: &Job, file_bytes: u64) -> f64 {
        let share = match &job.data {
            DataKind::Random => LEAST_LEFT,
            other => other.incompressible_share(),
        };
        share * self.values_bytes(job) as f64 / file_bytes.max(1) as f64
    }
}

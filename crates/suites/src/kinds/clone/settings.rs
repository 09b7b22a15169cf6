//! Settings of the kind `clone`: the file, what of its clone is overwritten, and what is timed.

use crate::kinds::{check_count, scaled};
use model::{
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, Job},
};
use serde::Deserialize;

pub(super) static KNOBS: [Knob; 8] = [
    Knob::new(
        "action",
        "",
        "overwrite",
        "make: makes clones; overwrite: overwrites a clone and an unshared file at the same offsets; read: then reads one \
         of the files from a cold cache",
    )
    .one_of(&["make", "overwrite", "read"]),
    Knob::new(
        "file",
        "",
        "clone",
        "file to read: the clone, its origin, or the unshared file that was overwritten like the clone",
    )
    .one_of(&["clone", "origin", "unshared"]),
    Knob::new("size", "bytes", "1G", "size of the file at scale 1; at least 16M"),
    Knob::new("block", "bytes", "4k", "size of an overwrite; a power of two from 4k to 1M"),
    Knob::new(
        "share",
        "%",
        "10",
        "share of the clone to overwrite, each piece once and in random order, from 0 to 100",
    ),
    Knob::new("batch", "", "32", "overwrites per fsync, from 1 to 1024"),
    Knob::new(
        "call",
        "",
        "ficlone",
        "system call that makes the clone; if copy_file_range copies instead, the sample is refused",
    )
    .one_of(&["ficlone", "copy_file_range"]),
    Knob::new("clones", "", "100", "clones that `make` makes at scale 1; at least 5"),
];

/// Least size of a file at any scale.
const LEAST_BYTES: u64 = 16 << 20;
/// Largest size at scale 1.
const MOST_BYTES: u64 = 1 << 40;
/// Unit of the size, and of reads.
pub(super) const CHUNK_BYTES: u64 = 1 << 20;
/// Least number of clones.
const LEAST_CLONES: u64 = 5;
/// Most clones of a run, whatever the scale.
const MOST_CLONES: u64 = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Make,
    Overwrite,
    Read,
}

/// A file of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Which {
    /// The file that is cloned, and never changed.
    Origin,
    /// The clone, which is overwritten.
    Clone,
    /// A file that shares nothing, overwritten at the same places.
    Unshared,
}

impl Which {
    pub(super) const ALL: [Which; 3] = [Which::Origin, Which::Clone, Which::Unshared];

    pub(super) fn word(self) -> &'static str {
        match self {
            Which::Origin => "origin",
            Which::Clone => "clone",
            Which::Unshared => "unshared",
        }
    }
}

/// The system call that makes a clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Call {
    Ficlone,
    CopyFileRange,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) action: Action,
    pub(super) file: Which,
    pub(super) size: Bytes,
    pub(super) block: Bytes,
    pub(super) share: u64,
    pub(super) batch: u64,
    pub(super) call: Call,
    pub(super) clones: u64,
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), String> {
        let block = self.block.0;
        if !(LEAST_BYTES..=MOST_BYTES).contains(&self.size.0) {
            return Err("`size` must be at least 16M and at most 1T".into());
        }
        if !block.is_power_of_two() || !(4 << 10..=CHUNK_BYTES).contains(&block) {
            return Err(format!("`block` must be a power of two from 4k to 1M, not {block}"));
        }
        if self.share > 100 {
            return Err(format!("`share` must be from 0 to 100, not {}", self.share));
        }
        if self.share == 0 && self.action == Action::Overwrite {
            return Err("`share` = 0 leaves nothing to overwrite; use `action` = read".into());
        }
        check_count("batch", self.batch, 1024)?;
        check_count("clones", self.clones, MOST_CLONES)
    }

    pub(super) fn cache(&self) -> CacheNeed {
        match self.action {
            Action::Make => CacheNeed::Any,
            Action::Overwrite => CacheNeed::Hot,
            Action::Read => CacheNeed::Cold,
        }
    }

    /// Bytes of each file.
    pub(super) fn file_bytes(&self, job: &Job) -> u64 {
        scaled(self.size.0, job.scale, LEAST_BYTES).next_multiple_of(CHUNK_BYTES)
    }

    /// Sets of files.
    pub(super) fn copies(&self, job: &Job) -> u64 {
        match self.action {
            Action::Make => 1,
            _ => job.work.map_or(1, |work| u64::from(work.copies)),
        }
    }

    /// Pieces of a file that are overwritten.
    pub(super) fn overwritten(&self, job: &Job) -> u64 {
        (self.file_bytes(job) / self.block.0 * self.share).div_ceil(100)
    }

    /// Clones that are made in the timed part.
    pub(super) fn made(&self, job: &Job) -> u64 {
        let times = job.work.map_or(job.scale, |work| work.times);
        scaled(self.clones, times, LEAST_CLONES).min(MOST_CLONES)
    }
}

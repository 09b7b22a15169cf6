//! Tells why a sample is not valid: what assay found, with its figures, or what was said elsewhere. A reason is data;
//! `report` formats it.

mod contradiction;
mod file_form;
mod imported;
mod number;
mod parts;

pub use contradiction::{Contradiction, Counted};
pub(super) use file_form::in_json;
pub use imported::Imported;
pub use number::Number;

use serde::{Deserialize, Serialize};

/// Why a sample is not valid. Each field with a unit has it in its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reason {
    /// The cache was not in the state that the test requires.
    Cache(CacheFault),
    /// A timed part is dominated by the two clock reads around it.
    TooShort {
        /// Length of the timed part.
        seconds: Number,
        /// What the clock can resolve.
        clock_s: Number,
    },
    /// Direct I/O was served from memory.
    DirectFromMemory {
        /// Bytes that were to go past the page cache.
        bytes: u64,
        /// Bytes that the device moved.
        device_bytes: u64,
    },
    /// The device worked while the part was paused for other candidates.
    PausedButWorked {
        /// Bytes that the device moved meanwhile.
        device_bytes: u64,
        /// Bytes that it moved in the timed part.
        own_bytes: u64,
    },
    /// The rebuild of its mirror did not last as long as the timed part.
    RebuildEnded(RebuildEnd),
    /// The kernel changed mount options of the target.
    MountOptionsChanged {
        /// Options that are no longer there, separated by commas.
        gone: String,
        /// Options that are new.
        new: String,
    },
    /// The clocks of the hosts differ too much to time the part.
    ClocksDisagree {
        /// Bound of their difference.
        bound_s: Number,
        /// Length of the timed part.
        seconds: Number,
    },
    /// Other processes used too much of the machine; the case was measured again.
    OthersUsed {
        /// Their share of the CPU or of the disk.
        pct: Number,
    },
    /// A metric is not a finite number.
    MetricNotFinite {
        /// Name of the metric.
        name: String,
        /// What it is.
        value: Number,
    },
    /// A time of the sample is not a finite number.
    TimeNotFinite {
        /// Name of its field.
        name: String,
        /// What it is.
        value: Number,
    },
    /// Bins of a histogram do not ascend, or one is empty.
    HistogramUnsound {
        /// The operation that it is of.
        op: String,
    },
    /// The series has columns of different lengths, or does not ascend.
    SeriesUnsound {},
    /// The ranking metric is not above zero, so no ratio can be computed.
    NotAboveZero {
        /// Name of the metric.
        metric: String,
        /// What it is.
        value: Number,
    },
    /// The ranking metric is missing.
    MetricMissing {
        /// Name of the metric.
        metric: String,
    },
    /// Calls of a replayed trace did not return what was recorded.
    ReplayDiffers {
        /// Calls made.
        calls: u64,
        /// Those with a difference that nothing explains.
        differing: u64,
        /// The call with the most frequent one, as in the manual pages.
        call: String,
        /// What it returned when recorded.
        recorded: String,
        /// What it returned when replayed.
        found: String,
        /// How often.
        count: u64,
    },
    /// Figures that another tool printed cannot all be true.
    Contradicts(Contradiction),
    /// What another tool printed is not a measurement.
    Imported(Imported),
    /// The target does not support the way of I/O that the test asks for.
    NotSupported {
        /// The way, by its name in the manual pages.
        what: String,
    },
    /// In words from elsewhere: an error of a worker or of the operating system, what a tool printed, an imported file.
    Said(String),
}

/// Why the cache was not as a test requires it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CacheFault {
    /// Direct I/O went through the page cache, as its blocks are smaller than the file system takes directly.
    DirectThroughCache {
        /// The multiple that it takes directly.
        multiple_bytes: u64,
    },
    /// The target is in memory and has no device: it is never cold.
    InMemory {},
    /// Too much was resident before a cold test.
    ResidentBefore {
        /// Share of the files.
        share_pct: Number,
    },
    /// Too little was resident before a hot test.
    OnlyResidentBefore {
        /// Share of the files.
        share_pct: Number,
    },
    /// No residency could be measured.
    ResidencyUnknown {},
    /// The device read too little for a cold test.
    DeviceReadLess {
        /// Share of the bytes.
        pct: Number,
        /// What they are the bytes of.
        of: BytesOf,
    },
    /// The device read too much for a hot test.
    DeviceRead {
        /// Share of the bytes.
        pct: Number,
    },
}

/// Bytes that a device has to read in a cold test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BytesOf {
    /// Those of the pages that were touched.
    Touched,
    /// Those that the test is declared to read.
    Declared,
}

/// When the rebuild of a mirror ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RebuildEnd {
    /// Before the timed part started.
    Before,
    /// During the timed part.
    During,
}

impl Reason {
    /// Returns a reason in words from elsewhere.
    pub fn said(text: impl Into<String>) -> Reason {
        Reason::Said(text.into())
    }
}

impl From<CacheFault> for Reason {
    fn from(fault: CacheFault) -> Reason {
        Reason::Cache(fault)
    }
}

impl From<Contradiction> for Reason {
    fn from(contradiction: Contradiction) -> Reason {
        Reason::Contradicts(contradiction)
    }
}

impl From<Imported> for Reason {
    fn from(imported: Imported) -> Reason {
        Reason::Imported(imported)
    }
}

#[cfg(test)]
mod tests;

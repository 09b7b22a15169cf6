//! Figures of one measurement that cannot all be true.

use super::Number;
use serde::{Deserialize, Serialize};

/// Why figures cannot all be true.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Contradiction {
    /// Operations of a direction that the mode does not have, or none of the one that it has.
    Direction {
        /// What was to be done.
        mode: String,
        /// What was counted.
        counted: Counted,
    },
    /// More bytes than the operations can have moved.
    Size {
        /// The kind of operation.
        what: String,
        /// How many.
        ops: Number,
        /// Bytes of each.
        op_bytes: Number,
        /// What they are said to have moved.
        bytes: Number,
    },
    /// A rate that is not its count over its time.
    Rate {
        /// The kind of operation.
        what: String,
        /// How many.
        ops: Number,
        /// The time that they took.
        seconds: Number,
        /// The rate that was given.
        ops_per_s: Number,
    },
    /// A figure above one that bounds it.
    Order {
        /// Name of what should be the lower.
        low: String,
        /// Its value.
        low_value: Number,
        /// Name of what should be the higher.
        high: String,
        /// Its value.
        high_value: Number,
    },
    /// More operations in flight than were allowed.
    Concurrency {
        /// What the figures need.
        seen: Number,
        /// What the setting allows.
        most: Number,
    },
    /// A rate of bytes that is not the bytes over the time.
    BytesOverTime {
        /// The rate that was given.
        bytes_per_s: Number,
        /// The rate that follows from the others.
        computed_bytes_per_s: Number,
    },
    /// A rate of bytes that is not the one of its requests.
    RequestsTimesSize {
        /// The kind of request.
        what: String,
        /// The rate that was given.
        bytes_per_s: Number,
        /// Requests times their size.
        computed_bytes_per_s: Number,
    },
    /// Times of single requests that do not add up to the time of all.
    MeanTimesRequests {},
    /// Rates of reads and of writes that are not the total.
    Total {
        /// Reads a second.
        read_iops: Number,
        /// Writes a second.
        write_iops: Number,
        /// Both, as given.
        total_iops: Number,
    },
    /// A rate that was printed in words is not the bytes over the time.
    Printed {
        /// Bytes that were moved.
        bytes: u64,
        /// The time that it took.
        seconds: Number,
        /// The rate as it was printed.
        rate: String,
    },
}

/// Operations that were counted under a mode that does not have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Reads besides writes.
    ReadsToo,
    /// Writes besides reads.
    WritesToo,
    /// Reads, and no writes.
    OnlyReads,
    /// Writes, and no reads.
    OnlyWrites,
}

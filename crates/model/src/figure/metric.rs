//! One number of a sample: its name, unit and direction.

use crate::text::Word;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Which direction of a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Rates.
    Higher,
    /// Times, latencies, costs.
    Lower,
}

impl Better {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Better::Higher => "higher",
            Better::Lower => "lower",
        }
    }
}

impl FromStr for Better {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "higher" => Ok(Better::Higher),
            "lower" => Ok(Better::Lower),
            _ => Err(format!("`{text}` is not a direction; use higher or lower")),
        }
    }
}

/// What a unit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Bytes in a second, in whatever multiples.
    BytesPerS,
    /// Something else in a second, as operations.
    PerS,
    /// No rate, as a time or a share.
    Other,
}

impl Quantity {
    /// What `unit` counts, as metrics and imported files spell it.
    pub fn of(unit: &str) -> Quantity {
        match unit {
            bytes if bytes.ends_with("B/s") => Quantity::BytesPerS,
            rate if rate.ends_with("/s") || rate.eq_ignore_ascii_case("iops") => Quantity::PerS,
            _ => Quantity::Other,
        }
    }
}

/// One number of a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// Stable name, e.g. `durable_rate`.
    pub name: Word,
    /// The number; finite.
    pub value: f64,
    /// Unit, e.g. `MB/s`, `ms`, `%`.
    pub unit: Word,
    /// Direction.
    pub better: Better,
}

impl Metric {
    /// Bytes over the whole timed part of a sample.
    pub const RATE: &str = "rate";
    /// Bytes over the window in which all workers ran: where it is known it is used instead of `RATE`.
    pub const OVERLAP_RATE: &str = "overlap_rate";
    /// The least that the ranking figure may be, where its source printed no more of it than a bound.
    pub const AT_LEAST: &str = "at_least";
    /// Prefix of the name of a host, for the rate of all operations of its ranks, 1/s.
    pub const HOST_OPS_PER_S: &str = "host_ops_per_s.";
    /// Prefix of the name of a host, for the number of ranks that worked on it.
    pub const HOST_RANKS: &str = "host_ranks.";

    /// A metric from its parts.
    pub fn new(name: &str, value: f64, unit: &str, better: Better) -> Metric {
        Metric { name: name.into(), value, unit: unit.into(), better }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_tells_what_it_counts() {
        for (unit, quantity) in [
            ("MB/s", Quantity::BytesPerS),
            ("GiB/s", Quantity::BytesPerS),
            ("1/s", Quantity::PerS),
            ("IOPS", Quantity::PerS),
            ("ms", Quantity::Other),
            ("", Quantity::Other),
        ] {
            assert_eq!(Quantity::of(unit), quantity, "{unit}");
        }
    }
}

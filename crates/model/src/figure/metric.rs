//! One number of a sample: its name, unit and direction.

use super::Shared;
use serde::{Deserialize, Serialize, Serializer};
use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
    str::FromStr,
};

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

/// What the numbers of many samples have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MetricKind {
    /// Stable name, e.g. `durable_rate`.
    pub name: String,
    /// Unit, e.g. `MB/s`, `ms`, `%`.
    pub unit: String,
    /// Direction.
    pub better: Better,
}

impl MetricKind {
    /// A kind from its parts.
    pub fn new(name: &str, unit: &str, better: Better) -> MetricKind {
        MetricKind { name: name.into(), unit: unit.into(), better }
    }
}

/// One number of a sample. Name, unit and direction are read as its own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "FlatMetric<'static>")]
pub struct Metric {
    /// What it is.
    pub kind: Shared<MetricKind>,
    /// The number; finite.
    pub value: f64,
}

impl Deref for Metric {
    type Target = MetricKind;
    fn deref(&self) -> &MetricKind {
        &self.kind
    }
}

impl DerefMut for Metric {
    fn deref_mut(&mut self) -> &mut MetricKind {
        &mut self.kind
    }
}

/// A metric as files hold it.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Metric")]
struct FlatMetric<'a> {
    name: Cow<'a, str>,
    value: f64,
    unit: Cow<'a, str>,
    better: Better,
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
        Metric { kind: MetricKind::new(name, unit, better).into(), value }
    }
}

impl From<FlatMetric<'_>> for Metric {
    fn from(flat: FlatMetric<'_>) -> Metric {
        let (name, unit) = (flat.name.into_owned(), flat.unit.into_owned());
        Metric { kind: MetricKind { name, unit, better: flat.better }.into(), value: flat.value }
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, unit) = (Cow::Borrowed(&*self.name), Cow::Borrowed(&*self.unit));
        FlatMetric { name, value: self.value, unit, better: self.better }.serialize(serializer)
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

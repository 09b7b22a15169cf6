//! One number of a sample: its name, unit and direction.

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

/// One number of a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// Stable name, as `durable_rate`.
    pub name: String,
    /// The number; finite.
    pub value: f64,
    /// Unit, as `MB/s`, `ms`, `%`.
    pub unit: String,
    /// Direction.
    pub better: Better,
}

impl Metric {
    /// A metric from its parts.
    pub fn new(name: &str, value: f64, unit: &str, better: Better) -> Metric {
        Metric { name: name.into(), value, unit: unit.into(), better }
    }
}

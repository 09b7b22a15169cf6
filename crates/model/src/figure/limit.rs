//! A limit on a latency, as text: `p99 <= 5ms`, `p99 < 10ms`.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Quantiles that a limit can be on, as files write them and as metrics end with them.
const QUANTILES: [(&str, &str); 4] =
    [("p50", "p50"), ("p99", "p99"), ("p99.9", "p999"), ("max", "max")];
/// Units, and how many microseconds each is.
const UNITS: [(&str, f64); 3] = [("us", 1.0), ("ms", 1e3), ("s", 1e6)];

/// A quantile of latencies that a limit can be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantile(usize);

impl Quantile {
    /// The 99th percentile.
    pub const P99: Quantile = Quantile(1);

    /// As files write it, `p99.9`.
    pub fn as_str(self) -> &'static str {
        QUANTILES[self.0].0
    }

    /// The metrics with this quantile, microseconds: of response times, else of service times.
    pub fn metrics(self) -> [String; 2] {
        ["latency", "service"].map(|kind| format!("{kind}_{}_us", QUANTILES[self.0].1))
    }

    /// Operations of which one is expected above it: with fewer, it is that of the slowest one.
    pub fn least_operations(self) -> u64 {
        [2, 100, 1000, 1][self.0]
    }
}

/// The most that a quantile of the latencies of a test may be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LatencyLimit {
    quantile: Quantile,
    /// The most, microseconds; above 0.
    pub us: f64,
    /// Whether it has to be less than that: `<`, not `<=`.
    pub is_strict: bool,
}

impl LatencyLimit {
    /// The quantile.
    pub fn quantile(&self) -> Quantile {
        self.quantile
    }
}

impl FromStr for LatencyLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<LatencyLimit, String> {
        let parsed = || {
            let (quantile, most) = text.split_once('<')?;
            let (most, is_strict) = match most.strip_prefix('=') {
                Some(most) => (most, false),
                None => (most, true),
            };
            let quantile = Quantile(QUANTILES.iter().position(|q| q.0 == quantile.trim())?);
            let most = most.trim();
            let digits = most.find(|c: char| c.is_ascii_alphabetic())?;
            let (number, unit) = most.split_at(digits);
            let unit_us = UNITS.iter().find(|u| u.0 == unit)?.1;
            let us = number.trim().parse::<f64>().ok()? * unit_us;
            (us > 0.0 && us.is_finite()).then_some(LatencyLimit { quantile, us, is_strict })
        };
        parsed().ok_or_else(|| {
            format!(
                "`{text}` is not a limit; expected p50, p99, p99.9 or max, < or <=, and a time, e.g. \
                 `p99 <= 5ms` (us, ms, s)"
            )
        })
    }
}

impl TryFrom<String> for LatencyLimit {
    type Error = String;

    fn try_from(text: String) -> Result<LatencyLimit, String> {
        text.parse()
    }
}

impl From<LatencyLimit> for String {
    fn from(limit: LatencyLimit) -> String {
        limit.to_string()
    }
}

impl fmt::Display for LatencyLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |unit: &&(&str, f64)| self.us >= unit.1;
        let (unit, unit_us) = UNITS.iter().rev().find(fits).unwrap_or(&UNITS[0]);
        let sign = if self.is_strict { "<" } else { "<=" };
        write!(f, "{} {sign} {}{unit}", self.quantile.as_str(), self.us / unit_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_written() {
        for (text, us, metric) in [
            ("p99 <= 5ms", 5000.0, "latency_p99_us"),
            ("p99.9<=1.5 s", 1.5e6, "latency_p999_us"),
            ("max <= 250us", 250.0, "latency_max_us"),
            ("p50 <= 0.5us", 0.5, "latency_p50_us"),
        ] {
            let limit: LatencyLimit = text.parse().unwrap();
            assert!(
                (limit.us - us).abs() < 1e-9 && limit.quantile().metrics()[0] == metric,
                "{text}"
            );
            assert_eq!(limit.to_string().parse(), Ok(limit));
        }
        assert_eq!("p99.9<=1500ms".parse::<LatencyLimit>().unwrap().to_string(), "p99.9 <= 1.5s");
        let strict: LatencyLimit = "p99<10ms".parse().unwrap();
        assert!(strict.is_strict && strict.to_string() == "p99 < 10ms");
        for bad in [
            "p99 > 5ms",
            "p99 << 5ms",
            "p98 <= 5ms",
            "p99 <= 5",
            "p99 <= -5ms",
            "p99 <= ms",
            "p99 <= 5h",
        ] {
            assert!(bad.parse::<LatencyLimit>().unwrap_err().contains("not a limit"), "{bad}");
        }
    }
}

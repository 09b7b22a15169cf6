//! Time series of a timed part, in intervals of about a second: raw, so that the course of a run can be examined later.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Column with the operations that all workers ended in an interval.
pub const OPS: &str = "ops";
/// Column with the logical bytes that all workers moved in an interval.
pub const BYTES: &str = "bytes";

/// Counters of the intervals of a timed part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Where each interval ends, milliseconds since the part began; ascending.
    pub end_ms: Vec<u64>,
    /// By name, with the unit at its end, one number for each interval: of `bytes`, `ops`, `_bytes`,
    /// `_ms` and `_events` what came in it, of `dirty_bytes` and `cpu_mhz` the state at its end.
    pub columns: BTreeMap<String, Vec<u64>>,
}

impl Series {
    /// Whether every column has a number for each interval and the intervals ascend.
    pub fn is_whole(&self) -> bool {
        self.columns.values().all(|column| column.len() == self.end_ms.len())
            && self.end_ms.is_sorted_by(|a, b| a < b)
    }

    /// Without intervals.
    pub fn is_empty(&self) -> bool {
        self.end_ms.is_empty()
    }

    /// A column as rates: the end of each interval, seconds, and what came in it for each second.
    /// `None` where there is no such column.
    pub fn rates(&self, column: &str) -> Option<Vec<(f64, f64)>> {
        let begins = [0].into_iter().chain(self.end_ms.iter().copied());
        let rate = |((begin, &end), &count): ((u64, &u64), &u64)| {
            let seconds = end.saturating_sub(begin) as f64 / 1e3;
            (end as f64 / 1e3, count as f64 / seconds.max(1e-3))
        };
        Some(begins.zip(&self.end_ms).zip(self.columns.get(column)?).map(rate).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_its_own_interval() {
        let columns = BTreeMap::from([(OPS.into(), vec![100, 300, 50])]);
        let series = Series { end_ms: vec![1000, 3000, 3500], columns };
        let rates = vec![(1.0, 100.0), (3.0, 150.0), (3.5, 100.0)];
        assert_eq!(series.rates(OPS), Some(rates));
        assert_eq!(series.rates(BYTES), None);
        assert!(series.is_whole() && !series.is_empty());
        assert!(!Series { end_ms: vec![1000, 1000, 2000], ..series.clone() }.is_whole());
        assert!(!Series { end_ms: vec![1000], ..series }.is_whole());
    }
}

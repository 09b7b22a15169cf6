//! Latency histogram of a sample: every operation, counted in bins.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// From when an operation is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LatencyKind {
    /// From when it was given to the system, in a closed loop: the next one waits for it, so a stall
    /// holds up the load with it and is counted once. Describes the system; ranks nothing.
    Service,
    /// From when it should have started, at a fixed rate: what a user waits.
    Response,
}

impl LatencyKind {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            LatencyKind::Service => "service",
            LatencyKind::Response => "response",
        }
    }
}

impl fmt::Display for LatencyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LatencyKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "service" => Ok(LatencyKind::Service),
            "response" => Ok(LatencyKind::Response),
            _ => Err(format!("`{text}` is not a kind of latency; use service or response")),
        }
    }
}

/// Latencies of one kind of operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// What was done: `read`, `write`, `create`, `commit`, ...
    pub op: String,
    /// From when it was timed.
    pub latency: LatencyKind,
    /// Latency of the bin, nanoseconds, and how many operations fell into it: ascending, no empty
    /// bin. A bin is narrow enough for three significant digits, unless another tool wrote it.
    pub bins: Vec<(u64, u64)>,
}

impl Histogram {
    /// An empty histogram.
    pub fn new(op: &str, latency: LatencyKind) -> Histogram {
        Histogram { op: op.into(), latency, bins: Vec::new() }
    }

    /// Whether its bins ascend and none is empty.
    pub fn is_sound(&self) -> bool {
        self.bins.iter().all(|bin| bin.1 > 0) && self.bins.is_sorted_by(|a, b| a.0 < b.0)
    }

    /// Number of operations.
    pub fn count(&self) -> u64 {
        self.bins.iter().map(|bin| bin.1).fold(0, u64::saturating_add)
    }

    /// Mean latency, nanoseconds; `None` without an operation.
    pub fn mean_ns(&self) -> Option<f64> {
        let count = self.count();
        let sum: f64 = self.bins.iter().map(|&(ns, n)| ns as f64 * n as f64).sum();
        (count > 0).then(|| sum / count as f64)
    }

    /// The latency that a share `q`, 0 to 1, of the operations did not exceed (nearest rank),
    /// nanoseconds; `None` without an operation. `quantile_ns(1.0)` is the longest.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        let rank = (q.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64;
        let mut seen = 0u64;
        let reached = |&&(_, n): &&(u64, u64)| {
            seen = seen.saturating_add(n);
            seen >= rank
        };
        self.bins.iter().find(reached).or(self.bins.last()).map(|bin| bin.0)
    }

    /// Adds the operations of `other`, which is of the same operation and kind.
    pub fn merge(&mut self, other: &Histogram) {
        let mut bins: BTreeMap<u64, u64> = self.bins.iter().copied().collect();
        for &(ns, n) in &other.bins {
            let count = bins.entry(ns).or_default();
            *count = count.saturating_add(n);
        }
        self.bins = bins.into_iter().collect();
    }

    /// One histogram for each operation and kind in `all`, in the order of first appearance.
    pub fn merged<'a>(all: impl IntoIterator<Item = &'a Histogram>) -> Vec<Histogram> {
        let mut merged: Vec<Histogram> = Vec::new();
        for one in all {
            match merged.iter_mut().find(|m| m.op == one.op && m.latency == one.latency) {
                Some(same) => same.merge(one),
                None => merged.push(one.clone()),
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bins: &[(u64, u64)]) -> Histogram {
        Histogram { bins: bins.to_vec(), ..Histogram::new("read", LatencyKind::Service) }
    }

    #[test]
    fn quantiles_are_nearest_ranks() {
        let h = of(&[(10, 98), (20, 1), (500, 1)]);
        assert_eq!(h.quantile_ns(0.0), Some(10));
        assert_eq!(h.quantile_ns(0.98), Some(10));
        assert_eq!(h.quantile_ns(0.99), Some(20));
        assert_eq!(h.quantile_ns(1.0), Some(500));
        assert_eq!(h.mean_ns(), Some(15.0));
        assert_eq!(of(&[]).quantile_ns(0.5), None);
    }

    #[test]
    fn merging_adds_bins_and_keeps_kinds_apart() {
        let other = Histogram::new("read", LatencyKind::Response);
        let merged = Histogram::merged([&of(&[(1, 2), (3, 1)]), &other, &of(&[(2, 5), (3, 1)])]);
        assert_eq!(merged, [of(&[(1, 2), (2, 5), (3, 2)]), other]);
    }
}

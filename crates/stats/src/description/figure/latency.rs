//! Merges the latency histograms of all valid samples of a cell, per kind of operation and of timing. They are
//! descriptive and not ranked.

use model::{
    figure::{Histogram, LatencyKind},
    result::{Dataset, Sample},
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Shares of operations at which latencies are reported: the deciles that matter, then the nines.
const LEVELS: [f64; 13] =
    [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99999, 1.0];

/// One kind of operation of a test at one process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Latencies {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Suite of the test.
    pub suite: String,
    /// Worker processes.
    pub procs: u32,
    /// What was done, e.g. `read`.
    pub op: String,
    /// From when it was timed.
    pub latency: LatencyKind,
    /// Targets that have any, in the order of the columns.
    pub targets: Vec<TargetLatency>,
}

/// The latencies of one target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetLatency {
    /// Label of the target.
    pub target: String,
    /// Operations in all valid samples.
    pub operations: u64,
    /// Share of operations, 0 to 1, and the latency that it did not exceed, nanoseconds. A share is
    /// left out when fewer than one operation is expected above it; 1 is the longest.
    pub quantiles: Vec<(f64, u64)>,
}

impl TargetLatency {
    /// The latency at `share`, nanoseconds.
    pub fn at(&self, share: f64) -> Option<u64> {
        self.quantiles.iter().find(|(level, _)| *level == share).map(|(_, ns)| *ns)
    }
}

/// By test in the order of the suite, then by processes, operation and kind.
type Key<'a> = (usize, u32, LatencyKind, &'a str);

/// Everything of which there are histograms.
pub(crate) fn latencies(dataset: &Dataset, targets: &[String]) -> Vec<Latencies> {
    let tests: HashMap<&str, usize> =
        dataset.tests.iter().zip(0..).map(|(test, i)| (test.id.as_str(), i)).collect();
    let columns: HashMap<&str, usize> =
        targets.iter().zip(0..).map(|(label, i)| (label.as_str(), i)).collect();
    let place = |sample: &Sample| {
        Some((*tests.get(&*sample.case.test)?, *columns.get(&*sample.case.target)?))
    };
    let mut cells: BTreeMap<Key<'_>, Vec<Vec<&Histogram>>> = BTreeMap::new();
    for sample in dataset.samples.iter().filter(|s| s.evidence.validity.is_valid()) {
        let Some((test, column)) = place(sample) else { continue };
        for histogram in &sample.figures.histograms {
            let key = (test, sample.case.procs, histogram.latency, histogram.op.as_str());
            let cell = cells.entry(key).or_insert_with(|| vec![Vec::new(); targets.len()]);
            cell[column].push(histogram);
        }
    }
    cells.into_iter().map(|(key, cell)| cell_latencies(dataset, targets, key, &cell)).collect()
}

fn cell_latencies(
    dataset: &Dataset,
    targets: &[String],
    (test, procs, latency, op): Key<'_>,
    cell: &[Vec<&Histogram>],
) -> Latencies {
    let info = &dataset.tests[test];
    let of_target = |(target, histograms): (&String, &Vec<&Histogram>)| {
        let all = Histogram { bins: pooled(histograms), ..Histogram::new(op, latency) };
        (all.count() > 0).then(|| target_latency(target, &all))
    };
    Latencies {
        test: info.id.clone(),
        name: info.name.clone(),
        suite: info.suite.clone(),
        procs,
        op: op.to_string(),
        latency,
        targets: targets.iter().zip(cell).filter_map(of_target).collect(),
    }
}

/// All bins in one list. Sorting once is what makes a campaign of 100 000 samples quick to read.
fn pooled(histograms: &[&Histogram]) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = histograms.iter().flat_map(|h| h.bins.iter().copied()).collect();
    all.sort_unstable_by_key(|bin| bin.0);
    all.dedup_by(|bin, kept| {
        let same = bin.0 == kept.0;
        if same {
            kept.1 = kept.1.saturating_add(bin.1);
        }
        same
    });
    all
}

fn target_latency(target: &str, all: &Histogram) -> TargetLatency {
    let operations = all.count();
    // Above the 99.9th percentile lies one operation in a thousand: fewer operations cannot show it.
    // 1 - 0.999 is no round binary number, so "one" is meant with a little room.
    let shown = |level: &f64| *level == 1.0 || (1.0 - level) * operations as f64 > 1.0 - 1e-6;
    let quantile = |level: f64| Some((level, all.quantile_ns(level)?));
    TargetLatency {
        target: target.to_string(),
        operations,
        quantiles: LEVELS.into_iter().filter(shown).filter_map(quantile).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bins: &[(u64, u64)]) -> Histogram {
        Histogram { bins: bins.to_vec(), ..Histogram::new("read", LatencyKind::Service) }
    }

    #[test]
    fn pooling_adds_what_is_in_the_same_bin() {
        let (a, b) = (of(&[(1, 2), (5, 1)]), of(&[(1, 3), (4, u64::MAX), (5, 1)]));
        assert_eq!(pooled(&[&a, &b]), [(1, 5), (4, u64::MAX), (5, 2)]);
        assert_eq!(pooled(&[&a, &of(&[(3, 7)])]), Histogram::merged([&a, &of(&[(3, 7)])])[0].bins);
    }

    #[test]
    fn a_percentile_needs_operations_above_it() {
        let latency = target_latency("xfs", &of(&[(10, 900), (20, 99), (500, 1)]));
        let at = |share| latency.at(share);
        assert_eq!(
            (at(0.5), at(0.9), at(0.99), at(0.999)),
            (Some(10), Some(10), Some(20), Some(20))
        );
        assert_eq!((at(0.9995), at(0.9999), at(1.0)), (None, None, Some(500)));
        let few = target_latency("xfs", &of(&[(10, 9)]));
        assert_eq!((few.at(0.75), few.at(0.9), few.at(1.0)), (Some(10), None, Some(10)));
    }
}

//! Records the latency of every operation while the clock runs.

use hdrhistogram::{Counter, Histogram};
use model::figure::LatencyKind;

use super::EngineError;

/// Longest distinguished latency, nanoseconds: one hour. Longer ones count as this.
const MAX_NS: u64 = 3_600_000_000_000;
/// Bins are narrow enough for this many significant digits; below 2048 ns a bin is 1 ns.
const DIGITS: u8 = 3;

/// Histograms of reads and writes. Made before the timed part: counting allocates nothing.
#[derive(Clone, Debug)]
pub struct Latencies {
    kind: LatencyKind,
    read: Histogram<u64>,
    write: Histogram<u64>,
}

impl Latencies {
    /// Empty histograms for runs whose [`super::Pace::latency_kind`] is `kind`.
    pub fn new(kind: LatencyKind) -> Result<Latencies, EngineError> {
        let empty = Histogram::new_with_bounds(1, MAX_NS, DIGITS)
            .map_err(|error| EngineError::Options(error.to_string()))?;
        Ok(Latencies { kind, read: empty.clone(), write: empty })
    }

    /// From when an operation is timed.
    pub fn kind(&self) -> LatencyKind {
        self.kind
    }

    /// Counts one operation that took `ns`.
    #[inline]
    pub fn record(&mut self, write: bool, ns: u64) {
        let histogram = if write { &mut self.write } else { &mut self.read };
        histogram.saturating_record(ns);
    }

    /// Adds what other threads counted.
    pub fn add(&mut self, other: &Latencies) -> Result<(), EngineError> {
        if self.kind != other.kind {
            return Err(EngineError::Options(format!(
                "{} and {} latencies cannot be added",
                self.kind, other.kind
            )));
        }
        let same_bounds =
            |error: hdrhistogram::AdditionError| EngineError::Options(error.to_string());
        self.read.add(&other.read).map_err(same_bounds)?;
        self.write.add(&other.write).map_err(same_bounds)
    }

    /// Returns the non-empty histograms, as `read` and `write`. A bin is represented by its middle.
    pub fn histograms(&self) -> Vec<model::figure::Histogram> {
        [("read", &self.read), ("write", &self.write)]
            .into_iter()
            .filter(|(_, counted)| !counted.is_empty())
            .map(|(op, counted)| model::figure::Histogram {
                bins: bins(counted),
                ..model::figure::Histogram::new(op, self.kind)
            })
            .collect()
    }

    /// The same, each called `op`.
    pub fn histograms_of(&self, op: &str) -> Vec<model::figure::Histogram> {
        let mut all = self.histograms();
        all.iter_mut().for_each(|histogram| histogram.op = op.into());
        all
    }
}

fn bins<C: Counter>(counted: &Histogram<C>) -> Vec<(u64, u64)> {
    counted
        .iter_recorded()
        .map(|bin| {
            (counted.median_equivalent(bin.value_iterated_to()), bin.count_since_last_iteration())
        })
        .collect()
}

/// Histograms of a fixed number of kinds of operations, each as long as its longest latency: for threads that are
/// many. One grows, which allocates, when an operation takes twice as long as any before.
#[derive(Clone, Debug)]
pub struct LatencyTable {
    kind: LatencyKind,
    of: Vec<Histogram<u32>>,
}

impl LatencyTable {
    /// Empty histograms of `count` kinds of operations.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn new(kind: LatencyKind, count: usize) -> Result<LatencyTable, EngineError> {
        let empty =
            Histogram::new(DIGITS).map_err(|error| EngineError::Options(error.to_string()))?;
        Ok(LatencyTable { kind, of: vec![empty; count] })
    }

    /// Counts one operation of the kind `index` that took `ns`.
    #[inline]
    pub fn record(&mut self, index: usize, ns: u64) {
        if let Some(histogram) = self.of.get_mut(index) {
            // It resizes itself, so that only the lack of memory is an error.
            let _ = histogram.record(ns.min(MAX_NS));
        }
    }

    /// Adds what another thread counted.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn add(&mut self, other: &LatencyTable) -> Result<(), EngineError> {
        for (own, other) in self.of.iter_mut().zip(&other.of) {
            own.add(other).map_err(|error| EngineError::Options(error.to_string()))?;
        }
        Ok(())
    }

    /// Returns the non-empty histograms, called by `name` of their indices.
    pub fn histograms<'a>(&self, name: impl Fn(usize) -> &'a str) -> Vec<model::figure::Histogram> {
        let counted = self.of.iter().enumerate().filter(|(_, counted)| !counted.is_empty());
        let named = counted.map(|(index, counted)| model::figure::Histogram {
            bins: bins(counted),
            ..model::figure::Histogram::new(name(index), self.kind)
        });
        named.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_counted_to_three_digits() {
        let mut latencies = Latencies::new(LatencyKind::Service).unwrap();
        for ns in [0, 1, 700, 2047, 1_234_567, u64::MAX] {
            latencies.record(false, ns);
        }
        let read = &latencies.histograms()[0];
        assert_eq!((read.op.as_str(), read.latency), ("read", LatencyKind::Service));
        assert_eq!(read.count(), 6);
        let exact: Vec<u64> = read.bins.iter().map(|bin| bin.0).take(4).collect();
        assert_eq!(exact, [0, 1, 700, 2047]);
        assert!(read.bins[4].0.abs_diff(1_234_567) <= 617, "{:?}", read.bins[4]);
        assert!(read.bins[5].0.abs_diff(MAX_NS) <= MAX_NS / 1000);
        assert_eq!(latencies.histograms().len(), 1);
    }

    #[test]
    fn table_counts_each_kind_by_itself() {
        let mut table = LatencyTable::new(LatencyKind::Service, 3).unwrap();
        for (index, ns) in [(0, 5), (2, 1_000_000_000), (2, u64::MAX), (9, 1)] {
            table.record(index, ns);
        }
        table.add(&table.clone()).unwrap();
        let found = table.histograms(|index| ["a", "b", "c"][index]);
        let counts: Vec<(&str, u64)> = found.iter().map(|h| (h.op.as_str(), h.count())).collect();
        assert_eq!(counts, [("a", 2), ("c", 4)]);
        assert_eq!(found[0].bins, [(5, 2)]);
    }

    #[test]
    fn threads_are_added_and_kinds_kept_apart() {
        let mut a = Latencies::new(LatencyKind::Response).unwrap();
        let mut b = a.clone();
        a.record(true, 5);
        b.record(true, 5);
        b.record(true, 9);
        a.add(&b).unwrap();
        assert_eq!(a.histograms()[0].bins, [(5, 2), (9, 1)]);
        assert!(a.add(&Latencies::new(LatencyKind::Service).unwrap()).is_err());
    }
}

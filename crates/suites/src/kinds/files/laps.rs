//! Times consecutive operations: the end of one is the start of the next, so one clock reading serves both.

use crate::TestError;
use engine::{clock::now_ns, io::Latencies};
use model::figure::{Histogram, LatencyKind};

/// The latencies of one kind of operation.
pub(in crate::kinds) struct Laps {
    op: &'static str,
    latencies: Latencies,
    last_ns: u64,
}

impl Laps {
    /// No operation called `op` yet. Allocates; the rest does not.
    pub(in crate::kinds) fn new(op: &'static str) -> Result<Laps, TestError> {
        Ok(Laps { op, latencies: Latencies::new(LatencyKind::Service)?, last_ns: 0 })
    }

    /// The first operation begins.
    #[inline]
    pub(in crate::kinds) fn start(&mut self) {
        self.last_ns = now_ns();
    }

    /// An operation ended, and the next begins.
    #[inline]
    pub(in crate::kinds) fn lap(&mut self) {
        let now = now_ns();
        self.latencies.record(false, now - self.last_ns);
        self.last_ns = now;
    }

    /// All of them; `None` when there was none.
    pub(in crate::kinds) fn histogram(&self) -> Option<Histogram> {
        self.latencies.histograms_of(self.op).pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lap_is_counted_under_its_name() {
        let mut laps = Laps::new("create").unwrap();
        assert_eq!(laps.histogram(), None);
        laps.start();
        (0..5).for_each(|_| laps.lap());
        let histogram = laps.histogram().unwrap();
        assert_eq!((histogram.op.as_str(), histogram.count()), ("create", 5));
        assert_eq!(histogram.latency, LatencyKind::Service);
    }
}

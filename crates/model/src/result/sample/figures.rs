//! The figures of the test itself.

use super::Rare;
use crate::figure::{Histogram, Metric, Series};

/// What a test measured in one sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Every number of the test; the first is the one its table ranks by. Empty only when not valid.
    pub metrics: Vec<Metric>,
    /// Logical bytes of the timed part, all workers.
    pub bytes: u64,
    /// Operations of the timed part, all workers.
    pub ops: u64,
    /// From the first worker's start to the last worker's end, seconds.
    pub seconds: f64,
    /// Latencies of its operations, all workers, one histogram for each kind of operation.
    pub histograms: Rare<Vec<Histogram>>,
    /// How it went, interval by interval; `None` where it was too short for that.
    pub series: Option<Box<Series>>,
}

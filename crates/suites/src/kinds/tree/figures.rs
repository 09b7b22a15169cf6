//! Figures of one phase of mdtest, over its iterations.

use super::{geometry::Geometry, phase::Phase};
use crate::{
    Measured,
    figures::{self, Metrics, ratio},
};
use model::{figure::Better, workload::PoolReport};

/// mdtest's rate: items of all workers over the time from the release of the barrier before the
/// phase to the arrival of the last worker; for a tree its directories over that time, however many
/// workers make one. Over several iterations it is the mean of their rates. Everything else is of the
/// last iteration.
pub(super) fn measure(
    id: &str,
    phase: Phase,
    geometry: &Geometry,
    pool: &PoolReport,
    iterations: impl Iterator<Item = usize>,
) -> Measured {
    let iterations: Vec<usize> = iterations.collect();
    let rate = |&at: &usize| {
        let ops = match phase.is_tree() {
            true => geometry.dirs,
            false => figures::ops(pool, at..at + 1),
        };
        ratio(ops as f64, figures::time_s(pool, at..at + 1))
    };
    let rates: Vec<f64> = iterations.iter().map(rate).collect();
    let last = iterations.last().map_or(0..0, |&at| at..at + 1);
    let mut metrics = Metrics::default();
    let mean = ratio(rates.iter().sum(), rates.len() as f64);
    metrics.push("ops_rate", mean, "1/s", Better::Higher);
    if rates.len() > 1 {
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let most = rates.iter().copied().fold(0.0, f64::max);
        metrics.push("ops_rate_min", least, "1/s", Better::Higher);
        metrics.push("ops_rate_max", most, "1/s", Better::Higher);
    }
    metrics.cpu_per_op(pool, last.clone());
    metrics.latencies(pool, phase.op());
    let mut measured = figures::measured(id, pool, last, metrics.0);
    measured.histograms.retain(|histogram| histogram.op == phase.op());
    measured
}

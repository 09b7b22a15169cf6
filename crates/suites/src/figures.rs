//! Computes figures from the report of a pool. The time of a phase is the window from the first worker's start to the
//! last worker's end. Kinds identify a phase by its position.

use crate::Measured;
use model::{
    figure::{Better, Histogram, LatencyKind, Metric},
    workload::{PhaseReport, PoolReport},
};
use std::ops::Range;

/// The start and end of a phase in each worker, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    first_start: u64,
    last_start: u64,
    first_end: u64,
    last_end: u64,
}

impl Window {
    /// Returns the window of one phase of each worker; `None` if no worker had it.
    pub(crate) fn of<'a>(phases: impl Iterator<Item = &'a PhaseReport> + Clone) -> Option<Window> {
        Some(Window {
            first_start: phases.clone().map(|p| p.start_ns).min()?,
            last_start: phases.clone().map(|p| p.start_ns).max()?,
            first_end: phases.clone().map(|p| p.end_ns).min()?,
            last_end: phases.map(|p| p.end_ns).max()?,
        })
    }

    /// From the first start to the last end.
    pub(crate) fn seconds(self) -> f64 {
        seconds(self.first_start, self.last_end)
    }

    /// From the first start to the first end.
    pub(crate) fn first_done_s(self) -> f64 {
        seconds(self.first_start, self.first_end)
    }

    /// Latest start minus earliest start, milliseconds.
    pub(crate) fn skew_ms(self) -> f64 {
        1e3 * seconds(self.first_start, self.last_start)
    }

    /// Share in which every worker was in the phase.
    pub(crate) fn overlap(self) -> f64 {
        ratio(seconds(self.last_start, self.first_end), self.seconds()).clamp(0.0, 1.0)
    }
}

/// Nanoseconds of the clock to the seconds between them.
pub(crate) fn seconds(from_ns: u64, to_ns: u64) -> f64 {
    to_ns.saturating_sub(from_ns) as f64 / 1e9
}

/// 0 where the divisor is 0, so that the figure is left out.
pub(crate) fn ratio(value: f64, by: f64) -> f64 {
    if by > 0.0 { value / by } else { 0.0 }
}

fn reports(pool: &PoolReport, phases: Range<usize>) -> impl Iterator<Item = &PhaseReport> + Clone {
    pool.workers
        .iter()
        .flat_map(move |worker| worker.phases.get(phases.clone()).unwrap_or_default())
}

/// The window of the phase at `index`; `None` when no worker had it.
pub(crate) fn window(pool: &PoolReport, index: usize) -> Option<Window> {
    Window::of(reports(pool, index..index + 1))
}

/// The windows of `phases` added up, seconds.
pub(crate) fn time_s(pool: &PoolReport, phases: Range<usize>) -> f64 {
    phases.filter_map(|index| window(pool, index)).map(Window::seconds).sum()
}

/// Operations of all workers in `phases`.
pub(crate) fn ops(pool: &PoolReport, phases: Range<usize>) -> u64 {
    reports(pool, phases).map(|phase| phase.ops).sum()
}

/// Bytes of all workers in `phases`.
pub(crate) fn bytes(pool: &PoolReport, phases: Range<usize>) -> u64 {
    reports(pool, phases).map(|phase| phase.bytes).sum()
}

/// Processor time of all workers in `phases`, user and system, seconds.
pub(crate) fn cpu_s(pool: &PoolReport, phases: Range<usize>) -> f64 {
    reports(pool, phases).map(|phase| phase.cpu_user_s + phase.cpu_sys_s).sum()
}

/// The entry of a test whose figures come from `phases`, of which the first is the one that all
/// workers should have been in together; with all histograms of the pool.
pub(crate) fn measured(
    id: &str,
    pool: &PoolReport,
    phases: Range<usize>,
    metrics: Vec<Metric>,
) -> Measured {
    let first = window(pool, phases.start);
    Measured {
        test: id.into(),
        metrics,
        bytes: bytes(pool, phases.clone()),
        ops: ops(pool, phases.clone()),
        seconds: time_s(pool, phases.clone()),
        skew_ms: first.map_or(0.0, Window::skew_ms),
        overlap: first.map_or(0.0, Window::overlap),
        phases,
        histograms: Histogram::merged(pool.workers.iter().flat_map(|w| &w.histograms)),
        problem: None,
    }
}

/// Metrics as they come; what cannot be told (no time, no operation) is left out.
#[derive(Default)]
pub(crate) struct Metrics(pub(crate) Vec<Metric>);

impl Metrics {
    /// Adds one where `value` is positive and finite.
    pub(crate) fn push(&mut self, name: &str, value: f64, unit: &str, better: Better) {
        if value.is_finite() && value > 0.0 {
            self.0.push(Metric::new(name, value, unit, better));
        }
    }

    /// Operations per second.
    pub(crate) fn per_s(&mut self, name: &str, ops: u64, seconds: f64, unit: &str) {
        self.push(name, ratio(ops as f64, seconds), unit, Better::Higher);
    }

    /// Decimal megabytes per second.
    pub(crate) fn rate(&mut self, name: &str, bytes: u64, seconds: f64) {
        self.bytes_per_s(name, ratio(bytes as f64, seconds));
    }

    /// A rate in bytes per second, as decimal megabytes per second.
    pub(crate) fn bytes_per_s(&mut self, name: &str, rate: f64) {
        self.push(name, rate / 1e6, "MB/s", Better::Higher);
    }

    /// A figure of which less is better.
    pub(crate) fn lower(&mut self, name: &str, value: f64, unit: &str) {
        self.push(name, value, unit, Better::Lower);
    }

    /// Processor time of the workers for each operation of `phases`.
    pub(crate) fn cpu_per_op(&mut self, pool: &PoolReport, phases: Range<usize>) {
        let ns = ratio(1e9 * cpu_s(pool, phases.clone()), ops(pool, phases) as f64);
        self.lower("cpu_ns_per_op", ns, "ns");
    }

    /// Mean, median, 99th, 99.9th percentile and longest latency of the operations called `op`, in
    /// microseconds. In a closed loop they are called `service_`, at a fixed rate `latency_`.
    pub(crate) fn latencies(&mut self, pool: &PoolReport, op: &str) {
        self.named_latencies(pool, op, "");
    }

    /// The same, with `prefix` before the names.
    pub(crate) fn named_latencies(&mut self, pool: &PoolReport, op: &str, prefix: &str) {
        let of_op = pool.workers.iter().flat_map(|w| &w.histograms).filter(|h| h.op == op);
        for histogram in Histogram::merged(of_op) {
            self.latency(&histogram, prefix);
        }
    }

    /// Like `latencies`, for one histogram, with `prefix` before the names.
    pub(crate) fn latency(&mut self, histogram: &Histogram, prefix: &str) {
        let word = match histogram.latency {
            LatencyKind::Service => "service",
            LatencyKind::Response => "latency",
        };
        let us = |ns: Option<u64>| ns.map_or(0.0, |ns| ns as f64 / 1e3);
        let mean_us = histogram.mean_ns().map_or(0.0, |ns| ns / 1e3);
        self.lower(&format!("{prefix}{word}_mean_us"), mean_us, "us");
        for (name, q) in [("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("max", 1.0)] {
            self.lower(&format!("{prefix}{word}_{name}_us"), us(histogram.quantile_ns(q)), "us");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::workload::{PhaseKind, WorkerReport};

    fn worker(start_ns: u64, end_ns: u64, ops: u64) -> WorkerReport {
        let phase = PhaseReport {
            kind: PhaseKind::Operate,
            start_ns,
            end_ns,
            bytes: 10 * ops,
            ops,
            cpu_user_s: 0.25,
            cpu_sys_s: 0.25,
        };
        let bins = vec![(1_000, ops)];
        let histograms = vec![Histogram { bins, ..Histogram::new("read", LatencyKind::Service) }];
        WorkerReport { phases: vec![phase.clone(), phase], histograms, ..Default::default() }
    }

    #[test]
    fn figures_are_of_the_window_of_all_workers() {
        let workers = vec![worker(0, 2_000_000_000, 30), worker(500_000_000, 2_500_000_000, 20)];
        let pool = PoolReport { workers, ..PoolReport::default() };
        let mut metrics = Metrics::default();
        metrics.per_s("ops_rate", ops(&pool, 0..1), time_s(&pool, 0..1), "1/s");
        metrics.rate("rate", bytes(&pool, 0..1), 0.0);
        metrics.cpu_per_op(&pool, 0..1);
        metrics.latencies(&pool, "read");
        let values: Vec<(&str, f64)> =
            metrics.0.iter().map(|m| (m.name.as_str(), m.value)).collect();
        assert_eq!(values[..2], [("ops_rate", 20.0), ("cpu_ns_per_op", 2e7)]);
        assert_eq!(values[2], ("service_mean_us", 1.0));
        let m = measured("x", &pool, 0..2, Vec::new());
        assert_eq!((m.ops, m.bytes, m.seconds, m.skew_ms, m.overlap), (100, 1000, 5.0, 500.0, 0.6));
    }
}

//! From what the workers report to figures. An operation counts when it is done; its rate is over the
//! window from the first start to the last end, with the sync behind writes in it.

use super::settings::{Fsync, Rank, Rw, Settings};
use crate::{
    Measured,
    figures::{Metrics, cpu_s, measured, ratio, time_s},
};
use model::{
    figure::{Histogram, LatencyKind, Metric},
    result::BUFFERED_BELOW,
    workload::PoolReport,
};

/// The metric that ranks, its unit.
pub(super) fn metric(settings: &Settings) -> (&'static str, &'static str) {
    match settings.rank {
        Rank::Iops => ("iops", "IOPS"),
        Rank::OpsRate => ("ops_rate", "1/s"),
        Rank::Rate => (rate_name(settings), "MB/s"),
        Rank::LatencyP99Us => ("latency_p99_us", "us"),
    }
}

/// The rate of what is written is durable when it is synced inside of the timed part.
pub(super) fn rate_name(settings: &Settings) -> &'static str {
    let mixed = matches!(settings.rw, Rw::Mixed | Rw::Seeks);
    match settings.rw.writes() && !mixed && settings.fsync() != Fsync::Never {
        true => "durable_rate",
        false => Metric::RATE,
    }
}

/// Operations of all workers.
struct Counts {
    reads: u64,
    writes: u64,
}

impl Counts {
    fn of(histograms: &[Histogram]) -> Counts {
        let of = |op| histograms.iter().filter(|h| h.op == op).map(Histogram::count).sum();
        Counts { reads: of("read"), writes: of("write") }
    }

    /// Blocks that the rate counts: one that is read and written back counts once.
    fn moved(&self, settings: &Settings) -> u64 {
        if settings.rw.writes_back() { self.reads } else { self.reads + self.writes }
    }
}

/// The figures of the test called `id`.
pub(super) fn measure(id: &str, settings: &Settings, pool: &PoolReport) -> Measured {
    let phases = if settings.fsync() == Fsync::End { 0..2 } else { 0..1 };
    let entry = measured(id, pool, phases.clone(), Vec::new());
    let counts = Counts::of(&entry.histograms);
    let (seconds, unsynced_s) = (time_s(pool, phases), time_s(pool, 0..1));
    let bytes = settings.block.0 * counts.moved(settings);
    let ops = counts.reads + counts.writes;
    let mut metrics = Metrics::default();
    metrics.per_s("iops", ops, seconds, "IOPS");
    metrics.rate(rate_name(settings), bytes, seconds);
    if settings.rw == Rw::Seeks {
        metrics.per_s("ops_rate", counts.reads, seconds, "1/s");
    } else if settings.rank == Rank::OpsRate {
        metrics.per_s("ops_rate", counts.moved(settings), seconds, "1/s");
    }
    metrics.per_s("read_iops", counts.reads, seconds, "1/s");
    metrics.per_s("write_iops", counts.writes, seconds, "1/s");
    if settings.fsync() == Fsync::End {
        metrics.per_s("unsynced_iops", ops, unsynced_s, "IOPS");
        if !settings.direct {
            metrics.rate("cache_rate", bytes, unsynced_s);
        }
        metrics.lower("sync_s", time_s(pool, 1..2), "s");
    }
    metrics.cpu_per_op(pool, 0..1);
    metrics.lower("cpu_pct", 100.0 * ratio(cpu_s(pool, entry.phases.clone()), seconds), "%");
    latencies(&mut metrics, &entry.histograms);
    let mut of_workers = pool.workers.iter().flat_map(|worker| &worker.metrics);
    let buffered = of_workers.find(|metric| metric.name == BUFFERED_BELOW);
    metrics.0.extend(buffered.cloned());
    Measured { metrics: ranking_first(metrics.0, settings), ..entry }
}

/// Adds the latencies of all operations, and of reads and writes separately if there are both.
fn latencies(metrics: &mut Metrics, histograms: &[Histogram]) {
    let load: Vec<&Histogram> = histograms.iter().filter(|h| h.op != "fsync").collect();
    let mut all = Histogram::new("all", load.first().map_or(LatencyKind::Service, |h| h.latency));
    load.iter().for_each(|one| all.merge(one));
    metrics.latency(&all, "");
    for one in histograms.iter().filter(|_| histograms.len() > 1) {
        metrics.latency(one, &format!("{}_", one.op));
    }
}

fn ranking_first(mut metrics: Vec<Metric>, settings: &Settings) -> Vec<Metric> {
    if let Some(at) = metrics.iter().position(|m| m.name == metric(settings).0) {
        metrics[..=at].rotate_right(1);
    }
    metrics
}

//! Computes figures from the report of a replay.

use super::{
    differences::{Difference, merged},
    run::Notes,
    settings::Pace,
};
use crate::{
    Measured,
    figures::{self, Metrics},
};
use model::{
    figure::{Better, Histogram},
    result::Reason,
    workload::PoolReport,
};
use std::collections::BTreeMap;

/// The share of calls with an unexplained difference above which a replay is not the application.
const MOST_UNEXPLAINED: f64 = 0.001;

/// The metric by which tables rank, its unit and direction: at full speed the time to the end; at a pace, where that
/// is given, the time that threads waited for their calls.
pub(super) fn ranks(pace: Pace) -> (&'static str, &'static str, Better) {
    match pace.speed() {
        None => ("wall_s", "s", Better::Lower),
        Some(_) => ("call_s", "s", Better::Lower),
    }
}

/// The figures of a replay whose first phase makes the calls and whose second makes durable what is left.
pub(super) fn measured(id: &str, pace: Pace, pool: &PoolReport) -> Measured {
    let notes: Vec<Notes> =
        pool.workers.iter().filter_map(|worker| toml::from_str(&worker.output).ok()).collect();
    let sum = |of: fn(&Notes) -> f64| notes.iter().map(of).sum::<f64>();
    let wall_s = figures::time_s(pool, 0..1);
    let mut metrics = Metrics::default();
    metrics.lower("wall_s", wall_s, "s");
    metrics.lower("durable_s", figures::time_s(pool, 0..2), "s");
    metrics.lower("sync_s", figures::time_s(pool, 1..2), "s");
    metrics.per_s("calls_rate", figures::ops(pool, 0..1), wall_s, "1/s");
    metrics.rate("rate", figures::bytes(pool, 0..1), wall_s);
    metrics.lower("call_s", sum(|notes| notes.in_calls_s), "s");
    metrics.lower("sync_call_s", sum(|notes| notes.in_syncs_s), "s");
    metrics.lower("all_in_sync_s", sum(|notes| notes.all_in_sync_s), "s");
    let latest_s = notes.iter().map(|notes| notes.latest_s).fold(0.0, f64::max);
    metrics.lower("latest_ms", latest_s * 1e3, "ms");
    let all = Histogram::merged(pool.workers.iter().flat_map(|worker| &worker.histograms));
    for histogram in &all {
        metrics.latency(histogram, &format!("{}_", histogram.op));
    }
    metrics.cpu_per_op(pool, 0..1);
    metrics.lower("differences", sum(|n| n.differences.iter().map(|d| d.count as f64).sum()), "");
    metrics.lower("unexplained", sum(|notes| notes.unexplained as f64), "");
    let differing = merged(notes.iter().flat_map(|notes| notes.differences.iter().cloned()));
    for (call, count) in unexplained_by_call(&differing) {
        metrics.lower(&format!("unexplained_{call}"), count as f64, "");
    }
    let (first, _, _) = ranks(pace);
    metrics.0.sort_by_key(|metric| metric.name != first);
    let calls: u64 = notes.iter().map(|notes| notes.calls).sum();
    let unexplained: u64 = notes.iter().map(|notes| notes.unexplained).sum();
    let problem = (unexplained as f64 > MOST_UNEXPLAINED * calls as f64)
        .then(|| reason(calls, unexplained, differing));
    Measured { problem, ..figures::measured(id, pool, 0..2, metrics.0) }
}

/// How many calls of each kind have a difference that is not explained.
fn unexplained_by_call(merged: &[Difference]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for one in merged.iter().filter(|one| one.allowed.is_none()) {
        *counts.entry(one.call.as_str()).or_default() += one.count;
    }
    counts
}

/// Why a replay is not the application: its most frequent difference, the first of those that are merged.
fn reason(calls: u64, unexplained: u64, merged: Vec<Difference>) -> Reason {
    let most = merged.into_iter().find(|one| one.allowed.is_none());
    let (call, recorded, found, count) =
        most.map_or_else(Default::default, |one| (one.call, one.recorded, one.found, one.count));
    Reason::ReplayDiffers { calls, differing: unexplained, call, recorded, found, count }
}

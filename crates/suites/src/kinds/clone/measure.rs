//! Figures from the reports of workers.

use super::{
    make::{CALL, DURABLE},
    overwrite::{CLONE_GROWN, TURNS, UNSHARED_GROWN, bytes_names, pieces_name},
    settings::Which,
};
use crate::{
    Measured,
    commits::sum,
    figures::{self, Metrics, ratio},
};
use model::{
    figure::{Better, Metric},
    workload::PoolReport,
};

/// Phases of overwrites: a first sync, and in each turn writes and a sync.
const OVERWRITES: std::ops::Range<usize> = 1..2 * TURNS.len() + 1;

/// Overwrites of `which`: pieces, bytes, and seconds with the sync behind each turn.
fn overwrites(pool: &PoolReport, which: Which) -> (u64, u64, f64) {
    let turns = TURNS.iter().zip(OVERWRITES.step_by(2)).filter(|(turn, _)| turn.0 == which);
    turns.fold((0, 0, 0.0), |(pieces, bytes, seconds), (_, at)| {
        (
            pieces + figures::ops(pool, at..at + 1),
            bytes + figures::bytes(pool, at..at + 1),
            seconds + figures::time_s(pool, at..at + 2),
        )
    })
}

/// Overwrites of clones next to those of files that share nothing.
pub(super) fn overwrite(id: &str, pool: &PoolReport) -> Measured {
    let (pieces, bytes, seconds) = overwrites(pool, Which::Clone);
    let (_, other_bytes, other_s) = overwrites(pool, Which::Unshared);
    let mut metrics = Metrics::default();
    metrics.rate("durable_rate", bytes, seconds);
    metrics.rate("unshared_rate", other_bytes, other_s);
    let (one_s, other_one_s) = (ratio(seconds, bytes as f64), ratio(other_s, other_bytes as f64));
    metrics.lower("slowdown", ratio(one_s, other_one_s), "1");
    metrics.per_s("overwrites_rate", pieces, seconds, "1/s");
    for which in [Which::Clone, Which::Unshared] {
        let op = which.word();
        metrics.named_latencies(pool, op, &format!("{op}_"));
    }
    metrics.cpu_per_op(pool, OVERWRITES);
    let workers = pool.workers.len().max(1) as f64;
    for (name, of, bytes) in [
        ("clone_grown_pct", CLONE_GROWN, bytes),
        ("unshared_grown_pct", UNSHARED_GROWN, other_bytes),
    ] {
        // Each worker reports the growth of the whole file system. None of it is a figure, too.
        let pct = 100.0 * ratio(sum(pool, of) / workers, bytes as f64);
        metrics.0.push(Metric::new(name, pct, "%", Better::Lower));
    }
    Which::ALL.iter().for_each(|which| extents(&mut metrics, pool, *which));
    figures::measured(id, pool, OVERWRITES, metrics.0)
}

/// A read of the files `which`.
pub(super) fn read(id: &str, pool: &PoolReport, which: Which) -> Measured {
    let mut metrics = Metrics::default();
    metrics.rate(Metric::RATE, figures::bytes(pool, 0..1), figures::time_s(pool, 0..1));
    metrics.cpu_per_op(pool, 0..1);
    extents(&mut metrics, pool, which);
    figures::measured(id, pool, 0..1, metrics.0)
}

/// Clones that are made.
pub(super) fn make(id: &str, pool: &PoolReport) -> Measured {
    let mut metrics = Metrics::default();
    for op in [DURABLE, CALL] {
        metrics.named_latencies(pool, op, &format!("{op}_"));
    }
    metrics.per_s("clones_rate", figures::ops(pool, 0..1), figures::time_s(pool, 0..1), "1/s");
    metrics.cpu_per_op(pool, 0..1);
    extents(&mut metrics, pool, Which::Clone);
    let first = |metric: &Metric| metric.name != "durable_service_p50_us";
    metrics.0.sort_by_key(first);
    figures::measured(id, pool, 0..1, metrics.0)
}

/// Extents of the files `which`, and the share of their bytes that other files use, too.
fn extents(metrics: &mut Metrics, pool: &PoolReport, which: Which) {
    let [bytes, shared] = bytes_names(which).map(|name| sum(pool, &name));
    let name = pieces_name(which);
    metrics.lower(&name, sum(pool, &name), "1");
    if bytes > 0.0 {
        let name = format!("{}_shared_pct", which.word());
        metrics.0.push(Metric::new(&name, 100.0 * shared / bytes, "%", Better::Higher));
    }
}

//! Computes the figures of the tables from the report of a pool. Rates are decimal: bytes / 1e6 / s.
//!
//! The original suite's arithmetic is kept apart as `nano_rate`: it counts 8 bytes for every element
//! whatever it takes on disk, sums the rates of the workers, and multiplies the rate of a sync by the
//! length of the shell command.

use crate::{
    Measured,
    figures::{Metrics, Window, ratio, seconds},
};
use model::{
    figure::Better,
    workload::{PhaseKind, PhaseReport, PoolReport, WorkerReport},
};

/// The phases that a figure covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis {
    /// The phases whose windows add up to the time of the test.
    timed: &'static [PhaseKind],
    /// The phases that lie in the original suite's timed part.
    nano: &'static [PhaseKind],
}

impl Basis {
    /// A write, and what makes it durable.
    pub(super) const WRITE: Basis = Basis {
        timed: &[PhaseKind::Write, PhaseKind::SyncDir, PhaseKind::Sync],
        nano: &[PhaseKind::Write],
    };
    /// An append test, whose sync the original suite times with the write.
    pub(super) const APPEND: Basis = Basis {
        timed: &[PhaseKind::Write, PhaseKind::Sync],
        nano: &[PhaseKind::Write, PhaseKind::Sync, PhaseKind::SpawnSync],
    };
    /// The sync after a write.
    pub(super) const SYNC: Basis =
        Basis { timed: &[PhaseKind::Sync], nano: &[PhaseKind::Sync, PhaseKind::SpawnSync] };
    /// The sync after a sort, where the original suite syncs the directory alone.
    pub(super) const SORTED: Basis = Basis {
        timed: &[PhaseKind::SyncDir, PhaseKind::Sync],
        nano: &[PhaseKind::SyncDir, PhaseKind::SpawnSync],
    };
    const READ: Basis = Basis { timed: &[PhaseKind::Read], nano: &[PhaseKind::Read] };
    const META: Basis = Basis { timed: &[PhaseKind::Operate], nano: &[PhaseKind::Operate] };
}

/// The figures of a test that writes; `elements` is what one worker wrote.
pub(super) fn write(id: &str, pool: &PoolReport, elements: u64, basis: Basis) -> Measured {
    let bytes = bytes(pool, PhaseKind::Write);
    let sync_s = time(pool, &basis.timed[1..]);
    let mut metrics = Metrics::default();
    metrics.rate("durable_rate", bytes, time(pool, basis.timed));
    metrics.rate("cache_rate", bytes, time(pool, &[PhaseKind::Write]));
    metrics.lower("sync_s", sync_s, "s");
    metrics.bytes_per_s("sum_rate", sum_of_rates(pool, PhaseKind::Write));
    metrics.bytes_per_s("nano_rate", nano(pool, elements, basis));
    overlap_rate(&mut metrics, pool, PhaseKind::Write);
    measured(id, pool, basis, PhaseKind::Write, metrics)
}

/// The figures of the sync after a test; `elements` is the length of the vector.
pub(super) fn sync(id: &str, pool: &PoolReport, elements: u64, basis: Basis) -> Measured {
    let mut metrics = Metrics::default();
    metrics.lower("sync_ms", 1e3 * time(pool, basis.timed), "ms");
    let nano = pool
        .workers
        .iter()
        .map(|worker| {
            let chars = f64::from(worker.command_chars);
            ratio(8.0 * elements as f64 * chars, own_time(worker, basis.nano))
        })
        .sum();
    if index(pool, PhaseKind::SpawnSync).is_some() {
        metrics.bytes_per_s("nano_rate", nano);
        metrics.lower("spawn_s", time(pool, &[PhaseKind::SpawnSync]), "s");
    }
    measured(id, pool, basis, PhaseKind::Sync, metrics)
}

/// The figures of a test that reads; `elements` is what one worker read.
pub(super) fn read(id: &str, pool: &PoolReport, elements: u64) -> Measured {
    let mut metrics = Metrics::default();
    metrics.rate("rate", bytes(pool, PhaseKind::Read), time(pool, Basis::READ.timed));
    overlap_rate(&mut metrics, pool, PhaseKind::Read);
    metrics.bytes_per_s("sum_rate", sum_of_rates(pool, PhaseKind::Read));
    metrics.bytes_per_s("nano_rate", nano(pool, elements, Basis::READ));
    if let Some(window) = window(pool, PhaseKind::Read) {
        metrics.lower("first_done_s", window.first_done_s(), "s");
        metrics.lower("last_done_s", window.seconds(), "s");
    }
    measured(id, pool, Basis::READ, PhaseKind::Read, metrics)
}

/// The figures of a test of operations.
pub(super) fn meta(id: &str, pool: &PoolReport) -> Measured {
    let phases = || reports(pool, PhaseKind::Operate);
    let latencies: Vec<f64> = phases()
        .filter(|p| p.ops > 0)
        .map(|p| 1e3 * seconds(p.start_ns, p.end_ns) / p.ops as f64)
        .collect();
    let ops = ops(pool, PhaseKind::Operate);
    let mut metrics = Metrics::default();
    let mean = ratio(latencies.iter().sum(), latencies.len() as f64);
    metrics.lower("latency_ms", mean, "ms");
    metrics.lower("latency_max_ms", latencies.iter().copied().fold(0.0, f64::max), "ms");
    let rate = ratio(ops as f64, time(pool, Basis::META.timed));
    metrics.push("ops_rate", rate, "1/s", Better::Higher);
    measured(id, pool, Basis::META, PhaseKind::Operate, metrics)
}

/// Operations of all workers in the time in which all ran, for each worker but the first to end: what the others have
/// under way at that moment is not counted, half an operation each, which is then 2 % at most.
const LEAST_OPS: u64 = 25;

/// Operations between two progress reports of a worker that does this many in total: what it has not reported when
/// another ends is missing in that rate, so that a report holds a hundredth of them or one.
pub(super) fn batch_ops(ops: u64) -> u64 {
    (ops / 100).clamp(1, 256)
}

/// Bytes over the time in which all workers ran; only when that was at least half of the phase and moved at least half
/// of its bytes, for otherwise it says little about it (workers that wait for the same read-ahead all end in a burst),
/// and when it contains enough operations that those in flight at its end do not matter.
fn overlap_rate(metrics: &mut Metrics, pool: &PoolReport, kind: PhaseKind) {
    let overlap = index(pool, kind).and_then(|i| pool.overlaps.get(i));
    if let (Some(overlap), Some(window)) = (overlap, window(pool, kind)) {
        let together = seconds(0, overlap.window_ns);
        let others = reports(pool, kind).count().saturating_sub(1) as u64;
        let is_most = together >= window.seconds() / 2.0 && 2 * overlap.bytes >= bytes(pool, kind);
        if is_most && overlap.ops >= LEAST_OPS * others {
            metrics.rate("overlap_rate", overlap.bytes, together);
        }
    }
}

fn measured(
    id: &str,
    pool: &PoolReport,
    basis: Basis,
    main: PhaseKind,
    metrics: Metrics,
) -> Measured {
    let of = |kinds: &'static [PhaseKind]| kinds.iter().filter_map(|kind| index(pool, *kind));
    let first = of(basis.timed).min().unwrap_or(0);
    let end = of(basis.timed).max().map_or(0, |last| last + 1);
    let phases = || basis.timed.iter().flat_map(|kind| reports(pool, *kind));
    let start_ns = phases().map(|p| p.start_ns).min().unwrap_or(0);
    let end_ns = phases().map(|p| p.end_ns).max().unwrap_or(0);
    let skew_ms =
        basis.timed.iter().find_map(|kind| window(pool, *kind)).map_or(0.0, Window::skew_ms);
    let overlap = window(pool, main).map_or(0.0, Window::overlap);
    Measured {
        test: id.into(),
        metrics: metrics.0,
        bytes: bytes(pool, main),
        ops: ops(pool, main),
        seconds: seconds(start_ns, end_ns),
        skew_ms,
        overlap,
        phases: first..end,
        histograms: Vec::new(),
        problem: None,
    }
}

fn find(worker: &WorkerReport, kind: PhaseKind) -> Option<&PhaseReport> {
    worker.phases.iter().find(|phase| phase.kind == kind)
}

/// The phase of each worker that had it.
fn reports(pool: &PoolReport, kind: PhaseKind) -> impl Iterator<Item = &PhaseReport> + Clone {
    pool.workers.iter().filter_map(move |worker| find(worker, kind))
}

fn index(pool: &PoolReport, kind: PhaseKind) -> Option<usize> {
    pool.workers.first()?.phases.iter().position(|phase| phase.kind == kind)
}

fn window(pool: &PoolReport, kind: PhaseKind) -> Option<Window> {
    Window::of(reports(pool, kind))
}

/// The windows of some phases, first start to last end, added up.
fn time(pool: &PoolReport, kinds: &[PhaseKind]) -> f64 {
    kinds.iter().filter_map(|kind| window(pool, *kind)).map(Window::seconds).sum()
}

/// The time that one worker spent in some phases.
fn own_time(worker: &WorkerReport, kinds: &[PhaseKind]) -> f64 {
    let phases = kinds.iter().filter_map(|kind| find(worker, *kind));
    phases.map(|p| seconds(p.start_ns, p.end_ns)).sum()
}

pub(super) fn bytes(pool: &PoolReport, kind: PhaseKind) -> u64 {
    reports(pool, kind).map(|p| p.bytes).sum()
}

/// Operations of all workers in a phase.
pub(super) fn ops(pool: &PoolReport, kind: PhaseKind) -> u64 {
    reports(pool, kind).map(|p| p.ops).sum()
}

/// Every worker's bytes over its own time, bytes per second.
fn sum_of_rates(pool: &PoolReport, kind: PhaseKind) -> f64 {
    reports(pool, kind).map(|p| ratio(p.bytes as f64, seconds(p.start_ns, p.end_ns))).sum()
}

/// Every worker's elements, 8 bytes each, over its own time, bytes per second.
fn nano(pool: &PoolReport, elements: u64, basis: Basis) -> f64 {
    let workers = pool.workers.iter();
    workers.map(|w| ratio(8.0 * elements as f64, own_time(w, basis.nano))).sum()
}

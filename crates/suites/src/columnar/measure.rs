//! From what a crew reports to the figures of the tables. Rates are decimal: bytes / 1e6 / s.
//!
//! The ancestor's arithmetic is kept apart as `nano_rate`: it counts 8 bytes for every element
//! whatever it takes on disk, sums the rates of the workers, and multiplies the rate of a sync by the
//! length of the shell command.

use crate::Measured;
use model::{Better, CrewReport, Metric, PhaseKind, PhaseReport, WorkerReport};

/// Which phases a figure is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis {
    /// The phases whose windows add up to the time of the test.
    timed: &'static [PhaseKind],
    /// The phases that lie in the ancestor's timed part.
    nano: &'static [PhaseKind],
}

impl Basis {
    /// A write, and what makes it durable.
    pub(super) const WRITE: Basis = Basis {
        timed: &[PhaseKind::Write, PhaseKind::SyncDir, PhaseKind::Sync],
        nano: &[PhaseKind::Write],
    };
    /// An append test, whose sync the ancestor times with the write.
    pub(super) const APPEND: Basis = Basis {
        timed: &[PhaseKind::Write, PhaseKind::Sync],
        nano: &[PhaseKind::Write, PhaseKind::Sync, PhaseKind::SpawnSync],
    };
    /// The sync after a write.
    pub(super) const SYNC: Basis =
        Basis { timed: &[PhaseKind::Sync], nano: &[PhaseKind::Sync, PhaseKind::SpawnSync] };
    /// The sync after a sort, where the ancestor syncs the directory alone.
    pub(super) const SORTED: Basis = Basis {
        timed: &[PhaseKind::SyncDir, PhaseKind::Sync],
        nano: &[PhaseKind::SyncDir, PhaseKind::SpawnSync],
    };
    const READ: Basis = Basis { timed: &[PhaseKind::Read], nano: &[PhaseKind::Read] };
    const META: Basis = Basis { timed: &[PhaseKind::Operate], nano: &[PhaseKind::Operate] };
}

/// When the workers started and ended one phase, nanoseconds.
#[derive(Clone, Copy)]
struct Window {
    first_start: u64,
    last_start: u64,
    first_end: u64,
    last_end: u64,
}

impl Window {
    fn seconds(self) -> f64 {
        seconds(self.first_start, self.last_end)
    }
}

fn seconds(from_ns: u64, to_ns: u64) -> f64 {
    to_ns.saturating_sub(from_ns) as f64 / 1e9
}

/// The figures of a test that writes; `elements` is what one worker wrote.
pub(super) fn write(id: &str, crew: &CrewReport, elements: u64, basis: Basis) -> Measured {
    let bytes = bytes(crew, PhaseKind::Write);
    let sync_s = time(crew, &basis.timed[1..]);
    let mut metrics = Metrics::default();
    metrics.rate("durable_rate", bytes, time(crew, basis.timed));
    metrics.rate("cache_rate", bytes, time(crew, &[PhaseKind::Write]));
    metrics.lower("sync_s", sync_s, "s");
    metrics.rate("sum_rate", sum_of_rates(crew, PhaseKind::Write), 1.0);
    metrics.rate("nano_rate", nano(crew, elements, basis), 1.0);
    metrics.overlap_rate(crew, PhaseKind::Write);
    measured(id, crew, basis, PhaseKind::Write, metrics)
}

/// The figures of the sync after a test; `elements` is the length of the vector.
pub(super) fn sync(id: &str, crew: &CrewReport, elements: u64, basis: Basis) -> Measured {
    let mut metrics = Metrics::default();
    metrics.rate("rate", bytes(crew, PhaseKind::Sync), time(crew, basis.timed));
    let nano = crew
        .workers
        .iter()
        .map(|worker| {
            let chars = f64::from(worker.command_chars);
            ratio(8.0 * elements as f64 * chars, own_time(worker, basis.nano))
        })
        .sum();
    metrics.rate("nano_rate", nano, 1.0);
    metrics.rate("sum_rate", sum_of_rates(crew, PhaseKind::Sync), 1.0);
    metrics.lower("spawn_s", time(crew, &[PhaseKind::SpawnSync]), "s");
    measured(id, crew, basis, PhaseKind::Sync, metrics)
}

/// The figures of a test that reads; `elements` is what one worker read.
pub(super) fn read(id: &str, crew: &CrewReport, elements: u64) -> Measured {
    let mut metrics = Metrics::default();
    metrics.rate("rate", bytes(crew, PhaseKind::Read), time(crew, Basis::READ.timed));
    metrics.overlap_rate(crew, PhaseKind::Read);
    metrics.rate("sum_rate", sum_of_rates(crew, PhaseKind::Read), 1.0);
    metrics.rate("nano_rate", nano(crew, elements, Basis::READ), 1.0);
    if let Some(window) = window(crew, PhaseKind::Read) {
        metrics.lower("first_done_s", seconds(window.first_start, window.first_end), "s");
        metrics.lower("last_done_s", window.seconds(), "s");
    }
    measured(id, crew, Basis::READ, PhaseKind::Read, metrics)
}

/// The figures of a test of operations.
pub(super) fn meta(id: &str, crew: &CrewReport) -> Measured {
    let phases = || crew.workers.iter().filter_map(|w| find(w, PhaseKind::Operate));
    let latencies: Vec<f64> = phases()
        .filter(|p| p.ops > 0)
        .map(|p| 1e3 * seconds(p.start_ns, p.end_ns) / p.ops as f64)
        .collect();
    let ops: u64 = phases().map(|p| p.ops).sum();
    let mut metrics = Metrics::default();
    let mean = ratio(latencies.iter().sum(), latencies.len() as f64);
    metrics.lower("latency_ms", mean, "ms");
    metrics.lower("latency_max_ms", latencies.iter().copied().fold(0.0, f64::max), "ms");
    let rate = ratio(ops as f64, time(crew, Basis::META.timed));
    metrics.push("ops_rate", rate, "1/s", Better::Higher);
    measured(id, crew, Basis::META, PhaseKind::Operate, metrics)
}

/// Metrics as they come; what no time was spent on is left out.
#[derive(Default)]
struct Metrics(Vec<Metric>);

impl Metrics {
    fn push(&mut self, name: &str, value: f64, unit: &str, better: Better) {
        if value.is_finite() && value > 0.0 {
            self.0.push(Metric::new(name, value, unit, better));
        }
    }

    fn rate(&mut self, name: &str, bytes: f64, seconds: f64) {
        self.push(name, ratio(bytes, seconds) / 1e6, "MB/s", Better::Higher);
    }

    fn lower(&mut self, name: &str, value: f64, unit: &str) {
        self.push(name, value, unit, Better::Lower);
    }

    /// Bytes over the time in which all workers ran; only when that was at least half of the phase,
    /// for otherwise it says little about it.
    fn overlap_rate(&mut self, crew: &CrewReport, kind: PhaseKind) {
        let overlap = index(crew, kind).and_then(|i| crew.overlaps.get(i));
        if let (Some(overlap), Some(window)) = (overlap, window(crew, kind)) {
            let together = seconds(0, overlap.window_ns);
            if together >= window.seconds() / 2.0 {
                self.rate("overlap_rate", overlap.bytes as f64, together);
            }
        }
    }
}

fn measured(
    id: &str,
    crew: &CrewReport,
    basis: Basis,
    main: PhaseKind,
    metrics: Metrics,
) -> Measured {
    let of = |kinds: &'static [PhaseKind]| kinds.iter().filter_map(|kind| index(crew, *kind));
    let first = of(basis.timed).min().unwrap_or(0);
    let end = of(basis.timed).max().map_or(0, |last| last + 1);
    let windows = || basis.timed.iter().filter_map(|kind| window(crew, *kind));
    let start_ns = windows().map(|w| w.first_start).min().unwrap_or(0);
    let end_ns = windows().map(|w| w.last_end).max().unwrap_or(0);
    let skew_ns = windows().next().map_or(0, |w| w.last_start - w.first_start);
    let overlap = window(crew, main)
        .map_or(0.0, |w| ratio(seconds(w.last_start, w.first_end), w.seconds()).clamp(0.0, 1.0));
    Measured {
        test: id.into(),
        metrics: metrics.0,
        bytes: bytes(crew, main) as u64,
        ops: crew.workers.iter().filter_map(|w| find(w, main)).map(|p| p.ops).sum(),
        seconds: seconds(start_ns, end_ns),
        skew_ms: skew_ns as f64 / 1e6,
        overlap,
        phases: first..end,
        histograms: Vec::new(),
        problem: None,
    }
}

/// 0 where the divisor is 0, so that the figure is left out.
fn ratio(value: f64, by: f64) -> f64 {
    if by > 0.0 { value / by } else { 0.0 }
}

fn find(worker: &WorkerReport, kind: PhaseKind) -> Option<&PhaseReport> {
    worker.phases.iter().find(|phase| phase.kind == kind)
}

fn index(crew: &CrewReport, kind: PhaseKind) -> Option<usize> {
    crew.workers.first()?.phases.iter().position(|phase| phase.kind == kind)
}

fn window(crew: &CrewReport, kind: PhaseKind) -> Option<Window> {
    let phases = || crew.workers.iter().filter_map(|worker| find(worker, kind));
    Some(Window {
        first_start: phases().map(|p| p.start_ns).min()?,
        last_start: phases().map(|p| p.start_ns).max()?,
        first_end: phases().map(|p| p.end_ns).min()?,
        last_end: phases().map(|p| p.end_ns).max()?,
    })
}

/// The windows of some phases, first start to last end, added up.
fn time(crew: &CrewReport, kinds: &[PhaseKind]) -> f64 {
    kinds.iter().filter_map(|kind| window(crew, *kind)).map(Window::seconds).sum()
}

/// The time that one worker spent in some phases.
fn own_time(worker: &WorkerReport, kinds: &[PhaseKind]) -> f64 {
    let phases = kinds.iter().filter_map(|kind| find(worker, *kind));
    phases.map(|p| seconds(p.start_ns, p.end_ns)).sum()
}

fn bytes(crew: &CrewReport, kind: PhaseKind) -> f64 {
    crew.workers.iter().filter_map(|w| find(w, kind)).map(|p| p.bytes).sum::<u64>() as f64
}

/// Every worker's bytes over its own time, bytes per second.
fn sum_of_rates(crew: &CrewReport, kind: PhaseKind) -> f64 {
    let phases = crew.workers.iter().filter_map(|worker| find(worker, kind));
    phases.map(|p| ratio(p.bytes as f64, seconds(p.start_ns, p.end_ns))).sum()
}

/// Every worker's elements, 8 bytes each, over its own time, bytes per second.
fn nano(crew: &CrewReport, elements: u64, basis: Basis) -> f64 {
    let workers = crew.workers.iter();
    workers.map(|w| ratio(8.0 * elements as f64, own_time(w, basis.nano))).sum()
}

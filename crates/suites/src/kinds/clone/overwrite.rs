//! Overwrites of a clone next to the same overwrites of a file that shares nothing: in four turns, clone, unshared,
//! unshared, clone, so that a steady change of the machine's speed is the same for both.

use super::{
    set::CloneSets,
    settings::{Settings, Which},
    sharing,
};
use crate::{Meter, Run, TestError, commits::engine_error};
use engine::{clock::now_ns, extents::Extents, io::Latencies, progress::Progress};
use model::{
    figure::{Better, Histogram, LatencyKind, Metric, Synced},
    workload::{Job, PhaseKind},
};
use std::fs::File;

/// The file of each turn, and the half of the pieces.
pub(super) const TURNS: [(Which, usize); 4] =
    [(Which::Clone, 0), (Which::Unshared, 0), (Which::Unshared, 1), (Which::Clone, 1)];

/// Metrics of a worker: bytes by which the file system grew in the turns of a file.
pub(super) const CLONE_GROWN: &str = "clone_grown_bytes";
pub(super) const UNSHARED_GROWN: &str = "unshared_grown_bytes";

/// The parts of a run.
pub(super) struct OverwriteRun<'a> {
    settings: &'a Settings,
    job: &'a Job,
    sets: CloneSets<'a>,
    /// Of each set, the clone and the file that shares nothing.
    files: Vec<[File; 2]>,
    /// Of the clones and of the others.
    latencies: [Latencies; 2],
    /// Free bytes before the first turn and after each.
    free: Vec<u64>,
    extents: Vec<(Which, Vec<Extents>)>,
}

impl<'a> OverwriteRun<'a> {
    pub(super) fn new(settings: &'a Settings, job: &'a Job) -> Result<OverwriteRun<'a>, TestError> {
        let sets = CloneSets::new(settings, job);
        let open = |copy| Ok([sets.open(Which::Clone, copy)?, sets.open(Which::Unshared, copy)?]);
        let files = (0..sets.copies).map(open).collect::<Result<_, TestError>>()?;
        let failed = || engine_error("count in", &job.dir);
        let latencies = Latencies::new(LatencyKind::Service).map_err(failed())?;
        let latencies = [latencies.clone(), latencies];
        let (free, extents) = (Vec::with_capacity(TURNS.len() + 1), Vec::new());
        Ok(OverwriteRun { settings, job, sets, files, latencies, free, extents })
    }

    /// Overwrites one half of the pieces of `which` of each set.
    fn turn(&mut self, which: Which, half: usize, progress: Progress<'_>) -> Result<(), TestError> {
        let OverwriteRun { settings, sets, files, latencies, .. } = self;
        let (all, nth) = (sets.overwritten(), usize::from(which == Which::Unshared));
        let middle = all.div_ceil(2);
        let range = if half == 0 { 0..middle } else { middle..all };
        for (copy, files) in (0..).zip(files.iter()) {
            let mut start_ns = now_ns();
            sets.overwrite(&files[nth], which, copy, range.clone(), |pieces| {
                let end_ns = now_ns();
                latencies[nth].record(true, end_ns.saturating_sub(start_ns));
                start_ns = end_ns;
                progress.add(pieces * settings.block.0, pieces);
            })?;
        }
        Ok(())
    }

    /// Syncs the file system, and notes its free space once all workers have come here.
    fn sync(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let sets = &self.sets;
        meter.phase(PhaseKind::Sync, &mut |_| sets.sync())?;
        let file = &self.files[0][0];
        self.free.push(sharing::free_bytes(file, &self.sets.path(Which::Clone, 0))?);
        Ok(())
    }

    /// Bytes by which the file system grew in the turns of `which`, of all workers.
    fn grown(&self, which: Which) -> f64 {
        let turns = TURNS.iter().zip(self.free.windows(2)).filter(|(turn, _)| turn.0 == which);
        let grown = turns.map(|(_, free)| free[0] as f64 - free[1] as f64).sum::<f64>();
        grown.max(0.0)
    }
}

impl Run for OverwriteRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        self.sync(meter)?;
        for (which, half) in TURNS {
            meter.phase(PhaseKind::Write, &mut |progress| self.turn(which, half, progress))?;
            self.sync(meter)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), TestError> {
        self.extents = Which::ALL.map(|which| (which, self.sets.extents(which))).into();
        self.sets.files(&Which::ALL).try_for_each(|(which, copy)| self.sets.check(which, copy))?;
        self.sets.set_state()
    }

    fn synced(&self) -> Option<Synced> {
        let pieces = 2 * self.sets.copies * self.sets.overwritten() as u64;
        let share = self.job.data.incompressible_share();
        let data = Synced::data(pieces * self.settings.block.0, share);
        Some(Synced { throughout: true, ..data })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        let named = [Which::Clone, Which::Unshared].into_iter().zip(&self.latencies);
        named.flat_map(|(which, latencies)| latencies.histograms_of(which.word())).collect()
    }

    fn metrics(&mut self) -> Vec<Metric> {
        let bytes = |name, value| Metric::new(name, value, "B", Better::Lower);
        let mut metrics = vec![
            bytes(CLONE_GROWN, self.grown(Which::Clone)),
            bytes(UNSHARED_GROWN, self.grown(Which::Unshared)),
        ];
        let of = |(which, extents): &(Which, Vec<Extents>)| extent_metrics(*which, extents);
        metrics.extend(self.extents.iter().flat_map(of));
        metrics
    }
}

/// Name of the metric of a worker with the pieces of its files `which` on the device.
pub(super) fn pieces_name(which: Which) -> String {
    format!("{}_extents", which.word())
}

/// Names of the metrics of a worker with the bytes of its files `which`, and with those that are shared.
pub(super) fn bytes_names(which: Which) -> [String; 2] {
    ["extent_bytes", "shared_bytes"].map(|name| format!("{}_{name}", which.word()))
}

/// The metrics of a worker about the extents of its files `which`; none where these are not reported.
pub(super) fn extent_metrics(which: Which, extents: &[Extents]) -> Vec<Metric> {
    if extents.is_empty() {
        return Vec::new();
    }
    let sum = |of: fn(&Extents) -> u64| extents.iter().map(of).sum::<u64>() as f64;
    let [bytes, shared] = bytes_names(which);
    vec![
        Metric::new(&pieces_name(which), sum(|e| e.pieces), "1", Better::Lower),
        Metric::new(&bytes, sum(|e| e.bytes), "B", Better::Lower),
        Metric::new(&shared, sum(|e| e.shared_bytes), "B", Better::Higher),
    ]
}

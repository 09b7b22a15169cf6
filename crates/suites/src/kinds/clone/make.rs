//! Clones that are made one after the other, each durable before the next.

use super::{
    overwrite::extent_metrics,
    set::{CloneSets, FOLDER},
    settings::{Settings, Which},
    sharing,
};
use crate::{Meter, Run, TestError, commits::engine_error};
use engine::{clock::now_ns, extents::Extents, io::Latencies, progress::Progress};
use model::{
    figure::{Histogram, LatencyKind, Metric, Synced},
    workload::{Job, PhaseKind},
};
use std::{
    fs::{self, File},
    io::ErrorKind,
    path::PathBuf,
};

/// The system call alone, and the clone until it is durable, in histograms.
pub(super) const CALL: &str = "call";
pub(super) const DURABLE: &str = "durable";

/// The parts of a run.
pub(super) struct MakeRun<'a> {
    settings: &'a Settings,
    sets: CloneSets<'a>,
    /// The clone of the set, which is cloned.
    source: File,
    paths: Vec<PathBuf>,
    /// Of the call, and until it is durable.
    latencies: [Latencies; 2],
    extents: Vec<Extents>,
}

/// The paths of the clones that are made.
fn paths(settings: &Settings, job: &Job) -> Vec<PathBuf> {
    let folder = job.dir.join(FOLDER);
    (0..settings.made(job)).map(|number| folder.join(format!("made.{number}"))).collect()
}

/// Removes `paths`, as far as they are there.
fn remove(paths: &[PathBuf]) -> Result<(), TestError> {
    paths.iter().try_for_each(|path| match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(TestError::io("remove", path)(error))
        }
        _ => Ok(()),
    })
}

/// Removes the clones that a run left that was broken off.
pub(super) fn clean(settings: &Settings, job: &Job) -> Result<(), TestError> {
    remove(&paths(settings, job))
}

impl<'a> MakeRun<'a> {
    pub(super) fn new(settings: &'a Settings, job: &'a Job) -> Result<MakeRun<'a>, TestError> {
        let sets = CloneSets::new(settings, job);
        let latencies =
            Latencies::new(LatencyKind::Service).map_err(engine_error("count in", &job.dir))?;
        Ok(MakeRun {
            settings,
            source: sets.open(Which::Clone, 0)?,
            sets,
            paths: paths(settings, job),
            latencies: [latencies.clone(), latencies],
            extents: Vec::new(),
        })
    }

    fn make(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        for path in &self.paths {
            let start_ns = now_ns();
            let file = sharing::create(path)?;
            let created_ns = now_ns();
            sharing::make(self.settings.call, &self.source, (&file, path), self.sets.file_bytes)?;
            let made_ns = now_ns();
            file.sync_all().map_err(|error| TestError::io("fsync", path)(error))?;
            let durable_ns = now_ns();
            self.latencies[0].record(true, made_ns.saturating_sub(created_ns));
            self.latencies[1].record(true, durable_ns.saturating_sub(start_ns));
            progress.add(0, 1);
        }
        Ok(())
    }
}

impl Run for MakeRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Operate, &mut |progress| self.make(progress))
    }

    fn verify(&mut self) -> Result<(), TestError> {
        if let Some(last) = self.paths.last() {
            self.sets.check_at(last, Which::Clone, 0)?;
            let file = File::open(last).map_err(TestError::io("open", last))?;
            // The space of many clones at once tells nothing of one: that of the first was looked at before.
            if let Ok(extents) = Extents::of(&file) {
                sharing::prove(&file, last, 0, 1.0)?;
                self.extents.push(extents);
            }
        }
        remove(&self.paths)
    }

    fn synced(&self) -> Option<Synced> {
        Some(Synced { throughout: true, ..Synced::FLUSH })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        let named = [CALL, DURABLE].into_iter().zip(&self.latencies);
        named.flat_map(|(op, latencies)| latencies.histograms_of(op)).collect()
    }

    fn metrics(&mut self) -> Vec<Metric> {
        extent_metrics(Which::Clone, &self.extents)
    }
}

//! The timed part of the kind `prompt`: appends that are due at a fixed rate, and the stream next to them.

use super::streamer::{self, Streamer};
use crate::{Meter, Run, TestError, commits::Client};
use engine::{clock::now_ns, data::Data, progress::Progress};
use model::{
    figure::{Better, Histogram, Metric, Synced},
    workload::{Job, PhaseKind},
};
use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

/// Metric of a worker: bytes of the stream.
pub(super) const STREAMED: &str = "streamed_bytes";

/// The parts of a run.
pub(super) struct PromptRun<'a> {
    pub(super) job: &'a Job,
    pub(super) client: Client,
    pub(super) data: Data,
    /// Bytes of an append.
    pub(super) record: u64,
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) streamer: Option<Streamer>,
    /// Bytes of the stream so far.
    pub(super) streamed: u64,
}

/// Ends the stream, also when the appends fail or panic.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Record `k`, of whole words of `data`, of which the last bytes may be left out.
fn record(data: &Data, k: u64, bytes: u64) -> &[u8] {
    let words = bytes.div_ceil(8);
    let run = data.piece_bytes(k * words, words);
    &run[..run.len().min(bytes as usize)]
}

impl PromptRun<'_> {
    fn appends(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        let PromptRun { client, data, record: size, file, path, .. } = self;
        client.run(now_ns(), |k| {
            file.write_all_at(record(data, k, *size), k * *size)
                .map_err(TestError::io("write", path))?;
            file.sync_all().map_err(TestError::io("fsync", path))?;
            progress.add(*size, 1);
            Ok(now_ns())
        })
    }

    fn play(&mut self, progress: Progress<'_>) -> Result<(), TestError> {
        let Some(streamer) = self.streamer.take() else { return self.appends(progress) };
        let (stop, streamed) = (AtomicBool::new(false), AtomicU64::new(0));
        let ended = thread::scope(|scope| {
            let stream = scope.spawn(|| {
                let bytes = streamer.run(&stop)?;
                streamed.store(bytes, Ordering::Relaxed);
                Ok::<_, TestError>(())
            });
            let end = Stop(&stop);
            let appended = self.appends(progress);
            drop(end);
            let panicked = |_| Err(TestError::Stopped("the stream panicked".into()));
            appended.and(stream.join().unwrap_or_else(panicked))
        });
        self.streamed = streamed.into_inner();
        ended
    }
}

impl Run for PromptRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        meter.phase(PhaseKind::Operate, &mut |progress| self.play(progress))?;
        let (file, path) = (&self.file, &self.path);
        meter.phase(PhaseKind::Sync, &mut |_| file.sync_all().map_err(TestError::io("fsync", path)))
    }

    fn verify(&mut self) -> Result<(), TestError> {
        streamer::remove(&self.job.dir)?;
        let (size, path) = (self.record, &self.path);
        let mut found = vec![0; size as usize];
        for k in 0..self.client.commits {
            self.file.read_exact_at(&mut found, k * size).map_err(TestError::io("read", path))?;
            if found != record(&self.data, k, size) {
                let why = format!("record {k} is not what was appended");
                return Err(TestError::Wrong { path: path.clone(), why });
            }
        }
        Ok(())
    }

    fn synced(&self) -> Option<Synced> {
        let bytes = self.client.commits * self.record;
        let data = Synced::data(bytes, self.job.data.incompressible_share());
        Some(Synced { throughout: true, ..data })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        self.client.histograms()
    }

    fn metrics(&mut self) -> Vec<Metric> {
        let mut metrics = self.client.metrics();
        metrics.push(Metric::new(STREAMED, self.streamed as f64, "B", Better::Higher));
        metrics
    }
}

//! Helpers for the tests of this crate: a job for one worker, and a worker without a pool.

use crate::{Meter, Test, TestError};
use engine::{
    clock::now_ns,
    progress::{Counters, Progress},
};
use model::{
    text::Bytes,
    workload::{Job, PhaseKind, PhaseReport, PoolReport, WorkerReport},
};
use std::path::Path;

/// A job of one worker, small enough for a unit test.
pub(crate) fn job(test: &str, dir: &Path) -> Job {
    Job { scale: 0.002, seed: 7, memory: Bytes(1 << 40), ..Job::of(test, dir) }
}

/// A meter without a barrier.
#[derive(Default)]
pub(crate) struct Clock(pub(crate) Vec<PhaseReport>);

impl Meter for Clock {
    fn phase(
        &mut self,
        kind: PhaseKind,
        work: &mut dyn FnMut(Progress<'_>) -> Result<(), TestError>,
    ) -> Result<(), TestError> {
        let counters = Counters::default();
        let progress = Progress::new(&counters);
        let start_ns = now_ns();
        work(progress)?;
        let end_ns = now_ns();
        self.0.push(PhaseReport {
            kind,
            start_ns,
            end_ns,
            bytes: progress.bytes(),
            ops: progress.ops(),
            cpu_user_s: 0.0,
            cpu_sys_s: 0.0,
        });
        Ok(())
    }
}

/// Fill, start, timed part, verification: what a worker does.
pub(crate) fn run(test: &dyn Test, job: &Job) -> Result<WorkerReport, TestError> {
    test.fill(job)?;
    let mut clock = Clock::default();
    let mut run = test.start(job)?;
    run.timed(&mut clock)?;
    run.verify()?;
    Ok(WorkerReport {
        worker: job.worker,
        phases: clock.0,
        footprint_bytes: run.footprint_bytes(),
        synced: run.synced(),
        command_chars: run.command_chars(),
        metrics: run.metrics(),
        histograms: run.histograms(),
        output: run.output(),
        ..WorkerReport::default()
    })
}

/// The report of a pool of one.
pub(crate) fn pool(report: WorkerReport) -> PoolReport {
    PoolReport { workers: vec![report], ..PoolReport::default() }
}

/// The one test that `text`, a declaration without suite, stands for.
pub(crate) fn declared(text: &str) -> &'static dyn Test {
    crate::declare::test(&format!("suite = 'x'\n{text}")).unwrap_or_else(|e| panic!("{e}"))
}

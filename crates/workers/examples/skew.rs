//! Prints how far apart the workers of a crew start: `skew [WORKERS [ROUNDS]]`.
//!
//! Each round releases the crew once, for work that is one short sleep, so that what is seen is the
//! barrier and the scheduler alone. Prints the median and the 90th percentile in milliseconds.
#![allow(clippy::print_stdout)]

use model::{Bytes, CacheNeed, CrewReport, DataKind, Job, JobMode, PhaseKind, Programs, TestInfo};
use std::{
    env, error::Error, path::PathBuf, process::ExitCode, sync::atomic::AtomicBool, thread,
    time::Duration,
};
use suites::{Estimate, Meter, Run, Test, TestError, test::Measured};
use workers::Crew;

/// Phases in one crew: starting processes costs more than releasing them.
const ROUNDS_KNOB: &str = "rounds";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some(workers::WORKER_VERB) {
        return Ok(workers::main(|_| Ok(&Sleeper)));
    }
    let workers: u32 = first.as_deref().unwrap_or("64").parse()?;
    let rounds: usize = arguments.next().as_deref().unwrap_or("50").parse()?;
    let crew = Crew::this_program(Duration::from_secs(600))?;
    let report = crew.run(&jobs(workers, rounds), &mut (), &AtomicBool::new(false))?;
    let mut skews: Vec<f64> = (0..rounds).map(|round| skew_ms(&report, round)).collect();
    skews.sort_by(f64::total_cmp);
    let at = |share: f64| skews[((rounds - 1) as f64 * share).round() as usize];
    println!("start skew of {workers} workers, {rounds} rounds, ms");
    println!("median {:.3}   p90 {:.3}", at(0.5), at(0.9));
    Ok(ExitCode::SUCCESS)
}

/// Latest minus earliest start of a round, milliseconds.
fn skew_ms(report: &CrewReport, round: usize) -> f64 {
    let starts = || report.workers.iter().map(|worker| worker.phases[round].start_ns);
    let (first, last) = (starts().min().unwrap_or(0), starts().max().unwrap_or(0));
    (last - first) as f64 / 1e6
}

fn jobs(workers: u32, rounds: usize) -> Vec<Job> {
    let job = |worker| Job {
        test: "sleep".into(),
        mode: JobMode::Run,
        dir: PathBuf::from("/"),
        worker,
        workers,
        threads: 1,
        scale: 1.0,
        work: None,
        seed: 0,
        data: DataKind::Random,
        memory: Bytes(0),
        knobs: [(ROUNDS_KNOB.to_string(), rounds.to_string())].into(),
        programs: Programs::None,
        declaration: None,
    };
    (0..workers).map(job).collect()
}

/// Sleeps for a few milliseconds in each phase.
struct Sleeper;

/// One run of it.
struct Naps(u32);

impl Run for Naps {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        for _ in 0..self.0 {
            meter.phase(PhaseKind::Operate, &mut |_| {
                thread::sleep(Duration::from_millis(5));
                Ok(())
            })?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), TestError> {
        Ok(())
    }
}

impl Test for Sleeper {
    fn infos(&self) -> Vec<TestInfo> {
        Vec::new()
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn fill(&self, _job: &Job) -> Result<(), TestError> {
        Ok(())
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let rounds = job.knobs.get(ROUNDS_KNOB).and_then(|text| text.parse().ok());
        Ok(Box::new(Naps(rounds.unwrap_or(1))))
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    fn estimate(&self, _job: &Job) -> Estimate {
        Estimate::default()
    }

    fn measure(&self, _job: &Job, _crew: &CrewReport) -> Vec<Measured> {
        Vec::new()
    }

    fn explain(&self, _id: &str) -> String {
        String::new()
    }
}

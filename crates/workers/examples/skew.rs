//! Prints how far apart the workers of a pool start: `skew [WORKERS [ROUNDS [MEGABYTES]]]`.
//!
//! Each round releases the pool once, for work that uses a processor as a test does: this many megabytes
//! of this program are read, which lie in memory. Prints the median and the 90th percentile in
//! milliseconds, and the share of a round in which all worked.
#![allow(clippy::print_stdout)]

use model::workload::{CacheNeed, Job, PhaseKind, PoolReport, TestInfo};
use std::{
    env, error::Error, fs::File, os::unix::fs::FileExt, path::PathBuf, process::ExitCode,
    sync::atomic::AtomicBool, time::Duration,
};
use suites::{Estimate, Meter, Run, Test, TestError, test::Measured};
use workers::{LocalPool, Pool};

/// Phases in one pool: starting processes costs more than releasing them.
const ROUNDS_KNOB: &str = "rounds";
/// What each worker reads in a round.
const MEGABYTES_KNOB: &str = "megabytes";
/// What one call reads, bytes.
const CALL: usize = 64 << 10;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some(workers::WORKER_VERB) {
        return Ok(workers::main(|_| Ok(&Reader)));
    }
    let workers: u32 = first.as_deref().unwrap_or("64").parse()?;
    let rounds: usize = arguments.next().as_deref().unwrap_or("50").parse()?;
    let megabytes: usize = arguments.next().as_deref().unwrap_or("16").parse()?;
    let pool = LocalPool::this_program(Duration::from_secs(600))?;
    let report = pool.run(&jobs(workers, rounds, megabytes), &mut (), &AtomicBool::new(false))?;
    let sorted = |of: &dyn Fn(usize) -> f64| {
        let mut all: Vec<f64> = (0..rounds).map(of).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let at = |all: &[f64], share: f64| all[((rounds - 1) as f64 * share).round() as usize];
    let skews = sorted(&|round| skew_ms(&report, round));
    let lengths = sorted(&|round| length_ms(&report, round));
    let overlaps =
        sorted(&|round| report.overlaps[round].window_ns as f64 / 1e6 / length_ms(&report, round));
    println!("{workers} workers, {rounds} rounds of {:.3} ms", at(&lengths, 0.5));
    println!("start skew, ms: median {:.3}   p90 {:.3}", at(&skews, 0.5), at(&skews, 0.9));
    println!("overlap: median {:.3}   p10 {:.3}", at(&overlaps, 0.5), at(&overlaps, 0.1));
    Ok(ExitCode::SUCCESS)
}

/// Latest minus earliest start of a round, milliseconds.
fn skew_ms(report: &PoolReport, round: usize) -> f64 {
    let starts = || report.workers.iter().map(|worker| worker.phases[round].start_ns);
    let (first, last) = (starts().min().unwrap_or(0), starts().max().unwrap_or(0));
    (last - first) as f64 / 1e6
}

/// First start to last end of a round, milliseconds.
fn length_ms(report: &PoolReport, round: usize) -> f64 {
    let phases = || report.workers.iter().map(|worker| &worker.phases[round]);
    let (first, last) = (phases().map(|p| p.start_ns).min(), phases().map(|p| p.end_ns).max());
    (last.unwrap_or(0) - first.unwrap_or(0)) as f64 / 1e6
}

fn jobs(workers: u32, rounds: usize, megabytes: usize) -> Vec<Job> {
    let knobs = [(ROUNDS_KNOB, rounds), (MEGABYTES_KNOB, megabytes)];
    let job = |worker| Job {
        worker,
        workers,
        knobs: knobs.map(|(name, value)| (name.to_string(), value.to_string())).into(),
        ..Job::of("read", "/")
    };
    (0..workers).map(job).collect()
}

/// Reads this program in each phase.
struct Reader;

/// One run of it.
struct Reads {
    file: File,
    rounds: usize,
    calls: usize,
}

impl Run for Reads {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let (file, mut buffer) = (&self.file, vec![0; CALL]);
        for _ in 0..self.rounds {
            meter.phase(PhaseKind::Read, &mut |_| {
                let mut read =
                    || (0..self.calls).try_for_each(|_| file.read_exact_at(&mut buffer, 0));
                read().map_err(TestError::io("read", PROGRAM.as_ref()))
            })?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), TestError> {
        Ok(())
    }
}

/// This program.
const PROGRAM: &str = "/proc/self/exe";

impl Test for Reader {
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
        let knob = |name| job.knobs.get(name).and_then(|text| text.parse().ok()).unwrap_or(1);
        let file = File::open(PROGRAM).map_err(TestError::io("open", PROGRAM.as_ref()))?;
        let calls = (knob(MEGABYTES_KNOB) << 20) / CALL;
        Ok(Box::new(Reads { file, rounds: knob(ROUNDS_KNOB), calls }))
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    fn estimate(&self, _job: &Job) -> Estimate {
        Estimate::default()
    }

    fn measure(&self, _job: &Job, _pool: &PoolReport) -> Vec<Measured> {
        Vec::new()
    }

    fn explain(&self, _id: &str) -> String {
        String::new()
    }
}

//! Delays of known length: of the engine that does nothing, and of a file system served over FUSE.

use super::{Bench, Check, CheckOutcome, trial};
use anyhow::{Context, Result};
use campaign::{
    machine::memory,
    stages::{Amount, Asked, Resolved},
};
use lab::{fuse::Delayed, setup::Lab};
use model::workload::{Job, JobMode};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use workers::{LocalPool, Pool};

/// What may be missed, a share.
const LIMIT: f64 = 0.03;

/// The null engine takes this long for an operation, as the suite declares it.
const NULL_US: f64 = 100.0;
const NULL_RUNTIME_S: f64 = 1.0;

/// A figure of the null engine's latencies. Its clock stands still but for operations, so the true figure
/// comes back to the width of a bin whatever else the machine does.
pub struct NullDelay {
    name: &'static str,
    figure: &'static str,
    metric: &'static str,
}

pub static NULL_MEDIAN: NullDelay =
    NullDelay { name: "delay.null.p50", figure: "median", metric: "service_p50_us" };
pub static NULL_MEAN: NullDelay =
    NullDelay { name: "delay.null.mean", figure: "mean", metric: "service_mean_us" };

impl Check for NullDelay {
    fn name(&self) -> String {
        self.name.into()
    }

    fn about(&self) -> String {
        format!("{} latency of an engine that waits 100 us", self.figure)
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(None)
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        let plan = trial::plan("null", "selftest.null_delay", NULL_RUNTIME_S)?;
        let dataset = trial::run(&format!("selftest-{}", self.name), plan, bench)?;
        let measured = trial::metric(trial::only_sample(&dataset)?, self.metric)?;
        Ok(CheckOutcome::Figure { imposed: NULL_US, measured, unit: "us", limit: LIMIT })
    }
}

/// The delay that the file system is asked for.
const DELAY: Duration = Duration::from_millis(2);
const RUNTIME_S: f64 = 10.0;
const QUICK_S: f64 = 2.0;
/// Longest time for start, work and report of the worker.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Median latency of reads from a file system that takes 2 ms. The true figure is the time that its server
/// really held a request, which it writes down: a sleep is longer than asked for. What the kernel
/// needs on the ways there and back is not in it, and is a part of the error.
pub struct FuseDelay;

pub static FUSE: FuseDelay = FuseDelay;

impl Check for FuseDelay {
    fn name(&self) -> String {
        "delay.fuse.p50".into()
    }

    fn about(&self) -> String {
        "median latency of reads that a FUSE server delays by 2 ms on its own clock".into()
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(Delayed::missing())
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        let runtime_s = if bench.quick { QUICK_S } else { RUNTIME_S };
        let (measured, held_ns) = self.measure(runtime_s, bench)?;
        let imposed = median(held_ns).context("the server received no requests")? / 1e3;
        Ok(CheckOutcome::Figure { imposed, measured, unit: "us", limit: LIMIT })
    }
}

impl FuseDelay {
    /// What the worker saw, microseconds, and what the server did, nanoseconds.
    fn measure(&self, runtime_s: f64, bench: &Bench<'_>) -> Result<(f64, Vec<u64>)> {
        let resolved = Resolved::new(
            Asked::by_user(trial::plan("null", "selftest.fuse_delay", runtime_s)?),
            &crate::terminal::note,
        )?;
        let item = resolved.items.first().context("the self test has no such test")?;
        let job = Job {
            declaration: item.test.declaration(),
            ..resolved.job(item, 1, &Amount::scaled(1.0), memory::total()?)
        };
        let lab = Lab::open(bench.state, "selftest-delay.fuse")?;
        let files = item.test.space(&job).into_iter().map(|(path, bytes)| (in_dir(&path), bytes));
        let delayed = Delayed::mount(&lab, &files.collect::<Vec<_>>(), DELAY)?;
        let mut jobs = [Job { dir: delayed.root().join(DIR), mode: JobMode::Fill, ..job }];
        let pool = LocalPool::this_program(TIMEOUT)?;
        let mut run = |mode| {
            jobs[0].mode = mode;
            let report = pool.run(&jobs, &mut (), bench.stop);
            trial::unless_stopped(bench)?;
            anyhow::Ok(report?)
        };
        run(JobMode::Fill)?;
        let report = run(JobMode::Run)?;
        let measured = item.test.measure(&jobs[0], &report);
        let metric = measured.iter().flat_map(|m| &m.metrics).find(|m| m.name == "service_p50_us");
        let measured = metric.context("the test returned no median")?.value;
        let held_ns = delayed.unmount()?;
        lab.close()?;
        Ok((measured, held_ns))
    }
}

/// The worker's directory.
const DIR: &str = "w0";

fn in_dir(path: &Path) -> PathBuf {
    Path::new(DIR).join(path)
}

/// The value in the middle; of an even number the upper of the two.
fn median(mut values: Vec<u64>) -> Option<f64> {
    values.sort_unstable();
    values.get(values.len() / 2).map(|&value| value as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(median(vec![9, 1, 5]), Some(5.0));
        assert_eq!(median(vec![]), None);
    }
}

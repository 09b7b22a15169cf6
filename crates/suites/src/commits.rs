//! A client that commits: one transaction after the other, or at a fixed rate regardless of the disk, recording every
//! latency. Shared by the kinds of the suite `oltp`.

use crate::{
    Measured, TestError,
    figures::{self, Metrics, ratio},
};
use engine::{
    clock::now_ns,
    data::{Data, Pattern, derive_seed},
    io::{EngineError, Latencies},
};
use model::{
    figure::{Better, Histogram, LatencyKind, Metric},
    target::Knob,
    workload::{Job, PoolReport},
};
use rustix::{
    thread::{ClockId, clock_nanosleep_absolute, set_current_timer_slack},
    time::Timespec,
};
use std::{
    fs::{self, File},
    io,
    num::NonZeroU64,
    os::unix::fs::FileExt,
    path::Path,
};

/// A run at a fixed rate that lasts this many times its length is given up: the target will never
/// catch up.
const PATIENCE: u64 = 3;
/// A run is never shorter than this, whatever the scale.
const LEAST_S: f64 = 0.2;
/// The name of a commit in histograms.
pub(crate) const COMMIT: &str = "commit";
/// Assumed rate of a closed loop, for plans: commits per second.
const ASSUMED_COMMITS_PER_S: f64 = 2000.0;

/// The knob `runtime_s`.
pub(crate) const RUNTIME: Knob = Knob::new(
    "runtime_s",
    "s",
    "10",
    "duration of the commits at scale 1; multiplied by the scale, at least 0.2 s",
);
/// The knob `rate`.
pub(crate) const RATE: Knob = Knob::new(
    "rate",
    "1/s",
    "0",
    "commits each process starts per second, on schedule even if earlier ones are late; 0: start \
     when the previous one ends",
);

/// The duration and the rate of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommitRate {
    length_ns: u64,
    rate_per_s: u32,
}

impl CommitRate {
    /// `runtime_s` at `scale`; a `rate_per_s` of 0 is a closed loop.
    pub(crate) fn new(runtime_s: f64, rate_per_s: u32, scale: f64) -> CommitRate {
        CommitRate { length_ns: ((runtime_s * scale).max(LEAST_S) * 1e9) as u64, rate_per_s }
    }

    /// Refuses what no run can do.
    pub(crate) fn check(runtime_s: f64) -> Result<(), String> {
        match runtime_s > 0.0 && runtime_s <= 86_400.0 {
            true => Ok(()),
            false => Err(format!("`runtime_s` must be above 0 and at most a day, not {runtime_s}")),
        }
    }

    /// Returns true if commits are started at a fixed rate.
    pub(crate) fn fixed(self) -> bool {
        self.rate_per_s > 0
    }

    /// Length of the run, seconds.
    pub(crate) fn seconds(self) -> f64 {
        self.length_ns as f64 / 1e9
    }

    /// Commits of a run: exact at a fixed rate, else assumed.
    pub(crate) fn commits(self) -> u64 {
        let per_s = if self.fixed() { f64::from(self.rate_per_s) } else { ASSUMED_COMMITS_PER_S };
        (per_s * self.seconds()).ceil() as u64
    }

    /// Metric, unit and direction that rank a test: in a closed loop the rate, at a fixed rate what
    /// users wait.
    pub(crate) fn ranks(self) -> (&'static str, &'static str, Better) {
        match self.fixed() {
            false => ("commits_rate", "1/s", Better::Higher),
            true => ("latency_p99_us", "us", Better::Lower),
        }
    }

    /// Returns the scheduled start of commit `k` of all clients, nanoseconds after the start of the run.
    fn due_ns(self, k: u64) -> u64 {
        (u128::from(k) * 1_000_000_000 / u128::from(self.rate_per_s.max(1))) as u64
    }
}

/// One of several clients, who take turns when the rate is fixed.
pub(crate) struct Client {
    load: CommitRate,
    index: u64,
    of: u64,
    latencies: Latencies,
    /// Transactions that were committed.
    pub(crate) commits: u64,
    /// Transactions that should have started before the run was given up.
    pub(crate) unserved: u64,
}

impl Client {
    /// Client `index` of `of`. `path` is what an error is about.
    pub(crate) fn new(
        load: CommitRate,
        index: u64,
        of: u64,
        path: &Path,
    ) -> Result<Client, TestError> {
        let kind = if load.fixed() { LatencyKind::Response } else { LatencyKind::Service };
        let latencies = Latencies::new(kind).map_err(engine_error("count in", path))?;
        Ok(Client { load, index, of, latencies, commits: 0, unserved: 0 })
    }

    /// Commits from `start_ns` on until the load is over. `commit` does the transaction with this
    /// number, from 0, and returns the time at which it was durable; what it does after that time
    /// delays the next one but is not waited for by this one.
    pub(crate) fn run(
        &mut self,
        start_ns: u64,
        mut commit: impl FnMut(u64) -> Result<u64, TestError>,
    ) -> Result<(), TestError> {
        match self.load.fixed() {
            false => self.closed(start_ns, &mut commit),
            true => self.paced(start_ns, &mut commit),
        }
    }

    fn closed(
        &mut self,
        start_ns: u64,
        commit: &mut impl FnMut(u64) -> Result<u64, TestError>,
    ) -> Result<(), TestError> {
        let end_ns = start_ns + self.load.length_ns;
        loop {
            let begun_ns = now_ns();
            if begun_ns >= end_ns && self.commits > 0 {
                return Ok(());
            }
            let durable_ns = commit(self.commits)?;
            self.latencies.record(true, durable_ns.saturating_sub(begun_ns));
            self.commits += 1;
        }
    }

    /// Late commits follow each other without a pause and none is left out; a latency counts from
    /// the intended start, so that a stall is seen by all who would have come meanwhile.
    fn paced(
        &mut self,
        start_ns: u64,
        commit: &mut impl FnMut(u64) -> Result<u64, TestError>,
    ) -> Result<(), TestError> {
        // Wakes on time rather than up to 50 us later; where it is refused, latencies include it.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let end_ns = start_ns + self.load.length_ns;
        let given_up_ns = start_ns + PATIENCE * self.load.length_ns;
        for turn in 0.. {
            let intended_ns = start_ns + self.load.due_ns(turn * self.of + self.index);
            if intended_ns >= end_ns {
                break;
            }
            wait_until(intended_ns);
            let now = now_ns();
            let seen_ns = if now < given_up_ns {
                self.commits += 1;
                commit(self.commits - 1)?
            } else {
                self.unserved += 1;
                now
            };
            self.latencies.record(true, seen_ns.saturating_sub(intended_ns));
        }
        // The last turn ends when the next would start, so that a run on time lasts its length.
        wait_until(end_ns);
        Ok(())
    }

    /// Adds what another client of the same load counted.
    pub(crate) fn add(&mut self, other: &Client, path: &Path) -> Result<(), TestError> {
        self.commits += other.commits;
        self.unserved += other.unserved;
        self.latencies.add(&other.latencies).map_err(engine_error("count in", path))
    }

    /// Every latency.
    pub(crate) fn histograms(&self) -> Vec<Histogram> {
        self.latencies.histograms_of(COMMIT)
    }

    /// Returns the metrics that `measured` adds up over workers.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        vec![Metric::new("unserved", self.unserved as f64, "", Better::Lower)]
    }
}

/// For `map_err`: an error of the engine while doing `what` with `path`.
pub(crate) fn engine_error(
    what: &'static str,
    path: &Path,
) -> impl FnOnce(EngineError) -> TestError {
    let path = path.to_path_buf();
    move |error| TestError::Io { what, path, source: io::Error::other(error) }
}

/// Sleeps until `ns` on the clock of `now_ns`; returns at once when that has passed.
fn wait_until(ns: u64) {
    let nanoseconds = (ns % 1_000_000_000) as i64;
    let until = Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: nanoseconds as _ };
    while now_ns() < ns {
        // A signal ends it early; then it continues.
        let _ = clock_nanosleep_absolute(ClockId::Monotonic, &until);
    }
}

/// Returns the sum of what all workers report under `name`.
pub(crate) fn sum(pool: &PoolReport, name: &str) -> f64 {
    let metrics = pool.workers.iter().flat_map(|worker| &worker.metrics);
    metrics.filter(|m| m.name == name).map(|m| m.value).sum()
}

/// The figures of a run whose first phase commits and whose second makes durable what is left. The
/// rate counts both, so that leaving work behind is no gain.
pub(crate) fn measured(id: &str, load: CommitRate, pool: &PoolReport, more: Metrics) -> Measured {
    let commits = figures::ops(pool, 0..1);
    let work_s = figures::time_s(pool, 0..1);
    let mut metrics = Metrics::default();
    metrics.per_s("commits_rate", commits, figures::time_s(pool, 0..2), "1/s");
    metrics.per_s("commits_rate_before_sync", commits, work_s, "1/s");
    metrics.rate("rate", figures::bytes(pool, 0..1), work_s);
    metrics.latencies(pool, COMMIT);
    metrics.cpu_per_op(pool, 0..2);
    metrics.lower("sync_s", figures::time_s(pool, 1..2), "s");
    if load.fixed() {
        let asked_per_s = f64::from(load.rate_per_s) * pool.workers.len() as f64;
        let achieved = ratio(commits as f64, work_s * asked_per_s);
        metrics.push("achieved_pct", 100.0 * achieved, "%", Better::Higher);
        metrics.lower("unserved", sum(pool, "unserved"), "");
    }
    metrics.0.extend(more.0);
    let (first, _, _) = load.ranks();
    metrics.0.sort_by_key(|metric| metric.name != first);
    figures::measured(id, pool, 0..2, metrics.0)
}

/// Returns the text of a page on the figures other than the ranking one.
pub(crate) fn read_it(load: CommitRate) -> &'static str {
    match load.fixed() {
        false => CLOSED,
        true => FIXED,
    }
}

/// Content of this worker for the thing called `name`, in runs of `run_bytes`; as long as any run
/// may need.
pub(crate) fn data(job: &Job, name: &str, run_bytes: u64) -> Data {
    let seed = derive_seed(job.seed, name);
    Data::of(Pattern::new(&job.data, seed, job.worker, run_bytes / 8), u64::MAX >> 8)
}

/// Writes `bytes` bytes of `data` to the beginning of `file`. One that does not fit is removed: the
/// tests that follow need the space.
pub(crate) fn write_all(
    file: &File,
    path: &Path,
    data: &Data,
    bytes: u64,
) -> Result<(), TestError> {
    let mut at = 0;
    while at < bytes {
        // The last word is written in part where the bytes are not a multiple of eight.
        let left = bytes - at;
        let piece = data.piece_bytes(at / 8, left.div_ceil(8));
        let piece = &piece[..piece.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        file.write_all_at(piece, at).map_err(|error| {
            // The first error is the one to tell.
            let _ = fs::remove_file(path);
            TestError::io("write", path)(error)
        })?;
        at += piece.len() as u64;
    }
    Ok(())
}

const CLOSED: &str = "It counts all commits over the time of the commits and of the sync that \
                      follows, so a file system that delays work pays for it; \
                      `commits_rate_before_sync` excludes that sync, `sync_s` is its time. \
                      `service_p50_us` and `service_p99_us` are service times: a client starts a \
                      commit when the previous one has ended, so a stall also pauses the load and \
                      counts once. They are not ranked; for response times, use a test at a fixed \
                      rate. `cpu_ns_per_op` is CPU time of the process per commit.

A disk or host that acknowledges a flush before the data is safe shows impossibly high rates. The \
test cannot see that; compare with the flush latency of the device.";

const FIXED: &str = "Commit k should start k / `rate` seconds after the release, and its latency \
                     counts from then, even if it started late because earlier ones were slow: \
                     that is what users wait. Late commits follow each other without a pause, and \
                     none is skipped. `latency_p50_us` to `latency_max_us` are of the same \
                     commits. With few commits (a small scale) the 99th percentile is that of the \
                     slowest one or two.

Check `achieved_pct` first, the commits completed in time as a share of those requested. Below \
about 95 the target is overloaded: the queue grows during the whole run, and latency reflects the \
length of the run rather than of a commit. Such a target still ranks behind one that keeps up, \
but ratios of its latency mean nothing; lower `rate` to compare. A run that takes three times its \
length is aborted; commits that were not served by then count with the time they had waited \
(`unserved`), which is less than they would have.";

#[cfg(test)]
mod tests;

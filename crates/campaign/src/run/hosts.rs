//! Provides workers: processes of this machine, or of many hosts that work on one file system. The campaign asks for
//! a pool and for what must be done on every host, and does not depend on how either is done.

use anyhow::{Context, Result};
use lab::page_cache::Residency;
use model::{
    plan::User,
    result::{Environment, HostUse, Note, Numbers, Reason, known},
    workload::{AssetFile, Job, PoolReport, WorkerReport},
};
use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};
use suites::{Shift, Test};
use workers::{LocalPool, Pool};

/// Hosts, this one always among them.
pub trait Hosts: Sync {
    /// Returns a pool whose workers run as `user`, or as the user of this process; each run may take `timeout`.
    ///
    /// # Errors
    /// Workers cannot be started at all.
    fn pool(&self, timeout: Duration, user: Option<User>) -> Result<Box<dyn Pool + '_>>;

    /// Returns the most workers there can be; `None` where processes are started on demand.
    fn most_workers(&self) -> Option<u32> {
        None
    }

    /// Returns whether there are others than this one.
    fn is_many(&self) -> bool {
        false
    }

    /// Returns the process whose descendants are the workers of this host, and nothing else.
    fn process(&self) -> u32 {
        std::process::id()
    }

    /// Returns whether `worker`, one of the given number, is on this host.
    fn is_here(&self, _worker: u32, _workers: u32) -> bool {
        true
    }

    /// Returns whether no worker may read what its own host wrote.
    fn is_shifted(&self) -> bool {
        false
    }

    /// Returns, for each of the given number of workers, those of other hosts whose files it reads, one, two and three
    /// strides further on; `None` where a host would read its own.
    fn owners(&self, _workers: u32) -> Option<Vec<[u32; 3]>> {
        None
    }

    /// Returns the host of each of the given number of workers; empty where all are here.
    fn names(&self, _workers: u32) -> Vec<String> {
        Vec::new()
    }

    /// Has every other host with workers check how much of their `files`, below `root`, is in its memory; if `cold`, it
    /// first syncs `root` and drops all of it from the cache. There is a list for each worker. `None` where no other
    /// host has a worker that reads a file.
    ///
    /// # Errors
    /// A host cannot do it; the message names it.
    fn look(
        &self,
        _root: &Path,
        _files: &[Vec<PathBuf>],
        _cold: bool,
    ) -> Result<Option<Residency>> {
        Ok(None)
    }

    /// Has every other host keep `assets` at the same paths as this one: those that it lacks are sent.
    ///
    /// # Errors
    /// A host cannot keep an asset; the message names both.
    fn verify_assets(&self, _assets: &[AssetFile]) -> Result<()> {
        Ok(())
    }

    /// Describes the hosts of a campaign in `dir`: facts, and a note for each difference between them.
    ///
    /// # Errors
    /// A host does not answer.
    fn describe(&self, _dir: &Path) -> Result<(Environment, Vec<Note>)> {
        Ok(Default::default())
    }
}

/// This machine alone.
#[derive(Clone, Copy, Debug)]
pub struct ThisHost;

impl Hosts for ThisHost {
    fn pool(&self, timeout: Duration, user: Option<User>) -> Result<Box<dyn Pool + '_>> {
        let pool = LocalPool::this_program(timeout);
        let pool = pool.context("cannot find this program to start workers")?;
        Ok(Box::new(pool.in_the_name_of(user)))
    }
}

/// Assigns `jobs` in the timed part of `test`: where workers are shifted, a worker that only reads does the job of
/// one on another host. The number of a job is then that of the writer of its files, its place in the list is that of
/// the reader.
pub(crate) fn shifted(test: &dyn Test, jobs: &[Job]) -> Vec<Job> {
    let of = |job: &Job| match (test.shift(), job.owners) {
        (Shift::Reads, Some([owner, ..])) => Job {
            cpu: job.cpu,
            node: job.node.clone(),
            owners: job.owners,
            ..jobs[owner as usize].clone()
        },
        _ => job.clone(),
    };
    jobs.iter().map(of).collect()
}

/// Counts workers that read what their own host wrote, where all were to read that of another.
pub(crate) fn readers_of_own(report: &PoolReport) -> Option<u32> {
    let writer = |worker: &WorkerReport| report.hosts.get(worker.worker as usize);
    let read = report.workers.iter().zip(&report.hosts);
    let own = read.filter(|(worker, host)| writer(worker) == Some(host)).count();
    (!report.hosts.is_empty()).then_some(own as u32)
}

/// Returns the residency here and elsewhere.
pub fn together(here: Option<Residency>, elsewhere: Option<Residency>) -> Option<Residency> {
    match (here, elsewhere) {
        (Some(mut all), Some(more)) => {
            all += more;
            Some(all)
        }
        (one, other) => one.or(other),
    }
}

/// Largest difference of clocks, as a share of a timed part.
const MOST_CLOCK_SHARE: f64 = 1.0 / 20.0;

/// Returns why a part of `seconds` cannot be timed by the clocks of the hosts, if so.
pub fn clocks_disagree(report: &PoolReport, seconds: f64) -> Option<Reason> {
    let bound_s = report.clock_bound_ns as f64 / 1e9;
    let disagree = bound_s > seconds * MOST_CLOCK_SHARE;
    disagree.then(|| Reason::ClocksDisagree { bound_s: bound_s.into(), seconds: seconds.into() })
}

/// Measures the spread of workers and hosts in `phases`: rates in operations per second of a worker, or of all of a
/// host, from its first start to its last end. Nothing where all worked on this machine.
pub fn spread(report: &PoolReport, phases: &Range<usize>) -> (Numbers, Vec<HostUse>) {
    if report.hosts.is_empty() {
        return Default::default();
    }
    let mut hosts = BTreeMap::<&str, Vec<&WorkerReport>>::new();
    for (worker, host) in report.workers.iter().zip(&report.hosts) {
        hosts.entry(host).or_default().push(worker);
    }
    let ranks = || report.workers.iter().filter_map(|worker| ops_per_s(&[worker], phases));
    let pool = Numbers::default()
        .with(known::HOSTS, hosts.len() as u32)
        .with(known::CLOCK_BOUND_MS, report.clock_bound_ns as f64 / 1e6)
        .with(known::SLOWEST_RANK_OPS_PER_S, ranks().reduce(f64::min))
        .with(known::FASTEST_RANK_OPS_PER_S, ranks().reduce(f64::max));
    let of = |(host, workers): (&&str, &Vec<&WorkerReport>)| HostUse {
        host: host.to_string(),
        ranks: Some(workers.len() as u32),
        ops_per_s: ops_per_s(workers, phases),
    };
    (pool, hosts.iter().map(of).collect())
}

fn ops_per_s(workers: &[&WorkerReport], phases: &Range<usize>) -> Option<f64> {
    let own = || workers.iter().flat_map(|w| w.phases.get(phases.clone()).unwrap_or_default());
    let from_ns = own().map(|phase| phase.start_ns).min()?;
    let to_ns = own().map(|phase| phase.end_ns).max()?;
    let ops: u64 = own().map(|phase| phase.ops).sum();
    (to_ns > from_ns && ops > 0).then(|| ops as f64 * 1e9 / (to_ns - from_ns) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::workload::{PhaseKind, PhaseReport};

    fn worker(start_ns: u64, end_ns: u64, ops: u64) -> WorkerReport {
        let phase = PhaseReport {
            kind: PhaseKind::Write,
            start_ns,
            end_ns,
            bytes: 0,
            ops,
            cpu_user_s: 0.0,
            cpu_sys_s: 0.0,
        };
        WorkerReport { phases: vec![phase], ..WorkerReport::default() }
    }

    #[test]
    fn each_host_has_its_rate_and_ranks_their_spread() {
        let report = PoolReport {
            workers: vec![worker(0, 1_000, 10), worker(0, 2_000, 10), worker(1_000, 2_000, 5)],
            hosts: ["a", "b", "a"].map(String::from).to_vec(),
            clock_bound_ns: 50,
            ..PoolReport::default()
        };
        let (pool, hosts) = spread(&report, &(0..1));
        assert_eq!(
            (pool.get(known::HOSTS), pool.get(known::CLOCK_BOUND_MS)),
            (Some(2), Some(5e-5))
        );
        assert_eq!(pool.get(known::SLOWEST_RANK_OPS_PER_S), Some(5e6));
        assert_eq!(pool.get(known::FASTEST_RANK_OPS_PER_S), Some(10e6));
        let host = |host: &str, ranks, ops_per_s| HostUse {
            host: host.into(),
            ranks: Some(ranks),
            ops_per_s: Some(ops_per_s),
        };
        assert_eq!(hosts, [host("a", 2, 7.5e6), host("b", 1, 5e6)]);
        let here = PoolReport { hosts: Vec::new(), ..report };
        assert_eq!(spread(&here, &(0..1)), (Numbers::default(), Vec::new()));
    }

    fn job(worker: u32, owners: Option<[u32; 3]>) -> Job {
        Job {
            worker,
            workers: 2,
            seed: 1,
            memory: model::text::Bytes(1 << 30),
            cpu: Some(worker),
            owners,
            ..Job::of("x.a", format!("/nowhere/w{worker}"))
        }
    }

    #[test]
    fn readers_use_files_of_another_host_and_writers_their_own() {
        let test = |settings: &str| {
            let text = format!("suite = 'x'\nid = 'x.a'\nkind = {settings}");
            suites::of_job(&Job { declaration: Some(text), ..job(0, None) }).unwrap()
        };
        let jobs = [job(0, Some([1; 3])), job(1, Some([0; 3]))];
        let taken = |settings: &str, jobs: &[Job]| {
            let shifted = shifted(test(settings), jobs);
            shifted.iter().map(|job| (job.worker, job.dir.clone(), job.cpu)).collect::<Vec<_>>()
        };
        let dir = |worker: u32| PathBuf::from(format!("/nowhere/w{worker}"));
        let (own, other) = (
            [(0, dir(0), Some(0)), (1, dir(1), Some(1))],
            [(1, dir(1), Some(0)), (0, dir(0), Some(1))],
        );
        assert_eq!(taken("'io'\nrw = 'rndrd'", &jobs), other);
        assert_eq!(taken("'files'\naction = 'stat'", &jobs), other);
        for writes in ["'io'\nrw = 'randrw'", "'io'\nrw = 'seqwr'", "'files'\naction = 'delete'"] {
            assert_eq!(taken(writes, &jobs), own, "{writes}");
        }
        // Each worker sees the names of all files there, so that none can be kept from its own.
        assert_eq!(taken("'files'\naction = 'find'\nshared = true", &jobs), own);
        assert_eq!(taken("'io'\nrw = 'rndrd'", &[job(0, None), job(1, None)]), own);
    }

    #[test]
    fn readers_of_own_host_are_counted_from_reports() {
        let of = |workers: [u32; 3], hosts: &[&str]| {
            let workers = workers.map(|number| WorkerReport { worker: number, ..worker(0, 1, 1) });
            let hosts = hosts.iter().map(ToString::to_string).collect();
            let report = PoolReport { workers: workers.into(), hosts, ..PoolReport::default() };
            readers_of_own(&report)
        };
        assert_eq!(of([1, 2, 0], &["a", "b", "c"]), Some(0));
        assert_eq!(of([1, 2, 0], &["a", "b", "a"]), Some(1));
        assert_eq!(of([0, 1, 2], &["a", "b", "c"]), Some(3));
        assert_eq!(of([0, 1, 2], &[]), None);
    }

    #[test]
    fn clocks_must_agree_to_a_twentieth_of_a_part() {
        let report = PoolReport { clock_bound_ns: 50_000_000, ..PoolReport::default() };
        assert_eq!(clocks_disagree(&report, 1.0), None);
        let why = Reason::ClocksDisagree { bound_s: 0.05.into(), seconds: 0.999.into() };
        assert_eq!(clocks_disagree(&report, 0.999), Some(why));
    }
}

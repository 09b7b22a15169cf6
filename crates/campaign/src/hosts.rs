//! Where workers come from: processes of this machine, or of many hosts that work on one file system. The campaign
//! asks for a pool and for what must be done on every host, and does not know how it gets there.

use anyhow::{Context, Result};
use lab::Residency;
use model::{Better, Environment, Metric, PoolReport, User, WorkerReport};
use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};
use workers::{LocalPool, Pool};

/// Hosts, this one always among them.
pub trait Hosts: Sync {
    /// A pool whose workers work in the name of `user`, or in that of this process; each run may take `timeout`.
    ///
    /// # Errors
    /// Workers cannot be started at all.
    fn pool(&self, timeout: Duration, user: Option<User>) -> Result<Box<dyn Pool + '_>>;

    /// How many workers there can be; `None` where processes are started as they are needed.
    fn most_workers(&self) -> Option<u32> {
        None
    }

    /// Whether there are others than this one.
    fn is_many(&self) -> bool {
        false
    }

    /// The process below which all workers of this host are, and nothing else.
    fn process(&self) -> u32 {
        std::process::id()
    }

    /// Whether `worker` of so many is on this host.
    fn is_here(&self, _worker: u32, _workers: u32) -> bool {
        true
    }

    /// Has every other host that has workers look how much of their `files`, which lie below `root`, is in its
    /// memory, after it has written back and forgotten all of `root` where it is to be `cold`. There is a list for
    /// each worker. `None` where no other host has one that reads a file.
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

    /// What a campaign in `dir` has to say about its hosts: facts, and a line for each difference between them.
    ///
    /// # Errors
    /// A host does not answer.
    fn describe(&self, _dir: &Path) -> Result<(Environment, Vec<String>)> {
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

/// What is resident here and elsewhere.
pub fn together(here: Option<Residency>, elsewhere: Option<Residency>) -> Option<Residency> {
    match (here, elsewhere) {
        (Some(a), Some(b)) => Some(Residency {
            resident_bytes: a.resident_bytes + b.resident_bytes,
            total_bytes: a.total_bytes + b.total_bytes,
        }),
        (one, other) => one.or(other),
    }
}

/// Clocks may be apart by at most this share of a timed part.
const MOST_CLOCK_SHARE: f64 = 1.0 / 20.0;

/// Why a part of `seconds` cannot be timed by the clocks of the hosts, if it cannot.
pub fn clocks_disagree(report: &PoolReport, seconds: f64) -> Option<String> {
    let bound_s = report.clock_bound_ns as f64 / 1e9;
    (bound_s > seconds * MOST_CLOCK_SHARE).then(|| {
        format!(
            "the clocks of the hosts are known to {:.3} ms only, more than a twentieth of its {:.3} ms",
            bound_s * 1e3,
            seconds * 1e3
        )
    })
}

/// How far workers and hosts were apart in `phases`: rates in operations per second of a worker, or of all of a
/// host, from its first start to its last end. Nothing where all worked on this machine.
pub fn metrics(report: &PoolReport, phases: &Range<usize>) -> Vec<Metric> {
    if report.hosts.is_empty() {
        return Vec::new();
    }
    let mut hosts = BTreeMap::<&str, Vec<&WorkerReport>>::new();
    for (worker, host) in report.workers.iter().zip(&report.hosts) {
        hosts.entry(host).or_default().push(worker);
    }
    let higher = |name: String, value: f64| Metric::new(&name, value, "1/s", Better::Higher);
    let mut metrics = vec![
        Metric::new("hosts", hosts.len() as f64, "", Better::Higher),
        Metric::new("clock_bound_ms", report.clock_bound_ns as f64 / 1e6, "ms", Better::Lower),
    ];
    let ranks: Vec<f64> =
        report.workers.iter().filter_map(|worker| ops_per_s(&[worker], phases)).collect();
    if let (Some(least), Some(most)) =
        (ranks.iter().copied().reduce(f64::min), ranks.iter().copied().reduce(f64::max))
    {
        metrics.push(higher("slowest_rank_ops_per_s".into(), least));
        metrics.push(higher("fastest_rank_ops_per_s".into(), most));
    }
    metrics.extend(hosts.iter().filter_map(|(host, workers)| {
        Some(higher(format!("host_ops_per_s.{host}"), ops_per_s(workers, phases)?))
    }));
    metrics
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
    use model::{PhaseKind, PhaseReport};

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
        let metrics = metrics(&report, &(0..1));
        let value = |name: &str| metrics.iter().find(|m| m.name == name).map(|m| m.value);
        assert_eq!(value("hosts"), Some(2.0));
        assert_eq!(value("clock_bound_ms"), Some(5e-5));
        assert_eq!(value("slowest_rank_ops_per_s"), Some(5e6));
        assert_eq!(value("fastest_rank_ops_per_s"), Some(10e6));
        assert_eq!(value("host_ops_per_s.a"), Some(7.5e6));
        assert_eq!(value("host_ops_per_s.b"), Some(5e6));
        let here = PoolReport { hosts: Vec::new(), ..report };
        assert_eq!(super::metrics(&here, &(0..1)), []);
    }

    #[test]
    fn a_part_is_timed_by_clocks_that_agree_to_a_twentieth_of_it() {
        let report = PoolReport { clock_bound_ns: 50_000_000, ..PoolReport::default() };
        assert_eq!(clocks_disagree(&report, 1.0), None);
        let why = clocks_disagree(&report, 0.999).unwrap();
        assert!(why.contains("50.000 ms only"), "{why}");
    }
}

//! Workers that stay for further jobs: who they are, and what may not be left of a job.

use crate::{
    acts::{LITTER, ODD, bytes_of, kill},
    cases::{
        GO_ON, LONG, WAIT, assert_no_process_left, children_of, dies_with_its_pool, jobs, others,
        pool,
    },
};
use model::workload::{Job, NumaNode, Programs};
use needs::{Need, skip};
use rustix::{
    process::{Pid, WaitId, WaitIdOptions, waitid},
    thread::{CpuSet, sched_getaffinity},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};
use workers::{LocalPool, Observer, Pool, PoolError};

/// Keeps the numbers of the processes that did the work.
#[derive(Default)]
struct Who(Vec<u32>);

impl Observer for Who {
    fn started(&mut self, pids: &[u32]) {
        self.0 = pids.into();
    }
    fn releasing(&mut self, _phase: usize) {}
    fn ended(&mut self, _phase: usize) {}
}

/// Has `workers` of `pool` do the test `work`, and returns who did.
fn work(pool: &LocalPool, workers: u32) -> Vec<u32> {
    let mut who = Who::default();
    let report = pool.run(&jobs("work", workers), &mut who, &GO_ON).unwrap();
    let bytes: Vec<u64> = report.workers.iter().map(|worker| worker.phases[0].bytes).collect();
    assert_eq!(bytes, (0..workers).map(bytes_of).collect::<Vec<_>>());
    assert_eq!(who.0.len(), workers as usize);
    who.0
}

fn workers() -> Vec<String> {
    children_of(process::id())
}

pub(crate) fn workers_stay_for_further_jobs() {
    let pool = pool(LONG);
    let first = work(&pool, 3);
    let three = workers();
    let second = work(&pool, 3);
    assert_eq!((three.len(), workers()), (3, three.clone()));
    // Each job has a process of its own, which is gone.
    assert!(first.iter().all(|pid| !second.contains(pid) && !three.contains(&pid.to_string())));
    assert_eq!(others().len(), 3);
    work(&pool, 2);
    work(&pool, 3);
    let all = workers();
    assert!(all.len() == 5 && three.iter().all(|worker| all.contains(worker)), "{all:?}");
    drop(pool);
    assert_no_process_left();
}

/// Keeps the processors on which the workers could be in their first phase.
#[derive(Default)]
struct Where(Vec<u32>, Vec<Vec<usize>>);

impl Observer for Where {
    fn started(&mut self, pids: &[u32]) {
        self.0 = pids.into();
    }
    fn releasing(&mut self, phase: usize) {
        let of = |pid: &u32| {
            let set = sched_getaffinity(Pid::from_raw(*pid as i32)).unwrap();
            (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()
        };
        if phase == 0 {
            self.1 = self.0.iter().map(of).collect();
        }
    }
    fn ended(&mut self, _phase: usize) {}
}

pub(crate) fn a_worker_keeps_to_the_processor_of_its_job_and_no_longer() {
    let pool = pool(LONG);
    let cpus = |cpu: Option<u32>| {
        let jobs: Vec<Job> = jobs("work", 2).into_iter().map(|job| Job { cpu, ..job }).collect();
        let mut seen = Where::default();
        pool.run(&jobs, &mut seen, &GO_ON).unwrap();
        seen.1
    };
    let all = cpus(None);
    let last = *all[0].last().unwrap();
    assert_eq!(cpus(Some(last as u32)), vec![vec![last]; 2]);
    assert_eq!(cpus(None), all);
    assert_eq!(cpus(Some(u32::MAX)), all, "there is no such one");
    drop(pool);
    assert_no_process_left();
}

/// Keeps whether all memory of the workers was bound to node 0 in their first phase.
#[derive(Default)]
struct Bound(Vec<u32>, Vec<bool>);

impl Observer for Bound {
    fn started(&mut self, pids: &[u32]) {
        self.0 = pids.into();
    }
    fn releasing(&mut self, phase: usize) {
        let of = |pid: &u32| {
            let maps = fs::read_to_string(format!("/proc/{pid}/numa_maps")).unwrap();
            maps.lines().all(|line| line.split(' ').nth(1) == Some("bind:0"))
        };
        if phase == 0 {
            self.1 = self.0.iter().map(of).collect();
        }
    }
    fn ended(&mut self, _phase: usize) {}
}

pub(crate) fn a_worker_keeps_to_its_numa_node_and_no_longer() {
    if !Path::new("/proc/self/numa_maps").exists() {
        return skip(Need::Other, "a kernel without NUMA binds nothing");
    }
    let pool = pool(LONG);
    let cpus = |node: Option<NumaNode>| {
        let of = |job| Job { node: node.clone(), ..job };
        let jobs: Vec<Job> = jobs("work", 2).into_iter().map(of).collect();
        let (mut seen, mut bound) = (Where::default(), Bound::default());
        pool.run(&jobs, &mut seen, &GO_ON).unwrap();
        pool.run(&jobs, &mut bound, &GO_ON).unwrap();
        (seen.1, bound.1)
    };
    let (all, bound) = cpus(None);
    assert_eq!(bound, [false; 2]);
    let last = *all[0].last().unwrap();
    let node = |number| NumaNode { number, cpus: vec![last as u32] };
    assert_eq!(cpus(Some(node(0))), (vec![vec![last]; 2], vec![true; 2]));
    assert_eq!(cpus(None), (all, vec![false; 2]));
    let beyond = jobs("work", 1).into_iter().map(|job| Job { node: Some(node(1023)), ..job });
    let error = pool.run(&beyond.collect::<Vec<_>>(), &mut (), &GO_ON).unwrap_err().to_string();
    assert!(error.contains("cannot be kept on NUMA node 1023"), "{error}");
    drop(pool);
    assert_no_process_left();
}

pub(crate) fn nothing_of_a_job_is_left_in_its_worker() {
    let dir = env::temp_dir().join(format!("assay-pool-litter-{}", process::id()));
    fs::create_dir(&dir).unwrap();
    let pool = pool(LONG);
    let jobs: Vec<Job> =
        jobs("litter", 2).into_iter().map(|job| Job { dir: dir.clone(), ..job }).collect();
    pool.run(&jobs, &mut (), &GO_ON).unwrap();
    let seen: Vec<_> = workers().iter().map(|worker| held_by(worker, &dir)).collect();
    fs::remove_dir_all(&dir).unwrap();
    let nothing = (0, env::current_dir().unwrap(), true);
    assert_eq!(seen, [nothing.clone(), nothing]);
    assert_eq!(others().len(), 2, "the copies are gone");
}

/// Files below `dir` that the process has open, its current directory, and whether it is small.
fn held_by(process: &str, dir: &Path) -> (usize, PathBuf, bool) {
    let proc = Path::new("/proc").join(process);
    let open = fs::read_dir(proc.join("fd")).unwrap().flatten();
    let open = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    let status = fs::read_to_string(proc.join("status")).unwrap();
    let kib = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    let kib: usize = kib.trim().trim_end_matches(" kB").parse().unwrap();
    let cwd = fs::read_link(proc.join("cwd")).unwrap();
    (open.filter(|path| path.starts_with(dir)).count(), cwd, kib << 10 < LITTER / 2)
}

pub(crate) fn one_that_died_while_it_waited_is_replaced() {
    let pool = pool(LONG);
    work(&pool, 3);
    let before = workers();
    let dead = Pid::from_raw(before[1].parse().unwrap()).unwrap();
    kill(dead);
    // It has no program any more a moment before it can be seen to have ended.
    waitid(WaitId::Pid(dead), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    work(&pool, 3);
    let after = workers();
    assert!(after.len() == 3 && after.iter().all(|worker| !before.contains(worker)), "{after:?}");
}

pub(crate) fn a_pool_that_failed_is_followed_by_a_new_one() {
    let pool = pool(LONG);
    work(&pool, 2);
    let before = workers();
    for test in ["fail", "exit", "skip"] {
        assert!(pool.run(&jobs(test, 2), &mut (), &GO_ON).is_err());
        assert_no_process_left();
    }
    work(&pool, 2);
    assert!(workers().iter().all(|worker| !before.contains(worker)));
}

pub(crate) fn output_of_a_job_is_not_attributed_to_the_next() {
    let pool = pool(LONG);
    pool.run(&jobs("complain", 2), &mut (), &GO_ON).unwrap();
    match pool.run(&jobs("kill", 2), &mut (), &GO_ON).unwrap_err() {
        PoolError::WorkerDied { worker: ODD, how } => assert_eq!(how, "signal: 9 (SIGKILL)"),
        other => panic!("{other}"),
    }
}

pub(crate) fn worker_with_external_programs_does_one_job() {
    let pool = pool(LONG);
    let free = |job: Job| Job { programs: Programs::Unconfined, ..job };
    let jobs: Vec<Job> = jobs("foreign", 2).into_iter().map(free).collect();
    let mut who = Who::default();
    pool.run(&jobs, &mut who, &GO_ON).unwrap();
    assert_eq!(who.0.len(), 2);
    assert_no_process_left();
}

pub(crate) fn workers_that_wait_die_with_their_coordinator() {
    dies_with_its_pool(&[Path::new(WAIT)]);
}

//! Pins each worker of a case to a processor. Processors of one machine differ in speed at any moment: another
//! virtual machine runs on the sibling thread of a core, or takes a part of its time. A worker stays where it began,
//! so candidates that alternate every few milliseconds would still be measured on different processors. All
//! candidates therefore use the same ones in a case, and others from block to block.

use model::workload::Job;
use rustix::thread::{CpuSet, sched_getaffinity};
use std::{collections::BTreeMap, fs, sync::LazyLock};
use suites::Test;

/// The processors that this process may use, looked up once and not before each case.
static PROCESSORS: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| by_thread(&allowed()));

/// Pins each of `jobs`, the workers of `test` in `block`, to a processor of its own. Workers are not pinned if there
/// are more of them than processors, if a worker has several threads, or if it starts programs.
pub fn assign(test: &dyn Test, jobs: &mut [Job], block: u32) {
    if test.runs_programs() || jobs.first().is_none_or(|job| test.threads(job) != 1) {
        return;
    }
    let processors = turned(&PROCESSORS, steps(jobs, block));
    if jobs.len() > processors.len() {
        return;
    }
    for (job, cpu) in jobs.iter_mut().zip(processors) {
        job.cpu = Some(cpu);
    }
}

/// Number of places by which the processors of `jobs` are rotated in `block`.
pub fn steps(jobs: &[Job], block: u32) -> u64 {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let seed = jobs.first().map_or(0, |job| job.test.bytes().fold(job.seed, hash));
    seed.wrapping_add(u64::from(block))
}

/// The processors that this process may use.
pub(crate) fn allowed() -> Vec<u32> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u32).collect()
}

/// Groups `cpus` by their thread of a core: first one of every core, then the second ones.
pub(crate) fn by_thread(cpus: &[u32]) -> Vec<Vec<u32>> {
    let mut cores = BTreeMap::<String, usize>::new();
    let mut levels = Vec::<Vec<u32>>::new();
    for &cpu in cpus {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let core = fs::read_to_string(path).unwrap_or_else(|_| cpu.to_string());
        let level = cores.entry(core).and_modify(|thread| *thread += 1).or_default();
        if levels.len() <= *level {
            levels.push(Vec::new());
        }
        levels[*level].push(cpu);
    }
    levels
}

/// All of `levels` one after the other, each rotated by `steps`.
pub(crate) fn turned(levels: &[Vec<u32>], steps: u64) -> Vec<u32> {
    let turn = |level: &Vec<u32>| {
        let mut level = level.clone();
        let by = (steps % level.len().max(1) as u64) as usize;
        level.rotate_left(by);
        level
    };
    levels.iter().flat_map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker of `columnar.read.float.large` with the given number of threads.
    fn job(threads: u32) -> Job {
        serde_json::from_value(serde_json::json!({
            "test": "columnar.read.float.large", "mode": "run", "dir": "/w0", "worker": 0, "workers": 1,
            "threads": threads, "scale": 1.0, "seed": 7, "data": "random", "memory": 1 << 30, "knobs": {},
        }))
        .unwrap()
    }

    #[test]
    fn cores_come_before_sibling_threads_and_rotate() {
        let levels = [vec![0, 2, 4], vec![1, 3]];
        assert_eq!(turned(&levels, 0), [0, 2, 4, 1, 3]);
        assert_eq!(turned(&levels, 4), [2, 4, 0, 1, 3]);
        let firsts: Vec<u32> = (7..10).map(|block| turned(&levels, block)[0]).collect();
        assert_eq!(firsts, [2, 4, 0]);
        assert_eq!(turned(&[], 3), [0; 0]);
    }

    #[test]
    fn workers_are_pinned_unless_too_many() {
        let test = suites::find("columnar.read.float.large").unwrap();
        let cpus = |workers: usize, threads| {
            let mut jobs = vec![job(threads); workers];
            assign(test, &mut jobs, 3);
            jobs.into_iter().map(|job| job.cpu).collect::<Vec<_>>()
        };
        let all = allowed().len();
        let mut each = cpus(all, 1);
        each.sort_unstable();
        each.dedup();
        assert!(each.len() == all && each[0].is_some(), "{each:?}");
        assert!(cpus(all + 1, 1).iter().all(Option::is_none));
        assert_eq!(cpus(1, 4), [None], "its threads would share it");
    }
}

//! The work of a whole job file: its jobs, some of which run side by side or share files.

use super::{
    job_file::{JobFile, Section},
    work::Work,
};
use std::collections::BTreeMap;
use suites::Estimate;

/// Time of a run in addition to its jobs, seconds.
const START_S: f64 = 1.0;

/// Options that make a job wait for those before it.
const WAITS: [&str; 3] = ["stonewall", "wait_for_previous", "wait_for"];

/// The work of a job file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) estimate: Estimate,
    /// Most bytes written, including the layout; `None` if writing jobs end by time only.
    pub(super) written: Option<u64>,
    /// Whether the kernel counts all writes by their system calls.
    pub(super) by_calls: bool,
}

impl Plan {
    /// Plans `file`.
    ///
    /// # Errors
    /// As of [`works`].
    pub(super) fn of(file: &JobFile) -> Result<Plan, String> {
        let works = works(file)?;
        let mut estimate = Estimate { fixed_s: START_S, ..Estimate::default() };
        let mut written = Some(0u64);
        // The longest job since the last job that waited for all before it.
        let mut stage_s = 0.0f64;
        for (section, work) in file.jobs().iter().zip(&works) {
            if WAITS.iter().any(|key| section.get(&[key]).is_some_and(|value| value != "0")) {
                estimate.fixed_s += std::mem::take(&mut stage_s);
            }
            stage_s = stage_s.max(work.seconds());
            let (of_write, of_read) = work.written_and_read();
            if !work.ends_by_time() {
                estimate.write_bytes = estimate.write_bytes.saturating_add(of_write);
                estimate.read_bytes = estimate.read_bytes.saturating_add(of_read);
            }
            written = match work.is_without_end() && work.writes() {
                true => None,
                false => written.map(|sum| sum.saturating_add(of_write)),
            };
        }
        estimate.fixed_s += stage_s;
        estimate.scratch_bytes = peak(&works);
        // A job that reads or overwrites has its files written before.
        let written = written.map(|sum| sum.saturating_add(estimate.scratch_bytes));
        Ok(Plan { estimate, written, by_calls: works.iter().all(Work::writes_by_calls) })
    }
}

/// Bytes of all files; jobs that name the same ones share them.
fn peak(works: &[Work]) -> u64 {
    let mut shared = BTreeMap::<&str, u64>::new();
    let mut sum = 0u64;
    for work in works {
        match &work.names {
            Some(names) => {
                let most = shared.entry(names).or_default();
                *most = work.peak().max(*most);
            }
            None => sum = sum.saturating_add(work.peak()),
        }
    }
    shared.values().fold(sum, |sum, bytes| sum.saturating_add(*bytes))
}

/// The work of each job of `file`. A job without a size uses the files of an earlier one.
///
/// # Errors
/// The work of a job cannot be computed; the message names the job and its option.
pub(super) fn works(file: &JobFile) -> Result<Vec<Work>, String> {
    let mut works: Vec<Work> = Vec::new();
    for job in file.jobs() {
        let mut work = Work::of(&job).map_err(|why| named(&job, &why))?;
        if !work.has_size() {
            let before =
                works.iter().rfind(|before| work.names.is_some() && before.names == work.names);
            let Some(before) = before else {
                return Err(named(&job, "is refused: it has no size; add one, e.g. size=1g"));
            };
            (work.size, work.file_size) = (before.size, before.file_size);
        }
        works.push(work);
    }
    Ok(works)
}

fn named(job: &Section, why: &str) -> String {
    let name: String = job.name.chars().take(80).collect();
    format!("[{name}] {why}")
}

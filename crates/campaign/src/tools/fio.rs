//! fio with a job file of the user's. The file is read, refused when it could reach beyond the
//! target, brought to scale, and handed to fio on its standard input.

mod job_file;
mod number;
mod plan;
mod refuse;
mod scale;
mod work;

use super::{Invocation, Request};
use job_file::{JobFile, Section};
use model::{
    figure::Better,
    result::Sample,
    workload::{Group, Job, TestInfo},
};
use plan::Plan;
use suites::{Estimate, Parts, program::Count};

/// The tool.
pub(super) struct Tool;

/// Least length of a run: fio counts whole milliseconds.
const LEAST_RUN_S: f64 = 0.2;

/// Shortest run that its importer accepts.
const LEAST_TOLD_S: f64 = 0.1;

/// Target length of each job, at which that of the fastest candidate is still long enough.
const AIM_S: f64 = 0.3;

/// Placeholder for a time that it rounds to 0.
const LESS_THAN_A_MS_S: f64 = 0.5e-3;

/// Factor by which the kernel may count more than was written where it counts pages.
const OF_A_FOLIO: u64 = 16;

impl super::Tool for Tool {
    fn name(&self) -> &'static str {
        "fio"
    }

    fn about(&self) -> &'static str {
        "fio runs the job file in a directory of the target. The files that the jobs need are \
         laid out first, untimed. `runtime`, `ramp_time` and sizes are multiplied by the scale, \
         and `numjobs` by the number of processes; at scale 1 and one process the job runs as \
         written. Latencies are fio's completion latencies, i.e. service times of a closed loop, \
         and are not ranked."
    }

    fn takes_file(&self) -> bool {
        true
    }

    fn version_args(&self) -> &'static [&'static str] {
        &["fio", "--version"]
    }

    fn check(&self, request: &Request) -> Result<(), String> {
        if !request.args.is_empty() {
            return Err("use the job file; `--knob args` is for other tools".into());
        }
        let file = JobFile::parse(&request.text)?;
        refuse::check(&file)?;
        plan::works(&file)?;
        let ids: Vec<String> = self.infos(request).into_iter().map(|info| info.id).collect();
        match ids.iter().enumerate().find(|(i, id)| ids[..*i].contains(id)) {
            Some((_, id)) => Err(format!("two sections would both be named {id}; rename one")),
            None if ids.is_empty() => Err("it has no section except [global]".into()),
            None => Ok(()),
        }
    }

    fn unknown(&self, request: &Request) -> Option<String> {
        match JobFile::parse(&request.text) {
            Ok(file) => refuse::unknown(&file),
            Err(why) => Some(why),
        }
    }

    fn infos(&self, request: &Request) -> Vec<TestInfo> {
        let file = JobFile::parse(&request.text).unwrap_or_default();
        file.jobs().iter().map(info).collect()
    }

    fn prepare(&self, request: &Request, job: &Job) -> Option<Invocation> {
        let file = JobFile::parse(&request.text).ok()?.scaled(job.scale, job.workers).ok()?;
        // fio waits before it lays files out, too.
        let file = file.with("startdelay", "0");
        Some(invocation(&format!("[global]\ncreate_only=1\n{file}")))
    }

    fn invocation(&self, request: &Request, job: &Job) -> Result<Invocation, String> {
        let file = JobFile::parse(&request.text)?;
        // Checked again by the worker: it is what runs as root.
        refuse::check(&file)?;
        Ok(invocation(&file.scaled(job.scale, job.workers)?.to_string()))
    }

    fn timed_parts(&self, request: &Request) -> Option<Parts> {
        let ids = self.infos(request).into_iter().map(|info| info.id).collect();
        Some(Parts { least_s: LEAST_TOLD_S, aim_s: AIM_S, ids })
    }

    /// It counts whole milliseconds, of which there may be none.
    fn part_s(&self, _request: &Request, _job: &Job, sample: &Sample) -> Option<f64> {
        (sample.figures.ops > 0).then_some(LESS_THAN_A_MS_S)
    }

    fn direct_block(&self, request: &Request) -> Option<u64> {
        let file = JobFile::parse(&request.text).ok()?;
        let works = plan::works(&file).ok()?;
        let is_direct = |job: &Section| match (job.get(&["direct"]), job.get(&["buffered"])) {
            (Some(direct), _) => direct != "0",
            (None, buffered) => buffered == Some("0"),
        };
        let all = file.jobs().iter().all(is_direct);
        works.iter().map(|work| work.block.0).min().filter(|_| all)
    }

    fn estimate(&self, request: &Request, job: &Job) -> Estimate {
        match plan(request, job) {
            Ok(plan) => plan.estimate,
            // Unknown work must not look like little.
            Err(_) => Estimate {
                write_bytes: u64::MAX,
                scratch_bytes: u64::MAX,
                fixed_s: 1.0,
                ..Estimate::default()
            },
        }
    }

    fn written(&self, request: &Request, job: &Job) -> (Option<u64>, Count) {
        match plan(request, job) {
            Ok(Plan { written, by_calls: true, .. }) => (written, Count::Calls),
            Ok(Plan { written, .. }) => {
                (written.map(|bytes| bytes.saturating_mul(OF_A_FOLIO)), Count::Pages)
            }
            Err(_) => (Some(0), Count::Calls),
        }
    }
}

/// Estimates the work of `request`, as it is run for `job`.
fn plan(request: &Request, job: &Job) -> Result<Plan, String> {
    Plan::of(&JobFile::parse(&request.text)?.scaled(job.scale, job.workers)?)
}

fn invocation(text: &str) -> Invocation {
    let argv = ["fio", "--output-format=json+", "--eta=never", "-"].map(String::from).to_vec();
    Invocation { argv, input: text.into() }
}

/// The test of a section, as the importer names it.
fn info(section: &Section) -> TestInfo {
    // fio refuses an unknown pattern, so the group of that test does not matter.
    let (group, testtype) = formats::fio_pattern_kind(section.pattern())
        .unwrap_or((Group::SequentialRead, "sequential read"));
    TestInfo {
        id: formats::test_id("fio", &section.name),
        suite: "fio".into(),
        name: section.name.clone(),
        testtype: testtype.into(),
        group,
        metric: "iops".into(),
        unit: "IOPS".into(),
        better: Better::Higher,
        shape: None,
    }
}

#[cfg(test)]
mod tests;

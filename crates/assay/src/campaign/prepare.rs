//! From a plan to things that exist: targets with file systems, tests of the suite, process counts.
//! Every wrong name is found here, before anything is touched.

use crate::{exit, paths};
use anyhow::{Context, Result};
use lab::{Availability, fs::Candidate};
use model::{Job, JobMode, Plan, Target, TargetRecord, TargetState, TestInfo};
use rustix::fs::{Access, access};
use std::{
    path::{Path, PathBuf},
    thread,
};
use suites::{Suite, Test};
use wildmatch::WildMatch;

/// A plan whose every name has been found.
pub struct Prepared {
    /// The plan with its defaults filled in.
    pub plan: Plan,
    /// Labels of `plan.targets`, in order.
    pub labels: Vec<String>,
    /// The tests to run, in order.
    pub tests: Vec<&'static dyn Test>,
    /// The suite they are of.
    pub suite: &'static Suite,
}

impl Prepared {
    /// Finds everything `plan` names and fills in its defaults.
    pub fn new(mut plan: Plan) -> Result<Prepared> {
        plan.check().map_err(|e| exit::usage(e.to_string()))?;
        let suite = find_suite(&plan.suite)?;
        model::check_options(&format!("suite {}", suite.name), suite.knobs, &plan.knobs)
            .map_err(|e| exit::usage(e.to_string()))?;
        let tests = select_tests(suite, &plan.tests)?;
        if plan.targets.is_empty() {
            plan.targets = default_targets()?;
        }
        for target in &plan.targets {
            check_target(target)?;
        }
        if plan.procs.is_empty() {
            plan.procs = default_procs();
        }
        plan.procs.sort_unstable();
        plan.procs.dedup();
        let labels = model::label_targets(&plan.targets);
        if let Some(baseline) = &plan.baseline
            && !labels.contains(baseline)
        {
            return Err(exit::usage(format!(
                "baseline `{baseline}` is not a target of this campaign; use one of {}",
                labels.join(", ")
            )));
        }
        Ok(Prepared { plan, labels, tests, suite })
    }

    /// What the tables need to know of the tests.
    pub fn infos(&self) -> Vec<TestInfo> {
        self.tests.iter().flat_map(|test| test.infos()).collect()
    }

    /// Records of the targets as a new campaign stores them.
    pub fn records(&self) -> Vec<TargetRecord> {
        let record = |(label, target): (&String, &Target)| TargetRecord {
            label: label.clone(),
            target: target.to_string(),
            state: TargetState::Ok,
            facts: model::Environment::default(),
        };
        self.labels.iter().zip(&self.plan.targets).map(record).collect()
    }

    /// True when a target must be made on a loop image.
    pub fn needs_image(&self) -> bool {
        self.plan.targets.iter().any(has_device)
    }

    /// A job like those that worker 0 of `workers` will get, for estimates.
    pub fn job(&self, test: &str, workers: u32, scale: f64, memory: model::Bytes) -> Job {
        Job {
            test: test.into(),
            mode: JobMode::Run,
            dir: PathBuf::new(),
            worker: 0,
            workers,
            threads: self.plan.threads,
            scale,
            seed: self.plan.seed.unwrap_or_default(),
            data: self.plan.data.clone(),
            memory,
            knobs: self.plan.knobs.clone(),
            declaration: None,
        }
    }
}

fn find_suite(name: &str) -> Result<&'static Suite> {
    suites::suite(name).ok_or_else(|| {
        let known = suites::SUITES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
        exit::usage(format!("there is no suite `{name}`; use one of {known}"))
    })
}

fn select_tests(suite: &'static Suite, globs: &[String]) -> Result<Vec<&'static dyn Test>> {
    let matches = |test: &&'static dyn Test, glob: &str| {
        test.infos().iter().any(|info| WildMatch::new(glob).matches(&info.id))
    };
    for glob in globs {
        if !suite.tests.iter().any(|test| matches(test, glob)) {
            return Err(exit::usage(format!(
                "no test of suite {} matches `{glob}`; `assay explain` lists them",
                suite.name
            )));
        }
    }
    let wanted =
        |test: &&'static dyn Test| globs.is_empty() || globs.iter().any(|glob| matches(test, glob));
    Ok(suite.tests.iter().copied().filter(wanted).collect())
}

fn default_targets() -> Result<Vec<Target>> {
    if !paths::is_root() {
        return Err(exit::lacking(
            "making and mounting file systems on loop images needs root: use `sudo assay run`; without root, \
             compare directories that are already mounted: `assay run --on dir:A --on dir:B`",
        ));
    }
    let ready: Vec<Target> = lab::fs::ALL
        .iter()
        .filter(|fs| fs.has_device() && lab::available(**fs) == Availability::Ready)
        .map(|fs| Target::named(fs.name()))
        .collect();
    if ready.is_empty() {
        return Err(exit::lacking(
            "no file system can be made here; `assay doctor` names the packages to install",
        ));
    }
    Ok(ready)
}

fn check_target(target: &Target) -> Result<()> {
    match lab::fs::resolve(target).map_err(|e| exit::usage(e.to_string()))? {
        Candidate::Directory(dir) => check_directory(dir),
        Candidate::Made(fs, _) => match lab::available(fs) {
            Availability::Ready => Ok(()),
            Availability::Missing { what, fix } => {
                let name = fs.name();
                Err(exit::lacking(format!("{name} cannot be used here, missing: {what}; {fix}")))
            }
        },
    }
}

fn check_directory(dir: &Path) -> Result<()> {
    let named = dir.display();
    if !dir.is_dir() {
        return Err(exit::usage(format!("{named} is not a directory; name one that exists")));
    }
    access(dir, Access::WRITE_OK | Access::EXEC_OK).map_err(|why| {
        exit::lacking(format!(
            "cannot write in {named}: {why}; choose another directory, or use sudo"
        ))
    })
}

/// True when `target` is made on a block device.
fn has_device(target: &Target) -> bool {
    matches!(lab::fs::resolve(target), Ok(Candidate::Made(fs, _)) if fs.has_device())
}

/// One process, and enough to keep a device busy: four for each processor, at most 64.
fn default_procs() -> Vec<u32> {
    let cpus = thread::available_parallelism().map_or(1, |n| n.get() as u32);
    vec![1, (4 * cpus).min(64)]
}

/// Memory of the machine.
pub fn memory() -> Result<model::Bytes> {
    let info = rustix::system::sysinfo();
    let bytes = info.totalram as u64 * u64::from(info.mem_unit.max(1));
    (bytes > 0).then_some(model::Bytes(bytes)).context("the kernel does not tell the memory size")
}

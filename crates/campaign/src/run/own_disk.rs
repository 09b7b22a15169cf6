//! Runs tests that create their own disk, so that no instance of the target is needed.

use super::{
    case::CaseSlot,
    context::{Event, Events, RunContext, TargetRun, failure, jobs},
    fault::{self, FaultCase, Ran},
    run_end::RunEnd,
    transfer::{self, TransferCase},
};
use crate::{
    machine::memory,
    stages::{Item, images::IMAGES},
};
use anyhow::{Context, Result};
use model::result::Environment;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

/// Workers have no directory, as there are none.
const NOWHERE: &str = "/nonexistent";

/// Runs all tests of `target_run`.
///
/// # Errors
/// The reporter fails; what fails on the target is reported.
pub(super) fn run(
    context: &RunContext<'_>,
    target_run: &TargetRun<'_>,
    report: &mut Events<'_>,
) -> Result<RunEnd> {
    report(Event::Facts(facts(context, target_run)))?;
    for item in context.placed.items_at(target_run.procs) {
        if run_item(context, target_run, item, report)? == RunEnd::Stopped {
            return Ok(RunEnd::Stopped);
        }
    }
    Ok(RunEnd::Done)
}

/// The disks of tests that make their own, and how a tree is sent where that is one.
fn facts(context: &RunContext<'_>, target_run: &TargetRun<'_>) -> Environment {
    let is_other = |item: &Item| !item.test.sends_tree();
    let is_in_memory = context.placed.items_at(target_run.procs).any(is_other);
    let disk = is_in_memory.then(|| ("disk".into(), "in memory, made for each test".into()));
    Environment(transfer::fact(context, target_run).into_iter().chain(disk).collect())
}

/// Runs one test. A target on which it fails is reported.
///
/// # Errors
/// As those of [`run`].
pub(super) fn run_item(
    context: &RunContext<'_>,
    target_run: &TargetRun<'_>,
    item: &Item,
    report: &mut Events<'_>,
) -> Result<RunEnd> {
    let info = &item.test.infos()[0];
    let stopped = || context.stop.load(Ordering::Relaxed);
    if stopped() {
        return Ok(RunEnd::Stopped);
    }
    let TargetRun { block, position, label, procs, .. } = *target_run;
    report(Event::Now(format!("{label} · {procs} proc · {}", info.name)))?;
    match tried(context, target_run, item, &CaseSlot { block, position, label, suite: item.suite })
    {
        Ok(None) => return Ok(RunEnd::Stopped),
        Err(_) if stopped() => return Ok(RunEnd::Stopped),
        Err(error) => report(Event::Failed(failure(context, error, &info.id)))?,
        Ok(Some(Ran { samples, recordings })) => {
            samples.into_iter().try_for_each(|sample| report(Event::Sample(Box::new(sample))))?;
            for (test, bytes) in recordings {
                report(Event::Recording { test, bytes })?;
            }
        }
    }
    report(Event::Done(1))?;
    Ok(RunEnd::Done)
}

fn tried(
    context: &RunContext<'_>,
    target_run: &TargetRun<'_>,
    item: &Item,
    slot: &CaseSlot<'_>,
) -> Result<Option<Ran>> {
    let memory = memory::total()?;
    let jobs = jobs(context, item, target_run.procs, Path::new(NOWHERE), memory);
    let (Some(job), test) = (jobs.first(), item.test) else {
        anyhow::bail!("{} has no worker", item.test.infos()[0].id);
    };
    if let Some(tree) = test.sent_tree(job) {
        let (lab, target, stop) = (context.lab, target_run.target, context.stop);
        let case =
            TransferCase { test, tree: &*tree, job, lab, target, dir: images(context)?, stop };
        let samples = transfer::run(&case, slot)?;
        return Ok(samples.map(|samples| Ran { samples, recordings: Vec::new() }));
    }
    let unknown = || anyhow::anyhow!("{} says nothing of its disk", test.infos()[0].id);
    let work = test.fault_work(job).ok_or_else(unknown)?;
    let (lab, target, stop) = (context.lab, target_run.target, context.stop);
    fault::run(&FaultCase { test, work: &work, job, lab, target, stop }, slot)
}

/// The directory for images that a test makes; `None` where the user named disks, which images would not be like.
///
/// # Errors
/// It cannot be made.
fn images(context: &RunContext<'_>) -> Result<Option<PathBuf>> {
    let backing = &context.placed.plan.backing;
    match (&backing.dir, backing.devices.is_empty()) {
        (_, false) => Ok(None),
        (Some(dir), true) => {
            fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
            Ok(Some(dir.clone()))
        }
        (None, true) => Ok(Some(context.lab.folder(IMAGES)?)),
    }
}

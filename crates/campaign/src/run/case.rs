//! Runs one case: fill what is missing, bring the cache into the required state and measure it (both halves of the
//! proof of a cold cache), release the workers, and turn the result into samples, on which `judge` decides.

mod cache;
mod finished;

use self::{
    cache::{establish_cache, resident_after},
    finished::FinishedCase,
};
use super::{
    hosts::{self, Hosts},
    relay::Runner,
};
use crate::{
    evidence::{contention::OthersCpu, sampler::Sampler},
    inputs::assets,
};
use anyhow::Result;
use lab::{instance::Instance, observe::Watched};
use model::{
    result::{Known, Reason, Sample, Validity, known},
    workload::{CacheNeed, CacheState, Case, Job, JobMode},
};
use std::{cell::Cell, sync::atomic::AtomicBool, time::Duration};
use suites::Test;
use workers::{Pool, PoolError};

/// Length of a slice if candidates share the machine: short compared with changes of its speed, long compared with the
/// few milliseconds that pausing and resuming take.
const SLICE: Duration = Duration::from_millis(25);

/// The slot of a case in the campaign: its block, target and suite.
pub struct CaseSlot<'a> {
    /// Block number.
    pub block: u32,
    /// Position of the target in the block.
    pub position: u32,
    /// Label of the target.
    pub label: &'a str,
    /// Name of the suite.
    pub suite: &'a str,
}

/// Everything that a case needs besides its test.
pub struct CaseContext<'a> {
    /// The mounted target.
    pub instance: &'a Instance<'a>,
    /// Starts and watches workers.
    pub pool: &'a dyn Pool,
    /// Where they come from.
    pub hosts: &'a dyn Hosts,
    /// Its turn among the candidates that share the machine, and the number of the test among theirs.
    pub runner: Runner<'a>,
    /// Length below which a timed part is short, seconds.
    pub least_s: f64,
    /// Processor time of others during its timed parts so far.
    pub others: Cell<OthersCpu>,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
}

impl CaseContext<'_> {
    /// Adds what others used during one more timed part.
    fn add_others(&self, used: Option<OthersCpu>) {
        self.others.set(self.others.get().with(used.unwrap_or_default()));
    }
}

/// Runs `test`, one worker for each of `jobs`; `None` when it was stopped. A worker that fails makes
/// the samples invalid; an error is about the target itself.
///
/// All processes share the page cache, and sometimes another one evicts pages between the proof and the end. So a case
/// that turns out lukewarm is run once more; both samples are kept, and the lukewarm one enters no mean. Without a
/// device a second run would prove nothing.
pub fn run(
    test: &dyn Test,
    jobs: &mut [Job],
    context: &CaseContext<'_>,
    slot: &CaseSlot<'_>,
) -> Result<Option<Vec<Sample>>> {
    let Some(mut samples) = attempt(test, jobs, context, slot)? else { return Ok(None) };
    let lukewarm = samples.iter().any(|s| {
        // What the file system does with such blocks it does again.
        matches!(*s.evidence.validity, Validity::Lukewarm(_))
            && s.get(known::BUFFERED_BELOW_BYTES).is_none()
    });
    if lukewarm && !context.instance.devices().is_empty() {
        let Some(again) = attempt(test, jobs, context, slot)? else { return Ok(None) };
        samples.extend(again);
    }
    Ok(Some(samples))
}

fn attempt(
    test: &dyn Test,
    jobs: &mut [Job],
    context: &CaseContext<'_>,
    slot: &CaseSlot<'_>,
) -> Result<Option<Vec<Sample>>> {
    begin(jobs, context)?;
    if let Err(error) = untimed(JobMode::Fill, jobs, context) {
        return broken(error, test, &jobs[0], context, slot);
    }
    let jobs = &mut hosts::shifted(test, jobs)[..];
    let cache = match establish_cache(test, jobs, context)? {
        Ok(cache) => cache,
        Err(error) => return broken(error, test, &jobs[0], context, slot),
    };
    let changed_before = context.instance.changed_options()?;
    let persistence = context.instance.persistence();
    let mut sampler = Sampler::of(watched(context.instance)?).proving(persistence);
    set_mode(jobs, JobMode::Run);
    // A cap lets through later what was not used while a part stood still.
    let can_be_held = test.can_be_held(&jobs[0]) && !context.instance.has_caps();
    let slice = can_be_held.then_some(SLICE);
    let mut pace = context.runner.timed(slice);
    let rebuilding = context.instance.rebuilding()?;
    let report = match context.pool.run_at(&mut pace, jobs, &mut sampler, context.stop) {
        Ok(report) => report,
        Err(error) => return broken(error, test, &jobs[0], context, slot),
    };
    let resident_after_pct = resident_after(test, jobs, context)?;
    let rebuilding = rebuilding.zip(context.instance.rebuilding()?);
    sampler.count_others(context.hosts.process());
    let settled = context.instance.quiesce()?;
    // What lost its mount or its room at work may have answered all the same.
    context.instance.check()?;
    let changed = changed_before.or(context.instance.changed_options()?);
    let settle_write_bytes = sampler.written_since_end();
    if let Some(error) = sampler.take_failure() {
        return Err(error.into());
    }
    let outcome = FinishedCase {
        report,
        sampler,
        persistence: persistence.cloned(),
        cache,
        resident_after_pct,
        changed,
        rebuilding,
        settle_s: settled.sync_s + settled.idle_s,
        settle_write_bytes,
        used_bytes: context.instance.used_bytes()?,
        declared: declared_read_bytes(test, jobs),
        asset_bytes: assets::read_bytes(&jobs[0], context.instance.devices())?,
        shares_devices: context.instance.shares_devices(),
        direct_bytes: None,
        least_s: context.least_s,
    };
    let measured = test.measure(&jobs[0], &outcome.report);
    let outcome = outcome.direct(test.direct_bytes(&jobs[0], &measured), context.instance);
    let mut samples: Vec<Sample> =
        measured.iter().map(|m| outcome.sample(m, test, &jobs[0], slot)).collect();
    let main = measured.first().filter(|_| test.is_clocked());
    context.add_others(main.map(|main| outcome.others_cpu(main)));
    if let Some(order) = pace.place() {
        mark(&mut samples, known::RUN_ORDER, order);
    }
    Ok(Some(samples))
}

/// Waits for its turn to prepare, numbers the attempt of `jobs` and makes their directories.
fn begin(jobs: &mut [Job], context: &CaseContext<'_>) -> Result<()> {
    context.runner.prepare();
    context.instance.check()?;
    jobs.iter_mut().for_each(|job| job.attempt += 1);
    jobs.iter().try_for_each(|job| Ok(context.instance.make_dir(&job.dir)?))
}

/// Adds to samples that have figures which level, from 0, of a factor of the design they were measured at.
pub(crate) fn mark(samples: &mut [Sample], factor: Known<u32>, level: u32) {
    for sample in samples.iter_mut().filter(|sample| sample.has_metrics()) {
        sample.set(factor, level + 1);
    }
}

/// What is looked at while a test runs on `instance`.
fn watched(instance: &Instance<'_>) -> Result<Watched> {
    Ok(Watched {
        devices: instance.devices().into(),
        below: instance.below()?,
        workers: Vec::new(),
        servers: instance.servers(),
    })
}

/// Samples for a case whose workers failed; `None` when the failure is a stop.
fn broken(
    error: PoolError,
    test: &dyn Test,
    job: &Job,
    context: &CaseContext<'_>,
    slot: &CaseSlot<'_>,
) -> Result<Option<Vec<Sample>>> {
    if matches!(error, PoolError::Stopped) {
        return Ok(None);
    }
    if matches!(error, PoolError::Lost { .. }) {
        return Err(error.into());
    }
    let why = match (error, context.instance.loss()) {
        (error, Some(loss)) => Reason::said(format!("{error}; {loss}")),
        (PoolError::NotSupported { what, .. }, None) => Reason::NotSupported { what },
        (error, None) => Reason::said(error.to_string()),
    };
    let samples = test.infos().into_iter().map(|info| invalid(&info.id, test, job, slot, &why));
    Ok(Some(samples.collect()))
}

/// A sample of the test `id` that is not valid, and why.
pub(super) fn invalid(
    id: &str,
    test: &dyn Test,
    job: &Job,
    slot: &CaseSlot<'_>,
    why: &Reason,
) -> Sample {
    let cache = match test.cache() {
        CacheNeed::Cold => CacheState::Cold,
        CacheNeed::Hot => CacheState::Hot,
        CacheNeed::Any => CacheState::Any,
    };
    let bare = Sample::bare(slot.block, slot.position, slot.case(id, test, job, cache), Vec::new());
    bare.judged(Validity::Invalid(why.clone()))
}

impl CaseSlot<'_> {
    /// The case of the test `id` in this slot.
    pub(super) fn case(&self, id: &str, test: &dyn Test, job: &Job, cache: CacheState) -> Case {
        Case {
            target: self.label.into(),
            suite: self.suite.into(),
            test: id.into(),
            procs: job.workers,
            threads: test.threads(job),
            cache,
        }
    }
}

fn set_mode(jobs: &mut [Job], mode: JobMode) {
    for job in jobs {
        job.mode = mode;
    }
}

/// Bytes that `test` is declared to read, by all workers.
fn declared_read_bytes(test: &dyn Test, jobs: &[Job]) -> Option<u64> {
    jobs.iter().map(|job| test.declared_read_bytes(job)).sum()
}

fn untimed(mode: JobMode, jobs: &mut [Job], context: &CaseContext<'_>) -> Result<(), PoolError> {
    set_mode(jobs, mode);
    context.pool.run(jobs, &mut (), context.stop).map(|_| ())
}

#[cfg(test)]
mod tests;

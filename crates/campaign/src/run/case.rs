//! One case, and how its cold cache is proven, both halves: fill what is missing, bring the cache into the required
//! state and measure it, release the workers, and turn what came back into samples, which `judge` decides over.

mod cache;

use self::cache::{CacheBefore, establish_cache};
use super::{
    hosts::{self, Hosts},
    relay::Runner,
};
use crate::{
    evidence::{
        contention::{self, HELD_BYTES, OwnCpu},
        durable::{self, Looks},
        each_disk,
        judge::{self, CacheEvidence},
        limiter::{self, WorkerLoad},
        sampler::{Held, Sampler, Window},
    },
    inputs::assets,
};
use anyhow::Result;
use lab::{
    instance::{Instance, Persistence},
    observe::{Usage, Watched},
};
use model::{
    BUFFERED_BELOW, Better, CacheNeed, CacheState, Case, Durability, FLOOR, Job, JobMode, LabKind,
    Metric, PhaseKind, PhaseReport, PoolReport, ROUND_RATES, Sample, Series, Synced, Validity,
};
use std::{sync::atomic::AtomicBool, time::Duration};
use suites::{Measured, Shift, Test};
use workers::{Moved, Pool, PoolError};

/// How long workers work at a time where candidates share the machine: short beside what changes its speed, long
/// beside the few milliseconds in which they come to a stand and go on.
const SLICE: Duration = Duration::from_millis(25);

/// Where a case stands in the campaign.
pub struct Position<'a> {
    /// Block number.
    pub block: u32,
    /// Position of the target in the block.
    pub position: u32,
    /// Label of the target.
    pub label: &'a str,
    /// Name of the suite.
    pub suite: &'a str,
}

/// Everything a case needs beside its test.
pub struct CaseContext<'a> {
    /// The mounted target.
    pub instance: &'a Instance<'a>,
    /// Starts and watches workers.
    pub pool: &'a dyn Pool,
    /// Where they come from.
    pub hosts: &'a dyn Hosts,
    /// Its place among the candidates that share the machine, and the number of the test among theirs.
    pub runner: Runner<'a>,
    /// Length below which a timed part is short, seconds.
    pub least_s: f64,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
}

/// Runs `test`, one worker for each of `jobs`; `None` when it was stopped. A worker that fails makes
/// the samples invalid; an error is about the target itself.
///
/// The page cache is everybody's: now and then somebody takes pages away between the proof and the
/// end. A case that turns out lukewarm is therefore run once more; both samples are kept, and the
/// lukewarm one stays out of every mean. Where there is no device, nothing can be proven by it.
pub fn run(
    test: &dyn Test,
    jobs: &mut [Job],
    context: &CaseContext<'_>,
    place: &Position<'_>,
) -> Result<Option<Vec<Sample>>> {
    let Some(mut samples) = attempt(test, jobs, context, place)? else { return Ok(None) };
    let lukewarm = samples.iter().any(|s| {
        // What the file system does with such blocks it does again.
        matches!(s.validity, Validity::Lukewarm(_)) && s.metric(BUFFERED_BELOW).is_none()
    });
    if lukewarm && !context.instance.devices().is_empty() {
        let Some(again) = attempt(test, jobs, context, place)? else { return Ok(None) };
        samples.extend(again);
    }
    Ok(Some(samples))
}

fn attempt(
    test: &dyn Test,
    jobs: &mut [Job],
    context: &CaseContext<'_>,
    place: &Position<'_>,
) -> Result<Option<Vec<Sample>>> {
    context.runner.prepare();
    context.instance.check()?;
    jobs.iter_mut().for_each(|job| job.attempt += 1);
    for job in jobs.iter() {
        context.instance.make_dir(&job.dir)?;
    }
    if let Err(error) = untimed(JobMode::Fill, jobs, context) {
        return broken(error, test, &jobs[0], context, place);
    }
    let jobs = &mut hosts::shifted(test, jobs)[..];
    let cache = match establish_cache(test, jobs, context)? {
        Ok(cache) => cache,
        Err(error) => return broken(error, test, &jobs[0], context, place),
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
        Err(error) => return broken(error, test, &jobs[0], context, place),
    };
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
    let settle_s = settled.sync_s + settled.idle_s;
    let used_bytes = context.instance.used_bytes()?;
    let outcome = FinishedCase {
        report,
        sampler,
        persistence: persistence.cloned(),
        cache,
        changed,
        rebuilding,
        settle_s,
        settle_write_bytes,
        used_bytes,
        declared: declared_read_bytes(test, jobs),
        asset_bytes: assets::read_bytes(&jobs[0], context.instance.devices())?,
        shares_devices: context.instance.shares_devices(),
        direct_bytes: None,
        least_s: context.least_s,
    };
    let measured = test.measure(&jobs[0], &outcome.report);
    let outcome = outcome.direct(test.direct_bytes(&jobs[0], &measured), context.instance);
    let mut samples: Vec<Sample> =
        measured.iter().map(|m| outcome.sample(m, test, &jobs[0], place)).collect();
    if let Some(order) = pace.place() {
        mark(&mut samples, Metric::RUN_ORDER, order);
    }
    Ok(Some(samples))
}

/// Adds to samples that have figures which level, from 0, of a factor of the design they were measured at.
pub(crate) fn mark(samples: &mut [Sample], factor: &str, level: u32) {
    for sample in samples.iter_mut().filter(|sample| !sample.metrics.is_empty()) {
        sample.metrics.push(Metric::new(factor, f64::from(level + 1), "", Better::Lower));
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
    place: &Position<'_>,
) -> Result<Option<Vec<Sample>>> {
    if matches!(error, PoolError::Stopped) {
        return Ok(None);
    }
    if matches!(error, PoolError::Lost { .. }) {
        return Err(error.into());
    }
    let why = match context.instance.loss() {
        Some(loss) => format!("{error}; {loss}"),
        None => error.to_string(),
    };
    let samples = test.infos().into_iter().map(|info| invalid(&info.id, test, job, place, &why));
    Ok(Some(samples.collect()))
}

fn invalid(id: &str, test: &dyn Test, job: &Job, place: &Position<'_>, why: &str) -> Sample {
    let cache = match test.cache() {
        CacheNeed::Cold => CacheState::Cold,
        CacheNeed::Hot => CacheState::Hot,
        CacheNeed::Any => CacheState::Any,
    };
    let bare =
        Sample::bare(place.block, place.position, place.case(id, test, job, cache), Vec::new());
    Sample { validity: Validity::Invalid(why.into()), ..bare }
}

impl Position<'_> {
    fn case(&self, id: &str, test: &dyn Test, job: &Job, cache: CacheState) -> Case {
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

/// Everything that is known of a case after it ran.
struct FinishedCase {
    report: PoolReport,
    sampler: Sampler,
    persistence: Option<Persistence>,
    cache: CacheBefore,
    /// Why it was another target than the one that was made.
    changed: Option<String>,
    /// Whether its mirror was being rebuilt before the release and after the end; `None` where none is to be.
    rebuilding: Option<(bool, bool)>,
    settle_s: f64,
    settle_write_bytes: Option<u64>,
    used_bytes: u64,
    /// Bytes that the test is declared to read, all workers.
    declared: Option<u64>,
    /// Bytes of assets that the devices may have read in the timed part.
    asset_bytes: u64,
    /// Whether other programs may work on its devices.
    shares_devices: bool,
    /// Bytes that were to go past the page cache, where all were.
    direct_bytes: Option<u64>,
    least_s: f64,
}

impl FinishedCase {
    /// With the `bytes` that were to go past the page cache, where they have to come to the devices of `instance`.
    fn direct(self, bytes: Option<u64>, instance: &Instance<'_>) -> FinishedCase {
        FinishedCase { direct_bytes: bytes.filter(|_| instance.passes_direct_on()), ..self }
    }

    fn sample(&self, measured: &Measured, test: &dyn Test, job: &Job, at: &Position<'_>) -> Sample {
        let usage = self.sampler.usage(&measured.phases);
        let seconds = self.sampler.seconds(&measured.phases);
        let load =
            WorkerLoad::of(measured, &self.report.workers, test.threads(job), &usage, job.workers);
        let (limiter, limited) = limiter::limiter(&usage, &seconds, &load);
        let footprint = self.report.workers.iter().map(|w| w.footprint_bytes).sum();
        // The proof is about the test itself; a sync that follows it in the same run writes.
        let is_main = test.infos().first().is_some_and(|info| info.id == measured.test);
        let of_work = self.usage_of_work(&usage);
        let seen = CacheEvidence {
            need: if is_main { test.cache() } else { CacheNeed::Any },
            residency: self.cache.residency,
            declared: self.declared,
            asset_bytes: self.asset_bytes,
            never_cold: self.cache.never_cold,
            usage: &of_work,
        };
        let (cache, mut validity) = judge::cache_verdict(&seen, measured, footprint);
        let held = self.sampler.while_held().filter(|_| is_main && self.rebuilding.is_none());
        if let Some(why) = self.objection(measured, &usage, held) {
            validity = Validity::Invalid(why);
        }
        let read_ahead = judge::read_ahead(&seen, test.random_reads(), measured, footprint);
        let workers = contention::worker_cpu(&self.report.workers, &measured.phases);
        let own = OwnCpu::of(workers, &usage);
        let mut metrics = measured.metrics.clone();
        judge::charge_servers(&mut metrics, measured.ops, &usage);
        metrics.extend(judge::machine_metrics(&usage, self.used_bytes, self.settle_s));
        if test.is_clocked() {
            metrics.extend(contention::metrics(&usage, own, self.sampler.others()));
            let beside = held.filter(|_| self.shares_devices);
            metrics.extend(beside.into_iter().flat_map(|h| contention::held_metrics(&usage, h)));
            metrics.push(Metric::new(FLOOR, self.least_s, "s", Better::Lower));
        }
        metrics.extend(self.rebuilding.map(judge::rebuild_looks));
        metrics.extend(read_ahead);
        metrics.extend(judge::second_metrics(&usage, &seconds, &load));
        metrics.extend(each_disk::metrics(&usage));
        let lower =
            |name: &str, value: f64, unit: &str| Metric::new(name, value, unit, Better::Lower);
        metrics.extend(limited.map(|share| lower("limited_pct", 100.0 * share, "%")));
        metrics.extend(held.map(|held| lower(HELD_BYTES, held.bytes() as f64, "B")));
        metrics.extend(self.settle_write(measured));
        metrics.extend(self.rounds(measured, test, job));
        metrics.extend(self.of_hosts(measured, test, job));
        Sample {
            block: at.block,
            position: at.position,
            case: at.case(&measured.test, test, job, cache),
            lab: LabKind::Host,
            metrics,
            bytes: measured.bytes,
            ops: measured.ops,
            seconds: measured.seconds,
            skew_ms: measured.skew_ms,
            overlap: measured.overlap,
            device_read_bytes: usage.device_read_bytes,
            device_write_bytes: usage.device_write_bytes,
            cpu_user_s: own.user_s,
            cpu_sys_s: own.sys_s,
            limiter,
            validity,
            durability: self.durability(measured),
            histograms: measured.histograms.clone(),
            series: self.series(measured),
        }
    }

    /// Why it is no measurement, whatever the cache was. `held`: what its device did while it stood still.
    fn objection(&self, measured: &Measured, usage: &Usage, held: Option<Held>) -> Option<String> {
        // What others do on its device is no work of its own.
        let own = held.filter(|_| !self.shares_devices);
        let problem = measured.problem.clone().or_else(|| self.changed.clone());
        problem
            .or_else(|| hosts::clocks_disagree(&self.report, measured.seconds))
            .or_else(|| self.rebuilding.and_then(judge::not_rebuilt))
            .or_else(|| judge::past_no_device(self.direct_bytes?, usage))
            .or_else(|| judge::worked_while_held(own?.bytes(), usage))
    }

    /// What hosts have each, and how many readers read what their own host wrote.
    fn of_hosts(&self, measured: &Measured, test: &dyn Test, job: &Job) -> Vec<Metric> {
        let mut metrics = hosts::metrics(&self.report, &measured.phases);
        if test.shift() == Shift::Reads && job.owners.is_some() {
            metrics.extend(hosts::readers_of_own(&self.report));
        }
        metrics
    }

    /// `usage` without what a rebuild reads as well, which says nothing about the cache.
    fn usage_of_work(&self, usage: &Usage) -> Usage {
        match self.rebuilding {
            Some(_) => Usage { device_reads: None, device_read_bytes: None, ..usage.clone() },
            None => usage.clone(),
        }
    }

    /// Whether what `measured` synced was seen to reach the medium. Bytes count from the begin of the run, as
    /// some may have been written before the sync; flushes from the first phase that syncs.
    fn durability(&self, measured: &Measured) -> Option<Durability> {
        let workers = || self.report.workers.iter();
        let synced = workers().filter_map(|worker| worker.synced).reduce(Synced::and)?;
        let syncs = |phase: &PhaseReport| {
            synced.throughout || matches!(phase.kind, PhaseKind::Sync | PhaseKind::SyncDir)
        };
        let first_sync = workers().next()?.phases.iter().position(syncs)?;
        let last = measured.phases.end.checked_sub(1).filter(|last| *last >= first_sync)?;
        let persistence = self.persistence.as_ref()?;
        let at = |phase: usize| self.sampler.persisted(phase);
        let looks = Looks { began: at(0)?[0], synced: at(first_sync)?[0], ended: at(last)?[1] };
        Some(durable::judge(&synced, persistence, &looks))
    }

    /// How the timed part went, when it was long enough.
    fn series(&self, measured: &Measured) -> Option<Series> {
        let total = |phase: usize| {
            let own = self.report.workers.iter().filter_map(|worker| worker.phases.get(phase));
            own.fold(Moved::default(), |sum, p| Moved {
                bytes: sum.bytes + p.bytes,
                ops: sum.ops + p.ops,
            })
        };
        let totals: Vec<Moved> = measured.phases.clone().map(total).collect();
        self.sampler.series(&measured.phases, &totals)
    }

    /// What the device wrote after the last phase belongs to the test that ended with it.
    fn settle_write(&self, measured: &Measured) -> Option<Metric> {
        let bytes =
            self.settle_write_bytes.filter(|_| measured.phases.end == self.sampler.phases());
        bytes.map(|bytes| Metric::new("settle_write_bytes", bytes as f64, "B", Better::Lower))
    }

    /// Rates of the rounds of a test that runs for a given time.
    fn rounds(&self, measured: &Measured, test: &dyn Test, job: &Job) -> Vec<Metric> {
        let phase = measured.phases.start;
        let own = || self.report.workers.iter().filter_map(|worker| worker.phases.get(phase));
        let edges = own().map(|p| p.start_ns).min().zip(own().map(|p| p.end_ns).max());
        let window = edges.map(|(from_ns, to_ns)| Window { from_ns, to_ns });
        let sustained = test.estimate(job).fixed_s > 0.0;
        let ops = own().map(|p| p.ops).sum();
        let rates = window
            .filter(|_| sustained)
            .and_then(|window| self.sampler.round_rates(phase, window, ops));
        let metric = |(name, rate): (&str, f64)| Metric::new(name, rate, "1/s", Better::Higher);
        rates
            .map_or_else(Vec::new, |rates| ROUND_RATES.into_iter().zip(rates).map(metric).collect())
    }
}

#[cfg(test)]
mod tests;

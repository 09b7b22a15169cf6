//! Runs one case, and proves its cold cache, both halves: fill what is missing, bring the cache into the required
//! state and measure it, release the workers, and turn their reports into samples, which `judge` decides on.

use super::{
    assets,
    contention::{self, HELD_BYTES, OwnCpu},
    durable::{self, Looks},
    each_disk,
    hosts::{self, Hosts},
    judge::{self, Seen},
    limiter::{self, Load},
    relay::Runner,
    sampler::{Held, Sampler, Window},
};
use anyhow::Result;
use lab::{
    instance::{Instance, Persistence},
    observe::{Usage, Watched},
    page_cache::{Coldness, Residency},
};
use model::{
    BUFFERED_BELOW, Better, CacheNeed, CacheState, Case, Durability, FLOOR, Job, JobMode, LabKind,
    Metric, PhaseKind, PhaseReport, PoolReport, ROUND_RATES, Sample, Series, Synced, Validity,
};
use std::{path::PathBuf, sync::atomic::AtomicBool, time::Duration};
use suites::{Measured, Shift, Test};
use workers::{Moved, Pool, PoolError};

/// Length of a slice where candidates share the machine: short compared with the disturbances of its speed, long
/// compared with the few milliseconds in which workers pause and continue.
const SLICE: Duration = Duration::from_millis(25);

/// Position of a case in the campaign.
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

/// Everything a case needs in addition to its test.
pub struct Bench<'a> {
    /// The mounted target.
    pub instance: &'a Instance<'a>,
    /// Starts and watches workers.
    pub pool: &'a dyn Pool,
    /// Hosts of the workers.
    pub hosts: &'a dyn Hosts,
    /// Its slot among the candidates that share the machine, and the number of the test among theirs.
    pub runner: Runner<'a>,
    /// Length below which a timed part is short, seconds.
    pub least_s: f64,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
}

/// Runs `test`, one worker for each of `jobs`; `None` when it was stopped. A worker that fails makes
/// the samples invalid; an error is about the target itself.
///
/// All processes share the page cache: now and then another one evicts pages between the proof and the
/// end. A lukewarm case is therefore rerun once; both samples are kept, and the lukewarm one enters no
/// mean. Without a device, a rerun can prove nothing.
pub fn run(
    test: &dyn Test,
    jobs: &mut [Job],
    bench: &Bench<'_>,
    place: &Position<'_>,
) -> Result<Option<Vec<Sample>>> {
    let Some(mut samples) = attempt(test, jobs, bench, place)? else { return Ok(None) };
    let lukewarm = samples.iter().any(|s| {
        // The file system will treat such blocks the same way again.
        matches!(s.validity, Validity::Lukewarm(_)) && s.metric(BUFFERED_BELOW).is_none()
    });
    if lukewarm && !bench.instance.devices().is_empty() {
        let Some(again) = attempt(test, jobs, bench, place)? else { return Ok(None) };
        samples.extend(again);
    }
    Ok(Some(samples))
}

fn attempt(
    test: &dyn Test,
    jobs: &mut [Job],
    bench: &Bench<'_>,
    place: &Position<'_>,
) -> Result<Option<Vec<Sample>>> {
    bench.runner.prepare();
    bench.instance.check()?;
    jobs.iter_mut().for_each(|job| job.attempt += 1);
    for job in jobs.iter() {
        bench.instance.make_dir(&job.dir)?;
    }
    if let Err(error) = untimed(JobMode::Fill, jobs, bench) {
        return broken(error, test, &jobs[0], bench, place);
    }
    let jobs = &mut hosts::shifted(test, jobs)[..];
    let cache = match establish_cache(test, jobs, bench)? {
        Ok(cache) => cache,
        Err(error) => return broken(error, test, &jobs[0], bench, place),
    };
    let changed_before = bench.instance.changed_options()?;
    let persistence = bench.instance.persistence();
    let mut sampler = Sampler::of(watched(bench.instance)?).proving(persistence);
    set_mode(jobs, JobMode::Run);
    // A cap lets through later what was unused during a pause.
    let can_be_held = test.can_be_held(&jobs[0]) && !bench.instance.has_caps();
    let slice = can_be_held.then_some(SLICE);
    let mut pace = bench.runner.timed(slice);
    let rebuilding = bench.instance.rebuilding()?;
    let report = match bench.pool.run_at(&mut pace, jobs, &mut sampler, bench.stop) {
        Ok(report) => report,
        Err(error) => return broken(error, test, &jobs[0], bench, place),
    };
    let rebuilding = rebuilding.zip(bench.instance.rebuilding()?);
    sampler.count_others(bench.hosts.process());
    let settled = bench.instance.quiesce()?;
    // A worker may have reported success although the mount or the free space was lost.
    bench.instance.check()?;
    let changed = changed_before.or(bench.instance.changed_options()?);
    let settle_write_bytes = sampler.written_since_end();
    if let Some(error) = sampler.take_failure() {
        return Err(error.into());
    }
    let settle_s = settled.sync_s + settled.idle_s;
    let used_bytes = bench.instance.used_bytes()?;
    let outcome = Outcome {
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
        asset_bytes: assets::read_bytes(&jobs[0], bench.instance.devices())?,
        shares_devices: bench.instance.shares_devices(),
        direct_bytes: None,
        least_s: bench.least_s,
    };
    let measured = test.measure(&jobs[0], &outcome.report);
    let outcome = outcome.direct(test.direct_bytes(&jobs[0], &measured), bench.instance);
    let mut samples: Vec<Sample> =
        measured.iter().map(|m| outcome.sample(m, test, &jobs[0], place)).collect();
    if let Some(order) = pace.place() {
        mark(&mut samples, Metric::RUN_ORDER, order);
    }
    Ok(Some(samples))
}

/// Adds to samples with figures the level, from 0, of a factor of the design at which they were measured.
pub(super) fn mark(samples: &mut [Sample], factor: &str, level: u32) {
    for sample in samples.iter_mut().filter(|sample| !sample.metrics.is_empty()) {
        sample.metrics.push(Metric::new(factor, f64::from(level + 1), "", Better::Lower));
    }
}

/// Returns what is observed while a test runs on `instance`.
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
    bench: &Bench<'_>,
    place: &Position<'_>,
) -> Result<Option<Vec<Sample>>> {
    if matches!(error, PoolError::Stopped) {
        return Ok(None);
    }
    if matches!(error, PoolError::Lost { .. }) {
        return Err(error.into());
    }
    let why = match bench.instance.loss() {
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

fn untimed(mode: JobMode, jobs: &mut [Job], bench: &Bench<'_>) -> Result<(), PoolError> {
    set_mode(jobs, mode);
    bench.pool.run(jobs, &mut (), bench.stop).map(|_| ())
}

/// State of the cache just before the release.
struct CacheBefore {
    residency: Option<Residency>,
    never_cold: Option<&'static str>,
}

/// Brings the cache into the state that `test` requires and checks the result.
fn establish_cache(
    test: &dyn Test,
    jobs: &mut [Job],
    bench: &Bench<'_>,
) -> Result<Result<CacheBefore, PoolError>> {
    if test.cache() == CacheNeed::Cold {
        // Listed before, as a test may have to read directories for them, which makes these hot.
        let files = files_of_each(test, jobs);
        let cold = bench.instance.make_cold_for(&files_here(&files, bench))?;
        let never_cold = match cold.coldness {
            Coldness::Impossible(why) => Some(why),
            _ => None,
        };
        let residency = hosts::together(cold.residency, elsewhere(&files, bench, true)?);
        return Ok(Ok(CacheBefore { residency, never_cold }));
    }
    bench.instance.invalidate_cold();
    bench.instance.rebuild_again()?;
    // Filling may have left writes and deletes in flight.
    bench.instance.quiesce()?;
    match test.cache() {
        CacheNeed::Hot => warm(test, jobs, bench),
        _ => Ok(Ok(CacheBefore { residency: None, never_cold: None })),
    }
}

/// Reads what the test will read, once more if another process evicted a part of it meanwhile.
fn warm(
    test: &dyn Test,
    jobs: &mut [Job],
    bench: &Bench<'_>,
) -> Result<Result<CacheBefore, PoolError>> {
    let mut residency = None;
    for _ in 0..2 {
        if let Err(error) = untimed(JobMode::Warm, jobs, bench) {
            return Ok(Err(error));
        }
        // Read twice without a check where residency shows nothing.
        if bench.instance.has_own_cache() {
            continue;
        }
        residency = resident(test, jobs, bench)?;
        if residency.is_none_or(|r| r.resident_bytes == r.total_bytes) {
            break;
        }
    }
    Ok(Ok(CacheBefore { residency, never_cold: None }))
}

/// What each of the workers of `test` will read.
fn files_of_each(test: &dyn Test, jobs: &[Job]) -> Vec<Vec<PathBuf>> {
    jobs.iter().map(|job| test.files(job)).collect()
}

/// Those of `files` that are read on this host.
fn files_here(files: &[Vec<PathBuf>], bench: &Bench<'_>) -> Vec<PathBuf> {
    let workers = files.len() as u32;
    let own = (0..).zip(files).filter(|(worker, _)| bench.hosts.is_here(*worker, workers));
    own.flat_map(|(_, files)| files.iter().cloned()).collect()
}

/// Returns how much of the others is resident on their hosts, after it was made cold if requested.
fn elsewhere(files: &[Vec<PathBuf>], bench: &Bench<'_>, cold: bool) -> Result<Option<Residency>> {
    bench.hosts.look(bench.instance.root(), files, cold)
}

/// Returns how much of the files of `test` is resident; `None` when it reads none.
fn resident(test: &dyn Test, jobs: &[Job], bench: &Bench<'_>) -> Result<Option<Residency>> {
    let files = files_of_each(test, jobs);
    let own = files_here(&files, bench);
    let here = if own.is_empty() { None } else { Some(bench.instance.residency(&own)?) };
    Ok(hosts::together(here, elsewhere(&files, bench, false)?))
}

/// Everything that is known of a case after it ran.
struct Outcome {
    report: PoolReport,
    sampler: Sampler,
    persistence: Option<Persistence>,
    cache: CacheBefore,
    /// Difference to the target that was made.
    changed: Option<String>,
    /// Whether its mirror was being rebuilt before the release and after the end; `None` if no rebuild is required.
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
    /// Bytes of direct I/O, if all of the I/O was to be direct.
    direct_bytes: Option<u64>,
    least_s: f64,
}

impl Outcome {
    /// Sets the `bytes` of direct I/O, if they must be visible at the devices of `instance`.
    fn direct(self, bytes: Option<u64>, instance: &Instance<'_>) -> Outcome {
        Outcome { direct_bytes: bytes.filter(|_| instance.passes_direct_on()), ..self }
    }

    fn sample(&self, measured: &Measured, test: &dyn Test, job: &Job, at: &Position<'_>) -> Sample {
        let usage = self.sampler.usage(&measured.phases);
        let seconds = self.sampler.seconds(&measured.phases);
        let load = Load::of(measured, &self.report.workers, test.threads(job), &usage, job.workers);
        let (limiter, limited) = limiter::limiter(&usage, &seconds, &load);
        let footprint = self.report.workers.iter().map(|w| w.footprint_bytes).sum();
        // The proof is about the test itself; a sync after it in the same run writes.
        let is_main = test.infos().first().is_some_and(|info| info.id == measured.test);
        let of_work = self.usage_of_work(&usage);
        let seen = Seen {
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

    /// Why it is invalid, whatever the cache was. `held`: what its device did during pauses.
    fn objection(&self, measured: &Measured, usage: &Usage, held: Option<Held>) -> Option<String> {
        // Foreign traffic on its device is not its own work.
        let own = held.filter(|_| !self.shares_devices);
        let problem = measured.problem.clone().or_else(|| self.changed.clone());
        problem
            .or_else(|| hosts::clocks_disagree(&self.report, measured.seconds))
            .or_else(|| self.rebuilding.and_then(judge::not_rebuilt))
            .or_else(|| judge::past_no_device(self.direct_bytes?, usage))
            .or_else(|| judge::worked_while_held(own?.bytes(), usage))
    }

    /// Figures of each host, and the number of readers that read what their own host wrote.
    fn of_hosts(&self, measured: &Measured, test: &dyn Test, job: &Job) -> Vec<Metric> {
        let mut metrics = hosts::metrics(&self.report, &measured.phases);
        if test.shift() == Shift::Reads && job.owners.is_some() {
            metrics.extend(hosts::readers_of_own(&self.report));
        }
        metrics
    }

    /// `usage` without the reads of a rebuild, which say nothing about the cache.
    fn usage_of_work(&self, usage: &Usage) -> Usage {
        match self.rebuilding {
            Some(_) => Usage { device_reads: None, device_read_bytes: None, ..usage.clone() },
            None => usage.clone(),
        }
    }

    /// Returns whether the synced bytes of `measured` were seen to reach the medium. Bytes count from the start of the
    /// run, as some may have been written before the sync; flushes count from the first phase that syncs.
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

    /// Series of the timed part, if it was long enough.
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

    /// Writes of the device after the last phase belong to the test that ended with it.
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

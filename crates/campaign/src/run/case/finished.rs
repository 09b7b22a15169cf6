//! Makes a sample of a case that ran: `judge` decides over its cache, `durable` over its syncs, `limiter` over its
//! speed.

use super::{CaseSlot, cache::CacheBefore};
use crate::{
    evidence::{
        contention::{self, OthersCpu, OwnCpu},
        durable::{self, Looks},
        each_disk,
        judge::{self, CacheEvidence},
        limiter::{self, WorkerLoad},
        sampler::{Held, Sampler, Window},
    },
    run::hosts,
};
use lab::{
    instance::{Instance, Persistence},
    observe::Usage,
};
use model::{
    figure::{Durability, Series, Synced},
    result::{Covariates, Numbers, Reason, Sample, Validity, known},
    workload::{CacheNeed, Job, PhaseKind, PhaseReport, PoolReport},
};
use suites::{Measured, Shift, Test};
use workers::Moved;

/// Everything that is known of a case after it ran.
pub(super) struct FinishedCase {
    pub(super) report: PoolReport,
    pub(super) sampler: Sampler,
    pub(super) persistence: Option<Persistence>,
    pub(super) cache: CacheBefore,
    /// Share of the files of a cold test in the page cache at its end, percent.
    pub(super) resident_after_pct: Option<f64>,
    /// Why it was another target than the one that was made.
    pub(super) changed: Option<Reason>,
    /// Whether its mirror was being rebuilt before the release and after the end; `None` where none is to be.
    pub(super) rebuilding: Option<(bool, bool)>,
    pub(super) settle_s: f64,
    pub(super) settle_write_bytes: Option<u64>,
    pub(super) used_bytes: u64,
    /// Bytes that the test is declared to read, all workers.
    pub(super) declared: Option<u64>,
    /// Bytes of assets that the devices may have read in the timed part.
    pub(super) asset_bytes: u64,
    /// Whether other programs may work on its devices.
    pub(super) shares_devices: bool,
    /// Bytes that were to go past the page cache, where all were.
    pub(super) direct_bytes: Option<u64>,
    pub(super) least_s: f64,
}

impl FinishedCase {
    /// With the `bytes` that were to go past the page cache, where they have to come to the devices of `instance`.
    pub(super) fn direct(self, bytes: Option<u64>, instance: &Instance<'_>) -> FinishedCase {
        FinishedCase { direct_bytes: bytes.filter(|_| instance.passes_direct_on()), ..self }
    }

    /// The sample of what was `measured` by `test`, at its position in the campaign.
    pub(super) fn sample(
        &self,
        measured: &Measured,
        test: &dyn Test,
        job: &Job,
        at: &CaseSlot<'_>,
    ) -> Sample {
        let usage = self.sampler.usage(&measured.phases);
        let seconds = self.sampler.seconds(&measured.phases);
        let load =
            WorkerLoad::of(measured, &self.report.workers, test.threads(job), &usage, job.workers);
        let (limiter, limited) = limiter::limiter(&usage, &seconds, &load);
        let footprint = self.report.workers.iter().map(|w| w.footprint_bytes).sum();
        // The proof is about the test itself; a sync that follows it in the same run writes.
        let is_main = test.infos().first().is_some_and(|info| info.id == measured.test);
        let of_work = self.usage_of_work(&usage);
        let need = if is_main { test.cache() } else { CacheNeed::Any };
        let seen = self.cache_evidence(need, &of_work);
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
        let case = at.case(&measured.test, test, job, cache);
        let mut sample = Sample::bare(at.block, at.position, case, Vec::new())
            .timed(measured.bytes, measured.ops, measured.seconds)
            .judged(validity);
        sample.figures.histograms = measured.histograms.clone().into();
        sample.figures.series = self.series(measured).map(Box::new);
        sample.covariates = Covariates {
            skew_ms: measured.skew_ms,
            overlap: measured.overlap,
            device_read_bytes: usage.device_read_bytes,
            device_write_bytes: usage.device_write_bytes,
            cpu_user_s: own.user_s,
            cpu_sys_s: own.sys_s,
            disks: each_disk::disks(&usage).into(),
            ..Covariates::default()
        };
        sample.numbers = judge::machine(&usage, &seconds, &load)
            .with(known::LIMITED_PCT, limited.map(|share| 100.0 * share))
            .with(known::READ_AHEAD_HIT_PCT, read_ahead)
            .with(known::HELD_DEVICE_BYTES, held.map(|held| held.bytes()))
            .with(known::REBUILD_LOOKS, self.rebuilding.map(judge::rebuild_looks));
        sample.numbers.add(&self.target_use(measured, test, is_main, &usage, &seconds));
        if test.is_clocked() {
            let while_held = held.filter(|_| self.shares_devices);
            let foreign = self.foreign(&usage, own, while_held);
            sample.numbers.add(&foreign.with(known::FLOOR_S, self.least_s));
        }
        self.add_hosts(&mut sample, measured, test, job);
        sample.evidence.limiter = limiter;
        sample.evidence.durability = self.durability(measured);
        if let Some(rates) = self.round_rates(measured, test, job) {
            sample.set_round_rates(rates);
        }
        sample.extend(metrics);
        sample
    }

    /// What the target did, and the space in use on it.
    fn target_use(
        &self,
        measured: &Measured,
        test: &dyn Test,
        is_main: bool,
        usage: &Usage,
        seconds: &[Usage],
    ) -> Numbers {
        let server_cpu_s = contention::server_cpu_s(usage).filter(|_| test.is_clocked());
        judge::device_busy(usage, seconds)
            .with(known::SPACE_USED_BYTES, self.used_bytes)
            .with(known::FOLIO_BYTES, self.cache.folio_bytes.filter(|_| is_main))
            .with(known::RESIDENT_AFTER_PCT, self.resident_after_pct.filter(|_| is_main))
            .with(known::SETTLE_S, self.settle_s)
            .with(known::SETTLE_WRITE_BYTES, self.settle_write_bytes(measured))
            .with(known::SERVER_CPU_S, server_cpu_s)
    }

    /// Processor time of others during what was `measured`.
    pub(super) fn others_cpu(&self, measured: &Measured) -> OthersCpu {
        let usage = self.sampler.usage(&measured.phases);
        let workers = contention::worker_cpu(&self.report.workers, &measured.phases);
        contention::others_cpu(&usage, OwnCpu::of(workers, &usage), self.sampler.others())
    }

    /// What others used; `while_held` is what its device did while it was held, where that shows the work of others.
    fn foreign(&self, usage: &Usage, own: OwnCpu, while_held: Option<Held>) -> Numbers {
        let foreign = contention::foreign(usage, own, self.sampler.others());
        let Some(held) = while_held else { return foreign };
        contention::foreign_while_held(usage, held)
            .with(known::FOREIGN_CPU_PCT, foreign.get(known::FOREIGN_CPU_PCT))
    }

    /// What tells whether the cache was as `need` asks; `usage` is that of the work alone.
    fn cache_evidence<'a>(&self, need: CacheNeed, usage: &'a Usage) -> CacheEvidence<'a> {
        CacheEvidence {
            need,
            residency: self.cache.residency,
            declared: self.declared,
            asset_bytes: self.asset_bytes,
            is_in_memory: self.cache.is_in_memory,
            usage,
        }
    }

    /// Why it is no measurement, whatever the cache was. `held`: what its device did while it stood still.
    fn objection(&self, measured: &Measured, usage: &Usage, held: Option<Held>) -> Option<Reason> {
        // What others do on its device is no work of its own.
        let own = held.filter(|_| !self.shares_devices);
        let problem = measured.problem.clone().or_else(|| self.changed.clone());
        problem
            .or_else(|| hosts::clocks_disagree(&self.report, measured.seconds))
            .or_else(|| self.rebuilding.and_then(judge::not_rebuilt))
            .or_else(|| judge::past_no_device(self.direct_bytes?, usage))
            .or_else(|| judge::worked_while_held(own?.bytes(), usage))
    }

    /// Adds what hosts have each, and how many readers read what their own host wrote.
    fn add_hosts(&self, sample: &mut Sample, measured: &Measured, test: &dyn Test, job: &Job) {
        let (pool, hosts) = hosts::spread(&self.report, &measured.phases);
        if hosts.is_empty() {
            return;
        }
        sample.numbers.add(&pool);
        if test.shift() == Shift::Reads && job.owners.is_some() {
            sample.set(known::READERS_OF_OWN_HOST, hosts::readers_of_own(&self.report));
        }
        sample.covariates.hosts = hosts.into();
    }

    /// `usage` without what a rebuild reads as well, which says nothing about the cache.
    fn usage_of_work(&self, usage: &Usage) -> Usage {
        match self.rebuilding {
            Some(_) => Usage { device_reads: None, device_read_bytes: None, ..usage.clone() },
            None => usage.clone(),
        }
    }

    /// Whether what `measured` synced was seen to reach the medium. Bytes count from the start of the run, as
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
    fn settle_write_bytes(&self, measured: &Measured) -> Option<u64> {
        self.settle_write_bytes.filter(|_| measured.phases.end == self.sampler.phases())
    }

    /// Rates of the rounds of a test that runs for a given time.
    fn round_rates(
        &self,
        measured: &Measured,
        test: &dyn Test,
        job: &Job,
    ) -> Option<[f64; known::ROUNDS]> {
        let phase = measured.phases.start;
        let own = || self.report.workers.iter().filter_map(|worker| worker.phases.get(phase));
        let edges = own().map(|p| p.start_ns).min().zip(own().map(|p| p.end_ns).max());
        let window = edges.map(|(from_ns, to_ns)| Window { from_ns, to_ns })?;
        let is_sustained = test.estimate(job).fixed_s > 0.0;
        let ops = own().map(|p| p.ops).sum();
        is_sustained.then(|| self.sampler.round_rates(phase, window, ops))?
    }
}

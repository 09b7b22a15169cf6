//! Keeps the workers of a run in step across hosts: no worker starts a phase before all are ready, or the next one
//! before all have ended it. If one fails, is silent or late, all others are stopped.

use crate::{
    orders::{News, Ruling, Step, Word},
    pulse::{RANK_SILENCE, is_silent},
    rounds::rounds,
    topic::Topic,
    world::{LOOK_EVERY, World},
};
use anyhow::{Result, anyhow};
use campaign::messages::with_causes;
use model::workload::WorkerReport;
use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};
use workers::{Moved, Observer, PoolError};

/// How long those who were told to stop may take, where a lost rank or a signal ends the campaign: a launcher that sent
/// it kills after a second.
const SHORT_GRACE: Duration = Duration::from_millis(400);

/// A run of more than one rank, this one the first.
pub(crate) struct Lead<'a> {
    world: &'a World,
    observer: &'a mut dyn Observer,
    /// Ends the pool of this rank.
    own_stop: &'a AtomicBool,
    /// Ends the campaign.
    stop: &'a AtomicBool,
    run: u64,
    test: String,
    timeout: Duration,
    began: Instant,
    /// Of all workers, this one's the first.
    ranks: Vec<RankState>,
    failure: Option<PoolError>,
}

/// A worker and how it fares.
struct RankState {
    rank: usize,
    host: String,
    heard: Instant,
    at: Option<Step>,
    process: u32,
    /// It has ended, with a report or without.
    is_over: bool,
    report: Option<WorkerReport>,
}

/// What a run is of.
pub(crate) struct Plan<'a> {
    /// Its number.
    pub(crate) run: u64,
    /// The test.
    pub(crate) test: String,
    /// What it may take.
    pub(crate) timeout: Duration,
    /// Ranks and their hosts, by worker.
    pub(crate) ranks: Vec<(usize, String)>,
    /// Ends the pool of this rank.
    pub(crate) own_stop: &'a AtomicBool,
    /// Ends the campaign.
    pub(crate) stop: &'a AtomicBool,
}

impl<'a> Lead<'a> {
    /// Begins now.
    pub(crate) fn of(world: &'a World, plan: Plan<'a>, observer: &'a mut dyn Observer) -> Lead<'a> {
        let Plan { run, test, timeout, ranks, own_stop, stop } = plan;
        let began = Instant::now();
        let state = |(rank, host)| RankState {
            rank,
            host,
            heard: began,
            at: None,
            process: 0,
            is_over: false,
            report: None,
        };
        let ranks = ranks.into_iter().map(state).collect();
        let failure = None;
        Lead { world, observer, own_stop, stop, run, test, timeout, began, ranks, failure }
    }

    fn others(&self) -> &[RankState] {
        &self.ranks[1..]
    }

    /// Stops all, for the first reason that there is.
    pub(crate) fn fail(&mut self, error: PoolError) {
        self.own_stop.store(true, Relaxed);
        if self.failure.is_some() {
            return;
        }
        self.failure = Some(error);
        self.rule(false);
    }

    fn rule(&mut self, goes_on: bool) {
        let ruling = Ruling { run: self.run, goes_on };
        for state in self.others().iter().filter(|state| !state.is_over) {
            // What cannot be sent is heard of by the silence of the other.
            let _ = self.world.tell(state.rank, Topic::Ruling, &ruling);
        }
    }

    /// Hears all that was said.
    fn listen(&mut self) {
        loop {
            match self.world.hear::<Word>(Topic::Word) {
                Ok(Some((rank, word))) if word.run == self.run => self.take(rank, word.news),
                Ok(Some(_)) => {}
                Ok(None) => return,
                Err(error) => return self.fail(PoolError::Lost { why: with_causes(&error) }),
            }
        }
    }

    fn take(&mut self, rank: usize, news: News) {
        let Some(worker) = self.ranks.iter().position(|state| state.rank == rank) else { return };
        let state = &mut self.ranks[worker];
        state.heard = Instant::now();
        state.is_over = !matches!(news, News::Alive | News::At(..));
        let (worker, host) = (worker as u32, state.host.clone());
        match news {
            News::Alive | News::Stopped => {}
            News::At(step, process) => (state.at, state.process) = (Some(step), process),
            News::Done(report) => state.report = Some(*report),
            News::Failed(message) => self.fail(PoolError::Elsewhere { worker, host, message }),
            News::TimedOut => {
                self.fail(PoolError::TimedOut { after: self.timeout, missing: vec![worker] });
            }
        }
    }

    /// Fails when the run cannot continue.
    fn check(&mut self) {
        if self.failure.is_some() {
            return;
        }
        if self.stop.load(Relaxed) {
            return self.fail(PoolError::Stopped);
        }
        if let Some(why) = self.lost() {
            return self.fail(PoolError::Lost { why });
        }
        // The ranks look at the same limit and know what hangs; this is for those that do not tell.
        if self.began.elapsed() > self.timeout + RANK_SILENCE {
            let late = |(_, state): &(u32, &RankState)| !state.is_over && state.at.is_none();
            let missing = (0..).zip(&self.ranks).skip(1).filter(late).map(|(worker, _)| worker);
            self.fail(PoolError::TimedOut { after: self.timeout, missing: missing.collect() });
        }
    }

    /// Says who is silent.
    fn lost(&self) -> Option<String> {
        let now = Instant::now();
        let silent = |state: &&RankState| !state.is_over && is_silent(state.heard, now);
        let names: Vec<String> = self
            .others()
            .iter()
            .filter(silent)
            .map(|state| format!("rank {} on {}", state.rank, state.host))
            .collect();
        let seconds = RANK_SILENCE.as_secs();
        (!names.is_empty()).then(|| {
            format!(
                "no message from {} for {seconds} s: it was stopped, or its host is lost",
                names.join(", ")
            )
        })
    }

    /// Waits until all are at `step`; whether they continue.
    fn meet(&mut self, step: Step) -> bool {
        loop {
            self.listen();
            self.check();
            let apart = |state: &RankState| state.is_over || state.at.is_some_and(|at| at != step);
            if self.failure.is_none() && self.others().iter().any(apart) {
                self.fail(PoolError::Divided { test: self.test.clone() });
            }
            if self.failure.is_some() {
                return false;
            }
            if self.others().iter().all(|state| state.at == Some(step)) {
                self.ranks.iter_mut().for_each(|state| state.at = None);
                return true;
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Ends the run of which the worker here brought `own`: reports of all, by worker.
    ///
    /// # Errors
    /// Why there are none.
    pub(crate) fn finish(
        mut self,
        own: Result<WorkerReport, PoolError>,
    ) -> Result<Vec<WorkerReport>, PoolError> {
        match own {
            Ok(report) => self.ranks[0].report = Some(report),
            Err(error) => self.fail(error),
        }
        self.ranks[0].is_over = true;
        let mut told = None;
        while self.ranks.iter().any(|state| !state.is_over) {
            self.listen();
            self.check();
            let since = *told.get_or_insert_with(Instant::now);
            let Some(error) = &self.failure else {
                told = None;
                thread::sleep(LOOK_EVERY);
                continue;
            };
            let hurries = self.stop.load(Relaxed) || matches!(error, PoolError::Lost { .. });
            let grace = if hurries { SHORT_GRACE } else { RANK_SILENCE };
            if since.elapsed() > grace {
                let is_stopped = matches!(error, PoolError::Stopped);
                let why = self.lost().filter(|_| !is_stopped);
                return Err(match (why, self.failure) {
                    (Some(why), _) => PoolError::Lost { why },
                    (None, Some(error)) => error,
                    (None, None) => PoolError::Stopped,
                });
            }
            thread::sleep(LOOK_EVERY);
        }
        match self.failure {
            Some(error) => Err(error),
            None => Ok(self.ranks.into_iter().filter_map(|state| state.report).collect()),
        }
    }

    /// Begins the phase together with all others, who say while they wait that they are there.
    fn go(&mut self) {
        self.rule(true);
        let world = self.world;
        let ranks: Vec<usize> = self.ranks.iter().map(|state| state.rank).collect();
        let reached = world.barrier(&rounds(&ranks, 0), &mut || {
            self.listen();
            self.lost().map_or(Ok(()), |why| Err(anyhow!(why)))
        });
        if let Err(error) = reached {
            self.fail(PoolError::Lost { why: with_causes(&error) });
        }
    }
}

impl Observer for Lead<'_> {
    fn started(&mut self, pids: &[u32]) {
        self.ranks[0].process = pids.first().copied().unwrap_or_default();
    }

    fn releasing(&mut self, phase: usize) {
        if !self.meet(Step::Release(phase)) {
            return;
        }
        if phase == 0 {
            let here = self.ranks.iter().filter(|state| state.host == self.ranks[0].host);
            self.observer.started(&here.map(|state| state.process).collect::<Vec<_>>());
        }
        self.observer.releasing(phase);
        self.go();
    }

    // What moved elsewhere within a second is not known here.
    fn working(&mut self, _phase: usize, _moved: Moved) {}

    fn looked(&mut self) {
        self.listen();
        self.check();
        self.observer.looked();
    }

    fn ended(&mut self, phase: usize) {
        if self.meet(Step::End(phase)) {
            self.observer.ended(phase);
            self.rule(true);
        }
    }
}

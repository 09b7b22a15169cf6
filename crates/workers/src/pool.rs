//! Starts workers, releases them phase by phase, and collects their reports: the coordinator of a pool.

mod times;

use crate::{PoolError, processes::Processes, stays_after};
use engine::{
    barrier::{Arrived, Barrier, Stillness},
    clock::now_ns,
    progress::Moved,
};
use model::{
    plan::User,
    workload::{Job, PhaseOverlap, PoolReport, WorkerReport},
};
use std::{
    cell::RefCell,
    path::PathBuf,
    process::ExitStatus,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};
use times::{LOOK_EVERY, Times};

/// The time a failed worker may take to write its report and exit.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Called at the start and end of each phase and once a second in between, to take snapshots of the system.
pub trait Observer {
    /// These processes will do the work; the index is the number of the worker.
    fn started(&mut self, _pids: &[u32]) {}
    /// All workers wait for `phase`, and will be released when this returns.
    fn releasing(&mut self, phase: usize);
    /// Another second of `phase` is over; `moved` is the total of all workers.
    fn working(&mut self, _phase: usize, _moved: Moved) {}
    /// Called many times a second while waiting for the workers.
    fn looked(&mut self) {}
    /// All workers have ended `phase`, and wait.
    fn ended(&mut self, phase: usize);
    /// All workers that have not finished the phase are paused. Returns when the device has completed the reads that
    /// they requested, which count as their time.
    fn settles(&mut self) -> Settled {
        Settled::AtOnce
    }
    /// They and their clock are paused.
    fn held(&mut self) {}
    /// They resume when this returns.
    fn goes_on(&mut self) {}
}

/// The activity of the device while the workers paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// None: their clock stopped when they did.
    AtOnce,
    /// It was reading and has finished: their clock stops now.
    Waited,
    /// It is still writing for an unknown time, which the next pool would lose if these were paused now.
    Writes,
}

/// Decides when a pool may work, if other pools use the machine as well.
pub trait TimeSharing {
    /// Returns when the pool may start or resume.
    fn wait(&mut self);
    /// How long it then works until it is paused; `None` for its whole timed part.
    fn slice(&self) -> Option<Duration>;
}

/// One pool has the machine to itself.
impl TimeSharing for () {
    fn wait(&mut self) {}
    fn slice(&self) -> Option<Duration> {
        None
    }
}

/// Takes no snapshots.
impl Observer for () {
    fn releasing(&mut self, _phase: usize) {}
    fn ended(&mut self, _phase: usize) {}
}

/// Runs jobs in worker processes, one each.
pub trait Pool {
    /// Runs each of `jobs` in one worker, when `pace` allows it, and returns when all have reported; after an error
    /// none of these workers is left. Setting `stop` ends it with `PoolError::Stopped`.
    ///
    /// # Errors
    /// The first worker that failed, died or did not answer in time.
    fn run_at(
        &self,
        pace: &mut dyn TimeSharing,
        jobs: &[Job],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<PoolReport, PoolError>;

    /// The same on a machine that this pool has to itself.
    ///
    /// # Errors
    /// As of [`Pool::run_at`].
    fn run(
        &self,
        jobs: &[Job],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<PoolReport, PoolError> {
        self.run_at(&mut (), jobs, observer, stop)
    }
}

/// Runs jobs as processes of this machine, and keeps the processes for further jobs until it is dropped.
#[derive(Debug)]
pub struct LocalPool {
    exe: PathBuf,
    timeout: Duration,
    user: Option<User>,
    /// The workers that wait for their next job, by number of workers.
    waiting: RefCell<Vec<Started>>,
}

/// Nothing of a job is left in its worker: no memory, no open file. One that runs programs of others has
/// a process for itself. The thread that calls this first must stay as long as the pool: workers die
/// with it.
impl Pool for LocalPool {
    fn run_at(
        &self,
        pace: &mut dyn TimeSharing,
        jobs: &[Job],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<PoolReport, PoolError> {
        let mut times = Times::begin(Instant::now());
        let stay = jobs.iter().all(|job| stays_after(job, self.user));
        let waiting = if stay { self.waiting(jobs.len()) } else { None };
        let mut hands = waiting.map_or_else(|| self.start(jobs), Ok)?;
        hands.processes.hand_out(jobs);
        times.resume(Instant::now());
        let mut watch = Watch { jobs, hands, stay, stop, pace, times, timeout: self.timeout };
        let report = watch.conduct(observer)?;
        if stay {
            self.waiting.borrow_mut().push(watch.hands);
        }
        Ok(report)
    }
}

/// Workers with their barrier.
#[derive(Debug)]
struct Started {
    barrier: Barrier,
    processes: Processes,
}

impl LocalPool {
    /// Workers are processes of the program `exe`, which must call `workers::main` under `WORKER_VERB`.
    /// Each `run` may take `timeout`, from the start to the last report.
    pub fn of(exe: impl Into<PathBuf>, timeout: Duration) -> LocalPool {
        LocalPool { exe: exe.into(), timeout, user: None, waiting: RefCell::default() }
    }

    /// Workers that are this program itself.
    pub fn this_program(timeout: Duration) -> Result<LocalPool, PoolError> {
        Ok(LocalPool::of(std::env::current_exe().map_err(PoolError::Program)?, timeout))
    }

    /// The same, with workers that run as `user`; `None` for the user of this process.
    pub fn in_the_name_of(self, user: Option<User>) -> LocalPool {
        LocalPool { user, ..self }
    }

    /// Takes those who wait for a job in a pool of `workers`, unless one of them has died meanwhile.
    fn waiting(&self, workers: usize) -> Option<Started> {
        let mut waiting = self.waiting.borrow_mut();
        let at = waiting.iter().position(|hands| hands.barrier.workers() as usize == workers)?;
        let hands = waiting.swap_remove(at);
        hands.barrier.renew();
        Some(hands).filter(|hands| !hands.processes.any_ended())
    }

    fn start(&self, jobs: &[Job]) -> Result<Started, PoolError> {
        let barrier = Barrier::create(jobs.len().try_into().unwrap_or(u32::MAX))?;
        let fd = barrier.inheritable()?;
        let processes = Processes::start(&self.exe, jobs, fd, self.user)?;
        barrier.private()?;
        Ok(Started { barrier, processes })
    }
}

impl Started {
    /// Process ids of the workers, by number of the worker.
    fn pids(&self) -> Vec<u32> {
        let pid = |w| self.barrier.process(w).unwrap_or_else(|| self.processes.pid(w));
        (0..self.barrier.workers()).map(pid).collect()
    }
}

/// One run of a pool.
struct Watch<'a> {
    jobs: &'a [Job],
    hands: Started,
    /// Whether the workers stay for further jobs.
    stay: bool,
    stop: &'a AtomicBool,
    pace: &'a mut dyn TimeSharing,
    times: Times,
    timeout: Duration,
}

impl Watch<'_> {
    fn conduct(&mut self, observer: &mut dyn Observer) -> Result<PoolReport, PoolError> {
        let mut overlaps = Vec::new();
        let mut round = 1;
        let mut arrived = self.gather(round, observer)?;
        observer.started(&self.hands.pids());
        if arrived == Arrived::Phase {
            self.stand_by();
        }
        while arrived == Arrived::Phase {
            self.close_phase(&mut overlaps, round, observer);
            observer.releasing(round as usize - 1);
            self.times.release(Instant::now());
            self.hands.barrier.release();
            round += 1;
            arrived = self.gather(round, observer)?;
        }
        self.close_phase(&mut overlaps, round, observer);
        // Now they verify and report.
        self.hands.barrier.release();
        self.gather(round + 1, &mut ())?;
        let workers = self.reports()?;
        self.check_phases(&workers, overlaps.len())?;
        Ok(PoolReport { workers, overlaps, ..PoolReport::default() })
    }

    /// Ends the phase that came before `round`, if there was one.
    fn close_phase(
        &self,
        overlaps: &mut Vec<PhaseOverlap>,
        round: u32,
        observer: &mut dyn Observer,
    ) {
        if round > 1 {
            observer.ended(round as usize - 2);
            overlaps.push(self.hands.barrier.overlap());
        }
    }

    /// Waits until all workers have arrived for the `round`th time, all for the same.
    fn gather(&mut self, round: u32, observer: &mut dyn Observer) -> Result<Arrived, PoolError> {
        loop {
            match self.hands.barrier.await_all(self.patience()) {
                Arrived::Waiting => {
                    self.look(round)?;
                    observer.looked();
                    self.tell(round, observer);
                    self.share(round, observer)?;
                }
                Arrived::Divided(_) => return Err(PoolError::Divided { test: self.test() }),
                all => return Ok(all),
            }
        }
    }

    /// Leaves the machine to others until its next turn.
    fn stand_by(&mut self) {
        let since = Instant::now();
        self.pace.wait();
        self.times.stood_still(since, Instant::now());
    }

    /// Returns the longest wait until the next check.
    fn patience(&self) -> Duration {
        self.times.patience(Instant::now(), self.pace.slice())
    }

    /// Holds the pool in the phase before `round` when its slice is over, as long as others work. While its device
    /// writes for it, it has a further slice instead.
    fn share(&mut self, round: u32, observer: &mut dyn Observer) -> Result<(), PoolError> {
        if round < 2 || !self.times.is_slice_over(Instant::now(), self.pace.slice()) {
            return Ok(());
        }
        self.hands.barrier.hold();
        let since_ns = loop {
            match self.hands.barrier.await_stillness(LOOK_EVERY) {
                Stillness::None => self.look(round)?,
                Stillness::Ended => break None,
                Stillness::Held(since_ns) => break Some(since_ns),
            }
        };
        let since_ns = since_ns.and_then(|still_ns| match observer.settles() {
            Settled::AtOnce => Some(still_ns),
            Settled::Waited => Some(now_ns()),
            Settled::Writes => None,
        });
        if since_ns.is_some() {
            observer.held();
            self.stand_by();
            observer.goes_on();
        } else {
            self.times.resume(Instant::now());
        }
        self.hands.barrier.go_on(since_ns);
        Ok(())
    }

    /// Tells the observer of the phase before `round`, when a second is over.
    fn tell(&mut self, round: u32, observer: &mut dyn Observer) {
        if round > 1 && self.times.is_second_over(Instant::now()) {
            observer.working(round as usize - 2, self.hands.barrier.moved());
        }
    }

    /// Fails if the pool cannot continue.
    fn look(&mut self, round: u32) -> Result<(), PoolError> {
        // Ended first: a worker that ends because another broke up the pool does so after it.
        let ended = self.ended_early(round);
        if let Some(worker) = self.hands.barrier.broken_by().or(ended) {
            return Err(self.post_mortem(worker));
        }
        if self.stop.load(Ordering::Relaxed) {
            return Err(PoolError::Stopped);
        }
        if self.times.is_timed_out(Instant::now(), self.timeout) {
            let missing = self.missing(round).collect();
            return Err(PoolError::TimedOut { after: self.timeout, missing });
        }
        Ok(())
    }

    fn ended_early(&self, round: u32) -> Option<u32> {
        if !self.hands.processes.any_ended() {
            return None;
        }
        // Asked whether it ended first, and whether it arrived after: it may do both just now.
        let mut ended =
            (0..self.hands.barrier.workers()).filter(|&w| self.hands.processes.has_ended(w));
        ended.find(|&worker| self.hands.barrier.arrivals(worker) < round)
    }

    fn missing(&self, round: u32) -> impl Iterator<Item = u32> {
        (0..self.hands.barrier.workers()).filter(move |&w| self.hands.barrier.arrivals(w) < round)
    }

    /// Ends the pool and returns the error of `worker`, the first to fail.
    fn post_mortem(&mut self, worker: u32) -> PoolError {
        let asked = Instant::now();
        while !self.hands.processes.has_ended(worker) && asked.elapsed() < LAST_WORDS {
            thread::sleep(Duration::from_millis(1));
        }
        let status =
            self.hands.processes.kill().ok().and_then(|all| all.get(worker as usize).copied());
        let report = self.answer(worker);
        match report.map(|report| (report.refused, report.error)) {
            Some((Some(what), _)) => return PoolError::NotSupported { worker, what },
            Some((None, Some(message))) => return PoolError::Failed { worker, message },
            _ => {}
        }
        let how = status.map_or("unknown end".into(), |status| status.to_string());
        self.died(worker, how)
    }

    fn died(&mut self, worker: u32, mut how: String) -> PoolError {
        if let Some(line) = self.hands.processes.complaint(worker) {
            how = format!("{how}: {line}");
        }
        PoolError::WorkerDied { worker, how }
    }

    fn answer(&mut self, worker: u32) -> Option<WorkerReport> {
        serde_json::from_str(&self.hands.processes.answer(worker)?).ok()
    }

    /// The reports of workers that have all left.
    fn reports(&mut self) -> Result<Vec<WorkerReport>, PoolError> {
        let ends = if self.stay { Vec::new() } else { self.ends()? };
        let workers = 0..self.hands.barrier.workers();
        workers.map(|worker| self.report(worker, ends.get(worker as usize))).collect()
    }

    /// Returns the exit status of each worker that does not stay.
    fn ends(&mut self) -> Result<Vec<ExitStatus>, PoolError> {
        let ends = self.hands.processes.reap();
        ends.map_err(|error| self.died(0, error.to_string()))
    }

    fn report(&mut self, worker: u32, end: Option<&ExitStatus>) -> Result<WorkerReport, PoolError> {
        let number = self.jobs.get(worker as usize).map(|job| job.worker);
        let answer = self.answer(worker).filter(|report| Some(report.worker) == number);
        match (answer, end) {
            (Some(report), None) => Ok(report),
            (Some(report), Some(end)) if end.success() => Ok(report),
            (_, Some(end)) => Err(self.died(worker, format!("{end}, after its work"))),
            (None, None) => Err(self.died(worker, "no report, after its work".into())),
        }
    }

    /// The barrier saw the same number of phases everywhere; they must be of the same kinds, too.
    fn check_phases(&self, reports: &[WorkerReport], phases: usize) -> Result<(), PoolError> {
        let kinds =
            |report: &WorkerReport| report.phases.iter().map(|p| p.kind).collect::<Vec<_>>();
        let first = reports.first().map(kinds).unwrap_or_default();
        match first.len() == phases && reports.iter().all(|report| kinds(report) == first) {
            true => Ok(()),
            false => Err(PoolError::Divided { test: self.test() }),
        }
    }

    fn test(&self) -> String {
        self.jobs.first().map(|job| job.test.clone()).unwrap_or_default()
    }
}

//! Releases workers: the barrier of a pool, in memory shared by its processes.
//!
//! A phase goes like this: every worker *arrives* and sleeps; the last one wakes the coordinator,
//! which takes its snapshots of the system, clears the counters and *releases* all workers with one
//! futex wake. A worker then *begins*, works, *ends* and arrives again. The last to begin and the
//! first to end note the time and the sum of all counters: between the two all workers worked, and
//! only what was moved there is a rate of the whole pool.
//!
//! A pool can be *held* in a phase, so that another has the machine for a while: each worker stands still
//! where it next adds to its counters, and the clock of the pool with them.

mod shared;

use crate::{
    clock::now_ns,
    counters::{Counters, Moved},
};
use model::workload::PhaseOverlap;
use rustix::{
    io::{Errno, FdFlags, fcntl_dupfd_cloexec, fcntl_setfd},
    thread::futex,
    time::Timespec,
};
use shared::{Header, Milestone, Shared};
use std::{
    os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd},
    sync::atomic::{AtomicU32, AtomicU64, Ordering::*},
    time::Duration,
};

pub use shared::MAX_WORKERS;

/// Why the shared memory of a pool cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BarrierError {
    /// A system call failed.
    #[error("shared memory of the pool: {0}")]
    System(#[from] Errno),
    /// Too few or too many workers.
    #[error("a pool must have 1 to {MAX_WORKERS} workers, not {0}")]
    Size(u32),
    /// The descriptor is something else.
    #[error("file descriptor {0} is not the shared memory of a pool; only assay starts workers")]
    Foreign(RawFd),
    /// There is no such worker.
    #[error("worker {0} is not one of a pool of {1}")]
    NoSuchWorker(u32, u32),
}

/// The memory that this process inherited under `number`, for [`Barrier::attach`].
pub fn inherited(number: RawFd) -> Result<OwnedFd, BarrierError> {
    if number <= 2 {
        return Err(BarrierError::Foreign(number));
    }
    // SAFETY: borrowed for two calls that close nothing, and do nothing but fail if the number is not open.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    let own = fcntl_dupfd_cloexec(borrowed, 0).map_err(|_| BarrierError::Foreign(number))?;
    // What the worker's own children inherit must not keep the memory alive.
    fcntl_setfd(borrowed, FdFlags::CLOEXEC)?;
    Ok(own)
}

/// The pool broke up while a worker waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("another worker of the pool failed")]
pub struct Broken;

/// The reason for which workers have arrived at the barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// Some have not arrived.
    Waiting,
    /// All, for a phase.
    Phase,
    /// All, and none has a further phase.
    Finished,
    /// All, but this many of them have no further phase, and the others have.
    Divided(u32),
}

/// Whether all workers of a held pool are paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stillness {
    /// Some still work.
    None,
    /// Some are paused in the phase, since this time, nanoseconds; the others have ended it.
    Held(u64),
    /// All have ended the phase.
    Ended,
}

/// The longest delay until a thread that waits for workers to pause notices an arrival at the barrier.
const ARRIVALS_SEEN_AFTER: Duration = Duration::from_micros(200);

/// The shared memory of a pool, with what the coordinator does to it.
#[derive(Debug)]
pub struct Barrier(Shared);

impl Barrier {
    /// Creates it for `workers`, 1 to `MAX_WORKERS`, with the calling process as coordinator.
    pub fn create(workers: u32) -> Result<Barrier, BarrierError> {
        Shared::create(workers).map(Barrier)
    }

    /// Attaches a worker to `memory`, that of the pool it belongs to.
    pub fn attach(memory: OwnedFd) -> Result<Barrier, BarrierError> {
        Shared::open(memory).map(Barrier)
    }

    /// Lets every process started from now on inherit the memory; its number goes to `attach`.
    pub fn inheritable(&self) -> Result<RawFd, BarrierError> {
        fcntl_setfd(self.0.fd(), FdFlags::empty())?;
        Ok(self.0.fd().as_raw_fd())
    }

    /// Ends `inheritable`.
    pub fn private(&self) -> Result<(), BarrierError> {
        Ok(fcntl_setfd(self.0.fd(), FdFlags::CLOEXEC)?)
    }

    /// Process id of the coordinator.
    pub fn coordinator(&self) -> u32 {
        self.header().coordinator.load(Relaxed)
    }

    /// Returns the number of workers in the pool.
    pub fn workers(&self) -> u32 {
        self.0.slots().len() as u32
    }

    /// Returns worker `number`'s side of the barrier.
    pub fn member(&self, number: u32) -> Result<Member<'_>, BarrierError> {
        match self.0.slots().get(number as usize) {
            Some(_) => Ok(Member { barrier: self, number }),
            None => Err(BarrierError::NoSuchWorker(number, self.workers())),
        }
    }

    /// Sleeps until all workers have arrived at the barrier, for at most `timeout`; may return earlier.
    pub fn await_all(&self, timeout: Duration) -> Arrived {
        let arrived = &self.header().arrived.0;
        let seen = arrived.load(Acquire);
        if seen < self.workers() {
            sleep_on(arrived, seen, Some(timeout));
        }
        if arrived.load(Acquire) < self.workers() {
            return Arrived::Waiting;
        }
        match self.header().finished.0.load(Relaxed) {
            0 => Arrived::Phase,
            all if all == self.workers() => Arrived::Finished,
            some => Arrived::Divided(some),
        }
    }

    /// Returns the number of arrivals of worker `number`; 0 if there is no such worker.
    pub fn arrivals(&self, number: u32) -> u32 {
        self.0.slots().get(number as usize).map_or(0, |slot| slot.arrivals.load(Acquire))
    }

    /// Makes every worker that can pause do so at its next step, until `go_on`.
    pub fn hold(&self) {
        self.header().hold.0.fetch_add(1, AcqRel);
    }

    /// Sleeps until every worker is paused or has arrived at the barrier, for at most `timeout`; may return earlier.
    /// Call it between `hold` and `go_on`.
    pub fn await_stillness(&self, timeout: Duration) -> Stillness {
        let header = self.header();
        let held = header.held.0.load(Acquire);
        let arrived = header.arrived.0.load(Acquire);
        if held + arrived < self.workers() {
            // A worker that arrives at the barrier meanwhile does not wake this one.
            sleep_on(&header.held.0, held, Some(timeout.min(ARRIVALS_SEEN_AFTER)));
            return Stillness::None;
        }
        if held == 0 { Stillness::Ended } else { Stillness::Held(now_ns()) }
    }

    /// Resumes the workers that have been paused since `since_ns`, if any; the pool's clock continues as if there had
    /// been no pause.
    pub fn go_on(&self, since_ns: Option<u64>) {
        let header = self.header();
        let away_ns = since_ns.map_or(0, |since_ns| now_ns().saturating_sub(since_ns));
        header.held_ns.fetch_add(away_ns, Relaxed);
        header.held.0.store(0, Relaxed);
        header.hold.0.fetch_add(1, Release);
        wake_all(&header.hold.0);
    }

    /// Time on the clock of the pool, which stops while it is held, nanoseconds.
    fn pool_ns(&self) -> u64 {
        now_ns().saturating_sub(self.header().held_ns.load(Relaxed))
    }

    /// Returns the work done while all workers were in the phase that ended; valid until `release`.
    pub fn overlap(&self) -> PhaseOverlap {
        let (from, to) = (&self.header().all_started, &self.header().first_ended);
        let (from_ns, to_ns) = (from.time_ns.load(Acquire), to.time_ns.load(Acquire));
        if from_ns == 0 || to_ns <= from_ns {
            return PhaseOverlap::default();
        }
        PhaseOverlap {
            window_ns: to_ns - from_ns,
            bytes: to.bytes.load(Relaxed).saturating_sub(from.bytes.load(Relaxed)),
            ops: to.ops.load(Relaxed).saturating_sub(from.ops.load(Relaxed)),
        }
    }

    /// Returns the total moved by all workers in the current phase, or in the last one.
    pub fn moved(&self) -> Moved {
        let sum = |pick: fn(&Counters) -> &AtomicU64| {
            self.0.slots().iter().map(|slot| pick(&slot.counters).load(Relaxed)).sum()
        };
        Moved { bytes: sum(|c| &c.bytes), ops: sum(|c| &c.ops) }
    }

    /// Process id of the copy that does the job of worker `number`, if it is a copy of the process that was started.
    pub fn process(&self, number: u32) -> Option<u32> {
        let slot = self.0.slots().get(number as usize)?;
        Some(slot.process.load(Acquire)).filter(|process| *process != 0)
    }

    /// Resets it for another job. Call it only when all workers have left.
    pub fn renew(&self) {
        self.clear();
        self.header().held_ns.store(0, Relaxed);
        for slot in self.0.slots() {
            slot.arrivals.store(0, Relaxed);
            slot.process.store(0, Relaxed);
        }
    }

    /// Clears all counters and releases all workers. Call it only when all have arrived.
    pub fn release(&self) {
        self.clear();
        let header = self.header();
        header.generation.0.fetch_add(1, Release);
        wake_all(&header.generation.0);
    }

    fn clear(&self) {
        let header = self.header();
        for word in [&header.arrived, &header.finished, &header.started, &header.ended] {
            word.0.store(0, Relaxed);
        }
        header.all_started.clear();
        header.first_ended.clear();
        for slot in self.0.slots() {
            slot.counters.bytes.store(0, Relaxed);
            slot.counters.ops.store(0, Relaxed);
        }
    }

    /// Number of the worker that first broke the pool up, if one did.
    pub fn broken_by(&self) -> Option<u32> {
        self.header().broken_by.0.load(Acquire).checked_sub(1)
    }

    fn header(&self) -> &Header {
        self.0.header()
    }

    fn note(&self, mark: &Milestone, time_ns: u64) {
        let moved = self.moved();
        mark.bytes.store(moved.bytes, Relaxed);
        mark.ops.store(moved.ops, Relaxed);
        mark.time_ns.store(time_ns, Release);
    }
}

/// One worker's side of the barrier.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    barrier: &'a Barrier,
    number: u32,
}

impl<'a> Member<'a> {
    /// Registers this process, a copy of the one that was started, as the one that does the job.
    pub fn works_here(&self) {
        let slot = &self.barrier.0.slots()[self.number as usize];
        slot.process.store(std::process::id(), Release);
    }

    /// Arrives for a phase and sleeps until all are released.
    pub fn arrive(&self) -> Result<(), Broken> {
        self.arrive_and_wait(false)
    }

    /// Arrives with no further phase and sleeps until all are released.
    pub fn finish(&self) -> Result<(), Broken> {
        self.arrive_and_wait(true)
    }

    /// Arrives for the last time, with no further phase, and does not wait.
    pub fn leave(&self) {
        self.count_in(true);
    }

    /// Begins the phase that was released: returns the start time on the clock of the pool, nanoseconds.
    #[inline]
    pub fn begin(&self) -> u64 {
        let header = self.barrier.header();
        if header.started.0.fetch_add(1, AcqRel) + 1 == self.barrier.workers() {
            self.barrier.note(&header.all_started, self.barrier.pool_ns());
        }
        self.barrier.pool_ns()
    }

    /// Ends the phase: returns the end time on the clock of the pool, nanoseconds.
    #[inline]
    pub fn end(&self) -> u64 {
        let end_ns = self.barrier.pool_ns();
        let header = self.barrier.header();
        if header.ended.0.fetch_add(1, AcqRel) == 0 {
            self.barrier.note(&header.first_ended, end_ns);
        }
        end_ns
    }

    pub(crate) fn counters(&self) -> &'a Counters {
        &self.barrier.0.slots()[self.number as usize].counters
    }

    /// Sleeps while the pool is held.
    #[inline]
    pub(crate) fn stand_still(&self) {
        let hold = self.barrier.header().hold.0.load(Acquire);
        if hold % 2 == 1 {
            self.sleep_while(hold);
        }
    }

    #[cold]
    fn sleep_while(&self, hold: u32) {
        let header = self.barrier.header();
        header.held.0.fetch_add(1, AcqRel);
        wake_all(&header.held.0);
        while header.hold.0.load(Acquire) == hold {
            sleep_on(&header.hold.0, hold, None);
        }
    }

    /// Breaks the pool, so that no worker waits for this one: any that waits or arrives gets
    /// `Broken`.
    pub fn break_up(&self) {
        let header = self.barrier.header();
        let _first_wins = header.broken_by.0.compare_exchange(0, self.number + 1, AcqRel, Acquire);
        // A new generation, so that a worker that has already read the flag does not fall asleep.
        header.generation.0.fetch_add(1, AcqRel);
        wake_all(&header.generation.0);
        wake_all(&header.arrived.0);
    }

    fn arrive_and_wait(&self, finished: bool) -> Result<(), Broken> {
        let header = self.barrier.header();
        let generation = header.generation.0.load(Acquire);
        if header.broken_by.0.load(Acquire) != 0 {
            return Err(Broken);
        }
        self.count_in(finished);
        while header.generation.0.load(Acquire) == generation {
            sleep_on(&header.generation.0, generation, None);
        }
        match header.broken_by.0.load(Acquire) {
            0 => Ok(()),
            _ => Err(Broken),
        }
    }

    fn count_in(&self, finished: bool) {
        let header = self.barrier.header();
        self.barrier.0.slots()[self.number as usize].arrivals.fetch_add(1, Release);
        if finished {
            header.finished.0.fetch_add(1, Relaxed);
        }
        if header.arrived.0.fetch_add(1, AcqRel) + 1 == self.barrier.workers() {
            wake_all(&header.arrived.0);
        }
    }
}

/// Sleeps while `word` is `value`. Every caller looks at the word again, so that neither a spurious
/// wake-up nor an error (the value had changed, a signal, the time is over) needs a case of its own.
fn sleep_on(word: &AtomicU32, value: u32, timeout: Option<Duration>) {
    let timeout = timeout
        .map(|t| Timespec { tv_sec: t.as_secs() as i64, tv_nsec: i64::from(t.subsec_nanos()) });
    let _ = futex::wait(word, futex::Flags::empty(), value, timeout.as_ref());
}

/// Wakes every process that sleeps on `word`; fails only for an address that is not mapped.
fn wake_all(word: &AtomicU32) {
    let _ = futex::wake(word, futex::Flags::empty(), i32::MAX as u32);
}

#[cfg(test)]
mod tests;

//! The timed loop: one for all engines and both paces.
//!
//! In a closed loop with one operation in flight the end of one is the start of the next, so the
//! clock is read once for each; what drawing an offset and counting take is then part of the latency,
//! some ten nanoseconds. With batches the start is read anew behind the drawing.

use super::{Done, EngineError, Latencies, Op, OpSource, Pace, Until, Work};
use crate::clock;
use rustix::{
    io::Errno,
    thread::{clock_nanosleep_absolute, set_current_timer_slack},
    time::{ClockId, Timespec},
};
use std::num::NonZeroU64;

/// Interval of progress reports, nanoseconds.
const TELL_NS: u64 = 100_000;

/// Does operations. Each has a slot, a number below the depth, from `stage` until `completed`.
pub(super) trait Engine {
    /// Takes an operation. An engine of one at a time may do it here.
    fn stage(&mut self, slot: u32, op: Op) -> Result<(), EngineError>;

    /// Starts what was staged and waits until `want` operations are done, at most until
    /// `deadline_ns`; may return earlier.
    fn submit(&mut self, want: u32, deadline_ns: Option<u64>) -> Result<(), EngineError>;

    /// The slot of a completed operation; each is returned once.
    fn completed(&mut self) -> Result<Option<u32>, EngineError>;

    /// Waits until nothing is in flight, after an error.
    fn abandon(&mut self) {}

    /// Called at the start of a run; returns the time.
    fn begin(&mut self) -> u64 {
        self.now_ns()
    }

    /// The time, by [`clock::now_ns`].
    #[inline]
    fn now_ns(&self) -> u64 {
        clock::now_ns()
    }

    /// Sleeps while nothing is in flight.
    fn sleep_until(&mut self, due_ns: u64) {
        sleep_until(due_ns);
    }
}

fn sleep_until(due_ns: u64) {
    let due = Timespec {
        tv_sec: (due_ns / 1_000_000_000) as i64,
        tv_nsec: (due_ns % 1_000_000_000) as i64,
    };
    while clock_nanosleep_absolute(ClockId::Monotonic, &due) == Err(Errno::INTR) {}
}

/// The slots of a run. Those in flight were taken from the end of `free`.
#[derive(Debug)]
pub(super) struct Slots {
    free: Box<[u32]>,
    free_len: usize,
    /// The actual or scheduled start of the operation.
    start_ns: Box<[u64]>,
    write: Box<[bool]>,
    batch: usize,
}

impl Slots {
    pub(super) fn new(depth: u32, batch: u32) -> Slots {
        let count = depth as usize;
        Slots {
            free: (0..depth).collect(),
            free_len: count,
            start_ns: vec![0; count].into(),
            write: vec![false; count].into(),
            batch: batch as usize,
        }
    }

    fn in_flight(&self) -> usize {
        self.free.len() - self.free_len
    }

    #[inline]
    fn take(&mut self, write: bool, start_ns: u64) -> u32 {
        self.free_len -= 1;
        let slot = self.free[self.free_len];
        self.start_ns[slot as usize] = start_ns;
        self.write[slot as usize] = write;
        slot
    }

    /// Sets the start of the `count` slots that were taken last.
    #[inline]
    fn restart(&mut self, count: usize, start_ns: u64) {
        for &slot in &self.free[self.free_len..self.free_len + count] {
            self.start_ns[slot as usize] = start_ns;
        }
    }

    /// Gives a slot back: whether it wrote, and its start.
    #[inline]
    fn give_back(&mut self, slot: u32) -> (bool, u64) {
        self.free[self.free_len] = slot;
        self.free_len += 1;
        (self.write[slot as usize], self.start_ns[slot as usize])
    }

    fn give_all_back(&mut self) {
        self.free_len = self.free.len();
        for (slot, free) in (0..).zip(&mut self.free) {
            *free = slot;
        }
    }
}

/// Does `work` with `engine`.
pub(super) fn drive<E: Engine, S: OpSource>(
    engine: &mut E,
    slots: &mut Slots,
    block_bytes: u32,
    work: Work<'_, S>,
    latencies: &mut Latencies,
) -> Result<Done, EngineError> {
    check_pace(work.pace, latencies)?;
    let begin_ns = engine.begin();
    let (limit_ops, stop_ns) = match work.until {
        Until::Ops(ops) => (ops, u64::MAX),
        Until::Nanoseconds(ns) => (u64::MAX, begin_ns.saturating_add(ns)),
        Until::Exhausted => (u64::MAX, u64::MAX),
    };
    let mut drive = Drive {
        engine,
        slots,
        work,
        latencies,
        limit_ops,
        stop_ns,
        issued: 0,
        finished: false,
        told_ops: 0,
        tell_ns: begin_ns,
        block_bytes: u64::from(block_bytes),
        done: Done::default(),
    };
    let ended = drive.run(begin_ns);
    if ended.is_err() {
        drive.engine.abandon();
        drive.slots.give_all_back();
    }
    drive.tell();
    ended.map(|end_ns| drive.summary(begin_ns, end_ns))
}

fn check_pace(pace: Pace, latencies: &Latencies) -> Result<(), EngineError> {
    if pace.latency_kind() != latencies.kind() {
        return Err(EngineError::Options(format!(
            "this pace records {} times, but the histograms hold {}; create them for the pace",
            pace.latency_kind(),
            latencies.kind()
        )));
    }
    if let Pace::Fixed { ops_per_s, .. } = pace {
        if !(ops_per_s.is_finite() && ops_per_s > 0.0) {
            return Err(EngineError::Options(format!(
                "invalid rate: {ops_per_s} operations per second"
            )));
        }
        // Without it the kernel may wake the thread 50 microseconds late to save a wake-up.
        set_current_timer_slack(NonZeroU64::new(1)).map_err(|error| EngineError::System {
            what: "set timer slack",
            source: error.into(),
        })?;
    }
    Ok(())
}

struct Drive<'a, 'w, E, S> {
    engine: &'a mut E,
    slots: &'a mut Slots,
    work: Work<'w, S>,
    latencies: &'a mut Latencies,
    limit_ops: u64,
    stop_ns: u64,
    issued: u64,
    /// Nothing more will be issued.
    finished: bool,
    told_ops: u64,
    tell_ns: u64,
    block_bytes: u64,
    done: Done,
}

impl<E: Engine, S: OpSource> Drive<'_, '_, E, S> {
    /// Runs to the end; gives the time of the last completion.
    #[inline]
    fn run(&mut self, begin_ns: u64) -> Result<u64, EngineError> {
        let mut now_ns = begin_ns;
        loop {
            let staged = self.stage(now_ns)?;
            if self.slots.in_flight() == 0 {
                if self.finished {
                    return Ok(now_ns);
                }
                self.engine.sleep_until(self.work.pace.due_ns(self.issued));
                now_ns = self.engine.now_ns();
                continue;
            }
            if staged > 1 && self.work.pace == Pace::Closed {
                self.slots.restart(staged, self.engine.now_ns());
            }
            let (want, deadline_ns) = self.patience(now_ns);
            self.engine.submit(want, deadline_ns)?;
            now_ns = self.engine.now_ns();
            while let Some(slot) = self.engine.completed()? {
                self.count(slot, now_ns);
            }
            if now_ns >= self.tell_ns {
                self.tell();
                self.tell_ns = now_ns + TELL_NS;
            }
        }
    }

    /// Stages what is due, at most a batch; gives the number.
    #[inline]
    fn stage(&mut self, now_ns: u64) -> Result<usize, EngineError> {
        let mut staged = 0;
        while staged < self.slots.batch && self.slots.free_len > 0 && !self.finished {
            let due_ns = match self.work.pace {
                Pace::Closed => now_ns,
                Pace::Fixed { .. } => self.work.pace.due_ns(self.issued),
            };
            if due_ns > now_ns {
                // What would be due after the end is never issued, so nothing is waited for.
                self.finished = due_ns >= self.stop_ns || self.issued >= self.limit_ops;
                break;
            }
            let more = due_ns < self.stop_ns && self.issued < self.limit_ops;
            let Some(op) = more.then(|| self.work.ops.next_op()).flatten() else {
                self.finished = true;
                break;
            };
            let slot = self.slots.take(op.write, due_ns);
            self.engine.stage(slot, op)?;
            self.issued += 1;
            staged += 1;
        }
        Ok(staged)
    }

    /// For how many operations to wait, and until when at most. Never for more than one, so that the
    /// queue is as deep as it is said to be.
    #[inline]
    fn patience(&self, now_ns: u64) -> (u32, Option<u64>) {
        if self.finished || self.slots.free_len == 0 {
            return (1, None);
        }
        // In a closed loop, and behind the schedule, there is more to submit first.
        match self.work.pace.due_ns(self.issued) {
            due_ns if due_ns > now_ns => (1, Some(due_ns)),
            _ => (0, None),
        }
    }

    #[inline]
    fn count(&mut self, slot: u32, now_ns: u64) {
        let (write, start_ns) = self.slots.give_back(slot);
        self.latencies.record(write, now_ns.saturating_sub(start_ns));
        match write {
            true => self.done.ops_written += 1,
            false => self.done.ops_read += 1,
        }
    }

    #[inline]
    fn tell(&mut self) {
        let ops = self.done.ops_read + self.done.ops_written - self.told_ops;
        self.told_ops += ops;
        self.work.progress.add(ops * self.block_bytes, ops);
    }

    fn summary(&self, begin_ns: u64, end_ns: u64) -> Done {
        let ops = self.done.ops_read + self.done.ops_written;
        Done { bytes: ops * self.block_bytes, elapsed_ns: end_ns - begin_ns, ..self.done }
    }
}

//! The timed part: one thread does it alone; several are set up first, wait behind a gate, and are
//! let go together.

use super::{layout::Share, source::Source};
use crate::{Meter, TestError};
use engine::{
    clock::now_ns,
    io::{Done, EngineOptions, Latencies, Pace, Prepared, Until, Work},
    progress::{Counters, Progress},
};
use model::{
    figure::{Histogram, LatencyKind},
    workload::PhaseKind,
};
use std::{
    fs::File,
    path::PathBuf,
    sync::{
        RwLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    thread::{self, Thread},
    time::Duration,
};

/// The interval at which the progress of several threads is reported to the pool.
const TELL: Duration = Duration::from_millis(5);

/// The result of a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadWork {
    /// Operations with those of the ramp, syncs not counted.
    pub(super) ops: u64,
    /// The histograms of reads, writes and syncs.
    pub(super) histograms: Vec<Histogram>,
}

/// The parts shared by all threads of a worker.
pub(super) struct Threads<'a> {
    pub(super) options: EngineOptions,
    pub(super) files: &'a [File],
    /// Their names, for messages.
    pub(super) paths: &'a [PathBuf],
    pub(super) shares: &'a [Share],
}

impl Threads<'_> {
    /// Does the work as one phase; what each thread did.
    pub(super) fn run(
        &self,
        kind: PhaseKind,
        meter: &mut dyn Meter,
    ) -> Result<Vec<ThreadWork>, TestError> {
        let [share] = self.shares else { return self.together(kind, meter) };
        let mut part = Part::ramped(self, share)?;
        meter.phase(kind, &mut |progress| part.run(now_ns(), part.until, progress))?;
        Ok(vec![part.ended()])
    }

    fn together(
        &self,
        kind: PhaseKind,
        meter: &mut dyn Meter,
    ) -> Result<Vec<ThreadWork>, TestError> {
        let gate = Gate::default();
        let counters: Vec<Counters> = self.shares.iter().map(|_| Counters::default()).collect();
        thread::scope(|scope| {
            // Dropped on every way out, so that no thread waits for ever.
            let mut closed = Some(gate.lock.write());
            let (ready, prepared) = mpsc::channel();
            let waiter = thread::current();
            let mut threads = Vec::new();
            for (nth, (share, counters)) in self.shares.iter().zip(&counters).enumerate() {
                let (ready, waiter, gate) = (ready.clone(), waiter.clone(), &gate);
                let work = move || {
                    let _leave = Leave { gate, waiter };
                    let part = Part::ramped(self, share);
                    let _ = ready.send(part.is_ok());
                    drop(ready);
                    gate.pass(nth, self.shares.len(), part?, Progress::new(counters))
                };
                let spawned = thread::Builder::new().spawn_scoped(scope, work);
                let failed = |error| TestError::Stopped(format!("no thread {nth}: {error}"));
                threads.push(spawned.map_err(failed)?);
            }
            drop(ready);
            // Ends when every thread has said how it went, or is gone.
            if prepared.into_iter().filter(|ready| *ready).count() == threads.len() {
                meter.phase(kind, &mut |progress| {
                    gate.start_ns.store(now_ns(), Ordering::Relaxed);
                    drop(closed.take());
                    gate.watch(threads.len(), &counters, progress);
                    Ok(())
                })?;
            }
            drop(closed.take());
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err(lost())))
                .collect()
        })
    }
}

fn lost() -> TestError {
    TestError::Stopped("a thread of the worker panicked".into())
}

/// Holds threads until all are to start.
#[derive(Default)]
struct Gate {
    /// Closed while it is locked for writing: one wake-up lets all readers in.
    lock: RwLock<()>,
    /// The time at which it was opened; 0 if there is nothing to do.
    start_ns: AtomicU64,
    left: AtomicUsize,
}

impl Gate {
    /// Waits, then does the work of thread `nth` of `count`.
    fn pass(
        &self,
        nth: usize,
        count: usize,
        mut part: Part<'_>,
        progress: Progress<'_>,
    ) -> Result<ThreadWork, TestError> {
        drop(self.lock.read());
        let start_ns = self.start_ns.load(Ordering::Relaxed);
        if start_ns == 0 {
            return Ok(ThreadWork::default());
        }
        // At a fixed rate the threads take turns.
        let interval_ns = if part.ops_per_s > 0.0 { 1e9 / part.ops_per_s } else { 0.0 };
        let turn_ns = (interval_ns * nth as f64 / count as f64) as u64;
        part.run(start_ns + turn_ns, part.until, progress)?;
        Ok(part.ended())
    }

    /// Tells the pool how far the threads are, until all have left.
    fn watch(&self, count: usize, counters: &[Counters], progress: Progress<'_>) {
        let (mut bytes, mut ops) = (0, 0);
        loop {
            let ended = self.left.load(Ordering::Acquire) == count;
            let sum = |of: fn(&Counters) -> &AtomicU64| {
                counters.iter().map(|c| of(c).load(Ordering::Relaxed)).sum::<u64>()
            };
            let (bytes_now, ops_now) = (sum(|c| &c.bytes), sum(|c| &c.ops));
            progress.add(bytes_now - bytes, ops_now - ops);
            (bytes, ops) = (bytes_now, ops_now);
            if ended {
                return;
            }
            thread::park_timeout(TELL);
        }
    }
}

/// Tells the waiter that a thread is done, also when it panics.
struct Leave<'a> {
    gate: &'a Gate,
    waiter: Thread,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.gate.left.fetch_add(1, Ordering::Release);
        self.waiter.unpark();
    }
}

/// One thread's engine, operations and histograms.
struct Part<'a> {
    prepared: Prepared<'a>,
    files: &'a [File],
    paths: &'a [PathBuf],
    source: Source,
    latencies: Latencies,
    syncs: Latencies,
    ops_per_s: f64,
    until: Until,
    fsync_every: u64,
    done: u64,
}

impl<'a> Part<'a> {
    fn new(threads: &Threads<'a>, share: &Share) -> Result<Part<'a>, TestError> {
        let files = &threads.files[share.files.clone()];
        let block_bytes = share.access.block_bytes;
        let kind = if share.ops_per_s > 0.0 { LatencyKind::Response } else { LatencyKind::Service };
        Ok(Part {
            prepared: Prepared::new(&threads.options, files, block_bytes, share.content.as_ref())?,
            files,
            paths: &threads.paths[share.files.clone()],
            source: share.source(),
            latencies: Latencies::new(kind)?,
            syncs: Latencies::new(LatencyKind::Service)?,
            ops_per_s: share.ops_per_s,
            until: share.until,
            fsync_every: share.fsync_every,
            done: 0,
        })
    }

    /// One that has done the work for the time of its ramp, unseen.
    fn ramped(threads: &Threads<'a>, share: &Share) -> Result<Part<'a>, TestError> {
        let mut part = Part::new(threads, share)?;
        if share.ramp_ns > 0 {
            let until = Until::Nanoseconds(share.ramp_ns);
            part.run(now_ns(), until, Progress::new(&Counters::default()))?;
            part.latencies = Latencies::new(part.latencies.kind())?;
            part.syncs = Latencies::new(part.syncs.kind())?;
        }
        Ok(part)
    }

    /// Works `until` then; the first operation should start at `first_ns`.
    fn run(
        &mut self,
        first_ns: u64,
        until: Until,
        progress: Progress<'_>,
    ) -> Result<(), TestError> {
        let pace = match self.ops_per_s > 0.0 {
            true => Pace::Fixed { ops_per_s: self.ops_per_s, first_ns },
            false => Pace::Closed,
        };
        if self.fsync_every == 0 {
            return self.some(pace, until, progress).map(drop);
        }
        let (limit_ops, limit_ns) = match until {
            Until::Ops(ops) => (ops, u64::MAX),
            Until::Nanoseconds(ns) => (u64::MAX, ns),
            Until::Exhausted => (u64::MAX, u64::MAX),
        };
        while self.done < limit_ops {
            let count = self.fsync_every.min(limit_ops - self.done);
            let done = self.some(pace, Until::Ops(count), progress)?;
            if done == 0 {
                break;
            }
            self.sync()?;
            if done < count || now_ns().saturating_sub(first_ns) >= limit_ns {
                break;
            }
        }
        Ok(())
    }

    fn some(&mut self, pace: Pace, until: Until, progress: Progress<'_>) -> Result<u64, TestError> {
        let work = Work { ops: &mut self.source, pace, until, progress };
        let Done { ops_read, ops_written, .. } = self.prepared.run(work, &mut self.latencies)?;
        self.done += ops_read + ops_written;
        Ok(ops_read + ops_written)
    }

    fn sync(&mut self) -> Result<(), TestError> {
        for (file, path) in self.files.iter().zip(self.paths) {
            let start_ns = now_ns();
            file.sync_all().map_err(TestError::io("fsync", path))?;
            self.syncs.record(true, now_ns() - start_ns);
        }
        Ok(())
    }

    fn ended(self) -> ThreadWork {
        let mut histograms = self.latencies.histograms();
        histograms.extend(self.syncs.histograms_of("fsync"));
        ThreadWork { ops: self.done, histograms }
    }
}

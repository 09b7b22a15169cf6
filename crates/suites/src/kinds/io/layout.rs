//! Lays out the files of a test at a scale, and divides the work among threads.

use super::{
    settings::{Fsync, Rw, Settings, Shared},
    source::{Slice, Source, WriteBack},
};
use crate::kinds::scaled;
use engine::{
    data::{Pattern, RUN_WORDS, derive_seed},
    io::{Access, EngineKind, Order, Until},
};
use model::workload::Job;
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// Bytes of the files of one worker at any scale, at least.
const LEAST_BYTES: u64 = 8 << 20;
/// Blocks that a thread has at least to itself.
const LEAST_BLOCKS: u64 = 2;
/// Lengths of shared files are multiples of this, so that tests with different blocks share them.
const UNIT_BYTES: u64 = 1 << 20;
/// The same of files that are shorter.
const SMALL_UNIT_BYTES: u64 = 4096;
/// Time of a test at any scale, at least, seconds.
const LEAST_S: f64 = 0.15;
/// Operations of a test at a fixed rate, at least: a 99th percentile of fewer than 368 has no upper
/// bound with 95 % confidence.
const LEAST_PACED_OPS: f64 = 400.0;
/// Operations of a test that counts them, at any scale, at least.
const LEAST_OPS: u64 = 400;

/// The folder of the files in the directory of a worker, and of a shared file next to these directories.
pub(super) const FOLDER: &str = "io";

/// The files of one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Under the directory of the worker, or next to it.
    pub(super) paths: Vec<PathBuf>,
    /// Bytes of each.
    pub(super) file_bytes: u64,
    /// Bytes of each that this worker takes.
    pub(super) own_bytes: u64,
    /// They are made by the timed part and removed behind it.
    pub(super) new: bool,
    /// Its part of the file that all workers share, when they do.
    pub(super) slice: Option<Slice>,
}

impl Layout {
    /// The files of the worker of `job`; none for the null engine.
    pub(super) fn new(settings: &Settings, job: &Job) -> Layout {
        let (new, block) = (settings.rw == Rw::SeqWr, settings.block.0);
        let count = match (settings.engine, new) {
            (EngineKind::Null, _) => 0,
            _ if settings.shared != Shared::None => 1,
            // Each thread has files of its own to make longer.
            (_, true) => u64::from(settings.files) * u64::from(settings.threads),
            (_, false) => u64::from(settings.files),
        };
        let least = LEAST_BYTES.max(LEAST_BLOCKS * block * u64::from(settings.threads));
        let each = scaled(settings.size.0, job.scale, least) / count.max(1);
        let unit = match new || settings.shared != Shared::None {
            true => block,
            false if each >= UNIT_BYTES => UNIT_BYTES,
            false => SMALL_UNIT_BYTES,
        };
        // Never shorter than a block, and in whole units.
        let own_bytes = (each - each % unit).max(block.next_multiple_of(unit));
        let word = if new { "new" } else { "old" };
        if settings.shared != Shared::None {
            let (shared, workers) = (settings.shared.word(), job.workers);
            let name = format!("../{FOLDER}/{word}-{shared}-{own_bytes}x{workers}-{block}");
            return Layout {
                paths: (0..count).map(|_| PathBuf::from(&name)).collect(),
                file_bytes: own_bytes.saturating_mul(u64::from(workers)),
                own_bytes,
                new,
                slice: Some(slice(settings, own_bytes, job)),
            };
        }
        let path = |n| Path::new(FOLDER).join(format!("{word}-{own_bytes}-{n}"));
        let paths = (0..count).map(path).collect();
        Layout { paths, file_bytes: own_bytes, own_bytes, new, slice: None }
    }

    /// They are there after the run: who shares a new file cannot know when the others have checked it.
    pub(super) fn stays(&self) -> bool {
        !self.new || self.slice.is_some()
    }

    /// Bytes of all files that are this worker's.
    pub(super) fn bytes(&self) -> u64 {
        self.own_bytes.saturating_mul(self.paths.len() as u64)
    }
}

/// Returns the position of this worker's part in the shared file.
fn slice(settings: &Settings, own_bytes: u64, job: &Job) -> Slice {
    let (block, worker) = (settings.block.0, u64::from(job.worker));
    let (first, stride) = match settings.shared {
        Shared::Interleaved => (worker * block, u64::from(job.workers) * block),
        _ => (worker.saturating_mul(own_bytes), block),
    };
    Slice { first_byte: first, block_bytes: block, stride_bytes: stride }
}

/// The work of one thread.
#[derive(Clone, Debug)]
pub(super) struct Share {
    /// Its files, as places in the list of the worker's.
    pub(super) files: Range<usize>,
    /// In the files, or in the worker's own part of the file of all.
    pub(super) access: Access,
    pub(super) slice: Option<Slice>,
    pub(super) write_back: WriteBack,
    /// Blocks from which it takes: for several threads on shared blocks, its part of them.
    pub(super) blocks: u64,
    /// It ends after each of these, or as many.
    pub(super) one_pass: bool,
    /// The data it writes; different in every thread.
    pub(super) content: Option<Pattern>,
    pub(super) until: Until,
    /// The duration of its work before the timed part.
    pub(super) ramp_ns: u64,
    /// Operations per second; 0 for as fast as they go.
    pub(super) ops_per_s: f64,
    /// Operations after which it makes its files durable; 0 for none.
    pub(super) fsync_every: u64,
}

impl Share {
    /// The operations from the first on; the same whenever it is called.
    pub(super) fn source(&self) -> Source {
        self.own_source().within(self.slice)
    }

    /// The same, with places in the worker's own part where a file is shared.
    pub(super) fn own_source(&self) -> Source {
        let blocks = if self.one_pass { self.blocks } else { u64::MAX };
        Source::new(&self.access, self.write_back, blocks)
    }
}

/// Seconds that the test runs; `None` when it ends after operations or a pass.
pub(super) fn runtime_s(settings: &Settings, job: &Job) -> Option<f64> {
    let paced_s = if settings.rate > 0.0 { LEAST_PACED_OPS / settings.rate } else { 0.0 };
    let timed = settings.runtime_s > 0.0 && settings.ops == 0;
    timed.then(|| (settings.runtime_s * job.scale).max(LEAST_S).max(paced_s))
}

/// Operations of one worker; `None` when a time or a pass ends the test.
pub(super) fn ops(settings: &Settings, job: &Job) -> Option<u64> {
    (settings.ops > 0).then(|| scaled(settings.ops, job.scale, LEAST_OPS))
}

/// The shares of the threads of the worker of `job`.
pub(super) fn shares(settings: &Settings, layout: &Layout, job: &Job) -> Vec<Share> {
    (0..settings.threads).map(|thread| share(settings, layout, job, thread)).collect()
}

fn share(settings: &Settings, layout: &Layout, job: &Job, thread: u32) -> Share {
    let (threads, own) = (u64::from(settings.threads), u64::from(thread));
    let seed = derive_seed(job.seed, &format!("{} {} {thread}", job.test, job.worker));
    let alone = layout.new && layout.slice.is_none();
    let files = match alone {
        true => part(layout.paths.len() as u64, own, threads),
        false => 0..layout.paths.len() as u64,
    };
    let mut access = Access {
        // The null engine has no files, but operations.
        files: (files.end - files.start).max(1) as u32,
        file_bytes: layout.own_bytes,
        block_bytes: settings.block.0 as u32,
        blocks: None,
        order: if settings.rw.sequential() { Order::Sequential } else { settings.offsets },
        read_percent: read_percent(settings),
        passes: None,
        seed,
    };
    let all = access.total_blocks();
    let region = if alone { 0..all } else { part(all, own, threads) };
    let blocks = region.end - region.start;
    // Blocks drawn with replacement come from all of the files.
    access.blocks = (access.order != Order::Uniform).then_some(region);
    let content = || Pattern::new(&job.data, seed, 0, RUN_WORDS);
    Share {
        files: files.start as usize..files.end as usize,
        slice: layout.slice,
        content: settings.rw.writes().then(content),
        write_back: match settings.rw {
            Rw::Rewrite => WriteBack::Every(1),
            Rw::Seeks => WriteBack::Every(10),
            _ => WriteBack::Never,
        },
        blocks,
        one_pass: settings.one_pass(),
        until: until(settings, job, own),
        ramp_ns: (settings.ramp_s * job.scale * 1e9) as u64,
        ops_per_s: settings.rate / threads as f64,
        fsync_every: match settings.fsync() {
            Fsync::Every(ops) => ops,
            _ => 0,
        },
        access,
    }
}

fn until(settings: &Settings, job: &Job, own: u64) -> Until {
    match (ops(settings, job), runtime_s(settings, job)) {
        (Some(ops), _) => {
            let part = part(ops, own, u64::from(settings.threads));
            Until::Ops(part.end - part.start)
        }
        (None, Some(s)) => Until::Nanoseconds((s * 1e9) as u64),
        (None, None) => Until::Exhausted,
    }
}

/// Number `own` of `count` parts of `0..whole`, as equal as can be.
fn part(whole: u64, own: u64, count: u64) -> Range<u64> {
    let at = |n: u64| (u128::from(whole) * u128::from(n) / u128::from(count)) as u64;
    at(own)..at(own + 1)
}

fn read_percent(settings: &Settings) -> u8 {
    match settings.rw {
        Rw::Mixed => settings.read_percent,
        rw if rw.reads() => 100,
        _ => 0,
    }
}

//! Names and pages of the tests of this kind.

use super::{
    KIND,
    settings::{Fsync, Rank, Rw, Settings, Shared},
};
use crate::{kinds::Head, page};
use engine::io::{EngineKind, Order};
use model::workload::{CacheNeed, TestInfo};

/// The test type.
pub(super) fn pattern(rw: Rw) -> &'static str {
    match rw {
        Rw::SeqRd => "sequential read",
        Rw::SeqWr => "sequential write",
        Rw::SeqReWr => "sequential overwrite",
        Rw::RndRd => "random read",
        Rw::RndWr => "random write",
        Rw::Mixed => "random read/write",
        Rw::Rewrite => "sequential rewrite",
        Rw::Seeks => "random seeks",
    }
}

/// The display name, e.g. `random read 4k, 8 threads`.
pub(super) fn name(settings: &Settings) -> String {
    let plural = if settings.threads == 1 { "" } else { "s" };
    let share = match settings.rw {
        Rw::Mixed => {
            format!(" {}/{}", settings.read_percent, 100_u8.saturating_sub(settings.read_percent))
        }
        _ => String::new(),
    };
    let file = if settings.shared == Shared::None { "" } else { ", one file" };
    format!(
        "{}{share} {}, {} thread{plural}{file}",
        pattern(settings.rw),
        settings.block.short(),
        settings.threads
    )
}

/// The page of the test.
pub(super) fn page(head: &Head, settings: &Settings, info: &TestInfo) -> String {
    let does = [
        files(settings),
        operations(settings),
        order(settings),
        ending(settings),
        checks(settings),
    ];
    let read_it = [ranking(settings), traps(settings), loops(settings)];
    page::page(head, &KIND, info, &join(&does), &join(&read_it))
}

fn join(paragraphs: &[String]) -> String {
    paragraphs.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("\n\n")
}

/// `one file`, `8 files`.
fn count(n: u32, what: &str) -> String {
    if n == 1 { format!("one {what}") } else { format!("{n} {what}s") }
}

fn files(settings: &Settings) -> String {
    let (files, size) = (count(settings.files, "file"), settings.size);
    let opened = if settings.direct { "opened with `O_DIRECT`" } else { "opened" };
    if settings.engine == EngineKind::Null {
        return "Touches no file: the engine completes each operation immediately, or after the \
                configured delay. This measures the overhead of the loop."
            .into();
    }
    if settings.rw == Rw::SeqWr && settings.shared != Shared::None {
        return format!(
            "Before the clock starts, one empty file is created for all workers and {opened} by \
             each; {}. It is kept until the next run of this test.",
            parts(settings)
        );
    }
    if settings.rw == Rw::SeqWr {
        return format!(
            "Before the clock starts, each thread gets its own {files}, empty and {opened}; those \
             of a worker grow to {size} in total at scale 1. They are removed after the check, so \
             they do not affect other tests."
        );
    }
    let cache = match settings.cache() {
        CacheNeed::Any if settings.direct => {
            "Their pages are dropped from the cache first; otherwise direct writes would have to \
             remove them one by one."
        }
        CacheNeed::Any if settings.dontcache => {
            "Their pages are dropped from the cache first; those that are there would stay."
        }
        CacheNeed::Any => "The cache is left as is.",
        CacheNeed::Hot => {
            "They are read once before the clock starts, and all of their pages are verified to \
             be resident."
        }
        CacheNeed::Cold => {
            "First the file system is unmounted and the caches are dropped. assay verifies that \
             no page is resident, and afterwards that the device read the data."
        }
    };
    let whose = match settings.shared {
        Shared::None => {
            format!("Each worker has {files}, {size} in all at scale 1, shared with other tests")
        }
        _ => format!("All workers share one file; {}", parts(settings)),
    };
    format!(
        "{whose}. Missing files are first written completely with incompressible data, and \
         synced: no block is unwritten when the clock starts. Then they are {opened}. {cache}"
    )
}

/// Describes which part of a shared file belongs to which worker.
fn parts(settings: &Settings) -> String {
    let size = settings.size;
    match settings.shared {
        Shared::Interleaved => format!(
            "its blocks are assigned to the workers round-robin, {size} per worker at scale 1"
        ),
        _ => format!("each worker has a contiguous segment of {size} at scale 1"),
    }
}

fn operations(settings: &Settings) -> String {
    let block = settings.block.short();
    let what = match settings.rw {
        Rw::SeqRd | Rw::RndRd => format!("reads {block}"),
        Rw::SeqWr | Rw::SeqReWr | Rw::RndWr => format!("writes {block}"),
        Rw::Mixed => format!(
            "reads {block} with a probability of {} %, else writes it",
            settings.read_percent
        ),
        Rw::Rewrite => format!("reads {block}, then writes a block to the same offset"),
        Rw::Seeks => {
            format!("reads {block}, and after every tenth read writes a block to the same offset")
        }
    };
    let how = match (settings.engine, settings.rw.reads(), settings.rw.writes()) {
        (EngineKind::Sync, ..) if settings.dontcache => {
            "with `preadv2` and `pwritev2`, each with `RWF_DONTCACHE`".into()
        }
        (EngineKind::IoUring, ..) if settings.dontcache => format!(
            "with io_uring and `RWF_DONTCACHE`, registered files and buffers, {} in flight, at most {} per system call",
            settings.depth, settings.batch
        ),
        (EngineKind::Sync, true, false) => "by `pread`".into(),
        (EngineKind::Sync, false, _) => "by `pwrite`".into(),
        (EngineKind::Sync, ..) => "with `pread` and `pwrite`".into(),
        (EngineKind::IoUring, ..) => format!(
            "with io_uring, registered files and buffers, {} in flight, at most {} per system call",
            settings.depth, settings.batch
        ),
        (EngineKind::Mmap, ..) => "by copying from or to a shared mapping".into(),
        (EngineKind::Null, ..) => "without a system call".into(),
    };
    let data = match settings.rw.writes() {
        true => {
            " The data is random, generated before the clock starts, and no two pages of a run \
             are equal."
        }
        false => "",
    };
    let threads = count(settings.threads, "thread");
    format!("With {threads} in each worker. An operation {what}, {how}.{data}")
}

fn order(settings: &Settings) -> String {
    let order = match (settings.rw, settings.offsets) {
        (Rw::SeqWr, _) => "Each thread writes its own files from start to end.",
        (rw, _) if rw.sequential() => {
            "The files are divided among the threads; each processes its own region block by block."
        }
        (_, Order::Permuted) => {
            "The blocks are divided among the threads; each accesses each of its blocks once per \
             pass, in random order."
        }
        _ => "Blocks are drawn from all files with replacement, so some repeat.",
    };
    let pace = match settings.rate > 0.0 {
        true => format!(
            " A worker starts {} operations per second, on a fixed schedule; none is skipped.",
            settings.rate
        ),
        false => " The next operation starts when the previous one is done.".into(),
    };
    format!("{order}{pace}")
}

fn ending(settings: &Settings) -> String {
    let pass = match (settings.one_pass(), settings.rw.writes() && !settings.direct) {
        (true, true) => {
            " or once every block could have been accessed: beyond that it would dirty pages that \
             already wait to be written, and count bytes that never leave memory"
        }
        (true, false) => " or once as many blocks were accessed as exist",
        (false, _) => "",
    };
    let end = match (settings.ops, settings.runtime_s) {
        (0, 0.0) => "It ends once as many blocks were accessed as exist".into(),
        (0, s) => format!("It ends after {s} s at scale 1 (never less than 0.15 s),{pass}"),
        (ops, _) => format!("It ends after {ops} operations at scale 1,{pass}"),
    };
    let end = match settings.ramp_s {
        0.0 => end.trim_end_matches(',').into(),
        s => {
            format!(
                "The same work runs for {s} s first, not measured. \
                     {}",
                end.trim_end_matches(',')
            )
        }
    };
    match settings.fsync() {
        Fsync::Never if settings.rw.writes() => format!("{end}. Nothing is synced."),
        Fsync::Never => format!("{end}."),
        Fsync::End => {
            format!("{end}. Then each file is synced with `fsync`, within the timed part.")
        }
        Fsync::Every(ops) => format!(
            "{end}. After every {ops} operation(s), and after the last one, a thread syncs its \
             files with `fsync`."
        ),
    }
}

fn checks(settings: &Settings) -> String {
    let lengths = "Afterwards the length of every file is checked";
    match (settings.engine, settings.rw.writes()) {
        (EngineKind::Null, _) => String::new(),
        (_, false) => format!("{lengths}. A short read is an error."),
        (_, true) => format!(
            "{lengths}, and about a thousand of the written blocks are read back: each must \
             contain only data that this run wrote."
        ),
    }
}

fn ranking(settings: &Settings) -> String {
    let synced = settings.fsync() == Fsync::End;
    let over = match synced {
        true => {
            "over the time from the first start to the end of the last sync. `unsynced_iops` \
             excludes the sync, which took `sync_s`"
        }
        false => "over the time from the first start to the last end",
    };
    match settings.rank {
        Rank::Iops => format!(
            "It counts reads and writes together, {over}. The same in decimal MB/s is `{}`.",
            super::measure::rate_name(settings)
        ),
        Rank::OpsRate => format!("It counts blocks read, {over}."),
        Rank::Rate if settings.rw.writes_back() => {
            format!(
                "It is decimal MB/s, counting a block that is read and written back once, {over}."
            )
        }
        Rank::Rate => format!("It is decimal MB/s {over}."),
        Rank::LatencyP99Us => {
            "99 of 100 operations completed within this time of their scheduled start. \
             `unsynced_iops` must match the requested rate: if it is lower, the system could not \
             keep up, and the latency only reflects the length of the run."
                .into()
        }
    }
}

fn traps(settings: &Settings) -> String {
    let buffered = "Writes go to the page cache first, at `cache_rate`. What matters is how fast \
                    they leave it, so the ranking figure includes the sync.";
    let direct = "Direct I/O bypasses the system's cache, but not the device's, nor the host's \
                  below a loop image. A block smaller than the file system supports for direct \
                  I/O makes the sample invalid, with the reason; if the file system falls back to \
                  the page cache, as Btrfs does below 4 KiB, the sample says so, is shown as \
                  lukewarm, and is not ranked.";
    let hot = "A hot read measures memory and system calls, not the device.";
    let cold = "With a cold cache, the file system's read-ahead is part of the measurement.";
    match (settings.direct, settings.cache()) {
        (true, _) => direct.into(),
        _ if settings.dontcache => uncached(settings),
        (false, CacheNeed::Cold) => cold.into(),
        (false, CacheNeed::Hot) if !settings.rw.writes() => hot.into(),
        _ if settings.rw.writes() => buffered.into(),
        _ => String::new(),
    }
}

/// Explains I/O that leaves nothing in the page cache.
fn uncached(settings: &Settings) -> String {
    let way = "`RWF_DONTCACHE` (Linux 6.14) goes through the page cache, and drops the pages that it brought there when it \
               is done with them. File systems without it (Btrfs, tmpfs, overlay, FUSE and others on Linux 6.18) refuse \
               the call: the sample is then invalid with that reason, and nothing is read or written in another way.";
    let what = match settings.rw.writes() {
        true => {
            "A write starts its own writeback, so `cache_rate` is closer to `durable_rate` than that of a buffered \
             write, and the sync that is left is short."
        }
        false => {
            "Pages that read-ahead brought and no read took yet stay: a sequential reader that stops half-way leaves \
             some. `resident_after_pct` of a cold sample is the share of its files that is in the page cache at the \
             end."
        }
    };
    format!("{way}\n\n{what}")
}

fn loops(settings: &Settings) -> String {
    match settings.rate > 0.0 {
        true => "Latencies count from the scheduled start of an operation, so a stall counts for \
                 every operation it delays. The final sync is not included."
            .into(),
        false => "`service_p50_us`, `service_p99_us` etc. are the time the system took for an \
             operation; they are not ranked, because the next operation waits for it. \
             `cpu_ns_per_op` is CPU time of the workers, user and system."
            .into(),
    }
}

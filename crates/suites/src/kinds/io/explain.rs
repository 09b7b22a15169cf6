//! Names and pages of the tests of this kind.

use super::{
    KIND,
    settings::{Fsync, Rank, Rw, Settings, Shared},
};
use crate::{kinds::Head, page};
use engine::io::{EngineKind, Order};
use model::{CacheNeed, TestInfo};

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

/// The display name, as `random read 4k, 8 threads`.
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
        return "Touches no file: the engine takes an operation and says that it is done. What is \
                left is the price of the loop, or of the delay that was asked for."
            .into();
    }
    if settings.rw == Rw::SeqWr && settings.shared != Shared::None {
        return format!(
            "Before the clock starts, one file is made for all workers, empty, and {opened} by each; {}. It stays \
             until the next run of this test.",
            parts(settings)
        );
    }
    if settings.rw == Rw::SeqWr {
        return format!(
            "Before the clock starts, each thread gets {files} of its own, empty and {opened}; those \
             of a worker will hold {size} together at scale 1. They are removed after the check, so \
             no other test finds its files changed."
        );
    }
    let cache = match settings.cache() {
        CacheNeed::Any if settings.direct => {
            "Their pages are taken out of the cache before, as direct writes would else have to \
             remove them one by one."
        }
        CacheNeed::Any => "What is in the cache is left as it is.",
        CacheNeed::Hot => {
            "They are read once before the clock starts, and that all of their pages are resident \
             is proven."
        }
        CacheNeed::Cold => {
            "The file system is unmounted and the caches are dropped before. That no page is \
             resident is proven, and afterwards that the device gave what was read."
        }
    };
    let whose = match settings.shared {
        Shared::None => {
            format!("Each worker has {files}, {size} in all at scale 1, shared with other tests")
        }
        _ => format!("All workers have one file together; {}", parts(settings)),
    };
    format!(
        "{whose}. What is missing \
         is written in full before with data that cannot be compressed, and synced: no block is \
         unwritten when the clock starts. Then they are {opened}. {cache}"
    )
}

/// Whose what is in a shared file.
fn parts(settings: &Settings) -> String {
    let size = settings.size;
    match settings.shared {
        Shared::Interleaved => format!(
            "its blocks belong to the workers in turn, the first to the first one, and so on, {size} to each at scale 1"
        ),
        _ => format!("each worker has a segment of it, {size} in one piece at scale 1"),
    }
}

fn operations(settings: &Settings) -> String {
    let block = settings.block.short();
    let what = match settings.rw {
        Rw::SeqRd | Rw::RndRd => format!("reads {block}"),
        Rw::SeqWr | Rw::SeqReWr | Rw::RndWr => format!("writes {block}"),
        Rw::Mixed => format!(
            "reads {block} with a probability of {} %, else writes it, drawn anew for each operation",
            settings.read_percent
        ),
        Rw::Rewrite => format!("reads {block}, then writes as much to the same place"),
        Rw::Seeks => {
            format!("reads {block}, and after every tenth read writes as much to the same place")
        }
    };
    let how = match (settings.engine, settings.rw.reads(), settings.rw.writes()) {
        (EngineKind::Sync, true, false) => "by `pread`".into(),
        (EngineKind::Sync, false, _) => "by `pwrite`".into(),
        (EngineKind::Sync, ..) => "by `pread` and `pwrite`".into(),
        (EngineKind::IoUring, ..) => format!(
            "by io_uring with registered files and buffers, {} in flight, at most {} in one system \
             call",
            settings.depth, settings.batch
        ),
        (EngineKind::Mmap, ..) => "by copying from or to a shared mapping".into(),
        (EngineKind::Null, ..) => "without a system call".into(),
    };
    let data = match settings.rw.writes() {
        true => {
            " The data is random, made before the clock starts, and no two pages of a run are equal."
        }
        false => "",
    };
    let threads = count(settings.threads, "thread");
    format!("With {threads} in each worker. An operation {what}, {how}.{data}")
}

fn order(settings: &Settings) -> String {
    let order = match (settings.rw, settings.offsets) {
        (Rw::SeqWr, _) => "Each thread writes its own files from the begin to the end.",
        (rw, _) if rw.sequential() => {
            "The files are divided among the threads; each goes through its own region block by block."
        }
        (_, Order::Permuted) => {
            "The blocks are divided among the threads; each takes every block of its own once in a \
             pass, in random order."
        }
        _ => "Blocks are drawn from all of the files, with replacement: some repeat.",
    };
    let pace = match settings.rate > 0.0 {
        true => format!(
            " A worker begins {} operations in a second, at fixed times whatever the system does; \
             none is left out.",
            settings.rate
        ),
        false => " The next operation begins when one is done.".into(),
    };
    format!("{order}{pace}")
}

fn ending(settings: &Settings) -> String {
    let pass = match (settings.one_pass(), settings.rw.writes() && !settings.direct) {
        (true, true) => {
            " at the latest when as many blocks were taken as there are: going on would dirty pages \
             that wait to be written already, and count bytes that never leave memory"
        }
        (true, false) => " at the latest when as many blocks were taken as there are",
        (false, _) => "",
    };
    let end = match (settings.ops, settings.runtime_s) {
        (0, 0.0) => "It ends when as many blocks were taken as there are".into(),
        (0, s) => format!("It ends after {s} s at scale 1 (never less than 0.15 s),{pass}"),
        (ops, _) => format!("It ends after {ops} operations at scale 1,{pass}"),
    };
    let end = match settings.ramp_s {
        0.0 => end.trim_end_matches(',').into(),
        s => {
            format!("The same work goes on {s} s before, unmeasured. {}", end.trim_end_matches(','))
        }
    };
    match settings.fsync() {
        Fsync::Never if settings.rw.writes() => format!("{end}. Nothing is synced."),
        Fsync::Never => format!("{end}."),
        Fsync::End => {
            format!("{end}. Then each file is made durable by `fsync`, inside of the timed part.")
        }
        Fsync::Every(ops) => format!(
            "{end}. After every {ops} operation(s) a thread makes its files durable by `fsync`, the \
             last time after its last operation."
        ),
    }
}

fn checks(settings: &Settings) -> String {
    let lengths = "Afterwards the length of every file is checked";
    match (settings.engine, settings.rw.writes()) {
        (EngineKind::Null, _) => String::new(),
        (_, false) => format!("{lengths}. A read that gives less than a block is an error."),
        (_, true) => format!(
            "{lengths}, and about a thousand of the written blocks are read back: each must hold, \
             whole, data that this run wrote."
        ),
    }
}

fn ranking(settings: &Settings) -> String {
    let synced = settings.fsync() == Fsync::End;
    let over = match synced {
        true => {
            "over the time from the first start to the end of the last sync. `unsynced_iops` is \
             without the sync, which took `sync_s`"
        }
        false => "over the time from the first start to the last end",
    };
    match settings.rank {
        Rank::Iops => format!(
            "It counts reads and writes together, {over}. The same in decimal MB/s is `{}`.",
            super::measure::rate_name(settings)
        ),
        Rank::OpsRate => format!("It counts blocks that were read, {over}."),
        Rank::Rate if settings.rw.writes_back() => {
            format!(
                "It is decimal MB/s, a block that is read and written back counted once, {over}."
            )
        }
        Rank::Rate => format!("It is decimal MB/s {over}."),
        Rank::LatencyP99Us => {
            "99 of 100 operations were done within this time of when they should \
                               have begun. `unsynced_iops` must be what was asked for: when it is \
                               less, the system could not keep up, and the latency tells only how \
                               long that lasted."
                .into()
        }
    }
}

fn traps(settings: &Settings) -> String {
    let buffered = "Writes go to the page cache first, at `cache_rate`. What counts is how fast they \
                    leave it, so the figure that ranks has the sync in it.";
    let direct = "Direct I/O goes past the cache of the system and not past that of the device, nor \
                  past that of the host below a loop image. A block that is smaller than what the \
                  file system takes directly gives an invalid sample with the reason, or, where the file \
                  system takes it through the page cache instead, as Btrfs does below 4 KiB, a sample that \
                  says so, is shown as lukewarm and ranks in nothing.";
    let hot = "A hot read measures memory and system calls, not the device.";
    let cold = "With a cold cache the read-ahead of the file system is a part of what is measured.";
    match (settings.direct, settings.cache()) {
        (true, _) => direct.into(),
        (false, CacheNeed::Cold) => cold.into(),
        (false, CacheNeed::Hot) if !settings.rw.writes() => hot.into(),
        _ if settings.rw.writes() => buffered.into(),
        _ => String::new(),
    }
}

fn loops(settings: &Settings) -> String {
    match settings.rate > 0.0 {
        true => "Latencies count from when an operation should have begun, so a stall counts for \
                 every operation that it held up. The sync at the end is not among them."
            .into(),
        false => {
            "`service_p50_us`, `service_p99_us` and their kin are how long the system took for \
                  an operation; as the next one waits for it, they do not rank. `cpu_ns_per_op` is \
                  processor time of the workers, user and system."
                .into()
        }
    }
}

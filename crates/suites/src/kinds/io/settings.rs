//! Settings of the kind `io`, and the combinations it rejects.

use crate::kinds;
use engine::io::{Advice, EngineKind, EngineOptions, Order};
use model::{target::Knob, text::Bytes, workload::CacheNeed};
use serde::{Deserialize, Deserializer, de::Error};
use std::{fmt, str::FromStr};
use toml::Table;

const RW: &[&str] = &["seqrd", "seqwr", "seqrewr", "rndrd", "rndwr", "randrw", "rewrite", "seeks"];
const BOOL: &[&str] = &["true", "false"];

/// The settings, as help and pages show them.
pub(super) static KNOBS: [Knob; 25] = [
    Knob::new("rw", "", "rndrd", "pattern; `seqwr` creates files, all others use existing ones")
        .one_of(RW),
    Knob::new("read_percent", "%", "50", "share of reads in `randrw`"),
    Knob::new("block", "bytes", "4k", "block size"),
    Knob::new(
        "size",
        "bytes",
        "1G",
        "total file size per worker at scale 1; at least 8 MiB at any scale",
    ),
    Knob::new("files", "", "1", "files per worker, all of equal size; per thread with `seqwr`"),
    Knob::new(
        "shared",
        "",
        "none",
        "one file for all workers: a segment per worker, or interleaved blocks",
    )
    .one_of(&["none", "segments", "interleaved"]),
    Knob::new("engine", "", "sync", "I/O engine").one_of(&["sync", "io_uring", "mmap", "null"]),
    Knob::new("direct", "", "false", "bypass the page cache (O_DIRECT)").one_of(BOOL),
    Knob::new(
        "dontcache",
        "",
        "false",
        "through the page cache, leaving no pages in it (RWF_DONTCACHE); refused where not supported",
    )
    .one_of(BOOL),
    Knob::new("depth", "", "1", "queue depth per thread; above 1 needs io_uring"),
    Knob::new("batch", "", "1", "maximum operations per submission"),
    Knob::new("sqpoll", "", "false", "submit from a kernel thread; needs at least 3 CPUs")
        .one_of(BOOL),
    Knob::new("threads", "", "1", "threads per worker"),
    Knob::new("workers", "", "0", "fixed number of workers; 0 uses --procs"),
    Knob::new(
        "runtime_s",
        "s",
        "10",
        "run time at scale 1, at least 0.15 s at any scale; 0 for one pass over the files",
    ),
    Knob::new("ramp_s", "s", "0", "warm-up time at scale 1, not measured; needs `runtime_s`"),
    Knob::new(
        "ops",
        "",
        "0",
        "operations per worker at scale 1, instead of a run time; 0 for no \
                               limit",
    ),
    Knob::new(
        "rate",
        "1/s",
        "0",
        "operations per second and worker, started on schedule; 0 for unlimited",
    ),
    Knob::new("offsets", "", "uniform", "random blocks: with replacement, or each once per pass")
        .one_of(&["uniform", "permuted"]),
    Knob::new(
        "cache",
        "",
        "",
        "page cache state before the test; any for direct I/O, `seqwr` and writes with `dontcache`, cold for \
         reads with it, else hot",
    )
    .one_of(&["cold", "hot", "any"]),
    Knob::new(
        "fsync",
        "",
        "",
        "`none`, `end`, `each` or `every=N` operations; default `end` for writes, else `none`",
    ),
    Knob::new("advise", "", "", "madvise of the mapping, for mmap").one_of(&[
        "normal",
        "random",
        "sequential",
        "willneed",
    ]),
    Knob::new("delay_ns", "ns", "0", "delay per operation of the null engine"),
    Knob::new("rank", "", "iops", "metric used for ranking; `latency_p99_us` needs a rate")
        .one_of(&["iops", "ops_rate", "rate", "latency_p99_us"]),
    Knob::new("grid", "", "", "grid of block sizes and threads in the report that shows this test"),
];

/// The pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Rw {
    /// Reads one block after the other.
    SeqRd,
    /// Writes new files, one block after the other.
    SeqWr,
    /// Overwrites one block after the other.
    SeqReWr,
    /// Reads blocks at random places.
    #[default]
    RndRd,
    /// Overwrites blocks at random places.
    RndWr,
    /// Reads and overwrites at random places.
    #[serde(rename = "randrw")]
    Mixed,
    /// Reads a block and overwrites it, one block after the other.
    Rewrite,
    /// Reads at random places, and overwrites every tenth block that it read.
    Seeks,
}

impl Rw {
    pub(super) fn writes(self) -> bool {
        !matches!(self, Rw::SeqRd | Rw::RndRd)
    }

    pub(super) fn reads(self) -> bool {
        !matches!(self, Rw::SeqWr | Rw::SeqReWr | Rw::RndWr)
    }

    pub(super) fn sequential(self) -> bool {
        matches!(self, Rw::SeqRd | Rw::SeqWr | Rw::SeqReWr | Rw::Rewrite)
    }

    /// A write follows the read of the same block.
    pub(super) fn writes_back(self) -> bool {
        matches!(self, Rw::Rewrite | Rw::Seeks)
    }
}

/// The ownership of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shared {
    /// Each worker has its own.
    #[default]
    None,
    /// One file of all, in which each worker has a part in one piece.
    Segments,
    /// One file of all, in which the blocks of the workers take turns.
    Interleaved,
}

impl Shared {
    /// The word in declarations and names of files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Shared::None => "none",
            Shared::Segments => "segments",
            Shared::Interleaved => "interleaved",
        }
    }
}

/// The moments at which files are made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fsync {
    Never,
    /// Once, after the last operation, inside of the timed part.
    End,
    /// After every N operations of a thread, and at the end.
    Every(u64),
}

impl FromStr for Fsync {
    type Err = String;
    fn from_str(text: &str) -> Result<Fsync, String> {
        let number = text.strip_prefix("every=").and_then(|n| n.parse().ok()).filter(|n| *n > 0);
        match (text, number) {
            ("none", _) => Ok(Fsync::Never),
            ("end", _) => Ok(Fsync::End),
            ("each", _) => Ok(Fsync::Every(1)),
            (_, Some(n)) => Ok(Fsync::Every(n)),
            _ => Err(format!("invalid fsync `{text}`; expected none, end, each or every=N")),
        }
    }
}

/// The figure that ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rank {
    #[default]
    Iops,
    OpsRate,
    Rate,
    LatencyP99Us,
}

/// The settings of a declaration of this kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) rw: Rw,
    pub(super) read_percent: u8,
    pub(super) block: Bytes,
    pub(super) size: Bytes,
    pub(super) files: u32,
    pub(super) shared: Shared,
    #[serde(deserialize_with = "word")]
    pub(super) engine: EngineKind,
    pub(super) direct: bool,
    pub(super) dontcache: bool,
    pub(super) depth: u32,
    pub(super) batch: u32,
    pub(super) sqpoll: bool,
    pub(super) threads: u32,
    pub(super) workers: u32,
    pub(super) runtime_s: f64,
    pub(super) ramp_s: f64,
    pub(super) ops: u64,
    pub(super) rate: f64,
    #[serde(deserialize_with = "random_order")]
    pub(super) offsets: Order,
    #[serde(default, deserialize_with = "cache_need")]
    pub(super) cache: Option<CacheNeed>,
    #[serde(default, deserialize_with = "some_word")]
    pub(super) fsync: Option<Fsync>,
    #[serde(default, deserialize_with = "some_word")]
    pub(super) advise: Option<Advice>,
    pub(super) delay_ns: u64,
    pub(super) rank: Rank,
    pub(super) grid: Option<String>,
}

fn word<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
    T::Err: fmt::Display,
{
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

fn some_word<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
    T::Err: fmt::Display,
{
    word(deserializer).map(Some)
}

fn random_order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Order, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "uniform" => Ok(Order::Uniform),
        "permuted" => Ok(Order::Permuted),
        other => Err(D::Error::custom(format!(
            "invalid order `{other}`; expected uniform or \
                                               permuted"
        ))),
    }
}

fn cache_need<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<CacheNeed>, D::Error> {
    CacheNeed::deserialize(deserializer).map(Some)
}

/// Most threads in a worker: the stack of each takes address space, and more measure the scheduler.
const MAX_THREADS: u32 = 1024;

/// Most bytes of the files of a worker.
const MOST_BYTES: Bytes = Bytes(1 << 50);
/// Most files that a worker has open.
const MOST_FILES: u64 = 65_536;
/// Most memory for the operations in flight.
const MOST_BUFFERS: Bytes = Bytes(16 << 30);
/// Longest run and ramp, seconds.
const DAY_S: f64 = 86_400.0;
/// Longest delay of the null engine: a minute.
const MOST_DELAY_NS: u64 = 60_000_000_000;
/// Operations per second that can be told apart from none, and from as fast as they go.
const LEAST_RATE: f64 = 0.001;
const MOST_RATE: f64 = 1e9;

impl Settings {
    /// Reads and checks what a declaration says.
    pub(super) fn of(table: Table) -> Result<Settings, String> {
        let settings: Settings = kinds::settings(table, &KNOBS)?;
        match settings.problem() {
            None => Ok(settings),
            Some(why) => Err(why),
        }
    }

    /// Why these settings cannot be, if they cannot.
    fn problem(&self) -> Option<String> {
        self.wrong_number()
            .or_else(|| self.wrong_pattern())
            .or_else(|| self.wrong_latency())
            // How many processors there are is asked where the test runs.
            .or_else(|| self.engine_options().problem(usize::MAX))
    }

    fn wrong_number(&self) -> Option<String> {
        let block = self.block.0;
        if block == 0 || !block.is_multiple_of(8) || block > 1 << 30 {
            return Some(format!("block must be a multiple of 8 bytes up to 1G, not {block}"));
        }
        if !(1..=MOST_BYTES.0).contains(&self.size.0) {
            return Some(format!("`size` must be from 1 to {MOST_BYTES}"));
        }
        if self.files == 0 || u64::from(self.files) * u64::from(self.threads) > MOST_FILES {
            return Some(format!(
                "`files` must be at least 1, and at most {MOST_FILES} over all threads"
            ));
        }
        if self.shared != Shared::None && self.files != 1 {
            return Some("`shared` uses one file; omit `files` or `shared`".into());
        }
        if self.workers > MAX_THREADS {
            return Some(format!("`workers` must be 0 to {MAX_THREADS}"));
        }
        if !(1..=MAX_THREADS).contains(&self.threads) {
            return Some(format!("`threads` must be 1 to {MAX_THREADS}"));
        }
        if self.read_percent > 100 {
            return Some("`read_percent` must be 0 to 100".into());
        }
        let in_flight = block * u64::from(self.depth) * u64::from(self.threads);
        if in_flight > MOST_BUFFERS.0 {
            return Some(format!(
                "the buffers of a worker would exceed {MOST_BUFFERS}; reduce `block`, `depth` or \
                 `threads`"
            ));
        }
        if self.runtime_s > DAY_S || self.ramp_s > DAY_S || self.delay_ns > MOST_DELAY_NS {
            return Some(format!(
                "`runtime_s` and `ramp_s` must be at most a day, `delay_ns` at most {MOST_DELAY_NS}"
            ));
        }
        if self.rate != 0.0 && !(LEAST_RATE..=MOST_RATE).contains(&self.rate) {
            return Some(format!("`rate` must be 0, or from {LEAST_RATE} to {MOST_RATE}"));
        }
        let number = |value: f64| value.is_finite() && value >= 0.0;
        if !number(self.runtime_s) || !number(self.ramp_s) || !number(self.rate) {
            return Some("`runtime_s`, `ramp_s` and `rate` must not be negative".into());
        }
        (self.ramp_s > 0.0 && (self.one_pass() || self.ops > 0))
            .then(|| "`ramp_s` needs `runtime_s`, with direct I/O or hot reads".into())
    }

    fn wrong_pattern(&self) -> Option<String> {
        let new = self.rw == Rw::SeqWr;
        if new && self.engine == EngineKind::Mmap {
            return Some("a mapping cannot extend a file; use rw = \"seqrewr\"".into());
        }
        if new && matches!(self.cache, Some(CacheNeed::Cold | CacheNeed::Hot)) {
            return Some("new files have no cache state; omit `cache`".into());
        }
        if self.direct && self.cache == Some(CacheNeed::Hot) {
            return Some("direct I/O bypasses the cache; omit `cache` or `direct`".into());
        }
        if self.dontcache && self.cache == Some(CacheNeed::Hot) {
            return Some(
                "pages that are cached already stay, so hot reads do not show `dontcache`; omit it or `cache`"
                    .into(),
            );
        }
        if self.rw.writes_back() && self.depth > 1 {
            return Some("read-modify-write needs a depth of 1".into());
        }
        (!self.rw.writes() && self.fsync.is_some_and(|fsync| fsync != Fsync::Never))
            .then(|| "read-only tests have nothing to sync; omit `fsync`".into())
    }

    fn wrong_latency(&self) -> Option<String> {
        let open_loop = self.rate > 0.0;
        if self.rank == Rank::LatencyP99Us && !open_loop {
            return Some(
                "closed-loop latencies cannot be ranked, because a stall also pauses the load; \
                 set `rate`"
                    .into(),
            );
        }
        (open_loop && matches!(self.fsync, Some(Fsync::Every(_)))).then(|| {
            "at a fixed rate, an fsync between operations delays later ones without being \
             measured; use fsync = \"end\", or the kind log, which commits at a rate"
                .into()
        })
    }

    /// Returns the options of the engine.
    pub(super) fn engine_options(&self) -> EngineOptions {
        EngineOptions {
            kind: self.engine,
            direct: self.direct,
            dontcache: self.dontcache,
            depth: self.depth,
            batch: self.batch,
            sqpoll: self.sqpoll,
            delay_ns: self.delay_ns,
            advise: self.advise,
        }
    }

    /// The moments at which files are made durable.
    pub(super) fn fsync(&self) -> Fsync {
        let default = if self.rw.writes() { Fsync::End } else { Fsync::Never };
        self.fsync.unwrap_or(default)
    }

    /// The cache state to establish.
    pub(super) fn cache(&self) -> CacheNeed {
        let past = self.direct || self.rw == Rw::SeqWr || self.engine == EngineKind::Null;
        let default = match (past, self.dontcache, self.rw.writes()) {
            (true, ..) | (_, true, true) => CacheNeed::Any,
            (_, true, false) => CacheNeed::Cold,
            (_, false, _) => CacheNeed::Hot,
        };
        self.cache.unwrap_or(default)
    }

    /// Ends after one pass: a second one over pages that wait to be written would find them dirty
    /// and count bytes that never leave memory, and one over pages that were cold would find them
    /// cached.
    pub(super) fn one_pass(&self) -> bool {
        let cached_write = self.rw.writes() && !self.direct && self.engine != EngineKind::Null;
        let unbounded = self.runtime_s == 0.0 && self.ops == 0;
        cached_write || unbounded || self.rw == Rw::SeqWr || self.cache() == CacheNeed::Cold
    }
}

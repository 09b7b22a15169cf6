//! Reads elbencho's CSV and JSON result files and what it prints. The figures are those of the last worker to end, so
//! that stragglers count; those of the first are added as further metrics.

mod csv;
mod json;
mod listing;
mod live;

use crate::{
    FormatError, ImportOptions, NamedBytes,
    columnar::slug,
    gather::{Gather, Reading},
    known::{Known, OPS_RATE, RATE, WALL},
};
use model::{
    figure::{Better, Metric},
    result::Dataset,
    workload::{Group, TestInfo},
};
use std::collections::HashSet;

/// The importer.
pub(crate) struct Importer;

pub(crate) const SUITE: &str = "elbencho";

macro_rules! known {
    ($($key:literal $name:literal $testtype:literal $group:ident $ranked:ident)*) => {
        [$(Known {
            key: $key, name: $name, testtype: $testtype, group: Group::$group, ranked: &$ranked,
        }),*]
    };
}

/// The phases of elbencho. Random offsets (`--rand`) are tests of their own.
pub(crate) const TESTS: [Known; 9] = known! {
    "mkdirs" "make directories" "directories" Meta OPS_RATE
    "write" "sequential write" "sequential write" SequentialWrite RATE
    "rndwrite" "random write" "random write" RandomWrite RATE
    "sync" "sync" "sync" Meta WALL
    "stat" "stat files" "files" Meta OPS_RATE
    "read" "sequential read" "sequential read" SequentialRead RATE
    "rndread" "random read" "random read" RandomRead RATE
    "delfiles" "delete files" "files" Meta OPS_RATE
    "deldirs" "delete directories" "directories" Meta OPS_RATE
};

const NOTES: [&str; 3] = [
    "Figures are those at the end of the last worker; first_done_s is the end of the first.",
    "elbencho prints whole numbers: MiB/s from CSV and text, milliseconds and microseconds are \
     rounded down, and what was rounded to 0 is left out.",
    "Cache states are not in the source; one run gives no spread.",
];

/// Said of phases that read and write.
const MIX_NOTE: &str = "Where elbencho read and wrote in one phase (--rwmixpct, --rwmixthr), rate, iops and ops_rate are \
                        those of both together; read_NAME and write_NAME are those of each.";

const LISTING_NOTE: &str = "elbencho's text does not report threads, sizes or random offsets: \
                            threads are recorded as 1, reads and writes as sequential.";

/// Said of the live CSV.
const LIVE_NOTE: &str = "A live CSV is a time series: figures are those at the last interval of a \
                         phase, and a phase that ended within an interval has none; threads are \
                         recorded as 1.";

/// Said of a text that was copied without its end.
const NO_END: &str =
    "The line `---` that ends a phase is missing, but the totals of the phase are complete.";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "elbencho"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        csv::sniff(&head) || live::sniff(&head) || json::sniff(&head) || listing::sniff(&head)
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        let mut notes = NOTES.to_vec();
        for (file, bytes) in files {
            let start = String::from_utf8_lossy(crate::head(bytes));
            if live::sniff(&start) {
                notes.push(LIVE_NOTE);
                live::read(file, bytes, &mut gather)?;
            } else if csv::sniff(&start) {
                csv::read(file, bytes, &mut gather)?;
            } else if start.trim_start().starts_with('{') {
                json::read(file, bytes, &mut gather)?;
            } else {
                notes.push(LISTING_NOTE);
                if !listing::read(file, bytes, &mut gather)? {
                    notes.push(NO_END);
                }
            }
        }
        let mut told = HashSet::new();
        notes.retain(|note| told.insert(*note));
        gather.finish(&notes)
    }
}

/// A minimum, mean and maximum, microseconds.
type Latency = [Option<f64>; 3];

/// One phase as any of the formats gives it.
#[derive(Default)]
struct Phase {
    operation: String,
    random: bool,
    hosts: u32,
    threads: u32,
    first_s: Option<f64>,
    last_s: Option<f64>,
    /// Files or directories in a second.
    entries_per_s: Option<f64>,
    iops: Option<f64>,
    /// MB/s.
    rate: Option<f64>,
    cpu_percent: Option<f64>,
    entries: u64,
    entry_us: Latency,
    block_us: Latency,
    /// What was read while the figures above were written.
    reads: Reads,
    work: String,
    place: String,
    label: Option<String>,
}

/// The reads of a phase that also writes.
#[derive(Default)]
struct Reads {
    entries_per_s: Option<f64>,
    iops: Option<f64>,
    /// MB/s.
    rate: Option<f64>,
    entry_us: Latency,
    block_us: Latency,
}

/// How elbencho calls a phase that reads and writes: `RWMIX30` by the share of reads, `MIX-T2` by their threads.
const MIXES: [&str; 2] = ["RWMIX", "MIX-T"];

/// The id without the suite of what elbencho calls `operation`.
fn key(operation: &str, random: bool) -> String {
    match operation {
        "RMFILES" => "delfiles".into(),
        "RMDIRS" => "deldirs".into(),
        _ if random && moves_data(operation) => format!("rnd{}", slug(operation)),
        _ => slug(operation),
    }
}

fn is_mix(operation: &str) -> bool {
    MIXES.iter().any(|mix| operation.starts_with(mix))
}

/// Whether a phase writes or reads, which may do more to each file: `WRITE+r` reads it back.
fn moves_data(operation: &str) -> bool {
    is_mix(operation) || matches!(operation.split('+').next(), Some("WRITE" | "READ"))
}

/// The test of a phase; one that is not in the list and moves no data is ranked by its time.
fn test_info(operation: &str, random: bool) -> TestInfo {
    let key = key(operation, random);
    if let Some(known) = TESTS.iter().find(|test| test.key == key) {
        return known.info(SUITE);
    }
    if moves_data(operation) {
        let order = if random { "random" } else { "sequential" };
        return TestInfo {
            id: format!("{SUITE}.{key}"),
            name: format!("{order} {}", operation.to_lowercase()),
            testtype: format!("{order} read/write"),
            group: Group::Mixed,
            ..TESTS[1].info(SUITE)
        };
    }
    let sync = TESTS[3].info(SUITE);
    TestInfo {
        id: format!("{SUITE}.{key}"),
        name: operation.to_lowercase(),
        testtype: "other".into(),
        ..sync
    }
}

impl Phase {
    fn reading(self) -> Reading {
        let test = test_info(&self.operation, self.random);
        let metrics = self.metrics(&test.metric);
        let data = test.metric == RATE.name;
        Reading {
            procs: self.hosts.max(1),
            threads: self.threads.max(1),
            seconds: self.last_s.unwrap_or(0.0),
            ops: if data { 0 } else { self.entries },
            work: self.work,
            place: self.place,
            label: self.label,
            ..Reading::new(test, Ok(metrics))
        }
    }

    /// All figures, the one called `ranked` first; without it none, since nothing could be ranked.
    fn metrics(&self, ranked: &str) -> Vec<Metric> {
        let reads = &self.reads;
        let figures = [
            (RATE.name, sum(self.rate, reads.rate), RATE.unit, Better::Higher),
            (
                OPS_RATE.name,
                sum(self.entries_per_s, reads.entries_per_s),
                OPS_RATE.unit,
                Better::Higher,
            ),
            ("iops", sum(self.iops, reads.iops), "IOPS", Better::Higher),
            (WALL.name, self.last_s, WALL.unit, Better::Lower),
            ("first_done_s", self.first_s, "s", Better::Lower),
            ("cpu_pct", self.cpu_percent, "%", Better::Lower),
        ];
        let known = figures.into_iter().filter_map(|(name, value, unit, better)| {
            Some(Metric::new(name, value.filter(|&value| value != 0.0)?, unit, better))
        });
        let mut metrics: Vec<Metric> = known.collect();
        if self.is_mix() {
            let of = [("write", self.rate, self.iops), ("read", reads.rate, reads.iops)];
            for (name, rate, iops) in of {
                let higher = |what, value, unit| {
                    Metric::new(&format!("{name}_{what}"), value, unit, Better::Higher)
                };
                metrics.extend(rate.map(|rate| higher("rate", rate, RATE.unit)));
                metrics.extend(iops.map(|iops| higher("iops", iops, "1/s")));
            }
            metrics.extend(latencies("write_", self.entry_us, self.block_us));
            metrics.extend(latencies("read_", reads.entry_us, reads.block_us));
        } else {
            metrics.extend(latencies("", self.entry_us, self.block_us));
        }
        match metrics.iter().position(|metric| metric.name == ranked) {
            Some(at) => metrics[..=at].rotate_right(1),
            None => metrics.clear(),
        }
        metrics
    }
}

impl Phase {
    /// Whether it read and wrote.
    fn is_mix(&self) -> bool {
        self.reads.rate.or(self.reads.iops).or(self.reads.entries_per_s).is_some()
    }
}

/// What is known of two figures together.
fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.zip(other).map(|(one, other)| one + other).or(one).or(other)
}

/// The times of entries and of blocks; one that was rounded to 0 is left out.
fn latencies(prefix: &str, entry_us: Latency, block_us: Latency) -> Vec<Metric> {
    let of = |what: &str, times: Latency| -> Vec<Metric> {
        let named = ["min", "mean", "max"].into_iter().zip(times);
        named
            .filter_map(|(statistic, us)| {
                let us = us.filter(|&us| us != 0.0)?;
                let name = format!("{prefix}{what}service_{statistic}_us");
                Some(Metric::new(&name, us, "us", Better::Lower))
            })
            .collect()
    };
    [of("entry_", entry_us), of("", block_us)].concat()
}

/// The last word of a command is the path that was tested.
fn place(command: &str) -> String {
    let last = command.split_whitespace().next_back().unwrap_or_default();
    last.trim_matches('"').into()
}

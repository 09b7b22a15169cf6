//! Reads the logs that fio writes next to its output, `NAME_bw.1.log` and those of `iops`, `lat`, `clat` and `slat`: a
//! row for each interval, or for each operation. The logs of the workers of a job are one sample.

mod name;
mod rows;
mod start;

use crate::{
    FormatError, ImportOptions, NamedBytes, base_name,
    columnar::slug,
    gate::Print,
    gather::{Gather, Reading},
};
use model::{
    figure::{Better, Histogram, LatencyKind, Metric, Series},
    result::Dataset,
    workload::{Group, TestInfo},
};
use name::{Log, LogKind};
use rows::{Row, rows};
use std::collections::BTreeMap;

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "fio-log";

/// What fio calls directions, by their numbers.
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];

/// A KiB/s in MB/s.
const MB_PER_KIB: f64 = 1.024e-3;

const NOTES: [&str; 4] = [
    "Rates and operations are means over the time of the log, of all workers together, from the \
     bytes of single operations if the log has a row for each; a job with one log also has a time \
     series.",
    "service_interval_mean_us is the mean over intervals, weighted equally regardless of their \
     operations; service_mean_us and percentiles are over single operations, if the log has a row \
     for each.",
    "Logs with four columns do not give the unit of latencies: fio 2 wrote microseconds, fio 3 \
     writes nanoseconds.",
    "Logs do not record what was read and written, how, or the cache states.",
];

/// Said of logs whose times count from 1970.
const EPOCH_NOTE: &str = "A log with log_unix_epoch or log_alternate_epoch does not say when its job started: its \
                          time counts from its first row, or from one interval before if its rows are of intervals.";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let mut rows = head.lines().filter(|line| !line.trim().is_empty());
        rows.next().is_some_and(|line| Row::of(line).is_some())
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::with_copies(self, files, options);
        let mut jobs: BTreeMap<Key<'_>, Vec<Worker<'_>>> = BTreeMap::new();
        for (file, bytes) in files {
            let why = "looks like a log of fio, but only its name says what it counts; name it \
                       JOB_bw.1.log, JOB_iops.1.log, JOB_lat.1.log, JOB_clat.1.log or \
                       JOB_slat.1.log, like fio does";
            let log = Log::of(base_name(file)).ok_or_else(|| FormatError::file(file, why))?;
            let directory = file.rsplit_once('/').map_or("", |(directory, _)| directory);
            // Workers of one job are of one target.
            let target = options.targets.get(file).map(String::as_str);
            let key = (directory.to_owned(), target, log.job, log.kind);
            let mut rows = rows(file, bytes, log)?;
            if start::count_from_start(file, &mut rows)? {
                gather.note(EPOCH_NOTE);
            }
            jobs.entry(key).or_default().push((file, bytes, rows));
        }
        for ((directory, _, job, kind), logs) in jobs {
            let file = logs[0].0;
            let label = match base_name(&directory) {
                "" => job,
                name => name,
            };
            let name = Print::of(format!("{job} {}", kind.words().0).as_bytes());
            let print = logs.iter().fold(name, |print, log| print.then(log.1));
            if !gather.see_as(file, Some(label), print) {
                continue;
            }
            for direction in 0..DIRECTIONS.len() {
                let of = |(.., rows): &Worker<'_>| -> Vec<Row> {
                    rows.iter().filter(|row| row.direction == direction).copied().collect()
                };
                let workers: Vec<Vec<Row>> =
                    logs.iter().map(of).filter(|rows| !rows.is_empty()).collect();
                if !workers.is_empty() {
                    let mut reading = reading(job, kind, direction, &workers);
                    reading.procs = logs.len() as u32;
                    reading.label = Some(label.into());
                    gather.add(file, 1, reading)?;
                }
            }
        }
        gather.finish(&NOTES)
    }
}

/// Folder, target where it was told, job and kind of logs that belong together.
type Key<'a> = (String, Option<&'a str>, &'a str, LogKind);

/// The log of one worker: name of its file, its bytes and rows.
type Worker<'a> = (&'a str, &'a [u8], Vec<Row>);

fn reading(job: &str, kind: LogKind, direction: usize, workers: &[Vec<Row>]) -> Reading {
    let seconds = workers
        .iter()
        .filter_map(|rows| rows.last())
        .map(|row| row.ms as f64 / 1e3)
        .fold(0.0, f64::max);
    let single = workers.iter().flatten().any(|row| row.bytes > 0);
    let (metric, outcome, histograms) = match kind {
        _ if kind.is_latency() && single => latencies(direction, workers),
        _ if kind.is_latency() => {
            let all: Vec<f64> =
                workers.iter().flatten().map(|row| row.value as f64 / 1e3).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let metric = Metric::new("service_interval_mean_us", mean, "us", Better::Lower);
            ("service_interval_mean_us", vec![metric], Vec::new())
        }
        _ => {
            let (_, name, unit) = kind.words();
            let factor = if kind == LogKind::Bandwidth { MB_PER_KIB } else { 1.0 };
            let mean = |rows: &Vec<Row>| match single {
                true => per_second(kind, rows),
                false => mean_over_time(rows),
            };
            let sum: f64 = workers.iter().map(mean).sum();
            (name, vec![Metric::new(name, sum * factor, unit, Better::Higher)], Vec::new())
        }
    };
    let series = match workers {
        [rows] if !single => series(kind, direction, rows),
        _ => None,
    };
    let ops = if kind.is_latency() && single {
        workers.iter().map(Vec::len).sum::<usize>() as u64
    } else {
        0
    };
    Reading {
        seconds,
        ops,
        histograms,
        series,
        work: format!("{} rows", if single { "single" } else { "mean" }),
        ..Reading::new(info(job, kind, direction, metric), Ok(outcome))
    }
}

/// Rates by the time that each stands for; all alike where the log has no more than one moment.
fn mean_over_time(rows: &[Row]) -> f64 {
    let (mut before, mut sum) = (0, 0.0);
    for row in rows {
        sum += row.value as f64 * (row.ms - before) as f64;
        before = row.ms;
    }
    let plain = || rows.iter().map(|row| row.value as f64).sum::<f64>() / rows.len() as f64;
    if before > 0 { sum / before as f64 } else { plain() }
}

/// What single operations give: KiB in a second, or operations.
fn per_second(kind: LogKind, rows: &[Row]) -> f64 {
    let seconds = rows.last().map_or(0.0, |row| row.ms as f64 / 1e3);
    let kib = |row: &Row| row.bytes as f64 / 1024.0;
    let done = match kind {
        LogKind::Bandwidth => rows.iter().filter(|row| !row.opens).map(kib).sum(),
        _ => rows.iter().filter(|row| !row.opens).count() as f64,
    };
    if seconds > 0.0 { done / seconds } else { 0.0 }
}

/// Mean, percentiles and histogram of single operations.
fn latencies(
    direction: usize,
    workers: &[Vec<Row>],
) -> (&'static str, Vec<Metric>, Vec<Histogram>) {
    let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut sum, mut count) = (0.0, 0.0);
    for row in workers.iter().flatten() {
        *bins.entry(row.value).or_default() += 1;
        (sum, count) = (sum + row.value as f64, count + 1.0);
    }
    let bins = bins.into_iter().collect();
    let histogram =
        Histogram { bins, ..Histogram::new(DIRECTIONS[direction], LatencyKind::Service) };
    let us = |name: &str, ns: f64| Metric::new(name, ns / 1e3, "us", Better::Lower);
    let mut metrics = vec![us("service_mean_us", sum / count)];
    let percentiles = [(0.5, "p50"), (0.95, "p95"), (0.99, "p99"), (0.999, "p999")];
    metrics.extend(percentiles.iter().filter_map(|(share, name)| {
        Some(us(&format!("service_{name}_us"), histogram.quantile_ns(*share)? as f64))
    }));
    ("service_mean_us", metrics, vec![histogram])
}

/// Bytes or operations of each interval.
fn series(kind: LogKind, direction: usize, rows: &[Row]) -> Option<Series> {
    let (name, per_ms) = match kind {
        LogKind::Bandwidth => ("bytes", 1.024),
        LogKind::Iops => ("ops", 1e-3),
        _ => return None,
    };
    let mut before = 0;
    let mut counts = Vec::new();
    for row in rows {
        counts.push((row.value as f64 * (row.ms - before) as f64 * per_ms).round() as u64);
        before = row.ms;
    }
    let end_ms: Vec<u64> = rows.iter().map(|row| row.ms).collect();
    let columns = BTreeMap::from([(format!("{}_{name}", DIRECTIONS[direction]), counts)]);
    Some(Series { end_ms, columns }).filter(Series::is_whole)
}

fn info(job: &str, kind: LogKind, direction: usize, metric: &str) -> TestInfo {
    let word = kind.words().0;
    let (group, testtype) = match direction {
        0 => (Group::SequentialRead, "read"),
        1 => (Group::SequentialWrite, "write"),
        _ => (Group::SequentialWrite, "trim"),
    };
    let better = if kind.is_latency() { Better::Lower } else { Better::Higher };
    TestInfo {
        id: crate::test_id(SUITE, &format!("{}-{word}-{testtype}", slug(job))),
        suite: SUITE.into(),
        name: format!("{job}: {word} of {testtype}s"),
        testtype: testtype.into(),
        group,
        metric: metric.into(),
        unit: kind.words().2.into(),
        better,
        shape: None,
    }
}

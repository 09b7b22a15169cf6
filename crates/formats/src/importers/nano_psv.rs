//! Reads the bar-separated results of KX Nano: `HOST-throughput.psv`, `throughput_total.psv`,
//! `total.psv`, `HOST-latency.psv` and the `detailed-HOST-N.psv` of each worker.
//!
//! Files of one directory are one run. Directories of the same name, or all of them when a target
//! is named, are blocks of one target; other names are other targets.

mod detailed;

use crate::campaign::{of_tool, records, remarks};
use crate::{
    FormatError, ImportOptions, NamedBytes, base_name,
    columnar::{LATENCY, NANO_RATE, RATE_NOTE, declared_cache, test_info},
    table::{Row, Table},
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Sample},
    workload::{Case, TestInfo},
};
use std::collections::{BTreeMap, HashMap};

/// The importer.
pub(crate) struct Importer;

const NOTES: [&str; 3] = [
    RATE_NOTE,
    "Cache states are as declared by the source; residency was not proven.",
    "Bytes and operations are not in the source and are recorded as 0; so are time, start skew \
     and overlap if the workers' detailed files are missing.",
];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "nano-psv"
    }

    fn sniff(&self, head: &[u8], file_name: &str) -> bool {
        let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let first = String::from_utf8_lossy(first);
        let columns: Vec<&str> = first.trim_end().split('|').collect();
        file_name.ends_with(".psv")
            && ["testtype", "test"].iter().all(|name| columns.contains(name))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let mut runs: BTreeMap<&str, Run> = BTreeMap::new();
        for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".psv")) {
            runs.entry(parent(name)).or_default().add(name, bytes)?;
        }
        assemble(runs, options)
    }
}

/// What names a cell of a run: processes, test type, test.
type Key = (u32, String, String);

/// What is known of a cell, from several files.
#[derive(Default)]
struct Cell {
    threads: u32,
    metrics: Vec<Metric>,
    workers: detailed::Workers,
}

/// The files of one directory.
#[derive(Default)]
struct Run {
    host: String,
    order: Vec<Key>,
    cells: HashMap<Key, Cell>,
    detailed: detailed::Detailed,
}

impl Run {
    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), FormatError> {
        let table = Table::read(name, bytes, b'|')?;
        if table.has(&["test", "testtype", "starttime", "endtime", "result"]) {
            return self.detailed.add(&table);
        }
        let stem = base_name(name).trim_end_matches(".psv");
        let host = stem.trim_end_matches("-throughput").trim_end_matches("-latency");
        if self.host.is_empty() {
            self.host = host.into();
        }
        let metrics = match (table.column("throughput"), table.column("avgLatency")) {
            (Some(_), _) => throughput,
            (None, Some(_)) => latency,
            (None, None) => {
                let why = "has no column throughput, avgLatency or result; import files of Nano";
                return Err(FormatError::line(name, 1, why));
            }
        };
        table.rows.iter().try_for_each(|row| {
            let key = (
                table.get(row, "numproc")?,
                text(&table, row, "testtype")?,
                text(&table, row, "test")?,
            );
            let threads = table.optional(row, "threadnr")?.unwrap_or(1);
            self.put(key, threads, metrics(&table, row)?).map_err(|()| {
                table.bad(row, "test", "appears twice in this run with different results")
            })
        })
    }

    /// The total of several process counts repeats the rows of each; equal ones are one.
    fn put(&mut self, key: Key, threads: u32, metrics: Vec<Metric>) -> Result<(), ()> {
        match self.cells.get(&key) {
            Some(cell) if cell.metrics != metrics => Err(()),
            Some(_) => Ok(()),
            None => {
                self.order.push(key.clone());
                self.cells.insert(key, Cell { threads, metrics, ..Cell::default() });
                Ok(())
            }
        }
    }

    /// Joins what the workers' own files say to the cells, and adds cells that are only there.
    fn join(&mut self) {
        for (key, threads, workers) in std::mem::take(&mut self.detailed).cells() {
            let cell = self.cells.entry(key.clone()).or_insert_with(|| {
                self.order.push(key);
                Cell { threads, metrics: vec![workers.metric()], ..Cell::default() }
            });
            cell.workers = workers;
        }
    }
}

fn text(table: &Table<'_>, row: &Row, column: &str) -> Result<String, FormatError> {
    table.text(row, column).map(str::to_owned)
}

fn throughput(table: &Table<'_>, row: &Row) -> Result<Vec<Metric>, FormatError> {
    let rate = table.number(row, "throughput")?;
    let mut metrics = vec![Metric::new(NANO_RATE.name, rate, NANO_RATE.unit, NANO_RATE.better)];
    for (column, name, unit) in [
        ("accuracy", "nano_accuracy", "%"),
        ("iostat_read_throughput", "device_read_rate", "MB/s"),
        ("iostat_write_throughput", "device_write_rate", "MB/s"),
    ] {
        metrics.extend(further(table, row, column, Metric::new(name, 0.0, unit, Better::Higher))?);
    }
    Ok(metrics)
}

fn latency(table: &Table<'_>, row: &Row) -> Result<Vec<Metric>, FormatError> {
    let average = table.number(row, "avgLatency")?;
    let mut metrics = vec![Metric::new(LATENCY.name, average, LATENCY.unit, LATENCY.better)];
    let max = Metric::new("latency_max_ms", 0.0, "ms", Better::Lower);
    metrics.extend(further(table, row, "maxLatency", max)?);
    let accuracy = Metric::new("nano_accuracy", 0.0, "%", Better::Higher);
    metrics.extend(further(table, row, "accuracy", accuracy)?);
    Ok(metrics)
}

/// A metric that may be empty or missing in the file.
fn further(
    table: &Table<'_>,
    row: &Row,
    column: &str,
    metric: Metric,
) -> Result<Option<Metric>, FormatError> {
    if table.optional::<f64>(row, column)?.is_none() {
        return Ok(None);
    }
    Ok(Some(Metric { value: table.number(row, column)?, ..metric }))
}

/// The directory of a file.
fn parent(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(directory, _)| directory)
}

fn assemble(runs: BTreeMap<&str, Run>, options: &ImportOptions) -> Result<Dataset, FormatError> {
    let mut blocks: Vec<(String, Run)> = Vec::new();
    for (directory, mut run) in runs {
        run.join();
        let named = [base_name(directory), &run.host].into_iter().find(|name| !name.is_empty());
        let of_directory = options.targets.iter().find(|(file, _)| parent(file) == directory);
        let told = of_directory.map(|(_, target)| target).or(options.target.as_ref());
        let target = told.map(String::as_str).or(named).unwrap_or("nano").to_owned();
        blocks.push((target, run));
    }
    let targets = records(blocks.iter().map(|(target, _)| target.as_str()));
    let position = |label: &str| targets.iter().position(|t| t.label == label).unwrap_or(0) as u32;
    let (mut tests, mut samples) = (Tests::default(), Vec::new());
    let mut next_block: HashMap<String, u32> = HashMap::new();
    for (target, run) in &blocks {
        let block = next_block.entry(target.clone()).or_insert(0);
        samples.extend(run.order.iter().filter_map(|key| {
            Some(sample(*block, position(target), target, key, run.cells.get(key)?, &mut tests))
        }));
        *block += 1;
    }
    if samples.is_empty() {
        return Err(FormatError::file(
            "the psv files",
            "contain no result; import files of a finished run of Nano",
        ));
    }
    samples.sort_by_key(|sample| (sample.block, sample.position));
    let campaign = of_tool("Nano", &targets, options, remarks(NOTES));
    Ok(Dataset { campaign, targets, tests: tests.list, samples })
}

/// Tests in order of first appearance.
#[derive(Default)]
struct Tests {
    list: Vec<TestInfo>,
    places: HashMap<String, usize>,
}

impl Tests {
    fn intern(&mut self, info: TestInfo) -> &TestInfo {
        let place = *self.places.entry(info.id.clone()).or_insert(self.list.len());
        if place == self.list.len() {
            self.list.push(info);
        }
        &self.list[place]
    }
}

fn sample(
    block: u32,
    position: u32,
    target: &str,
    (procs, testtype, name): &Key,
    cell: &Cell,
    tests: &mut Tests,
) -> Sample {
    let timed = cell.metrics.first().is_some_and(|metric| metric.name == LATENCY.name);
    let ranked = if timed { &LATENCY } else { &NANO_RATE };
    let info = tests.intern(test_info(testtype, name, ranked));
    let case = Case {
        target: target.into(),
        suite: info.suite.clone(),
        test: info.id.clone(),
        procs: *procs,
        threads: cell.threads,
        cache: declared_cache(info),
    };
    let mut sample = Sample::bare(block, position, case, cell.metrics.clone());
    sample.figures.seconds = cell.workers.seconds();
    sample.covariates.skew_ms = cell.workers.skew_ms();
    sample.covariates.overlap = cell.workers.overlap();
    sample
}

//! The layout of KX Nano's summary files, for scripts that read those: for each block of each
//! target a directory with `assay-throughput.psv` and `assay-latency.psv`. The layout has no place
//! for samples that are not valid; they are left out.

use super::Exporter;
use crate::{
    FormatError, NamedBytes,
    columnar::{LATENCY, NANO_RATE},
    naming::short_slug,
};
use csv::WriterBuilder;
use model::{
    result::{Dataset, Sample},
    workload::TestInfo,
};
use std::collections::HashMap;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "psv",
    help: "The layout of KX Nano's result files",
    files: |dataset, _| psv(dataset),
};

const THROUGHPUT: [&str; 12] = [
    "numproc",
    "threadnr",
    "os",
    "testtype",
    "test",
    "qexpression",
    "accuracy",
    "throughput",
    "unit",
    "iostat_read_throughput",
    "iostat_write_throughput",
    "iostat_readwrite_throughput",
];

const LATENCIES: [&str; 10] = [
    "numproc",
    "threadnr",
    "os",
    "testtype",
    "test",
    "qexpression",
    "accuracy",
    "avgLatency",
    "maxLatency",
    "unit",
];

/// The files. The column `qexpression` holds the test id.
pub fn psv(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let tests: HashMap<_, _> = dataset.tests.iter().map(|t| (t.id.as_str(), t)).collect();
    let os = dataset.campaign.environment.0.get("os").map_or("", String::as_str);
    let mut files = Vec::new();
    for (i, target) in dataset.targets.iter().enumerate() {
        let of_target: Vec<&Sample> = dataset
            .samples
            .iter()
            .filter(|s| s.case.target == target.label && s.evidence.validity.is_valid())
            .collect();
        for block in of_target.chunk_by(|a, b| a.block == b.block) {
            let rows = |of: fn(&TestInfo, &Sample, &str) -> Option<Vec<String>>| {
                let row = |s: &&Sample| of(tests.get(s.case.test.as_str())?, s, os);
                block.iter().filter_map(row).collect::<Vec<_>>()
            };
            // The place keeps targets apart whose labels differ only in punctuation.
            let dir = format!("{}-{}-block{}", i + 1, short_slug(&target.label), block[0].block);
            let mut put = |name, header: &[&str], rows: Vec<Vec<String>>| {
                files.push((format!("{dir}/{name}"), table(header, rows)?));
                Ok(())
            };
            put("assay-throughput.psv", &THROUGHPUT, rows(throughput))?;
            put("assay-latency.psv", &LATENCIES, rows(latency))?;
        }
    }
    Ok(files)
}

fn table(header: &[&str], rows: Vec<Vec<String>>) -> Result<Vec<u8>, FormatError> {
    let failed = |why: String| FormatError::Export { format: "psv", why };
    let mut writer = WriterBuilder::new().delimiter(b'|').from_writer(Vec::new());
    writer.write_record(header).map_err(|e| failed(e.to_string()))?;
    for row in rows {
        writer.write_record(row).map_err(|e| failed(e.to_string()))?;
    }
    writer.into_inner().map_err(|e| failed(e.to_string()))
}

/// The columns that both files begin with.
fn common(test: &TestInfo, s: &Sample, os: &str) -> Vec<String> {
    let (procs, threads) = (s.case.procs.to_string(), s.case.threads.to_string());
    let words = [os, &test.testtype, &test.name, &test.id].map(str::to_owned);
    [procs, threads].into_iter().chain(words).chain([accuracy(s)]).collect()
}

/// The row of a test that is ranked by a rate in MB/s; the original suite's own figure where there is one.
fn throughput(test: &TestInfo, s: &Sample, os: &str) -> Option<Vec<String>> {
    let ranked = s.find(&test.metric).filter(|m| m.unit == "MB/s");
    let rate = s.metric(NANO_RATE.name).or(ranked.map(|m| m.value))?;
    let device = |bytes: Option<u64>, name| match bytes {
        Some(bytes) if s.figures.seconds > 0.0 => Some(bytes as f64 / 1e6 / s.figures.seconds),
        _ => s.metric(name),
    };
    let read = device(s.covariates.device_read_bytes, "device_read_rate");
    let write = device(s.covariates.device_write_bytes, "device_write_rate");
    let both = read.zip(write).map(|(read, write)| read + write);
    let cell = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    let mut row = common(test, s, os);
    row.extend([rate.to_string(), "MB/sec".into(), cell(read), cell(write), cell(both)]);
    Some(row)
}

/// The row of a test that is measured as a latency in milliseconds.
fn latency(test: &TestInfo, s: &Sample, os: &str) -> Option<Vec<String>> {
    let average = s.metric(LATENCY.name)?;
    let max = s.metric("latency_max_ms").map(|ms| ms.to_string()).unwrap_or_default();
    let mut row = common(test, s, os);
    row.extend([average.to_string(), max, LATENCY.unit.into()]);
    Some(row)
}

/// The original suite's accuracy: 100 (1 - start skew / mean time of a worker), in %, its first five
/// characters; 100 for one process. The mean time lies between the overlap and the whole; the whole
/// stands for it. Empty where no time is known.
fn accuracy(s: &Sample) -> String {
    let from_skew = || match s.case.procs {
        1 if s.figures.seconds > 0.0 => Some(100.0),
        _ if s.figures.seconds > 0.0 => {
            Some(100.0 * (1.0 - s.covariates.skew_ms / 1e3 / s.figures.seconds))
        }
        _ => None,
    };
    let percent = s.metric("nano_accuracy").or_else(from_skew);
    percent.map(|p| p.to_string().chars().take(5).collect()).unwrap_or_default()
}

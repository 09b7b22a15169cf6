//! The JSON of fio: `--output-format=json` and `json+`, alone or client by client, with whatever
//! stands before, between and after the documents.
//!
//! Releases before 2.99 count `io_bytes` in KiB and latencies in microseconds under other names.

use super::{
    run::{Direction, Flow, Job, Latency, Run},
    work::Work,
};
use crate::{
    FormatError,
    figure::{Figure, json_error},
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

type Options = BTreeMap<String, Value>;

#[derive(Deserialize)]
struct Root {
    #[serde(rename = "fio version")]
    version: Option<String>,
    #[serde(default, rename = "global options")]
    global: Options,
    #[serde(default)]
    jobs: Vec<JobRecord>,
    #[serde(default)]
    client_stats: Vec<JobRecord>,
    #[serde(default)]
    disk_util: Vec<Disk>,
}

#[derive(Deserialize)]
struct JobRecord {
    jobname: String,
    hostname: Option<String>,
    #[serde(default)]
    groupid: i64,
    #[serde(default)]
    error: i32,
    #[serde(default)]
    total_err: u64,
    #[serde(default)]
    first_error: i32,
    #[serde(rename = "job options")]
    options: Option<Options>,
    read: Option<FlowRecord>,
    write: Option<FlowRecord>,
    trim: Option<FlowRecord>,
    mixed: Option<FlowRecord>,
    sync: Option<SyncRecord>,
    #[serde(default)]
    job_runtime: Figure,
    #[serde(default)]
    usr_cpu: Figure,
    #[serde(default)]
    sys_cpu: Figure,
}

#[derive(Deserialize)]
struct FlowRecord {
    io_bytes: Figure,
    io_kbytes: Option<Figure>,
    iops: Figure,
    runtime: Figure,
    total_ios: Option<Figure>,
    clat_ns: Option<LatencyRecord>,
    lat_ns: Option<LatencyRecord>,
    clat: Option<LatencyRecord>,
    lat: Option<LatencyRecord>,
}

#[derive(Deserialize)]
struct SyncRecord {
    lat_ns: Option<LatencyRecord>,
}

#[derive(Deserialize)]
struct LatencyRecord {
    mean: Figure,
    #[serde(default, rename = "N")]
    count: Option<u64>,
    #[serde(default)]
    percentile: BTreeMap<Percent, Figure>,
    #[serde(default)]
    bins: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Disk {
    read_sectors: Option<u64>,
    write_sectors: Option<u64>,
}

/// The key of a percentile, in millionths of a percent, so that keys have an order.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct Percent(u64);

impl TryFrom<String> for Percent {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let percent = text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
        let percent: f64 = percent.ok_or_else(|| format!("`{text}` is not a percentile"))?;
        Ok(Percent((percent * 1e6).round() as u64))
    }
}

/// Every run in `text`.
pub(super) fn runs(file: &str, text: &str) -> Result<Vec<Run>, FormatError> {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(start) = next_document(text, at) {
        let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Root>();
        let lines_before = text[..start].matches('\n').count();
        let bad = |e| json_error(file, lines_before, &e, "not the JSON of fio");
        if let Some(root) = documents.next() {
            runs.extend(run(root.map_err(bad)?));
        }
        at = start + documents.byte_offset().max(1);
    }
    Ok(runs)
}

/// Where the next document begins: at a brace that opens a line or follows another document.
fn next_document(text: &str, from: usize) -> Option<usize> {
    let mut opens_line = true;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'{' if opens_line => return Some(at),
            b'\n' => opens_line = true,
            b' ' | b'\t' | b'\r' => {}
            _ => opens_line = false,
        }
    }
    None
}

/// `None` for a document that holds no job.
fn run(root: Root) -> Option<Run> {
    let records = root.jobs.into_iter().chain(root.client_stats);
    let records: Vec<JobRecord> = records.collect();
    let mut printed: HashMap<Key, usize> = HashMap::new();
    records.iter().for_each(|record| *printed.entry(record.key()).or_default() += 1);
    // Workers that are printed one by one each repeat the number of all.
    let alone = |record: &JobRecord| printed.get(&record.key()) == Some(&1);
    let jobs = records.into_iter().map(|record| (alone(&record), record));
    let jobs: Vec<Job> = jobs.map(|(alone, record)| job(record, alone, &root.global)).collect();
    let device_bytes = match &root.disk_util[..] {
        [Disk { read_sectors: Some(read), write_sectors: Some(write) }] => {
            Some((read.saturating_mul(512), write.saturating_mul(512)))
        }
        // Of several disks some may lie on others; their sum would count those twice.
        _ => None,
    };
    (!jobs.is_empty()).then_some(Run { version: root.version, jobs, device_bytes })
}

/// Name, group and host of a record.
type Key = (String, i64, Option<String>);

impl JobRecord {
    fn key(&self) -> Key {
        (self.jobname.clone(), self.groupid, self.hostname.clone())
    }
}

/// The job of a record; it stands for all processes of its name when it is `alone`.
fn job(record: JobRecord, alone: bool, global: &Options) -> Job {
    let given = |key: &str| {
        let local = record.options.as_ref().and_then(|options| options.get(key));
        local.or_else(|| global.get(key)).map(plain)
    };
    // Early releases do not print their options.
    let told = || {
        record.options.as_ref()?;
        given("numjobs").map_or(Some(1), |jobs| jobs.parse().ok())
    };
    let work = match &record.options {
        None => Work::default(),
        Some(local) => {
            let all = global.iter().chain(local);
            Work::complete(all.map(|(key, value)| (key.as_str(), plain(value))))
        }
    };
    let seconds = |percent: Figure| percent.0 / 100.0 * record.job_runtime.0 / 1000.0;
    let flows = [record.read, record.write, record.trim, record.mixed];
    let flows = Direction::ALL.into_iter().zip(flows);
    Job {
        name: record.jobname,
        group: record.groupid,
        members: if alone { told() } else { Some(1) },
        work,
        error: super::failure(record.error, record.total_err, record.first_error),
        flows: flows.filter_map(|(d, record)| Some((d, flow(record?)?))).collect(),
        sync: record.sync.and_then(|sync| latency(sync.lat_ns, 1.0)),
        cpu_s: (seconds(record.usr_cpu), seconds(record.sys_cpu)),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `None` for a direction in which nothing was done.
fn flow(record: FlowRecord) -> Option<Flow> {
    let unit_bytes = if record.io_kbytes.is_some() { 1.0 } else { 1024.0 };
    let bytes = record.io_bytes.0 * unit_bytes;
    let ops = record.total_ios.map_or(record.iops.0 * record.runtime.0 / 1000.0, |ops| ops.0);
    let total = latency(record.lat_ns, 1.0).or_else(|| latency(record.lat, 1000.0));
    let completion = latency(record.clat_ns, 1.0).or_else(|| latency(record.clat, 1000.0));
    let told = |l: &Latency| !l.percentiles.is_empty() || !l.bins.is_empty();
    // Completion latencies are what fio counts by default; `lat_percentiles` may replace them.
    let latency = completion.clone().filter(told).or(total.filter(told)).or(completion);
    let mut flow = Flow::new(bytes, ops, record.runtime.0, record.iops.0);
    flow.latency = latency.unwrap_or_default();
    (bytes > 0.0 || ops > 0.0).then_some(flow)
}

/// Latencies in units of `unit_ns`; `None` when nothing was timed.
fn latency(record: Option<LatencyRecord>, unit_ns: f64) -> Option<Latency> {
    let record = record.filter(|record| record.count != Some(0))?;
    let percentiles = record.percentile.iter().filter(|(percent, _)| percent.0 > 0);
    let percentiles = percentiles.map(|(p, value)| (p.0 as f64 / 1e6, value.0 * unit_ns));
    // Early releases number the bins instead, and list the constants of the numbering with them.
    let ns = |key: &str| Some(key.parse::<u64>().ok()?.saturating_mul(unit_ns as u64));
    let bins = record.bins.iter().map(|(key, &n)| Some((ns(key)?, n)));
    let bins: BTreeMap<u64, u64> = bins.collect::<Option<_>>().unwrap_or_default();
    Some(Latency {
        mean_ns: Some(record.mean.0 * unit_ns),
        percentiles: percentiles.collect(),
        bins: bins.into_iter().filter(|&(_, n)| n > 0).collect(),
    })
}

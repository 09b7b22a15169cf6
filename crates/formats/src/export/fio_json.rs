//! The samples as fio would have printed them in json+, for programs that read fio: each sample is a
//! job called TARGET/TEST/pPROCS/bBLOCK.
//!
//! A test that does not read or write blocks appears as writes. Rates are over the whole time of the
//! sample. Latencies are those of service; those that a user waits for at a fixed rate have no place
//! in fio and are left out. A sample that is not valid has the error ECANCELED and its reason as
//! description.

mod latency;

use self::latency::Latency;
use super::{Exporter, json_bytes, stem};
use crate::{FormatError, NamedBytes};
use model::{
    figure::{Histogram, LatencyKind},
    result::{Dataset, Sample},
    workload::{Group, TestInfo},
};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "fio-json",
    help: "The format of `fio --output-format=json+`, for programs that read it",
    files: |dataset, _| fio_json(dataset),
};

/// Linux's number for an operation that was called off.
const ECANCELED: i32 = 125;

#[derive(Serialize)]
struct Root<'a> {
    #[serde(rename = "fio version")]
    version: String,
    time: &'a str,
    jobs: Vec<Job>,
    disk_util: [(); 0],
}

#[derive(Serialize)]
struct Job {
    jobname: String,
    groupid: usize,
    error: i32,
    eta: u64,
    elapsed: u64,
    #[serde(rename = "job options")]
    options: BTreeMap<&'static str, String>,
    read: Flow,
    write: Flow,
    trim: Flow,
    sync: Sync,
    job_runtime: u64,
    usr_cpu: f64,
    sys_cpu: f64,
}

#[derive(Default, Serialize)]
struct Flow {
    io_bytes: u64,
    io_kbytes: u64,
    bw_bytes: u64,
    bw: u64,
    iops: f64,
    runtime: u64,
    total_ios: u64,
    short_ios: u64,
    drop_ios: u64,
    slat_ns: Latency,
    clat_ns: Latency,
    lat_ns: Latency,
}

#[derive(Serialize)]
struct Sync {
    total_ios: u64,
    lat_ns: Latency,
}

/// One file, `ID.fio.json`.
pub fn fio_json(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let tests: HashMap<&str, &TestInfo> =
        dataset.tests.iter().map(|test| (test.id.as_str(), test)).collect();
    // Each sample is a group of its own: samples of one case would else be summed as its workers.
    let samples = dataset.samples.iter().enumerate();
    let jobs = samples.map(|(group, s)| job(group, s, tests.get(s.case.test.as_str()).copied()));
    let root = Root {
        version: format!("assay-{}", env!("CARGO_PKG_VERSION")),
        time: &dataset.campaign.created,
        jobs: jobs.collect(),
        disk_util: [],
    };
    let bytes = json_bytes(&root)
        .map_err(|why| FormatError::Export { format: "fio-json", why: why.to_string() })?;
    Ok(vec![(format!("{}.fio.json", stem(dataset)), bytes)])
}

fn job(group: usize, sample: &Sample, test: Option<&TestInfo>) -> Job {
    let case = &sample.case;
    let [read, write, trim] = ["read", "write", "trim"].map(|name| flow(name, sample, test));
    let sync = merged(sample, |op| op == "sync");
    let runtime_ms = whole(sample.figures.seconds * 1000.0);
    let job_runtime = runtime_ms.saturating_mul(u64::from(case.procs));
    let share = |seconds: f64| match job_runtime {
        0 => 0.0,
        ms => seconds.max(0.0) * 1000.0 / ms as f64 * 100.0,
    };
    Job {
        jobname: format!("{}/{}/p{}/b{}", case.target, case.test, case.procs, sample.block),
        groupid: group,
        error: if sample.evidence.validity.is_valid() { 0 } else { ECANCELED },
        eta: 0,
        elapsed: runtime_ms.div_ceil(1000),
        options: options(sample, test),
        read,
        write,
        trim,
        sync: Sync {
            total_ios: sync.count(),
            lat_ns: Latency::of(&sync).or_printed(sample, "sync_", 0),
        },
        job_runtime,
        usr_cpu: share(sample.covariates.cpu_user_s),
        sys_cpu: share(sample.covariates.cpu_sys_s),
    }
}

fn options(sample: &Sample, test: Option<&TestInfo>) -> BTreeMap<&'static str, String> {
    let mut options = BTreeMap::from([
        ("name", sample.case.test.clone()),
        ("numjobs", sample.case.procs.to_string()),
        ("rw", pattern(test).into()),
    ]);
    if let Some(bytes) =
        sample.figures.bytes.checked_div(sample.figures.ops).filter(|&bytes| bytes > 0)
    {
        options.insert("bs", bytes.to_string());
    }
    if !sample.evidence.validity.is_valid() {
        options.insert("description", sample.evidence.validity.to_string());
    }
    options
}

/// What fio would call the pattern of a test.
fn pattern(test: Option<&TestInfo>) -> &'static str {
    let Some(test) = test else { return "write" };
    match test.group {
        Group::SequentialRead | Group::ReadHot | Group::ReadCold => "read",
        Group::RandomRead => "randread",
        Group::RandomWrite => "randwrite",
        Group::Mixed if test.testtype.starts_with("sequential") => "rw",
        Group::Mixed => "randrw",
        _ => "write",
    }
}

/// What the sample did in the direction `name`, and how fast.
fn flow(name: &str, sample: &Sample, test: Option<&TestInfo>) -> Flow {
    let Some((iops, share)) = part(name, sample, test) else { return Flow::default() };
    let seconds = sample.figures.seconds.max(0.0);
    let own_rate = rate(name, sample).or_else(|| rate_of_table(sample));
    let of_bytes = if seconds > 0.0 { sample.figures.bytes as f64 * share / seconds } else { 0.0 };
    let bytes_per_s = own_rate.filter(|_| share < 1.0 || of_bytes == 0.0).unwrap_or(of_bytes);
    let alone = share == 1.0;
    let counted = merged(sample, |op| op == name || alone && op != "sync");
    let ops = whole(sample.figures.ops as f64 * share);
    let prefix = if alone { String::new() } else { format!("{name}_") };
    let io_bytes = if alone { sample.figures.bytes } else { whole(bytes_per_s * seconds) };
    let clat_ns = Latency::of(&counted).or_printed(sample, &prefix, ops);
    Flow {
        io_bytes,
        io_kbytes: io_bytes >> 10,
        bw_bytes: whole(bytes_per_s),
        bw: whole(bytes_per_s) >> 10,
        iops,
        runtime: whole(seconds * 1000.0),
        total_ios: ops,
        lat_ns: clat_ns.summary(),
        clat_ns,
        ..Flow::default()
    }
}

/// Operations per second in a direction, and their share of all. A sample that tells directions
/// apart has a metric for each; all of another belongs to the direction of its test.
fn part(name: &str, sample: &Sample, test: Option<&TestInfo>) -> Option<(f64, f64)> {
    let each = ["read", "write", "trim"].map(|d| sample.metric(&format!("{d}_iops")));
    let sum: f64 = each.iter().flatten().sum();
    if sum > 0.0 {
        let own = sample.metric(&format!("{name}_iops")).filter(|iops| *iops > 0.0)?;
        return Some((own, own / sum));
    }
    let reads = pattern(test).ends_with("read");
    let counted = || match sample.figures.seconds > 0.0 {
        true => sample.figures.ops as f64 / sample.figures.seconds,
        false => 0.0,
    };
    let iops = sample.metric("iops").unwrap_or_else(counted);
    (name == if reads { "read" } else { "write" }).then_some((iops, 1.0))
}

/// The direction's own rate, bytes per second.
fn rate(name: &str, sample: &Sample) -> Option<f64> {
    sample.metric(&format!("{name}_rate")).map(|rate| rate * 1e6)
}

/// The rate by which the sample is ranked, bytes per second, when it is one of bytes.
fn rate_of_table(sample: &Sample) -> Option<f64> {
    sample
        .figures
        .metrics
        .first()
        .filter(|metric| metric.unit == "MB/s")
        .map(|metric| metric.value * 1e6)
}

/// The service latencies of the operations that `wanted` names, as one.
fn merged(sample: &Sample, wanted: impl Fn(&str) -> bool) -> Histogram {
    let mut all = Histogram::new("", LatencyKind::Service);
    let service = sample.figures.histograms.iter().filter(|h| h.latency == LatencyKind::Service);
    service.filter(|h| wanted(&h.op)).for_each(|h| all.merge(h));
    all
}

/// The nearest whole number that fits.
fn whole(number: f64) -> u64 {
    number.round() as u64
}

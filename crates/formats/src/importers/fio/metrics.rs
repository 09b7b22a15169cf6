//! The numbers of a job: rates of all directions first, then each direction's own, then latencies.

use super::run::{Direction, Flow, Job, Latency};
use model::figure::{Better, Histogram, Metric};

/// Percentiles that become metrics.
const PERCENTILES: [(f64, &str); 4] = [(50.0, "p50"), (95.0, "p95"), (99.0, "p99"), (99.9, "p999")];

/// Every metric; the first is `iops`, the sum over directions. Empty when nothing was done.
pub(super) fn metrics(job: &Job) -> Vec<Metric> {
    let mut all = Vec::new();
    if job.flows.is_empty() {
        return all;
    }
    let rate = |name: &str, value, unit| Metric::new(name, value, unit, Better::Higher);
    all.push(rate("iops", job.flows.iter().map(|(_, flow)| flow.iops).sum(), "IOPS"));
    let each = |(direction, flow): &(Direction, Flow)| {
        rate(&format!("{}_iops", direction.as_str()), flow.iops, "1/s")
    };
    // What is done to names is called a read by fio.
    let moving = || job.flows.iter().filter(|_| !job.work.is_of_names());
    all.extend(moving().map(each));
    let each = |(direction, flow): &(Direction, Flow)| {
        rate(&format!("{}_rate", direction.as_str()), flow.bytes_per_s / 1e6, "MB/s")
    };
    all.extend(moving().map(each));
    for (direction, flow) in &job.flows {
        // One direction needs no name.
        let alone = job.flows.len() == 1;
        let prefix = if alone { String::new() } else { format!("{}_", direction.as_str()) };
        all.extend(latencies(&prefix, &flow.latency));
    }
    all.extend(job.sync.iter().flat_map(|sync| latencies("sync_", sync)));
    all.retain(|metric| metric.value.is_finite());
    all
}

fn latencies(prefix: &str, latency: &Latency) -> Vec<Metric> {
    let metric = |name: &str, ns: f64| {
        Metric::new(&format!("{prefix}service_{name}_us"), ns / 1000.0, "us", Better::Lower)
    };
    let percentile =
        |&(percent, name): &(f64, &str)| Some(metric(name, latency.percentile_ns(percent)?));
    let mean = latency.mean_ns.map(|ns| metric("mean", ns));
    PERCENTILES.iter().filter_map(percentile).chain(mean).collect()
}

/// The histograms of all directions and of the syncs that fio printed bins for.
pub(super) fn histograms(job: &Job) -> Vec<Histogram> {
    let flows = job.flows.iter().map(|(d, flow)| flow.latency.histogram(d.as_str()));
    let sync = job.sync.iter().map(|sync| sync.histogram("sync"));
    flows.chain(sync).filter(|histogram| !histogram.bins.is_empty()).collect()
}

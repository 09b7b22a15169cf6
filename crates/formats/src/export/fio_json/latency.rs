//! Latencies as fio prints them: summary, percentiles, bins.

use model::{figure::Histogram, result::Sample};
use serde::{Serialize, Serializer};

/// The percentiles that fio prints unless told otherwise.
const PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

/// Metrics that hold a percentile.
const PRINTED: [(f64, &str); 4] = [(50.0, "p50"), (95.0, "p95"), (99.0, "p99"), (99.9, "p999")];

/// Latencies in nanoseconds; without an operation all 0 and no percentile, as fio has it.
#[derive(Default, Serialize)]
pub(super) struct Latency {
    min: u64,
    max: u64,
    mean: f64,
    stddev: f64,
    #[serde(rename = "N")]
    count: u64,
    #[serde(serialize_with = "object", skip_serializing_if = "Vec::is_empty")]
    percentile: Vec<(String, f64)>,
    #[serde(serialize_with = "object", skip_serializing_if = "Vec::is_empty")]
    bins: Vec<(String, u64)>,
}

impl Latency {
    pub(super) fn of(histogram: &Histogram) -> Latency {
        let (Some(mean), Some(first), Some(last)) =
            (histogram.mean_ns(), histogram.bins.first(), histogram.bins.last())
        else {
            return Latency::default();
        };
        let percentile =
            |&percent: &f64| Some((key(percent), histogram.quantile_ns(percent / 100.0)? as f64));
        Latency {
            min: first.0,
            max: last.0,
            mean,
            stddev: stddev(histogram, mean),
            count: histogram.count(),
            percentile: PERCENTILES.iter().filter_map(percentile).collect(),
            bins: histogram.bins.iter().map(|&(ns, n)| (ns.to_string(), n)).collect(),
        }
    }

    /// Where nothing was counted, the percentiles that another tool printed; their metrics begin
    /// with `prefix`. They are of `count` operations.
    pub(super) fn or_printed(self, sample: &Sample, prefix: &str, count: u64) -> Latency {
        if self.count > 0 {
            return self;
        }
        let metric = |name: &str| {
            let us = sample.metric(&format!("{prefix}service_{name}_us"))?;
            (us >= 0.0).then_some(us * 1000.0)
        };
        let percentile = PRINTED.iter().filter_map(|&(p, name)| Some((key(p), metric(name)?)));
        let percentile: Vec<_> = percentile.collect();
        // fio prints N = 0 for nothing; its readers then ignore the percentiles.
        let count = if percentile.is_empty() { 0 } else { count.max(1) };
        Latency { mean: metric("mean").unwrap_or(0.0), count, percentile, ..self }
    }

    /// The same without percentiles and bins.
    pub(super) fn summary(&self) -> Latency {
        let Latency { min, max, mean, stddev, count, .. } = *self;
        Latency { min, max, mean, stddev, count, ..Latency::default() }
    }
}

/// Standard deviation of all operations.
fn stddev(histogram: &Histogram, mean: f64) -> f64 {
    let square = |&(ns, n): &(u64, u64)| (ns as f64 - mean).powi(2) * n as f64;
    let squares: f64 = histogram.bins.iter().map(square).sum();
    (squares / histogram.count() as f64).sqrt()
}

fn key(percent: f64) -> String {
    format!("{percent:.6}")
}

/// Pairs as an object in their own order.
fn object<S: Serializer, V: Serialize>(
    pairs: &[(String, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

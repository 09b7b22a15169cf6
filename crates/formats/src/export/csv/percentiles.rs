//! `percentiles.csv`: the usual latency percentiles of each sample, for readers who do not want to add up the bins of
//! `histograms.csv`. It is derived from those, so no importer reads it.

use super::{place, text};
use csv::Writer;
use model::{figure::Histogram, result::Sample};

/// Columns of `percentiles.csv`; one row for each histogram. The first six are those of `histograms.csv`.
pub(super) const HEADER: &str = "sample,block,target,test,procs,cache,op,latency,ops,mean_ns,\
    p50_ns,p90_ns,p99_ns,p99_9_ns,p99_99_ns,max_ns";

/// The shares of the columns from `p50_ns` to `p99_99_ns`.
const SHARES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];

pub(super) fn percentiles(samples: &[Sample]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(HEADER.split(','))?;
    for (number, sample) in samples.iter().enumerate() {
        let place = place(number, sample);
        for histogram in &sample.figures.histograms {
            writer.write_record(place.iter().cloned().chain(figures(histogram)))?;
        }
    }
    Ok(writer.into_inner()?)
}

fn figures(histogram: &Histogram) -> Vec<String> {
    let ops = histogram.count();
    let number = |ns: Option<u64>| ns.map(|ns| ns.to_string()).unwrap_or_default();
    // Of fewer operations the share would be the longest of all, which has a column of its own.
    let is_seen = |share: f64| (1.0 - share) * ops as f64 > 1.0 - 1e-9;
    let at = |share: f64| number(histogram.quantile_ns(share).filter(|_| is_seen(share)));
    let mean = histogram.mean_ns().map(|ns| format!("{ns:.0}")).unwrap_or_default();
    let head = [text(&histogram.op), histogram.latency.as_str().into(), ops.to_string(), mean];
    let longest = number(histogram.quantile_ns(1.0));
    head.into_iter().chain(SHARES.map(at)).chain([longest]).collect()
}

//! `histograms.csv`: the latencies of the samples, one row for each bin.

use crate::{
    FormatError,
    table::{Row, Table},
};
use model::{Histogram, LatencyKind, Sample};

/// Gives each row's bin to its sample; `samples` are in the order of `samples.csv`.
pub(super) fn attach(table: &Table<'_>, samples: &mut [Sample]) -> Result<(), FormatError> {
    for row in &table.rows {
        let histogram = histogram(table, row, super::sample_of(table, row, samples)?)?;
        let Some(ns) = table.optional(row, "latency_ns")? else { continue };
        let count: u64 = table.get(row, "count")?;
        if histogram.bins.last().is_some_and(|last| last.0 >= ns) {
            return Err(table.bad(row, "latency_ns", "does not ascend; sort the rows of a sample"));
        }
        if count == 0 {
            return Err(table.bad(row, "count", "is 0; leave empty bins out"));
        }
        histogram.bins.push((ns, count));
    }
    Ok(())
}

/// The histogram of the row in its sample, new when it is the first row of it.
fn histogram<'s>(
    table: &Table<'_>,
    row: &Row,
    sample: &'s mut Sample,
) -> Result<&'s mut Histogram, FormatError> {
    let (op, latency) = (table.text(row, "op")?, table.get::<LatencyKind>(row, "latency")?);
    let all = &mut sample.histograms;
    let found = all.iter().position(|h| h.op == op && h.latency == latency);
    let place = found.unwrap_or(all.len());
    if found.is_none() {
        all.push(Histogram::new(op, latency));
    }
    Ok(&mut all[place])
}

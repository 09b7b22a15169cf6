//! `histograms.csv`: the latencies of the samples, one row for each bin.

use crate::{
    FormatError,
    table::{Columns, Row},
};
use model::{
    figure::{Histogram, LatencyKind},
    result::Sample,
};

/// Gives the bin of a row to its sample.
pub(super) fn add(
    columns: &Columns<'_>,
    row: &Row,
    sample: &mut Sample,
) -> Result<(), FormatError> {
    let histogram = histogram(columns, row, sample)?;
    let Some(ns) = columns.optional(row, "latency_ns")? else { return Ok(()) };
    let count: u64 = columns.get(row, "count")?;
    if histogram.bins.last().is_some_and(|last| last.0 >= ns) {
        return Err(columns.bad(row, "latency_ns", "is not ascending; sort the rows of a sample"));
    }
    if count == 0 {
        return Err(columns.bad(row, "count", "is 0; omit empty bins"));
    }
    histogram.bins.push((ns, count));
    Ok(())
}

/// The histogram of the row in its sample, new when it is the first row of it.
fn histogram<'s>(
    columns: &Columns<'_>,
    row: &Row,
    sample: &'s mut Sample,
) -> Result<&'s mut Histogram, FormatError> {
    let (op, latency) = (columns.text(row, "op")?, columns.get::<LatencyKind>(row, "latency")?);
    let all = &mut sample.figures.histograms;
    let found = all.iter().position(|h| h.op == op && h.latency == latency);
    let place = found.unwrap_or(all.len());
    if found.is_none() {
        all.push(Histogram::new(op, latency));
    }
    Ok(&mut all[place])
}

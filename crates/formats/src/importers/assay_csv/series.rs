//! `series.csv`: how the samples went, one row for each number of an interval, interval by interval.

use crate::{
    FormatError,
    table::{Columns, Row},
};
use model::result::Sample;

/// Gives the number of a row to its sample, in the last interval or in a new one.
pub(super) fn add(
    columns: &Columns<'_>,
    row: &Row,
    sample: &mut Sample,
) -> Result<(), FormatError> {
    let series = sample.figures.series.get_or_insert_default();
    let end_ms: u64 = columns.get(row, "end_ms")?;
    match series.end_ms.last() {
        Some(&last) if last > end_ms => {
            return Err(columns.bad(row, "end_ms", "is not ascending; sort the rows of a sample"));
        }
        Some(&last) if last == end_ms => {}
        _ => series.end_ms.push(end_ms),
    }
    let (value, intervals) = (columns.get(row, "value")?, series.end_ms.len());
    let column = series.columns.entry(columns.text(row, "column")?.into()).or_default();
    column.push(value);
    match column.len() == intervals {
        true => Ok(()),
        false => Err(columns.bad(row, "column", "has two values for an interval, or none")),
    }
}

/// Fails when a sample lacks numbers.
pub(super) fn check(file: &str, sample: &Sample) -> Result<(), FormatError> {
    match sample.figures.series.as_ref().is_none_or(|series| series.is_whole()) {
        true => Ok(()),
        false => Err(FormatError::file(file, "lacks values; export the files again")),
    }
}

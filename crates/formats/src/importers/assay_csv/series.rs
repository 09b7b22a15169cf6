//! `series.csv`: how the samples went, one row for each number of an interval, interval by interval.

use crate::{
    FormatError,
    table::{Row, Table},
};
use model::{Sample, Series};

/// Gives each row's number to its sample; `samples` are in the order of `samples.csv`.
pub(super) fn attach(table: &Table<'_>, samples: &mut [Sample]) -> Result<(), FormatError> {
    for row in &table.rows {
        let sample = super::sample_of(table, row, samples)?;
        add(table, row, sample.series.get_or_insert_default())?;
    }
    let part = samples.iter().any(|s| s.series.as_ref().is_some_and(|series| !series.is_whole()));
    match part {
        true => Err(FormatError::file(table.file, "lacks numbers; export the files again")),
        false => Ok(()),
    }
}

/// A number of the last interval, or the first of a new one.
fn add(table: &Table<'_>, row: &Row, series: &mut Series) -> Result<(), FormatError> {
    let end_ms: u64 = table.get(row, "end_ms")?;
    match series.end_ms.last() {
        Some(&last) if last > end_ms => {
            return Err(table.bad(row, "end_ms", "does not ascend; sort the rows of a sample"));
        }
        Some(&last) if last == end_ms => {}
        _ => series.end_ms.push(end_ms),
    }
    let (value, intervals) = (table.get(row, "value")?, series.end_ms.len());
    let column = series.columns.entry(table.text(row, "column")?.into()).or_default();
    column.push(value);
    match column.len() == intervals {
        true => Ok(()),
        false => Err(table.bad(row, "column", "has two numbers for an interval, or none for one")),
    }
}

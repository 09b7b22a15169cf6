//! The rows of a log: milliseconds, mostly since the start, a figure, the direction, bytes of the operation or 0 for an
//! interval, and what later releases add.

use super::{DIRECTIONS, Log};
use crate::{FormatError, text::lines};

/// One row.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) ms: u64,
    /// KiB/s, operations in a second, or nanoseconds.
    pub(super) value: u64,
    pub(super) direction: usize,
    /// Of the one operation that it is of; 0 for an interval.
    pub(super) bytes: u64,
    /// The time of the log counts from this operation, which is not of what was done in that time.
    pub(super) opens: bool,
    columns: usize,
}

impl Row {
    /// `503, 11085, 0, 0, 0`
    pub(super) fn of(text: &str) -> Option<Row> {
        let cells: Vec<&str> = text.split(',').map(str::trim).collect();
        let whole = |at: usize| cells.get(at)?.parse::<u64>().ok();
        let direction = usize::try_from(whole(2)?).ok().filter(|&d| d < DIRECTIONS.len())?;
        let is_row = (4..=8).contains(&cells.len());
        is_row.then_some(Row {
            ms: whole(0)?,
            value: whole(1)?,
            direction,
            bytes: whole(3)?,
            opens: false,
            columns: cells.len(),
        })
    }
}

/// Said of a log that has no number of a worker.
const APPENDED: &str = "is earlier than the row above: with per_job_logs=0 fio appends each job, and each further run, \
                        to one log without saying where one ends; run with per_job_logs=1 (fio's default), or import \
                        fio's main output (--output-format=json)";

/// The rows of a log that is called so.
pub(super) fn rows(file: &str, bytes: &[u8], log: Log<'_>) -> Result<Vec<Row>, FormatError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut last_ms = [0; DIRECTIONS.len()];
    for line in lines(file, bytes).filter(|line| !line.text.trim().is_empty()) {
        let row = Row::of(&line.text)
            .ok_or_else(|| line.bad("is not a row of a fio log; the file may be truncated"))?;
        let before = rows.last().copied().unwrap_or(row);
        if row.columns != before.columns || (row.bytes > 0) != (before.bytes > 0) {
            return Err(line
                .bad("has other columns than the rows above; put each log into a separate file"));
        }
        if row.ms < last_ms[row.direction] {
            let one_worker = "is earlier than the row above; put each run into a separate file";
            return Err(line.bad(if log.numbered { one_worker } else { APPENDED }));
        }
        if log.kind.is_latency() && row.columns == 4 {
            return Err(line.bad(
                "a log with four columns does not say whether latencies are in microseconds (fio \
                 2) or nanoseconds; import fio's main output instead",
            ));
        }
        last_ms[row.direction] = row.ms;
        rows.push(row);
    }
    // fio ends every row; one without an end is cut.
    if !bytes.ends_with(b"\n") && !bytes.is_empty() {
        let line = rows.len() as u64;
        return Err(FormatError::line(
            file,
            line,
            "the last row is incomplete; the file may be \
                                                  truncated",
        ));
    }
    Ok(rows)
}

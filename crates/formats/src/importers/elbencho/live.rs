//! elbencho's live CSV (`--livecsv`): a row for each interval, with what was done since the phase began and what
//! came in a second of the interval. A phase is a sample, its intervals are the series.

use super::{Phase, is_mix};
use crate::{
    FormatError,
    gather::Gather,
    table::{Row, Table},
    text::check_end,
};
use model::figure::Series;
use std::collections::BTreeMap;

/// Whether a file that begins so is elbencho's live CSV.
pub(super) fn sniff(head: &str) -> bool {
    head.starts_with("ISO Date,Label,Phase,RuntimeMS,")
}

/// A phase that is read.
struct Open {
    line: u64,
    key: [String; 3],
    end_ms: Vec<u64>,
    /// Bytes since the start, at each end.
    bytes: Vec<u64>,
    entries: u64,
    /// Operations of each interval, and the sum of their latencies in microseconds.
    ops: Vec<u64>,
    latency_us: f64,
}

/// Adds every phase of the file.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let table = Table::read(file, bytes, b',')?;
    check_end(file, bytes)?;
    let mut open: Vec<Open> = Vec::new();
    for row in &table.rows {
        // Each worker has rows of its own besides that of all.
        if table.text(row, "Rank")? != "Total" {
            continue;
        }
        let key =
            ["Label", "Phase", "MixType"].map(|column| table.text(row, column).map(str::to_owned));
        let [label, phase, mix] = key;
        let (label, phase, mut mix) = (label?, phase?, mix?);
        if mix.is_empty() && is_mix(&phase) {
            // Until something was read, elbencho does not say that these rows are of what was written.
            mix = "Write".into();
        }
        let key = [label, phase, mix];
        let ms: u64 = table.get(row, "RuntimeMS")?;
        let goes_on =
            |open: &Open| open.key == key && open.end_ms.last().is_none_or(|&last| last < ms);
        // A phase that begins ends the one before; that of reads and that of writes continue side by side.
        if let Some(at) = open.iter().position(|phase| phase.key == key && !goes_on(phase)) {
            open.remove(at).end(file, gather)?;
        } else if open.iter().any(|phase| phase.key[1] != key[1]) {
            for phase in open.drain(..) {
                phase.end(file, gather)?;
            }
        }
        let at = open.iter().position(goes_on).unwrap_or(open.len());
        if at == open.len() {
            open.push(Open {
                line: row.line,
                key,
                end_ms: Vec::new(),
                bytes: Vec::new(),
                entries: 0,
                ops: Vec::new(),
                latency_us: 0.0,
            });
        }
        open[at].row(&table, row, ms)?;
    }
    open.into_iter().try_for_each(|phase| phase.end(file, gather))
}

impl Open {
    fn row(&mut self, table: &Table<'_>, row: &Row, ms: u64) -> Result<(), FormatError> {
        let bytes: u64 = table.get(row, "DoneBytes")?;
        if self.bytes.last().is_some_and(|&last| last > bytes) {
            return Err(table.bad(row, "DoneBytes", "is less than in the row above"));
        }
        let seconds = ms.saturating_sub(self.end_ms.last().copied().unwrap_or(0)) as f64 / 1e3;
        let ops = table.number(row, "IOPS")?.max(0.0) * seconds;
        self.latency_us += ops.round() * table.number(row, "Lat IO us")?.max(0.0);
        self.entries = table.get(row, "Entries")?;
        self.end_ms.push(ms);
        self.bytes.push(bytes);
        self.ops.push(ops.round() as u64);
        Ok(())
    }

    fn end(self, file: &str, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let (Some(&ms), Some(&bytes)) = (self.end_ms.last(), self.bytes.last()) else {
            return Ok(());
        };
        let seconds = ms as f64 / 1e3;
        let ops: f64 = self.ops.iter().map(|&ops| ops as f64).sum();
        let each = |figure: f64| {
            Some(figure / seconds).filter(|figure| figure.is_finite() && *figure > 0.0)
        };
        let [label, operation, mix] = self.key;
        // Of a phase that reads and writes each has rows of its own.
        let operation = match mix.as_str() {
            "" | "-" => operation,
            mix => format!("{operation} {}", mix.to_lowercase()),
        };
        let mean_us = Some(self.latency_us / ops).filter(|us| us.is_finite());
        let phase = Phase {
            operation,
            last_s: Some(seconds),
            entries_per_s: each(self.entries as f64),
            iops: each(ops),
            rate: each(bytes as f64 / 1e6),
            entries: self.entries,
            block_us: [None, mean_us, None],
            label: (!label.is_empty()).then_some(label),
            ..Phase::default()
        };
        let came = |at: usize| self.bytes[at] - if at > 0 { self.bytes[at - 1] } else { 0 };
        let intervals = (0..self.bytes.len()).map(came).collect();
        let columns =
            BTreeMap::from([("bytes".to_owned(), intervals), ("ops".to_owned(), self.ops)]);
        let mut reading = phase.reading();
        reading.series = Some(Series { end_ms: self.end_ms, columns }).filter(Series::is_whole);
        gather.add(file, self.line, reading)
    }
}

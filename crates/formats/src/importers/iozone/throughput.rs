//! The throughput of several processes: for each test a line for what the children saw, then what the slowest
//! of them had.

use super::{About, TESTS};
use crate::{
    FormatError,
    text::{Line, number},
};
use model::result::{Imported, Reason};

/// What iozone calls who does a test, with its place in [`TESTS`].
const WORKERS: [(&str, usize); 13] = [
    ("initial writers", 0),
    ("rewriters", 1),
    ("readers", 2),
    ("re-readers", 3),
    ("random readers", 4),
    ("random writers", 5),
    ("reverse readers", 6),
    ("stride readers", 8),
    ("fwriters", 9),
    ("re-fwriters", 10),
    ("freaders", 11),
    ("re-freaders", 12),
    ("mixed workload", TESTS.len()),
];

/// Processes, who they are, and KiB/s of `Children see throughput for  2 initial writers = 3279573.75 kB/sec`.
pub(super) fn rate(text: &str) -> Option<(&str, &str, f64)> {
    let rest = text.trim().strip_prefix("Children see throughput for")?;
    let (who, rate) = rest.split_once('=')?;
    let (count, who) = who.trim().split_once(' ')?;
    let rate = rate.trim();
    let rate = rate.strip_suffix("kB/sec").or_else(|| rate.strip_suffix("KB/sec"))?;
    Some((count, who.trim(), number(rate).filter(|&rate| rate >= 0.0)?))
}

/// What was read of one test.
#[derive(Default)]
pub(super) struct Throughput {
    file_kib: u64,
    record_kib: u64,
    open: Option<(usize, u32, f64)>,
    least: Option<f64>,
}

impl Throughput {
    /// Takes a line; true for the one that ends a test.
    pub(super) fn line(&mut self, line: &Line<'_>) -> Result<bool, FormatError> {
        let text = line.text.trim();
        if let Some(sizes) = text.strip_prefix("Each process writes a ") {
            let kib =
                |mark: &str| sizes.split(mark).next()?.split_whitespace().next_back()?.parse().ok();
            self.file_kib = kib(" kByte file").or_else(|| kib(" Kbyte file")).unwrap_or(0);
            self.record_kib = sizes
                .split(" in ")
                .nth(1)
                .and_then(|record| record.split_whitespace().next()?.parse().ok())
                .unwrap_or(0);
        } else if let Some((count, who, kib)) = rate(text) {
            let place = WORKERS.iter().find(|(name, place)| *name == who && *place < TESTS.len());
            let procs = line.count("the number of processes", count)?;
            self.open = place.map(|(_, place)| (*place, procs, kib));
            self.least = None;
        } else if let Some(rest) = text.strip_prefix("Min throughput per ") {
            let figure = rest.split('=').nth(1).unwrap_or_default().trim();
            let figure = figure.split_whitespace().next().unwrap_or_default();
            self.least = Some(line.number("the minimum throughput", figure)?);
            return Ok(self.open.is_some());
        }
        Ok(false)
    }

    /// The test that ended, with KiB/s.
    pub(super) fn take(&mut self) -> (About, Result<f64, Reason>) {
        let (test, procs, kib) = self.open.take().unwrap_or_default();
        let outcome = match self.least.take() {
            Some(least) if least <= 0.0 => Err(Imported::IozoneIdleProcess {}.into()),
            _ => Ok(kib),
        };
        let (file_kib, record_kib) = (self.file_kib, self.record_kib);
        (About { test, procs, file_kib, record_kib }, outcome)
    }
}

//! The workers' own files, `detailed-HOST-N.psv`: when each worker began and ended each test, and
//! what it reports. Only these tell the start skew and the time in which all workers ran.

use super::Key;
use crate::{
    FormatError,
    columnar::{LATENCY, NANO_RATE, Ranked},
    table::Table,
};
use model::figure::Metric;
use std::collections::HashMap;

/// One test as all workers saw it; times in seconds of the day.
#[derive(Default)]
pub(super) struct Workers {
    spans: Vec<(f64, f64)>,
    results: Vec<f64>,
    latency: bool,
}

impl Workers {
    fn extreme(&self, pick: impl Fn(&(f64, f64)) -> f64, keep: fn(f64, f64) -> f64) -> f64 {
        self.spans.iter().map(pick).reduce(keep).unwrap_or(0.0)
    }

    /// First start to last end; 0 when no worker is known.
    pub(super) fn seconds(&self) -> f64 {
        self.extreme(|span| span.1, f64::max) - self.extreme(|span| span.0, f64::min)
    }

    /// Last start minus first start.
    pub(super) fn skew_ms(&self) -> f64 {
        1e3 * (self.extreme(|span| span.0, f64::max) - self.extreme(|span| span.0, f64::min))
    }

    /// Share of `seconds` in which every worker ran.
    pub(super) fn overlap(&self) -> f64 {
        let all = self.extreme(|span| span.1, f64::min) - self.extreme(|span| span.0, f64::max);
        if self.seconds() > 0.0 { all.max(0.0) / self.seconds() } else { 0.0 }
    }

    /// The figure that the summary files would have: rates added, latencies averaged.
    pub(super) fn metric(&self) -> Metric {
        let sum: f64 = self.results.iter().sum();
        let (Ranked { name, unit, better }, value) = if self.latency {
            (&LATENCY, sum / self.results.len().max(1) as f64)
        } else {
            (&NANO_RATE, sum)
        };
        Metric::new(name, value, unit, *better)
    }
}

/// Every test of a run.
#[derive(Default)]
pub(super) struct Detailed {
    order: Vec<(String, String)>,
    tests: HashMap<(String, String), (u32, Workers)>,
}

impl Detailed {
    /// Adds the file of one worker.
    pub(super) fn add(&mut self, table: &Table<'_>) -> Result<(), FormatError> {
        for row in &table.rows {
            let text = |column| table.text(row, column).map(str::to_owned);
            let time = |column: &str| {
                timespan(table.text(row, column)?)
                    .ok_or_else(|| table.bad(row, column, "is not a time like 0D12:34:56.789"))
            };
            let (start, end) = (time("starttime")?, time("endtime")?);
            // The source records the time of day: a test may run across midnight.
            let end = if end < start { end + 86_400.0 } else { end };
            let key = (text("testtype")?, text("test")?);
            let (threads, workers) = self.tests.entry(key.clone()).or_insert_with(|| {
                self.order.push(key);
                Default::default()
            });
            *threads = table.optional(row, "threadnr")?.unwrap_or(1);
            workers.spans.push((start, end));
            workers.results.push(table.number(row, "result")?);
            workers.latency = table.text(row, "unit")? == "ms";
        }
        Ok(())
    }

    /// The tests with their keys, threads and workers, in the order of the files. The number of
    /// processes is the number of workers that report the test.
    pub(super) fn cells(mut self) -> impl Iterator<Item = (Key, u32, Workers)> {
        self.order.into_iter().filter_map(move |key| {
            let (threads, workers) = self.tests.remove(&key)?;
            Some(((workers.spans.len() as u32, key.0, key.1), threads, workers))
        })
    }
}

/// Seconds of a q timespan, as `0D12:34:56.789012345`, or of a time without days.
fn timespan(text: &str) -> Option<f64> {
    let (days, time) = text.split_once('D').unwrap_or(("0", text));
    let (hours, rest) = time.split_once(':')?;
    let (minutes, seconds) = rest.split_once(':')?;
    let whole = |part: &str| part.parse::<u16>().ok().map(f64::from);
    let seconds: f64 = seconds.parse().ok().filter(|s| (0.0..60.0).contains(s))?;
    Some(((whole(days)? * 24.0 + whole(hours)?) * 60.0 + whole(minutes)?) * 60.0 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timespans_are_read_as_q_writes_them() {
        assert_eq!(timespan("0D01:02:03.500000000"), Some(3723.5));
        assert_eq!(timespan("1D00:00:00"), Some(86_400.0));
        for bad in ["", "0D", "1:2", "0D01:02:xx", "0D00:00:inf", "-1D00:00:00"] {
            assert_eq!(timespan(bad), None, "{bad}");
        }
    }

    #[test]
    fn skew_and_overlap_follow_from_the_spans() {
        let workers = Workers { spans: vec![(1.0, 3.0), (1.5, 5.0)], ..Workers::default() };
        assert_eq!((workers.seconds(), workers.skew_ms(), workers.overlap()), (4.0, 500.0, 0.375));
    }
}

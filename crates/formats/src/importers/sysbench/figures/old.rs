//! The figures of versions 0.4 and 0.5, which print what was done in all, not in a second. Their `Mb` and `MB`
//! are MiB.

use super::Figures;
use crate::{
    FormatError,
    text::{Line, number, split_at_unit},
};
use model::result::Contradiction;

/// How far the printed rate of requests may be from their number over the time.
const PRINT_ERROR: f64 = 0.01;

/// What was done in all.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    reads: f64,
    writes: f64,
    others: f64,
    read_mib: f64,
    write_mib: f64,
    /// Requests in a second, as printed.
    printed: Option<f64>,
}

impl Figures {
    /// Takes a line that only these versions print; true when it was one.
    pub(super) fn old_line(&mut self, line: &Line<'_>, text: &str) -> Result<bool, FormatError> {
        let cut = || line.bad("the line is truncated, or not a count of sysbench");
        if let Some(rest) = text.strip_prefix("Operations performed:") {
            let [reads, writes, others] = operations(rest).ok_or_else(cut)?;
            self.old = Some(Counts { reads, writes, others, ..Counts::default() });
        } else if text.starts_with("Read ") && text.contains("Total transferred") {
            let (read, write) = sizes(text).ok_or_else(cut)?;
            let counts = self
                .old
                .as_mut()
                .ok_or_else(|| line.bad("`Operations performed` above is missing"))?;
            (counts.read_mib, counts.write_mib) = (read, write);
        } else if let Some(requests) = text.strip_suffix("Requests/sec executed") {
            let requests = line.number("the rate of requests", requests)?;
            let counts = self
                .old
                .as_mut()
                .ok_or_else(|| line.bad("`Operations performed` above is missing"))?;
            counts.printed = Some(requests);
        } else if let (Some(_), Some((key, value))) = (self.old, text.split_once(':')) {
            return self.old_time(line, key.trim(), value.trim());
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn old_time(&mut self, line: &Line<'_>, key: &str, value: &str) -> Result<bool, FormatError> {
        let percent =
            key.strip_prefix("approx.").and_then(|rest| rest.trim().strip_suffix(" percentile"));
        let (place, name) = match (key, percent) {
            ("min", _) => (0, "min".to_owned()),
            ("avg", _) => (1, "mean".to_owned()),
            ("max", _) => (2, "max".to_owned()),
            (_, Some(percent)) => (3, format!("p{}", percent.trim())),
            ("total time", _) => {
                let seconds = line.number(key, value.trim_end_matches('s'))?;
                self.over(seconds);
                return Ok(false);
            }
            _ => return Ok(false),
        };
        let ms = value
            .strip_suffix("ms")
            .ok_or_else(|| line.bad("a time is not in ms; the line is truncated"))?;
        self.times[place] = Some((format!("service_{name}_us"), 1e3 * line.number(key, ms)?));
        Ok(true)
    }

    /// Divides what was done by the time.
    fn over(&mut self, seconds: f64) {
        let Some(counts) = self.old.filter(|_| seconds > 0.0) else { return };
        (self.reads, self.writes) = (counts.reads / seconds, counts.writes / seconds);
        self.fsyncs = counts.others / seconds;
        (self.read_mib, self.write_mib) = (counts.read_mib / seconds, counts.write_mib / seconds);
    }

    /// Whether the rate that these versions print is that of what they counted. They count no fsyncs as events.
    pub(super) fn judge_old(&self) -> Result<(), Contradiction> {
        let Some(counts) = self.old else { return Ok(()) };
        let (ops, iops) = (counts.reads + counts.writes, self.reads + self.writes);
        match counts.printed {
            Some(per_s) if (per_s - iops).abs() > PRINT_ERROR * iops.max(per_s) + 0.005 => {
                let (ops, seconds, ops_per_s) = (ops.into(), self.seconds.into(), per_s.into());
                Err(Contradiction::Rate { what: "file".into(), ops, seconds, ops_per_s })
            }
            _ => Ok(()),
        }
    }
}

/// The counts of `  6000 Read, 4000 Write, 800 Other = 10800 Total`.
fn operations(text: &str) -> Option<[f64; 3]> {
    let (counts, total) = text.split_once('=')?;
    let count = |text: &str| number(text.split_whitespace().next()?).filter(|&count| count >= 0.0);
    let all: Vec<f64> = counts.split(',').map(count).collect::<Option<_>>()?;
    let total = count(total)?;
    let all: [f64; 3] = all.try_into().ok()?;
    (all.iter().sum::<f64>() == total).then_some(all)
}

/// MiB that were read and written, of `Read 93.75Mb  Written 62.5Mb  Total transferred ...`.
fn sizes(text: &str) -> Option<(f64, f64)> {
    let mut words = text.split_whitespace();
    let read = mib(words.nth(1)?)?;
    let written = (words.next()? == "Written").then(|| words.next())??;
    Some((read, mib(written)?))
}

fn mib(text: &str) -> Option<f64> {
    let (digits, unit) = split_at_unit(text);
    let factor = match unit {
        "b" | "B" => 1.0 / 1_048_576.0,
        "Kb" | "KB" => 1.0 / 1024.0,
        "Mb" | "MB" => 1.0,
        "Gb" | "GB" => 1024.0,
        "Tb" | "TB" => 1_048_576.0,
        _ => return None,
    };
    Some(number(digits)? * factor)
}

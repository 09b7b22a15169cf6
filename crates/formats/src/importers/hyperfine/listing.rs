//! Reads what hyperfine 1 prints for people: of each command the mean, the shortest and the longest of its runs, in
//! three or four digits.

use super::{Command, csv::Mean, metrics, validity};
use crate::{
    FormatError,
    gate::{Figures, Printer, Times},
    text::{Line, check_end_or_unit, lines, number},
};
use model::{
    figure::{Better, Metric},
    result::{Reason, Validity},
};
use std::collections::HashSet;

/// What is before the mean of several runs, before the time of one, and before the least and the greatest.
const MEAN: &str = "Time (mean ± σ):";
const ALONE: &str = "Time (abs ≡):";
const RANGE: &str = "Range (min … max):";

/// Said of commands that failed under `--ignore-failure`.
const FAILED: &str = "Warning: Ignoring non-zero exit code";

/// Whether a file that begins so is of this kind.
pub(super) fn sniff(head: &str) -> bool {
    let has = |start: &str| head.lines().any(|line| shown(line).starts_with(start));
    head.lines().any(|line| title(shown(line)).is_some()) && (has(MEAN) || has(ALONE))
}

/// What a terminal shows of a line: behind the bars of progress.
fn shown(line: &str) -> &str {
    line.trim_end().rsplit('\r').next().unwrap_or_default().trim()
}

/// The command in `Benchmark 1: sleep 0.1`, with a `#` before the number in early releases.
fn title(text: &str) -> Option<&str> {
    let (number, command) = text.strip_prefix("Benchmark ")?.split_once(": ")?;
    let number = number.strip_prefix('#').unwrap_or(number);
    number.parse::<u32>().ok().map(|_| command.trim())
}

/// One command as far as it was read.
#[derive(Default)]
struct Open {
    line: u64,
    command: String,
    /// Mean, time in user mode and in the kernel, seconds.
    means_s: Option<[f64; 3]>,
    /// The shortest and the longest run, seconds.
    range_s: Option<[f64; 2]>,
    /// There was one run, which has no range.
    alone: bool,
    failed: bool,
    printer: Printer,
}

/// Each command of the file with its mean; a copy of one that was read is none.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Vec<(Command, Mean)>, FormatError> {
    let mut all: Vec<Open> = Vec::new();
    for line in lines(file, bytes) {
        let text = shown(&line.text);
        if let Some(command) = title(text) {
            all.push(Open::of(line.number, command));
        }
        if let Some(open) = all.last_mut() {
            open.line(&line, text)?;
        }
    }
    check_end_or_unit(file, bytes, "s")?;
    let mut seen = HashSet::new();
    all.retain(|open| seen.insert(open.printer.print()));
    all.into_iter().map(|open| open.end(file)).collect()
}

impl Open {
    fn of(line: u64, command: &str) -> Open {
        let mut open = Open { line, command: command.into(), ..Open::default() };
        open.printer.add(command.as_bytes());
        open
    }

    fn line(&mut self, line: &Line<'_>, text: &str) -> Result<(), FormatError> {
        let bad = || line.bad("a time is truncated, or not one of hyperfine");
        let mean = text.strip_prefix(MEAN);
        if mean.is_some() || [ALONE, RANGE].iter().any(|start| text.starts_with(start)) {
            self.printer.add(text.as_bytes());
        }
        if let Some(rest) = mean.or_else(|| text.strip_prefix(ALONE)) {
            self.alone = mean.is_none();
            self.means_s = Some(means_s(rest).ok_or_else(bad)?);
        } else if let Some(rest) = text.strip_prefix(RANGE) {
            self.range_s = Some(range_s(rest).ok_or_else(bad)?);
        }
        self.failed |= text.starts_with(FAILED);
        Ok(())
    }

    fn end(self, file: &str) -> Result<(Command, Mean), FormatError> {
        let is_whole = self.alone || self.range_s.is_some();
        let Some([mean_s, user_s, sys_s]) = self.means_s.filter(|_| is_whole) else {
            let why = "the command has no line `Time` or no line `Range`; the file is truncated";
            return Err(FormatError::line(file, self.line, why));
        };
        let [min, max] = match self.range_s {
            Some([min, max]) => [Some(min), Some(max)],
            None => [None, None],
        };
        let mut metrics = metrics([Some(mean_s), Some(user_s), Some(sys_s), None]);
        let lower = |name, value| Metric::new(name, value, "s", Better::Lower);
        metrics.extend(min.map(|min| lower("wall_min_s", min)));
        metrics.extend(max.map(|max| lower("wall_max_s", max)));
        let times = Times { min, mean: Some(mean_s), max, ..Times::default() };
        let judged = Figures { what: "wall_s", times: Some(&times), ..Figures::default() }.judge();
        let validity = match judged {
            Err(why) => Validity::Invalid(why.into()),
            Ok(()) if self.failed => {
                metrics.clear();
                Validity::Invalid(Reason::said("hyperfine ignored a non-zero exit code"))
            }
            Ok(()) => validity(None, mean_s),
        };
        let command = Command { command: self.command, ..Command::default() };
        Ok((command, Mean { seconds: mean_s, metrics, validity }))
    }
}

/// `1.003 s ±  0.001 s    [User: 0.9 ms, System: 1.2 ms]`.
fn means_s(text: &str) -> Option<[f64; 3]> {
    let (times, shares) = text.split_once('[')?;
    let (user, system) = shares.trim_end().strip_suffix(']')?.split_once(", System: ")?;
    let mean = times.split('±').next()?;
    Some([seconds(mean)?, seconds(user.strip_prefix("User: ")?)?, seconds(system)?])
}

/// `1.002 s …  1.005 s    10 runs`, of which early releases do not print the number.
fn range_s(text: &str) -> Option<[f64; 2]> {
    let (min, rest) = text.split_once('…')?;
    let mut words = rest.split_whitespace();
    let max = [words.next()?, words.next()?].join(" ");
    let of_runs = [words.next(), words.next()];
    matches!(of_runs, [None, None] | [Some(_), Some("runs")]).then_some(())?;
    Some([seconds(min)?, seconds(&max)?])
}

/// `12.3 ms` in seconds.
fn seconds(text: &str) -> Option<f64> {
    let (digits, unit) = text.trim().split_once(' ')?;
    let unit_s = match unit.trim() {
        "s" => 1.0,
        "ms" => 1e-3,
        "µs" | "μs" | "us" => 1e-6,
        _ => return None,
    };
    Some(number(digits).filter(|&digits| digits >= 0.0)? * unit_s)
}

//! The status of fio's groups alone, the part of its output that is copied most: rates of all jobs
//! together, without operations and latencies.

use super::{number, run::Direction};
use crate::{
    FormatError, ImportOptions,
    gate::Printer,
    gather::{Gather, Reading},
    known::RATE,
    source::Input,
    text::{Line, check_end, lines},
};
use model::{
    figure::{Better, Metric},
    result::{Contradiction, Dataset},
    workload::{Group, TestInfo},
};

/// How far the printed rate may be from that of the printed bytes and time; each has three digits.
const PRINT_ERROR: f64 = 0.02;

/// What a run gains from one status to the next, at least.
const LEAST_S: f64 = 0.5;

const NOTES: [&str; 3] = [
    "The source contains only the status of fio's groups: rate is that of all jobs of a group, \
     bytes over the longest run time; operations, latencies and options are unknown.",
    "The number of processes is not in the source; it is recorded as 1.",
    "fio does not verify cache states; every sample is recorded as `any`.",
];

/// Whether a line is of this part.
pub(super) fn is_line(line: &str) -> bool {
    rates(line.trim()).is_some()
}

/// The campaign of files that hold nothing else.
pub(super) fn read(
    files: &[(Input<'_>, String)],
    options: &ImportOptions,
) -> Result<Dataset, FormatError> {
    let mut gather = Gather::of("fio", options);
    for (file, target) in files {
        let bytes = file.bytes()?;
        let (mut group, mut earlier) = (Status::default(), Vec::new());
        for line in lines(file.name(), &bytes) {
            let text = line.text.trim();
            if let Some(rest) = text.strip_prefix("Run status group ") {
                let ended = std::mem::take(&mut group);
                ended.check(file.name(), &earlier)?;
                earlier.push(ended.clone());
                ended.end(file.name(), target, &mut gather)?;
                group.printer.add(text.as_bytes());
                group.number = rest.split_whitespace().next().unwrap_or_default().into();
            } else if let Some((direction, fields)) = rates(text) {
                group.add(&line, direction, fields)?;
            }
        }
        group.check(file.name(), &earlier)?;
        group.end(file.name(), target, &mut gather)?;
        check_end(file.name(), &bytes)?;
    }
    gather.finish(&NOTES)
}

/// The direction of a line such as `READ: bw=195MiB/s (205MB/s), ..., io=11.4GiB (12.3GB), run=60000-60000msec`,
/// and the rest of it.
fn rates(text: &str) -> Option<(Direction, &str)> {
    let (word, rest) = text.split_once(':')?;
    let is_it = |direction: &Direction| direction.as_str().to_uppercase() == word.trim_end();
    let direction = Direction::ALL.into_iter().find(is_it)?;
    let rest = rest.trim_start();
    let told = rest.starts_with("bw=") || (rest.starts_with("io=") && rest.contains("aggrb="));
    told.then_some((direction, rest))
}

/// What one group did.
#[derive(Clone, Default)]
struct Status {
    number: String,
    line: u64,
    printer: Printer,
    /// MB/s by direction.
    rates: Vec<(Direction, f64)>,
    bytes: f64,
    run_s: f64,
    /// What of it cannot be true.
    doubt: Option<Contradiction>,
}

impl Status {
    fn add(
        &mut self,
        line: &Line<'_>,
        direction: Direction,
        text: &str,
    ) -> Result<(), FormatError> {
        if self.rates.iter().any(|(known, _)| *known == direction) {
            return Err(
                line.bad("the direction appears twice in one group; import each run separately")
            );
        }
        let figures = Figures::of(text);
        let figures = figures.ok_or_else(|| {
            line.bad(
                "the line is truncated, or not a status of \
                                                      fio",
            )
        })?;
        let computed = figures.bytes / figures.run_s;
        if (computed - figures.rate).abs() > PRINT_ERROR * figures.rate {
            self.doubt.get_or_insert(Contradiction::BytesOverTime {
                bytes_per_s: figures.rate.into(),
                computed_bytes_per_s: computed.into(),
            });
        }
        self.line = line.number;
        self.printer.add(line.text.trim().as_bytes());
        self.bytes += figures.bytes;
        self.run_s = self.run_s.max(figures.run_s);
        self.rates.push((direction, figures.rate / 1e6));
        Ok(())
    }

    /// With `--status-interval` the status comes again and again, each with all that was done until then.
    fn check(&self, file: &str, earlier: &[Status]) -> Result<(), FormatError> {
        let goes_on = |before: &Status| {
            let directions =
                |status: &Status| status.rates.iter().map(|(d, _)| *d).collect::<Vec<_>>();
            let is_same = before.number == self.number && directions(before) == directions(self);
            is_same && self.bytes > before.bytes && self.run_s - before.run_s >= LEAST_S
        };
        if self.rates.is_empty() || !earlier.iter().any(goes_on) {
            return Ok(());
        }
        let why = "the status of this group appeared before, with less work in less time, and it \
                   is unclear whether it is the same run; import only the last status of each \
                   run, in a separate file";
        Err(FormatError::line(file, self.line, why))
    }

    fn end(self, file: &str, target: &str, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        // A copy of a group is no repeat.
        if self.rates.is_empty() || !gather.see_as(file, Some(target), self.printer.print()) {
            return Ok(());
        }
        let names: Vec<&str> = self.rates.iter().map(|(direction, _)| direction.as_str()).collect();
        let higher = |name: &str, value| Metric::new(name, value, RATE.unit, Better::Higher);
        let mut metrics = vec![higher(RATE.name, self.rates.iter().map(|(_, rate)| rate).sum())];
        let each =
            self.rates.iter().map(|(d, rate)| higher(&format!("{}_rate", d.as_str()), *rate));
        metrics.extend(each);
        let outcome = self.doubt.map_or(Ok(metrics), |why| Err(why.into()));
        let reading = Reading {
            seconds: self.run_s,
            label: Some(target.into()),
            ..Reading::new(info(&self.number, &names), outcome)
        };
        gather.add(file, self.line, reading)
    }
}

fn info(number: &str, directions: &[&str]) -> TestInfo {
    let (group, testtype) = match directions {
        ["read"] => (Group::SequentialRead, "read"),
        ["write"] => (Group::SequentialWrite, "write"),
        ["trim"] => (Group::SequentialWrite, "trim"),
        _ => (Group::Mixed, "read/write"),
    };
    let group_of = if number.is_empty() { String::new() } else { format!("group {number} ") };
    let name = format!("{group_of}{}", directions.join(" "));
    TestInfo {
        id: crate::test_id("fio", &name),
        suite: "fio".into(),
        name,
        testtype: testtype.into(),
        group,
        metric: RATE.name.into(),
        unit: RATE.unit.into(),
        better: RATE.better,
        shape: None,
    }
}

/// What a line says, in bytes and seconds.
struct Figures {
    rate: f64,
    bytes: f64,
    run_s: f64,
}

impl Figures {
    fn of(text: &str) -> Option<Figures> {
        let old = text.starts_with("io=");
        let field = |key: &str| text.split(", ").find_map(|part| part.trim().strip_prefix(key));
        let (rate, time) = if old {
            (field("aggrb=")?, field("maxt=")?)
        } else {
            (field("bw=")?, field("run=")?.split_once('-')?.1)
        };
        let run_s = number::decimal(time.trim().strip_suffix("msec")?)? / 1000.0;
        let figures =
            Figures { rate: amount(rate, old)?, bytes: amount(field("io=")?, old)?, run_s };
        (figures.rate > 0.0 && figures.run_s > 0.0).then_some(figures)
    }
}

/// `195MiB/s (205MB/s)`: the decimal one, where both stand.
fn amount(text: &str, before_iec: bool) -> Option<f64> {
    match text.split_once('(') {
        Some((_, decimal)) => number::bytes(decimal.trim_end().strip_suffix(')')?, false),
        None => number::bytes(text, before_iec),
    }
}

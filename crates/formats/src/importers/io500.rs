//! Reads `result_summary.txt` of IO500: a line for each phase with its rate and its time, then the score. What
//! IO500 marked as invalid is an invalid sample.

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Printer,
    gather::{Gather, Reading},
    known::{OPS_RATE, RATE},
    text::{Line, check_end, lines},
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Imported},
    workload::{Group, TestInfo},
};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "io500";

/// A GiB/s in MB/s.
const MB_PER_GIB: f64 = 1073.741824;

/// How far a score may be from the geometric mean of its phases.
const SCORE_ERROR: f64 = 0.01;

/// The phases that make the two scores.
const BANDWIDTH: [&str; 4] = ["ior-easy-write", "ior-hard-write", "ior-easy-read", "ior-hard-read"];
const METADATA: [&str; 8] = [
    "mdtest-easy-write",
    "mdtest-hard-write",
    "find",
    "mdtest-easy-stat",
    "mdtest-hard-stat",
    "mdtest-easy-delete",
    "mdtest-hard-read",
    "mdtest-hard-delete",
];

const NOTES: [&str; 3] = [
    "IO500's GiB/s and kIOPS are converted to MB/s and operations/s; its scores are geometric \
     means of these and are stored as facts of the target.",
    "The number of processes is not in the summary; it is recorded as 1.",
    "Cache states and bytes are not in the source; one run gives no spread.",
];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        head.lines().any(|line| Row::of(line.trim()).is_some_and(|row| row.ranked))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let mut run = Run { run_start: gather.run_start(), ..Run::default() };
            for line in lines(file, bytes) {
                run.line(&line, &mut gather)?;
            }
            run.end(file, &mut gather);
            check_end(file, bytes)?;
        }
        gather.finish(&NOTES)
    }
}

/// A line of a phase: `[RESULT]       ior-easy-write        1.234567 GiB/s : time 300.123 seconds`.
struct Row<'a> {
    /// It counts for a score.
    ranked: bool,
    name: &'a str,
    value: &'a str,
    unit: &'a str,
    seconds: &'a str,
    invalid: bool,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Option<Row<'a>> {
        let (ranked, rest) = match text.strip_prefix("[RESULT") {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix("[      ")?),
        };
        let (mark, rest) = rest.split_once(']')?;
        let (figures, time) = rest.split_once(" : time ")?;
        let mut words = figures.split_whitespace().rev();
        let (unit, value, name) = (words.next()?, words.next()?, words.next()?);
        let seconds = time.split_whitespace().next()?;
        let invalid = time.contains("[INVALID]") || mark.to_lowercase().contains("invalid");
        time.split_whitespace().nth(1)?.starts_with('s').then_some(Row {
            ranked,
            name,
            value,
            unit,
            seconds,
            invalid,
        })
    }

    fn reading(&self, line: &Line<'_>) -> Result<Reading, FormatError> {
        let value = line.number("the rate", self.value)?;
        let name = self.name.replace('_', "-");
        let (ranked, value) = match self.unit {
            // Releases before 2020 wrote GB/s for the same.
            "GiB/s" | "GB/s" => (&RATE, value * MB_PER_GIB),
            "kIOPS" | "kiops" => (&OPS_RATE, value * 1e3),
            unit => {
                return Err(
                    line.bad(format!("`{}` is not a unit of IO500", crate::table::short(unit)))
                );
            }
        };
        let (group, testtype) = kind(&name);
        let info = TestInfo {
            id: crate::test_id(SUITE, &name),
            suite: SUITE.into(),
            name,
            testtype: testtype.into(),
            group,
            metric: ranked.name.into(),
            unit: ranked.unit.into(),
            better: ranked.better,
            shape: None,
        };
        let outcome = match self.invalid {
            true => Err(Imported::Io500MarkedInvalid {}.into()),
            false => Ok(vec![Metric::new(ranked.name, value, ranked.unit, Better::Higher)]),
        };
        Ok(Reading {
            seconds: line.number("the time", self.seconds)?,
            ..Reading::new(info, outcome)
        })
    }
}

/// The table and the type of a phase.
fn kind(name: &str) -> (Group, &'static str) {
    match name {
        "ior-easy-write" => (Group::SequentialWrite, "sequential write"),
        "ior-easy-read" => (Group::SequentialRead, "sequential read"),
        "ior-hard-write" => (Group::RandomWrite, "small writes to one file"),
        "ior-hard-read" => (Group::RandomRead, "small reads of one file"),
        _ if name.starts_with("ior-rnd") => (Group::RandomRead, "random read"),
        _ if name.starts_with("ior") => (Group::Mixed, "other"),
        _ => (Group::Meta, "files"),
    }
}

#[derive(Default)]
struct Run {
    /// Names and printed figures of the phases that count.
    phases: Vec<(String, f64)>,
    printer: Printer,
    /// Where its measurements begin.
    run_start: usize,
}

impl Run {
    /// Ends a run, of which the score is the last line.
    fn end(&mut self, file: &str, gather: &mut Gather<'_>) {
        gather.end_run(file, self.run_start, self.printer.print());
        *self = Run { run_start: gather.run_start(), ..Run::default() };
    }

    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if let Some(rest) = text.strip_prefix("IO500 version ") {
            gather.version(rest.split_whitespace().next().unwrap_or_default());
        } else if let Some(row) = Row::of(text) {
            let value = line.number("the rate", row.value)?;
            // Marks of time, as `timestamp`, do nothing.
            if row.ranked || value > 0.0 {
                self.printer.add(text.as_bytes());
                self.phases.push((row.name.replace('_', "-"), value));
                gather.add(line.file, line.number, row.reading(line)?)?;
            }
        } else if text.starts_with("[RESULT") {
            return Err(line.bad("the line of a phase is truncated"));
        } else if let Some((_, score)) =
            text.strip_prefix("[SCORE").and_then(|t| t.split_once("Bandwidth "))
        {
            self.score(line, score)?;
            gather.fact(line.file, None, "io500.score", score);
            self.end(line.file, gather);
        }
        Ok(())
    }

    /// Refuses a score that its phases do not give.
    fn score(&self, line: &Line<'_>, text: &str) -> Result<(), FormatError> {
        let mut words = text.split_whitespace();
        let bandwidth = words.next().unwrap_or_default();
        let metadata = words.skip_while(|word| *word != "IOPS").nth(1).unwrap_or_default();
        for (printed, names) in [(bandwidth, BANDWIDTH.as_slice()), (metadata, &METADATA)] {
            let printed = line.number("a score", printed)?;
            let of =
                |name: &&str| self.phases.iter().find(|(known, _)| known == name).map(|(_, v)| *v);
            let values: Option<Vec<f64>> = names.iter().map(of).collect();
            // IO500 leaves out phases without a figure.
            let Some(values) = values.filter(|values| values.iter().all(|&value| value > 0.0))
            else {
                continue;
            };
            let mean = values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64;
            if (mean.exp() - printed).abs() > SCORE_ERROR * mean.exp() {
                return Err(line.bad(format!(
                    "contradicts the phases above: their mean is {:.4}, the score {printed:.4}",
                    mean.exp()
                )));
            }
        }
        Ok(())
    }
}

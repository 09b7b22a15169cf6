//! Reads what `dd` says at its end, of GNU, of BSD and of busybox: bytes and seconds. The rate is computed
//! from both, because the one it prints has three digits.

mod copied;
mod report;

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Printer,
    gather::{Gather, Reading},
    known::{Known, RATE, ranked_by},
    naming::short_slug,
    text::{Line, check_end_or_unit, lines},
};
use copied::Copied;
use model::{
    figure::{Better, Metric},
    result::{Dataset, Imported},
};
use report::{Records, Report};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "dd";

/// By what is on the other end of the command; without a command only that something was copied is known.
const TESTS: [Known; 3] = ranked_by! {
    RATE:
    "write" "sequential write" SequentialWrite
    "read" "sequential read" SequentialRead
    "copy" "copy" Mixed
};

const NOTES: [&str; 3] = [
    "rate is bytes over seconds as reported by dd, in one process; without conv=fsync or \
     oflag=direct, writes end in memory.",
    "If the source lacks the command, the test is named `copy`.",
    "Cache states are not in the source; one run gives no spread.",
];

/// Said where a report was taken for one of a run that continued.
const PROGRESS_NOTE: &str = "A report of dd that the next one continues, with more bytes in more time, was taken for its \
                             progress (SIGUSR1, SIGINFO, status=progress) and left out. If it was a run of its own, \
                             import it as a separate file.";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let has = |is: fn(&str) -> bool| head.lines().any(|line| is(line.trim()));
        has(|line| Copied::of(line).is_some())
            || has(|line| Copied::of_other_language(line).is_some())
            || (has(|line| Records::of(line, " records in").is_some())
                && has(|line| Records::of(line, " records out").is_some()))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let has = |is: fn(&str) -> bool| lines(file, bytes).any(|line| is(shown(&line.text)));
            let told = has(|text| Records::of(text, " records in").is_some());
            let is_english = told || has(|text| Records::of(text, " records out").is_some());
            let other_language =
                !is_english && has(|text| Records::of_other_language(text).is_some());
            // Without a line of records a line of bytes is a run; with them it may be one of progress.
            let alone = !told && !other_language;
            let mut run = Run { alone, other_language, ..Run::default() };
            for line in lines(file, bytes) {
                run.line(&line, &mut gather)?;
            }
            if let Some(line) = run.open() {
                let why = "dd's last line, with bytes and seconds, is missing; the file is \
                           truncated";
                return Err(FormatError::line(file, line, why));
            }
            run.end(file, &mut gather)?;
            check_end_or_unit(file, bytes, "B/s")?;
        }
        gather.finish(&NOTES)
    }
}

/// One run of dd.
#[derive(Default)]
struct Run {
    /// The text has no lines of records.
    alone: bool,
    /// dd spoke another language than English.
    other_language: bool,
    /// Its command, where the text has one.
    command: String,
    /// Line of the records that were read, and those that were read and written.
    begun: Option<u64>,
    read: Option<Records>,
    written: Option<Records>,
    printer: Printer,
    /// The report above, which may be of this run.
    last: Option<Report>,
    /// Something is between it and what follows that dd does not print.
    apart: bool,
}

impl Run {
    /// The line at which a run begins that has no end.
    fn open(&self) -> Option<u64> {
        self.begun
    }

    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = shown(&line.text);
        if let Some(read) = self.records(text, " records in", self.begun.is_none()) {
            if self.begun.is_some() {
                return Err(line.bad("the run above has no line with bytes and seconds"));
            }
            (self.begun, self.read) = (Some(line.number), Some(read));
        } else if let Some(written) = self.records(text, " records out", self.written.is_none()) {
            self.written = Some(written);
            self.printer.add(text.as_bytes());
        } else if let Some(command) = command(text) {
            self.command = command.into();
            self.apart = true;
            self.printer.add(text.as_bytes());
        } else if let Some(copied) = copied(text) {
            if self.alone || self.begun.is_some() {
                self.printer.add(text.as_bytes());
                self.report(line, copied, gather)?;
            }
        } else if !text.is_empty() && !text.starts_with("dd: ") {
            self.apart = true;
        }
        Ok(())
    }

    /// The records of a line that ends with `what`; in another language, those of a line whose `turn` it is.
    fn records(&self, text: &str, what: &str, turn: bool) -> Option<Records> {
        let other = || Records::of_other_language(text).filter(|_| self.other_language && turn);
        Records::of(text, what).or_else(other)
    }

    /// Takes a report whose last line is `line`; the one before is of another run unless this continues it.
    fn report(
        &mut self,
        line: &Line<'_>,
        copied: Copied<'_>,
        gather: &mut Gather<'_>,
    ) -> Result<(), FormatError> {
        let mut report = Report {
            line: line.number,
            read: self.read,
            written: self.written,
            bytes: copied.bytes,
            seconds: copied.seconds,
            check: copied.check(),
            command: std::mem::take(&mut self.command),
            print: self.printer.print(),
            continues: false,
        };
        match self.last.take() {
            Some(last) if !self.apart && report.is_after(&last) => {
                gather.note(PROGRESS_NOTE);
                report.continues = true;
                report.command = last.command;
            }
            Some(last) => add(line.file, last, gather)?,
            None => {}
        }
        let (alone, other_language) = (self.alone, self.other_language);
        *self = Run { alone, other_language, last: Some(report), ..Run::default() };
        Ok(())
    }

    /// Takes the end of a file.
    fn end(&mut self, file: &str, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        self.last.take().map_or(Ok(()), |last| add(file, last, gather))
    }
}

/// Adds a run by its last report.
fn add(file: &str, report: Report, gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let run_start = gather.run_start();
    let (line, print) = (report.line, report.print);
    gather.add(file, line, reading(report))?;
    gather.end_run(file, run_start, print);
    Ok(())
}

fn reading(report: Report) -> Reading {
    let mut info = test(&report.command).info(SUITE);
    if let Some(block) = report.block() {
        info.id = format!("{}-b{block}", info.id);
        info.name = format!("{}, blocks of {block} bytes", info.name);
    }
    for word in how(&report.command) {
        info.id = format!("{}-{}", info.id, short_slug(word));
        info.name = format!("{}, {word}", info.name);
    }
    let outcome = if report.seconds > 0.0 {
        let rate = report.bytes as f64 / report.seconds / 1e6;
        let rate = Metric::new(RATE.name, rate, RATE.unit, Better::Higher);
        report.check.map(|()| vec![rate])
    } else {
        Err(Imported::DdTooShort {}.into())
    };
    Reading {
        seconds: report.seconds,
        ops: report.written.map_or(0, Records::count),
        ..Reading::new(info, outcome)
    }
}

/// What dd wrote on a line: a terminal shows before it what was typed to end the run.
fn shown(text: &str) -> &str {
    text.trim().trim_start_matches("^C")
}

/// The last line of a report.
fn copied(text: &str) -> Option<Copied<'_>> {
    Copied::of(text).or_else(|| Copied::of_other_language(text))
}

/// The command on a line of a shell, with what it reads or writes.
fn command(text: &str) -> Option<&str> {
    // A prompt may end in a directory like `hdd`.
    let is_word = |at: &usize| *at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
    let at = text.match_indices("dd ").map(|(at, _)| at).find(is_word)?;
    (text.contains(" if=") || text.contains(" of=")).then(|| &text[at..])
}

/// What a command does to the disk.
fn test(command: &str) -> &'static Known {
    let of = |key: &str| words(command).find_map(|word| word.strip_prefix(key));
    let makes = |file: &str| matches!(file, "/dev/zero" | "/dev/urandom" | "/dev/random");
    match (of("if="), of("of=")) {
        (Some(from), Some("/dev/null")) if makes(from) => &TESTS[2],
        (Some(from), Some(_)) if makes(from) => &TESTS[0],
        (Some(_), Some("/dev/null")) => &TESTS[1],
        _ => &TESTS[2],
    }
}

/// The words of a command that change what a run measures, such as `oflag=direct` and `conv=fsync`, in one order.
fn how(command: &str) -> Vec<&str> {
    let keys = ["conv=", "iflag=", "oflag="];
    let of = |key: &'static str| words(command).find(move |word| word.starts_with(key));
    keys.into_iter().filter_map(of).collect()
}

/// The words of a command, as far as it is of dd.
fn words(command: &str) -> impl Iterator<Item = &str> {
    let own = command.split(['|', ';', '&', '`']).next().unwrap_or_default();
    own.split_whitespace().map(|word| word.trim_matches(['"', '\'']))
}

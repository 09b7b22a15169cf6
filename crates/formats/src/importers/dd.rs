//! Reads what `dd` says at its end, of GNU, of BSD and of busybox: bytes and seconds. The rate is computed
//! from both, because the one it prints has three digits.

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Printer,
    gather::{Gather, Reading},
    known::{Known, RATE, ranked_by},
    table::short,
    text::{Line, check_end_or_unit, lines, number, split_at_unit},
};
use model::{
    figure::{Better, Metric},
    result::{Contradiction, Dataset, Imported, Reason},
};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "dd";

/// By what stands on the other end of the command; without a command only that something was copied is known.
const TESTS: [Known; 3] = ranked_by! {
    RATE:
    "write" "sequential write" SequentialWrite
    "read" "sequential read" SequentialRead
    "copy" "copy" Mixed
};

/// How far the printed rate may be from bytes over seconds: it has two or three digits.
const PRINT_ERROR: f64 = 0.06;

const NOTES: [&str; 3] = [
    "rate is bytes over seconds as reported by dd, in one process; without conv=fsync or \
     oflag=direct, writes end in memory.",
    "If the source lacks the command, the test is named `copy`.",
    "Cache states are not in the source; one run gives no spread.",
];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let has = |is: fn(&str) -> bool| head.lines().any(|line| is(line.trim()));
        has(|line| Copied::of(line).is_some())
            || (has(|line| records(line, " records in").is_some())
                && has(|line| records(line, " records out").is_some()))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            // Without a line of records a line of bytes is a run; with them it may be one of progress.
            let told =
                lines(file, bytes).any(|line| records(line.text.trim(), " records in").is_some());
            let mut run = Run { alone: !told, ..Run::default() };
            for line in lines(file, bytes) {
                run.line(&line, &mut gather)?;
            }
            if let Some(line) = run.open() {
                let why = "dd's last line, with bytes and seconds, is missing; the file is \
                           truncated";
                return Err(FormatError::line(file, line, why));
            }
            check_end_or_unit(file, bytes, "B/s")?;
        }
        gather.finish(&NOTES)
    }
}

/// Whole and partial records of `1024+0 records in`.
fn records(line: &str, what: &str) -> Option<(u64, u64)> {
    let (whole, partial) = line.strip_suffix(what)?.split_once('+')?;
    Some((whole.parse().ok()?, partial.parse().ok()?))
}

/// One run of dd.
#[derive(Default)]
struct Run {
    /// The text has no lines of records.
    alone: bool,
    /// Its command, where the text has one.
    command: String,
    /// Line of the records that were read, and those that were written.
    read: Option<u64>,
    written: Option<(u64, u64)>,
    printer: Printer,
}

impl Run {
    /// The line at which a run begins that has no end.
    fn open(&self) -> Option<u64> {
        self.read
    }

    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if records(text, " records in").is_some() {
            if self.read.is_some() {
                return Err(line.bad("the run above has no line with bytes and seconds"));
            }
            self.read = Some(line.number);
        } else if let Some(written) = records(text, " records out") {
            self.written = Some(written);
            self.printer.add(text.as_bytes());
        } else if let Some(command) = command(text) {
            self.command = command.into();
            self.printer.add(text.as_bytes());
        } else if let Some(copied) = Copied::of(text).filter(|_| self.alone || self.read.is_some())
        {
            self.printer.add(text.as_bytes());
            let run_start = gather.run_start();
            gather.add(line.file, line.number, self.reading(&copied))?;
            gather.end_run(line.file, run_start, self.printer.print());
            *self = Run { alone: self.alone, ..Run::default() };
        }
        Ok(())
    }

    fn reading(&self, copied: &Copied<'_>) -> Reading {
        let whole = self.written.filter(|(whole, partial)| *whole > 0 && *partial == 0);
        let whole =
            whole.map(|(whole, _)| whole).filter(|whole| copied.bytes.is_multiple_of(*whole));
        let block = whole.map(|whole| copied.bytes / whole);
        let mut info = test(&self.command).info(SUITE);
        if let Some(block) = block {
            info.id = format!("{}-b{block}", info.id);
            info.name = format!("{}, blocks of {block} bytes", info.name);
        }
        let rate = copied.bytes as f64 / copied.seconds / 1e6;
        let outcome = if copied.seconds > 0.0 {
            let rate = Metric::new(RATE.name, rate, RATE.unit, Better::Higher);
            copied.check().map(|()| vec![rate])
        } else {
            Err(Imported::DdTooShort {}.into())
        };
        Reading {
            seconds: copied.seconds,
            ops: self.written.map_or(0, |(whole, partial)| whole.saturating_add(partial)),
            ..Reading::new(info, outcome)
        }
    }
}

/// The command on a line of a shell, with what it reads or writes.
fn command(text: &str) -> Option<&str> {
    let at = text
        .find("dd ")
        .filter(|&at| at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric())?;
    (text.contains(" if=") || text.contains(" of=")).then(|| &text[at..])
}

/// What a command does to the disk.
fn test(command: &str) -> &'static Known {
    let of = |key: &str| command.split_whitespace().find_map(|word| word.strip_prefix(key));
    let makes = |file: &str| matches!(file, "/dev/zero" | "/dev/urandom" | "/dev/random");
    match (of("if="), of("of=")) {
        (Some(from), Some(_)) if makes(from) => &TESTS[0],
        (Some(_), Some("/dev/null")) => &TESTS[1],
        _ => &TESTS[2],
    }
}

/// The last line of a run.
struct Copied<'a> {
    bytes: u64,
    seconds: f64,
    /// The rate as printed, with its unit.
    rate: &'a str,
}

impl<'a> Copied<'a> {
    /// `1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.5 s, 429 MB/s`, without `copied` at BSD:
    /// `1073741824 bytes transferred in 2.5 secs (429496729 bytes/sec)`.
    fn of(text: &'a str) -> Option<Copied<'a>> {
        let (bytes, rest) = text.split_once(" bytes ")?;
        let bytes = bytes.trim().parse().ok()?;
        let (seconds, rate) = match rest.strip_prefix("transferred in ") {
            Some(rest) => rest.split_once(" secs (")?,
            None => rest.split_once("copied, ")?.1.split_once(',')?,
        };
        let (digits, unit) = seconds.split_once(' ').unwrap_or((seconds, "s"));
        matches!(unit.trim(), "s" | "seconds" | "second" | "secs").then_some(())?;
        let seconds = number(digits).filter(|&seconds| seconds >= 0.0)?;
        Some(Copied { bytes, seconds, rate: rate.trim().trim_end_matches(')') })
    }

    /// Whether the rate is that of bytes and seconds.
    fn check(&self) -> Result<(), Reason> {
        let computed = self.bytes as f64 / self.seconds;
        let (digits, unit) = split_at_unit(self.rate);
        let Some(printed) = number(digits) else { return Ok(()) };
        // busybox counts in powers of 1024 under the same names.
        let near = |base: f64| {
            let power = match unit.trim().trim_end_matches("/s").trim_end_matches("/sec") {
                "bytes" | "B" => 0,
                "kB" | "KB" => 1,
                "MB" => 2,
                "GB" => 3,
                "TB" => 4,
                _ => return true,
            };
            let printed = printed * base.powi(power);
            (printed - computed).abs() <= PRINT_ERROR * computed
        };
        if !computed.is_finite() || near(1000.0) || near(1024.0) {
            return Ok(());
        }
        let (bytes, seconds, rate) = (self.bytes, self.seconds.into(), short(self.rate));
        Err(Contradiction::Printed { bytes, seconds, rate: rate.to_string() }.into())
    }
}

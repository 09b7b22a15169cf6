//! Reads the tables of fs_mark 3.x: a row for each iteration, and with `-v` how long each system call took.

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Printer,
    gather::{Gather, Reading},
    known::{Known, OPS_RATE},
    text::{Line, check_end, lines, work},
};
use model::{
    figure::{Better, Metric},
    result::Dataset,
    workload::Group,
};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "fs_mark";

/// fs_mark writes new files, and syncs them as `-S` tells.
const CREATE: Known = Known {
    key: "create",
    name: "create and write files",
    testtype: "create",
    group: Group::Files,
    ranked: &OPS_RATE,
};

const NOTES: [&str; 3] = [
    "ops_rate is fs_mark's Files/sec: the sync is in it unless the method is NO SYNC, the deletion between iterations is not.",
    "Each iteration is a row and a repeat; with -k the directories are fuller in each.",
    "NAME_service_mean_us and _max_us are of one kind of system call, printed in whole microseconds where fs_mark was told -v.",
];

/// Columns of every table.
const COLUMNS: [&str; 5] = ["FSUse%", "Count", "Size", "Files/sec", "App Overhead"];

/// Columns of a call in a table of `-v`.
const OF_CALL: &str = "(Min/Avg/Max)";

/// Options whose values do not change the work: where it is done, and where it is logged.
const ELSEWHERE: [&str; 2] = ["-d", "-l"];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        head.lines().any(|line| command(line).is_some() || calls(line).is_some())
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let mut run = Run { start: gather.run_start(), ..Run::default() };
            for line in lines(file, bytes) {
                run.line(&line, &mut gather)?;
            }
            run.end(file, &mut gather)?;
            check_end(file, bytes)?;
        }
        gather.finish(&NOTES)
    }
}

/// The text after `#`, with any number of them.
fn remark(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim())
}

/// The command in `#  fs_mark  -d  /srv  -n  1000`.
fn command(text: &str) -> Option<&str> {
    let text = remark(text)?;
    let program = text.split_whitespace().next()?;
    (program.rsplit('/').next() == Some("fs_mark")).then_some(text)
}

/// The calls in the head of a table, in their order.
fn calls(text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let rest = words.join(" ");
    let rest = rest.strip_prefix(&COLUMNS.join(" "))?;
    let names = rest.split_whitespace().filter(|word| *word != OF_CALL);
    Some(names.map(str::to_lowercase).collect())
}

/// One output of fs_mark.
#[derive(Default)]
struct Run {
    command: String,
    sync: String,
    threads: u32,
    /// Of the table that is read, and the line of its head.
    calls: Option<(u64, Vec<String>)>,
    /// Files that were written up to the last row.
    count: u64,
    /// The table has a row.
    any: bool,
    printer: Printer,
    /// Where its measurements begin.
    start: usize,
}

impl Run {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if let Some(command) = command(text) {
            self.end(line.file, gather)?;
            let command = work(command, &ELSEWHERE);
            *self = Run { command, start: gather.run_start(), ..Run::default() };
        }
        self.printer.add(text.as_bytes());
        if let Some(remark) = remark(text) {
            self.remark(line, remark, gather)?;
        } else if let Some(calls) = calls(text) {
            (self.calls, self.count, self.any) = (Some((line.number, calls)), 0, false);
        } else if text.starts_with(|c: char| c.is_ascii_digit()) {
            self.row(line, gather)?;
        }
        Ok(())
    }

    /// `Version 3.3, 2 thread(s) starting at ...` and `Sync method: ...`.
    fn remark(
        &mut self,
        line: &Line<'_>,
        remark: &str,
        gather: &mut Gather<'_>,
    ) -> Result<(), FormatError> {
        if let Some((version, rest)) =
            remark.strip_prefix("Version ").and_then(|rest| rest.split_once(','))
        {
            gather.version(version);
            let threads = rest.split_whitespace().next().unwrap_or_default();
            self.threads = line.count("the number of threads", threads)?;
        } else if let Some(sync) = remark.strip_prefix("Sync method: ") {
            self.sync = sync.split(':').next().unwrap_or_default().trim().into();
        }
        Ok(())
    }

    /// `    79          400        16384        461.9            15769`, and three times for each call.
    fn row(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let Some((_, calls)) = &self.calls else { return Ok(()) };
        let cells: Vec<&str> = line.text.split_whitespace().collect();
        let want = COLUMNS.len() + 3 * calls.len();
        if cells.len() != want {
            let got = cells.len();
            let why = format!("{got} cells where the header has {want}; the text may be truncated");
            return Err(line.bad(why));
        }
        let rate = line.number("Files/sec", cells[3])?;
        let count = line.number("Count", cells[1])? as u64;
        let mut metrics = vec![Metric::new(OPS_RATE.name, rate, OPS_RATE.unit, Better::Higher)];
        let us = |name: String, us| Metric::new(&name, us, "us", Better::Lower);
        metrics.push(us("app_overhead_us".into(), line.number("App Overhead", cells[4])?));
        for (call, times) in calls.iter().zip(cells[COLUMNS.len()..].chunks_exact(3)) {
            let time = |at: usize| line.number(call, times[at]);
            // A call that was never made has three times 0.
            for (which, value) in [("mean", time(1)?), ("max", time(2)?)] {
                if value > 0.0 {
                    metrics.push(us(format!("{call}_service_{which}_us"), value));
                }
            }
        }
        let ops = count.saturating_sub(self.count);
        (self.count, self.any) = (count, true);
        let procs = self.threads.max(1);
        let work = format!("{}, sync: {}, size {}", self.command, self.sync, cells[2]);
        gather.add(
            line.file,
            line.number,
            Reading { procs, ops, work, ..Reading::new(CREATE.info(SUITE), Ok(metrics)) },
        )
    }

    /// Ends an output: a copy of one that was read is no repeat.
    fn end(&mut self, file: &str, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        match &self.calls {
            Some((line, _)) if !self.any => {
                let why = "the table has no row; the run was interrupted or the file is truncated";
                Err(FormatError::line(file, *line, why))
            }
            _ => {
                gather.end_run(file, self.start, self.printer.print());
                Ok(())
            }
        }
    }
}

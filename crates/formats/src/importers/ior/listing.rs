//! Parses IOR's text, versions 2.10 to 4.x: the options, and a row for each access of each repetition. Version 2.10
//! prints only the best rate.

use super::{Access, IGNORED, Setup};
use crate::{
    FormatError,
    gate::Printer,
    gather::Gather,
    table::short,
    text::{Line, lines, number, work},
};
use model::result::{Imported, Reason};
use std::collections::BTreeSet;

/// Whether a file that begins so is a listing of IOR.
pub(super) fn sniff(head: &str) -> bool {
    head.lines().any(|line| line.starts_with("IOR-") && line.contains("MPI Coordinated Test"))
}

/// Adds every row of the file; false when its last run has all but its closing line.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<bool, FormatError> {
    let (mut run, mut last) = (Run::default(), 1);
    for line in lines(file, bytes) {
        last = line.number;
        run.line(&line, gather)?;
    }
    if run.open && !run.told {
        let why = "IOR's last line `Finished` is missing, and so are the best rates or the \
                   summary; the run was interrupted or the file is truncated";
        return Err(FormatError::line(file, last, why));
    }
    let is_whole = !run.open;
    run.end(file, gather);
    Ok(is_whole)
}

/// The errors in `WARNING: Incorrect data on read (16 errors found).`
fn wrong_data(text: &str) -> Option<String> {
    // Early releases begin the words in lower case.
    let found = text.split_once("ncorrect data on ").filter(|_| text.contains("WARNING"))?.1;
    let found = found.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    Some(format!("IOR found wrong data on {found}"))
}

/// Whether a line follows the rows of a table.
fn ends_table(text: &str) -> bool {
    ["Max Write", "Max Read", "Summary of", "Finished"].iter().any(|begin| text.starts_with(begin))
}

/// One launch of IOR.
#[derive(Default)]
struct Run {
    setup: Setup,
    command: String,
    repetitions: u32,
    /// Names of the columns, while the rows of a table are read.
    columns: Vec<String>,
    /// Whether the table had rows, so that the best rates tell nothing new.
    rows: bool,
    printer: Printer,
    /// Where its measurements begin.
    run_start: usize,
    /// Begun and not finished.
    open: bool,
    /// What has rows and is not yet in the summary or among the best rates, by test.
    untold: BTreeSet<String>,
    /// All of it was.
    told: bool,
    /// Columns of the summary, while its rows are read.
    summary: usize,
    /// IOR read other data than it wrote.
    wrong: Option<Reason>,
}

impl Run {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if let Some(rest) = text.strip_prefix("IOR-") {
            self.end(line.file, gather);
            gather.version(rest.split(':').next().unwrap_or_default());
            *self = Run { open: true, run_start: gather.run_start(), ..Run::default() };
        }
        self.printer.add(text.as_bytes());
        if let Some(found) = wrong_data(text) {
            self.wrong = Some(Reason::said(found));
        } else if text.starts_with("access") && text.contains("bw(MiB/s)") {
            self.columns = text.split_whitespace().map(str::to_owned).collect();
        } else if text.starts_with("Finished") || text.starts_with("Run finished") {
            self.end(line.file, gather);
        } else if text.starts_with("Operation") && text.contains("Max(MiB)") {
            self.columns.clear();
            self.summary = text.split_whitespace().count();
        } else if self.summary > 0 {
            self.summed(text);
        } else if !self.columns.is_empty() && !ends_table(text) {
            self.row(line, gather)?;
        } else if let Some((key, value)) = text.split_once([':', '=']) {
            self.option(line, key.trim(), value.trim(), gather)?;
        }
        Ok(())
    }

    /// Ends the run, if one is open: a copy of what was read before is no repeat.
    fn end(&mut self, file: &str, gather: &mut Gather<'_>) {
        if let Some(why) = self.wrong.take() {
            gather.disown(self.run_start, &why);
        }
        if std::mem::take(&mut self.open) {
            gather.end_run(file, self.run_start, self.printer.print());
        }
    }

    /// A row of the summary, when it is whole.
    fn summed(&mut self, text: &str) {
        let cells: Vec<&str> = text.split_whitespace().collect();
        match cells.first() {
            Some(operation) if cells.len() == self.summary => self.tell(operation),
            _ => self.summary = 0,
        }
    }

    /// Notes that a figure of all repetitions of `operation` was printed.
    fn tell(&mut self, operation: &str) {
        self.told = self.untold.remove(operation) && self.untold.is_empty() || self.told;
    }

    fn option(
        &mut self,
        line: &Line<'_>,
        key: &str,
        value: &str,
        gather: &mut Gather<'_>,
    ) -> Result<(), FormatError> {
        let first = value.split_whitespace().next().unwrap_or_default();
        match key {
            "Command line" | "Command line used" => {
                self.command = value.into();
                gather.fact(line.file, None, "command", value);
            }
            // Each of several tests of a command begins with its own options.
            "api" => {
                self.setup = Setup { work: work(&self.command, &IGNORED), ..Setup::default() };
                self.rows = false;
                self.columns.clear();
            }
            "test filename" => self.setup.place = value.into(),
            "tasks" | "clients" => self.setup.tasks = line.count("the number of tasks", first)?,
            "repetitions" => self.repetitions = line.count("the number of repetitions", first)?,
            "stonewallingTime" => {
                self.setup.stonewalled = number(first).is_some_and(|seconds| seconds > 0.0);
            }
            "ordering in a file" => self.setup.random = value.contains("random"),
            "access" | "xfersize" | "blocksize" | "segments" | "segment count" => {
                self.setup.work += &format!("; {key} {value}");
            }
            "Max Write" | "Max Read" => {
                let operation = if key == "Max Write" { "write" } else { "read" };
                self.columns.clear();
                self.best(line, operation, first, gather)?;
                if value.ends_with(')') {
                    self.tell(operation);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A row of the table; the table ends at an empty line, a best rate or the summary.
    fn row(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let cells: Vec<&str> = line.text.split_whitespace().collect();
        match cells.first() {
            None => self.columns.clear(),
            Some(&operation @ ("write" | "read")) => {
                let access = self.access(line, &cells)?;
                self.rows = true;
                self.told = false;
                self.untold.insert(operation.to_owned());
                if let Some(reading) = self.setup.reading(operation, access, gather) {
                    gather.add(line.file, line.number, reading)?;
                }
            }
            // Dashes, `remove`, and warnings between the rows.
            Some(_) => {}
        }
        Ok(())
    }

    fn access(&self, line: &Line<'_>, cells: &[&str]) -> Result<Access, FormatError> {
        if cells.len() != self.columns.len() {
            let why = format!("{} cells where the header has {}", cells.len(), self.columns.len());
            return Err(line.bad(why));
        }
        let cell = |name: &str| {
            let at = self.columns.iter().position(|column| column == name)?;
            Some(cells[at]).filter(|cell| !matches!(*cell, "-" | "NA"))
        };
        let optional = |name: &str| cell(name).map(|text| line.number(name, text)).transpose();
        let bandwidth = optional("bw(MiB/s)")?;
        Ok(Access {
            transfer_bytes: optional("xfer(KiB)")?.map(|kib| kib * 1024.0),
            bandwidth: bandwidth.ok_or_else(|| line.bad("the rate is missing"))?,
            iops: optional("IOPS")?,
            latency_s: optional("Latency(s)")?,
            open_s: optional("open(s)")?,
            transfer_s: optional("wr/rd(s)")?,
            close_s: optional("close(s)")?,
            total_s: optional("total(s)")?,
        })
    }

    /// `Max Write: 1234.56 MiB/sec`, which is the rate only when it is the best of one.
    fn best(
        &self,
        line: &Line<'_>,
        operation: &str,
        value: &str,
        gather: &mut Gather<'_>,
    ) -> Result<(), FormatError> {
        if self.rows {
            return Ok(());
        }
        let bandwidth = number(value)
            .ok_or_else(|| line.bad(format!("the rate is `{}`, not a number", short(value))))?;
        if bandwidth == 0.0 {
            return Ok(());
        }
        let access = Access { bandwidth, ..Access::default() };
        let Some(mut reading) = self.setup.reading(operation, access, gather) else {
            return Ok(());
        };
        if self.repetitions != 1 {
            let repetitions = self.repetitions.into();
            reading.outcome = Err(Imported::IorPrintedBest { repetitions }.into());
        }
        gather.add(line.file, line.number, reading)
    }
}

//! Reads what iozone prints: the table of a run in one process, and the throughput of several (`-t`). Its
//! kBytes are KiB.

mod command;
mod table;
mod throughput;

use crate::{
    FormatError, ImportOptions, NamedBytes,
    columnar::slug,
    gate::Printer,
    gather::{Gather, Reading},
    known::RATE,
    text::{Line, check_end, lines},
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Reason},
    workload::{Group, TestInfo},
};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "iozone";

/// A KiB/s in MB/s.
const MB_PER_KIB: f64 = 1.024e-3;

const NOTES: [&str; 3] = [
    "iozone's kBytes are KiB; each combination of record and file size is a separate test. \
     Without -I, -e or files larger than memory, the page cache is measured.",
    "With several processes, rate is the children's combined rate over the time in which all \
     worked.",
    "Cache states are not in the source; one run gives no spread.",
];

/// What the columns are called here, in their order, with the table of each.
const TESTS: [(&str, Group); 13] = [
    ("write", Group::SequentialWrite),
    ("rewrite", Group::SequentialWrite),
    ("read", Group::SequentialRead),
    ("reread", Group::SequentialRead),
    ("random read", Group::RandomRead),
    ("random write", Group::RandomWrite),
    ("backward read", Group::RandomRead),
    ("record rewrite", Group::RandomWrite),
    ("stride read", Group::RandomRead),
    ("fwrite", Group::SequentialWrite),
    ("frewrite", Group::SequentialWrite),
    ("fread", Group::SequentialRead),
    ("freread", Group::SequentialRead),
];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        head.lines().any(|line| {
            line.trim().starts_with("Iozone: Performance Test of File I/O")
                || table::heading(line)
                || throughput::rate(line).is_some()
        })
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let mut run = Run { run_start: gather.run_start(), ..Run::default() };
            for line in lines(file, bytes) {
                run.line(&line, &mut gather)?;
            }
            gather.end_run(file, run.run_start, run.printer.print());
            check_end(file, bytes)?;
        }
        gather.finish(&NOTES)
    }
}

/// What the lines above the figures say.
#[derive(Default)]
struct Run {
    printer: Printer,
    /// Where its measurements begin.
    run_start: usize,
    /// Numbers of the tests that `-i` asked for.
    asked: Vec<usize>,
    /// How the command has files opened and written.
    how: String,
    /// Figures are not KiB/s.
    other_unit: Option<String>,
    /// The head of the table was read.
    in_table: bool,
    throughput: throughput::Throughput,
}

impl Run {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if text.starts_with("Iozone: Performance Test") {
            gather.end_run(line.file, self.run_start, self.printer.print());
            *self = Run { run_start: gather.run_start(), ..Run::default() };
        }
        self.printer.add(text.as_bytes());
        if let Some(rest) = text.strip_prefix("Version $Revision:") {
            gather.version(rest.trim_end_matches('$').trim());
        } else if let Some(command) = line.value("Command line used") {
            self.asked = command::asked(command);
            self.how = command::how(command);
            gather.fact(line.file, None, "command", command);
        } else if text.contains("Output is in ") {
            let unit = text.split("Output is in ").nth(1).unwrap_or_default().trim_end_matches('.');
            self.other_unit = Some(unit)
                .filter(|unit| !matches!(*unit, "kBytes/sec" | "Kbytes/sec"))
                .map(Into::into);
        } else if table::heading(&line.text) {
            self.in_table = true;
        } else if self.in_table {
            let Some(row) = table::row(line, &self.asked)? else { return Ok(()) };
            self.check_unit(line)?;
            for (test, kib) in row.figures {
                let about =
                    About { test, procs: 1, file_kib: row.file_kib, record_kib: row.record_kib };
                gather.add(line.file, line.number, about.reading(Ok(kib), &self.how))?;
            }
        } else if self.throughput.line(line)? {
            self.check_unit(line)?;
            let (about, outcome) = self.throughput.take();
            gather.add(line.file, line.number, about.reading(outcome, &self.how))?;
        }
        Ok(())
    }

    /// Refuses figures that are no rates.
    fn check_unit(&self, line: &Line<'_>) -> Result<(), FormatError> {
        match &self.other_unit {
            None => Ok(()),
            Some(unit) => Err(line.bad(format!(
                "figures are in {}; import the output of a run without -O and -N",
                crate::table::short(unit)
            ))),
        }
    }
}

/// What a figure is of.
struct About {
    /// Place in [`TESTS`].
    test: usize,
    procs: u32,
    /// 0 where it is not told.
    file_kib: u64,
    record_kib: u64,
}

impl About {
    fn reading(&self, kib: Result<f64, Reason>, how: &str) -> Reading {
        let (name, group) = TESTS[self.test];
        let told = self.record_kib > 0;
        let sizes = format!(", records of {} KiB, file of {} KiB", self.record_kib, self.file_kib);
        let id = if told {
            format!("{}-r{}k-s{}k", slug(name), self.record_kib, self.file_kib)
        } else {
            slug(name)
        };
        let info = TestInfo {
            id: crate::test_id(SUITE, &id),
            suite: SUITE.into(),
            name: if told { format!("{name}{sizes}") } else { name.into() },
            testtype: name.into(),
            group,
            metric: RATE.name.into(),
            unit: RATE.unit.into(),
            better: RATE.better,
            shape: None,
        };
        let rate = |kib| vec![Metric::new(RATE.name, kib * MB_PER_KIB, RATE.unit, Better::Higher)];
        Reading { procs: self.procs, work: how.into(), ..Reading::new(info, kib.map(rate)) }
    }
}

//! Reads the text of `iostat`, with and without `-x`, of sysstat 9 to 12: a table of devices for each report. A
//! device is a test, each of its reports a sample.

mod table;

use super::iostat::{FLUSHES, is_interval};
use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Printer,
    gather::{Gather, Reading},
    known::IOPS,
    text::{Line, check_end, lines},
};
use model::{
    result::{Dataset, Imported},
    workload::{Group, TestInfo},
};
use table::{Heading, Row};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "iostat";

const NOTES: [&str; 5] = [
    "iostat counts the work of the whole machine, not of one program; figures of a device are not \
     the result of a test.",
    "Reports follow one another on one instance, all in block 0: they are not replicates. The \
     length of a report is not in the source.",
    "iostat's kB and MB are KiB and MiB, its sectors 512 bytes; rates are converted to MB of 10^6 \
     bytes.",
    "The first report behind the line with the kernel averages since boot, unless iostat was told -y: it is read \
     where the command says so, or where its rates are whole counts over some seconds; a text without that line \
     is taken for a later part.",
    FLUSHES,
];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "iostat-text"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        String::from_utf8_lossy(head)
            .lines()
            .any(|line| Heading::of(line).is_some_and(|heading| heading.begins()))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let mut reports = Reports { run_start: gather.run_start(), ..Reports::default() };
            for line in lines(file, bytes) {
                reports.line(&line, &mut gather)?;
            }
            reports.end_report(file, &mut gather)?;
            reports.end(file, &mut gather);
            check_end(file, bytes)?;
        }
        gather.finish(&NOTES)
    }
}

#[derive(Default)]
struct Reports {
    /// Of the table that is read.
    heading: Option<Heading>,
    /// Reports so far.
    count: usize,
    /// Columns and rows of the report that is read, of all of its tables: `-h` makes several of one.
    columns: Vec<String>,
    rows: Vec<Row>,
    /// The text contains the start of iostat's output.
    begins: bool,
    /// The command tells to leave out the report since boot.
    told: bool,
    /// So did that of the output that is read.
    without_boot: bool,
    printer: Printer,
    /// Where its measurements begin.
    run_start: usize,
}

impl Reports {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if text.contains(" CPU)") {
            self.end_report(line.file, gather)?;
            self.begin(line.file, gather);
        }
        self.printer.add(text.as_bytes());
        if let Some(heading) = Heading::of(text) {
            if self.columns.is_empty()
                || heading.columns.iter().any(|name| self.columns.contains(name))
            {
                self.end_report(line.file, gather)?;
                self.count += 1;
            }
            self.columns.extend_from_slice(&heading.columns);
            self.heading = Some(heading);
        } else if let Some(version) = text.strip_prefix("sysstat version ") {
            gather.version(version);
        } else if text.starts_with("avg-cpu") {
            self.end_report(line.file, gather)?;
        } else if text.is_empty() {
            self.heading = None;
        } else if let Some(heading) = &self.heading {
            // Without its empty lines a text has a time right behind a table.
            match heading.row(line)? {
                Some(row) => self.rows.push(row),
                None => self.heading = None,
            }
        } else {
            let mut words = text.split_whitespace().skip_while(|word| !word.ends_with("iostat"));
            self.told |= words
                .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('y'));
        }
        Ok(())
    }

    /// Begins an output, by its line with the kernel.
    fn begin(&mut self, file: &str, gather: &mut Gather<'_>) {
        self.end(file, gather);
        let without_boot = std::mem::take(&mut self.told);
        *self = Reports {
            begins: true,
            without_boot,
            run_start: gather.run_start(),
            ..Reports::default()
        };
    }

    /// Ends an output: a copy of one that was read is no repeat.
    fn end(&self, file: &str, gather: &mut Gather<'_>) {
        gather.end_run(file, self.run_start, self.printer.print());
    }

    /// Adds the devices of the report that ends.
    fn end_report(&mut self, file: &str, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        self.heading = None;
        self.columns.clear();
        let mut devices = Vec::new();
        let mut lines = Vec::new();
        for row in table::together(std::mem::take(&mut self.rows)) {
            lines.push(row.line);
            devices.push(row.device(file)?);
        }
        let may_be_since_boot = self.count == 1 && self.begins && !self.without_boot;
        let is_interval = !may_be_since_boot || is_interval(&devices);
        for (line, device) in lines.into_iter().zip(devices) {
            let (metrics, judged) = device.judged(|note| gather.note(note));
            let since_boot = Imported::FirstReportSinceBoot {};
            let judged = judged.and(if is_interval { Ok(metrics) } else { Err(since_boot.into()) });
            gather.add(file, line, Reading::new(info(&device.name()), judged))?;
        }
        Ok(())
    }
}

fn info(device: &str) -> TestInfo {
    TestInfo {
        id: crate::test_id(SUITE, device),
        suite: SUITE.into(),
        name: device.into(),
        testtype: "device".into(),
        group: Group::Mixed,
        metric: IOPS.name.into(),
        unit: IOPS.unit.into(),
        better: IOPS.better,
        shape: None,
    }
}

//! Reads what `sysbench fileio run` prints, versions 0.4 to 1.1. A file may contain several runs.

mod figures;

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Printer,
    gather::{Gather, Reading},
    known::{Known, ranked_by},
    table::short,
    text::{Line, lines},
};
use figures::{Figures, How};
use model::result::{Dataset, Imported, Reason};

/// The importer.
pub(crate) struct Importer;

pub(crate) const SUITE: &str = "sysbench";

/// The modes of fileio.
pub(crate) const TESTS: [Known; 6] = ranked_by! {
    IOPS:
    "seqwr" "sequential write" SequentialWrite
    "seqrewr" "sequential rewrite" SequentialWrite
    "seqrd" "sequential read" SequentialRead
    "rndrd" "random read" RandomRead
    "rndwr" "random write" RandomWrite
    "rndrw" "random read/write" Mixed
};

/// What sysbench calls them in `Doing ... test`, in the order of [`TESTS`].
const SPOKEN: [&str; 6] = [
    "sequential write (creation)",
    "sequential rewrite",
    "sequential read",
    "random read",
    "random write",
    "random r/w",
];

const NOTES: [&str; 4] = [
    "iops counts reads and writes; fsync_iops counts fsyncs.",
    "sysbench times fsyncs with the other operations: ops, service times and histograms of write \
     tests include them. It prints times to 0.01 ms (histograms to 0.001 ms); 0.00 is omitted.",
    "sysbench writes zeros without --validate, so a compressing file system stores almost nothing.",
    "Cache states and bytes are not in the source; one run gives no spread.",
];

/// Said where asynchronous operations were booked wrong.
const ASYNC_NOTE: &str = "Some builds of sysbench count all asynchronous operations as reads: in \
                          write tests they are recorded as writes, in mixed tests without \
                          direction.";

/// Said of runs with `--file-fsync-all`.
const FSYNC_ALL_NOTE: &str = "With --file-fsync-all, a write and its fsync are one operation of sysbench: ops has no fsyncs, \
                              and the time of a write includes that of its fsync.";

/// Said of runs with `--rate`.
const RATE_NOTE: &str = "With --rate, sysbench starts operations at a fixed rate: iops is at most that rate, not the most \
                         that the target can do, and times are response times, from when an operation was due, with its \
                         wait for a free thread.";

/// Said of runs with `--report-checkpoints`.
const CHECKPOINTS_NOTE: &str = "sysbench resets its counters at each checkpoint report: the reports of a run are put \
                                together; percentiles and the histogram, which is of the last interval, are omitted.";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let fileio = ["Extra file open flags", "Creating files for the test", "File operations:"];
        head.lines().any(|line| launch(line).is_some())
            && fileio.iter().any(|part| head.contains(part))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        let mut refused = None;
        for (file, bytes) in files {
            let (mut run, mut last) = (Run::default(), 1);
            for line in lines(file, bytes) {
                if let Some(version) = launch(&line.text) {
                    std::mem::take(&mut run).end(file, last, &mut gather, &mut refused)?;
                    gather.version(version);
                }
                last = line.number;
                run.line(&line)?;
            }
            run.end(file, last, &mut gather, &mut refused)?;
        }
        match refused {
            Some(error) if !gather.any_valid() => Err(error),
            _ => gather.finish(&NOTES),
        }
    }
}

/// The version in `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)`.
fn launch(text: &str) -> Option<&str> {
    let version = text.strip_prefix("sysbench ")?.split_whitespace().next()?;
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.trim_end_matches(':'))
}

/// One run of sysbench.
#[derive(Default)]
struct Run {
    /// It measured; not so when it prepared or cleaned up.
    measures: bool,
    threads: u32,
    test: Option<&'static Known>,
    work: Vec<String>,
    figures: Figures,
    /// What was reported and reset before the end.
    checkpoints: Vec<Figures>,
    in_checkpoint: bool,
    /// Operations are asynchronous.
    is_async: bool,
    printer: Printer,
    /// Line and text of what ended it.
    fatal: Option<(u64, String)>,
}

/// Lines that say what is done, by their beginnings or ends.
const WORK: [&str; 10] = [
    "Target transaction rate",
    "Extra file open flags",
    "Block size",
    "Number of IO requests",
    "Number of random requests",
    "Read/Write ratio",
    "Periodic FSYNC",
    "Calling fsync()",
    "Using ",
    "Validation",
];

impl Run {
    fn line(&mut self, line: &Line<'_>) -> Result<(), FormatError> {
        let text = line.text.trim();
        if !self.figures.complete {
            self.printer.add(text.as_bytes());
        }
        if text.starts_with("Running the test with following options") {
            self.measures = true;
        } else if let Some(threads) = line.value("Number of threads") {
            self.threads = line.count("the number of threads", threads)?;
        } else if let Some(mode) = text.strip_prefix("Doing ").and_then(|t| t.strip_suffix(" test"))
        {
            let at = SPOKEN.iter().position(|spoken| *spoken == mode);
            let at =
                at.ok_or_else(|| line.bad(format!("`{}` is not a mode of fileio", short(mode))))?;
            self.test = Some(&TESTS[at]);
        } else if text.starts_with("FATAL:") && self.fatal.is_none() {
            self.fatal = Some((line.number, text.into()));
        } else if WORK.iter().any(|start| text.starts_with(start))
            || text.contains("total file size")
            || (text.contains(" files, ") && text.ends_with(" each"))
        {
            self.is_async |= text.starts_with("Using asynchronous");
            self.figures.how.fsync_within |= text.starts_with("Calling fsync() after each write");
            self.figures.how.at_rate |= text.starts_with("Target transaction rate");
            if let Some(size) = text.strip_prefix("Block size ") {
                self.figures.block_bytes = figures::size(size);
            }
            self.work.push(text.into());
        } else if text.ends_with("Checkpoint report:") {
            self.in_checkpoint = true;
        } else {
            self.figures.line(line)?;
            if self.figures.complete && self.in_checkpoint {
                self.in_checkpoint = false;
                let next = self.figures.next();
                self.checkpoints.push(std::mem::replace(&mut self.figures, next));
            }
        }
        Ok(())
    }

    /// Adds what the run gave; `last` is its last line.
    fn end(
        mut self,
        file: &str,
        last: u64,
        gather: &mut Gather<'_>,
        refused: &mut Option<FormatError>,
    ) -> Result<(), FormatError> {
        if !self.measures {
            return Ok(());
        }
        if let Some((line, why)) = &self.fatal {
            let why = format!("sysbench stopped: {}; prepare the files again", short_line(why));
            refused.get_or_insert_with(|| FormatError::line(file, *line, why));
        }
        let Some(test) = self.test else {
            return match self.fatal {
                Some(_) => Ok(()),
                None => Err(FormatError::line(
                    file,
                    last,
                    "the run has no fileio mode; it is truncated or of another test",
                )),
            };
        };
        if self.fatal.is_none() && !self.figures.complete {
            let why = "the last lines `Threads fairness` are missing; the run was interrupted or the \
                 file is truncated";
            return Err(FormatError::line(file, last, why));
        }
        if !self.checkpoints.is_empty() {
            self.checkpoints.push(self.figures);
            self.figures = Figures::together(&self.checkpoints, (file, last))?;
            gather.note(CHECKPOINTS_NOTE);
        }
        let fatal = self
            .fatal
            .as_ref()
            .map(|(_, why)| Imported::SysbenchStopped { error: short_line(why) });
        gather_notes(self.figures.how, gather);
        if self.is_async && self.figures.book(test.group) {
            gather.note(ASYNC_NOTE);
        }
        // Of asynchronous operations it counts when they were handed over.
        let judged = match self.is_async {
            true => Ok(()),
            false => self.figures.judge(f64::from(self.threads.max(1))),
        };
        let figures = judged.map(|()| self.figures.metrics());
        let run_start = gather.run_start();
        let reading = Reading {
            threads: self.threads.max(1),
            work: self.work.join("; "),
            seconds: self.figures.seconds,
            ops: self.figures.events,
            histograms: self.figures.histograms(test.key),
            ..Reading::new(
                test.info(SUITE),
                fatal.map_or(figures.map_err(Reason::from), |why| Err(why.into())),
            )
        };
        gather.add(file, last, reading)?;
        gather.end_run(file, run_start, self.printer.print());
        Ok(())
    }
}

/// Tells readers how a run counts and times.
fn gather_notes(how: How, gather: &mut Gather<'_>) {
    if how.fsync_within {
        gather.note(FSYNC_ALL_NOTE);
    }
    if how.at_rate {
        gather.note(RATE_NOTE);
    }
}

/// Enough of a message, on one line.
fn short_line(text: &str) -> String {
    let text = text.trim_start_matches("FATAL:").trim().trim_end_matches('.');
    text.chars().take(160).flat_map(char::escape_debug).filter(|c| *c != '\\').collect()
}

//! Reads what dbench prints at its end, versions 3 and 4: the throughput of all clients, and how long each
//! kind of operation took.

use crate::{
    FormatError, ImportOptions, NamedBytes,
    columnar::slug,
    gate::Printer,
    gather::{Gather, Reading},
    known::{Known, RATE},
    text::{Line, check_end_or_unit, lines},
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Imported},
    workload::Group,
};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "dbench";

/// dbench plays one recording of a file server.
const LOAD: Known = Known {
    key: "load",
    name: "load of a file server",
    testtype: "file server",
    group: Group::Applications,
    ranked: &RATE,
};

/// `sig_alarm` of dbench.c notes the longest time of each second but the last, in which the clients are stopped; the
/// table of operations has all.
const LONGEST: &str = "dbench leaves its last second out of max_latency: service_max_us is the longest time of any kind of \
     operation where that is longer.";

const NOTES: [&str; 3] = [
    "rate is dbench's own figure, the data read and written by all clients, in MB of 10^6 bytes; \
     only runs of the same load and length are comparable.",
    "NAME_service_mean_us and _max_us are of one kind of operation, as the recording has it.",
    "Cache states are not in the source; one run gives no spread.",
];

/// The rate is that of the last line before the end, and such a line is printed each second.
const UNMEASURED: &str = "dbench prints 0 MB/sec for a run that ended before its first full second, e.g. with `-t 1`: \
     its rate was not measured. Run it longer.";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let line_is = |line: &str| {
            line.starts_with("dbench version ")
                || (line.starts_with("Throughput ")
                    && line.contains(" MB/sec")
                    && line.contains(" procs"))
        };
        head.lines().any(|line| line_is(line.trim()))
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let (mut run, mut last, mut done) = (Run::default(), 1, false);
            for line in lines(file, bytes) {
                last = line.number;
                done |= run.line(&line, &mut gather)?;
            }
            if !done {
                let why = "dbench's last line `Throughput` is missing; the run was interrupted or \
                           the file is truncated";
                return Err(FormatError::line(file, last, why));
            }
            check_end_or_unit(file, bytes, " ms")?;
        }
        gather.finish(&NOTES)
    }
}

#[derive(Default)]
struct Run {
    work: String,
    in_table: bool,
    /// Mean and longest time of each operation, milliseconds.
    operations: Vec<(String, f64, f64)>,
    printer: Printer,
}

impl Run {
    /// Takes a line; true for the last of a run.
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<bool, FormatError> {
        let text = line.text.trim();
        self.printer.add(text.as_bytes());
        if let Some(rest) = text.strip_prefix("dbench version ") {
            gather.version(rest.split_whitespace().next().unwrap_or_default());
        } else if let Some(rest) = text.strip_prefix("Running for ") {
            self.work = rest.split(" and minimum").next().unwrap_or_default().into();
        } else if text.starts_with("Operation ") && text.contains("AvgLat") {
            self.in_table = true;
        } else if text.starts_with("Throughput ") && text.contains(" MB/sec") {
            let (print, run_start) = (self.printer.print(), gather.run_start());
            let reading = std::mem::take(self).reading(line, text, gather)?;
            if reading.outcome.is_err() {
                gather.note(UNMEASURED);
            }
            gather.add(line.file, line.number, reading)?;
            gather.end_run(line.file, run_start, print);
            return Ok(true);
        } else if self.in_table {
            self.operation(line, text)?;
        }
        Ok(false)
    }

    /// `NTCreateX       5209     0.073    78.513`
    fn operation(&mut self, line: &Line<'_>, text: &str) -> Result<(), FormatError> {
        let cells: Vec<&str> = text.split_whitespace().collect();
        let [name, _, mean, max] = cells[..] else { return Ok(()) };
        if self.operations.iter().any(|(known, ..)| *known == slug(name)) {
            return Err(line.bad("the operation appears twice"));
        }
        let (mean, max) = (line.number("the mean", mean)?, line.number("the maximum", max)?);
        self.operations.push((slug(name), mean, max));
        Ok(())
    }

    /// `Throughput 56.3213 MB/sec  2 clients  2 procs  max_latency=265.724 ms`
    fn reading(
        self,
        line: &Line<'_>,
        text: &str,
        gather: &mut Gather<'_>,
    ) -> Result<Reading, FormatError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let before =
            |what: &str| words.iter().position(|word| *word == what).map(|at| words[at - 1]);
        let rate = line.number("the throughput", words.get(1).copied().unwrap_or_default())?;
        let procs = before("clients").or_else(|| before("procs"));
        let procs = procs.ok_or_else(|| {
            line.bad(
                "the number of clients is missing; the line is \
                                          truncated",
            )
        })?;
        let mut latencies = Vec::new();
        let us = |name: &str, ms: f64| Metric::new(name, ms * 1e3, "us", Better::Lower);
        if let Some((_, longest)) = text.split_once("max_latency=") {
            let ms =
                longest.trim_end().strip_suffix("ms").ok_or_else(|| line.bad("the line is cut"))?;
            let told = line.number("the longest latency", ms)?;
            let ms = self.operations.iter().map(|(.., max)| *max).fold(told, f64::max);
            if ms > told {
                gather.note(LONGEST);
            }
            latencies.extend((ms > 0.0).then(|| us("service_max_us", ms)));
        }
        for (name, mean, max) in &self.operations {
            let known = [("mean", *mean), ("max", *max)].into_iter().filter(|(_, ms)| *ms > 0.0);
            latencies
                .extend(known.map(|(which, ms)| us(&format!("{name}_service_{which}_us"), ms)));
        }
        let (outcome, besides) = if rate == 0.0 {
            (Err(Imported::PrintedAsZero {}.into()), latencies)
        } else {
            let rate = Metric::new(RATE.name, rate, RATE.unit, Better::Higher);
            (Ok([vec![rate], latencies].concat()), Vec::new())
        };
        Ok(Reading {
            besides,
            procs: line.count("the number of clients", procs)?,
            work: [self.work.as_str(), &synced(text)].join("; "),
            ..Reading::new(LOAD.info(SUITE), outcome)
        })
    }
}

/// What `-s` and `-S` had synced, in `Throughput 19.03 MB/sec (sync open) (sync dirs)  2 clients`.
fn synced(text: &str) -> String {
    let parts = text.split('(').skip(1).filter_map(|part| part.split(')').next());
    parts.filter(|part| part.starts_with("sync ")).collect::<Vec<_>>().join(", ")
}

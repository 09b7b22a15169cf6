//! Reads what IOR prints, and what it writes with `-O summaryFormat=JSON` or `CSV`. Every repetition
//! is a sample; where only the best of them is printed, it is a sample when there was one.

mod json;
mod listing;

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Figures,
    gather::{Gather, Reading},
    known::{Known, RATE, ranked_by},
    table::{Row, Table, short},
    text::{MB_PER_MIB, check_end},
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Reason},
};
use std::collections::HashSet;

/// The importer.
pub(crate) struct Importer;

pub(crate) const SUITE: &str = "ior";

/// What IOR measures. Random offsets (`-z`) are tests of their own.
pub(crate) const TESTS: [Known; 4] = ranked_by! {
    RATE:
    "write" "sequential write" SequentialWrite
    "read" "sequential read" SequentialRead
    "rndwrite" "random write" RandomWrite
    "rndread" "random read" RandomRead
};

const NOTES: [&str; 2] = [
    "rate is bytes over the time from the first open to the last close of all tasks.",
    "The source does not record cache states: without -e and -C, writes end in memory and reads \
     come from it.",
];

/// Said of CSV, which lacks it.
const CSV_NOTE: &str = "IOR's CSV does not distinguish random from sequential offsets, or one \
                        file from many: its rows are recorded as sequential.";

/// Said where a latency was left out.
const LATENCY_NOTE: &str = "If IOR's latency times its IOPS is not the number of tasks, the \
                            latency is omitted: under a stonewall IOR divides by the requested \
                            transfers, not by the completed ones.";

/// How far latency times IOPS may be off the number of tasks.
const OFF: f64 = 2.0;
/// The same under a stonewall, where it may be wrong by any factor.
const OFF_STONEWALLED: f64 = 1.1;

/// Said of a text that was copied without its end, or that IO500 kept.
const NO_END: &str = "IOR's last line `Finished` is missing, but the best rates or the summary of \
                      all repetitions are complete.";

/// Options that say where or how often, and do not change what is done.
const IGNORED: [&str; 3] = ["-o", "-i", "-O"];

const CSV_HEADER: &str = "access,bw(MiB/s),IOPS,";

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "ior"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        is_csv(head.as_bytes()) || json::sniff(&head) || listing::sniff(&head)
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        let mut notes = NOTES.to_vec();
        for (file, bytes) in files {
            if is_csv(bytes) {
                notes.push(CSV_NOTE);
                csv(file, bytes, &mut gather)?;
            } else if bytes.trim_ascii_start().starts_with(b"{") {
                json::read(file, bytes, &mut gather)?;
            } else if !listing::read(file, bytes, &mut gather)? {
                notes.push(NO_END);
            }
        }
        let mut told = HashSet::new();
        notes.retain(|note| told.insert(*note));
        gather.finish(&notes)
    }
}

fn is_csv(bytes: &[u8]) -> bool {
    bytes.starts_with(CSV_HEADER.as_bytes())
}

/// One repetition of one access, as any of the formats gives it.
#[derive(Default)]
struct Access {
    /// Bytes of each transfer, where it is known.
    transfer_bytes: Option<f64>,
    /// MiB/s.
    bandwidth: f64,
    /// Transfers in a second.
    iops: Option<f64>,
    /// Mean time of a transfer, seconds.
    latency_s: Option<f64>,
    open_s: Option<f64>,
    transfer_s: Option<f64>,
    close_s: Option<f64>,
    total_s: Option<f64>,
}

impl Access {
    /// The figures, where they can all be true.
    fn outcome(&self, operation: &str) -> Result<Vec<Metric>, Reason> {
        let told = |figure: f64| Some(figure).filter(|&figure| figure > 0.0);
        Figures {
            what: operation,
            ops: self.iops.and_then(told),
            bytes: told(self.bandwidth * 1_048_576.0),
            op_bytes: self.transfer_bytes.and_then(told),
            ..Figures::default()
        }
        .judge()?;
        Ok(self.metrics())
    }

    /// Whether the latency fits the rate: a task has one transfer at a time, and is never without.
    fn keeps_tasks_busy(&self, setup: &Setup) -> bool {
        let (Some(latency_s), Some(iops)) = (self.latency_s, self.iops) else { return true };
        let busy = latency_s * iops / f64::from(setup.tasks.max(1));
        let off = if setup.stonewalled { OFF_STONEWALLED } else { OFF };
        busy == 0.0 || (1.0 / off..=off).contains(&busy)
    }

    /// The rate and what else was printed; what was rounded to 0 is left out.
    fn metrics(&self) -> Vec<Metric> {
        let rate = self.bandwidth * MB_PER_MIB;
        let mut metrics = vec![Metric::new(RATE.name, rate, RATE.unit, RATE.better)];
        let latency_us = self.latency_s.map(|s| s * 1e6);
        let further = [
            ("iops", self.iops, "IOPS", Better::Higher),
            ("service_mean_us", latency_us, "us", Better::Lower),
            ("open_s", self.open_s, "s", Better::Lower),
            ("transfer_s", self.transfer_s, "s", Better::Lower),
            ("close_s", self.close_s, "s", Better::Lower),
        ];
        for (name, value, unit, better) in further {
            let value = value.filter(|&value| value != 0.0);
            metrics.extend(value.map(|value| Metric::new(name, value, unit, better)));
        }
        metrics
    }
}

/// What was run, as far as a file tells.
#[derive(Clone, Default)]
struct Setup {
    tasks: u32,
    /// Tasks stop after a time, wherever they are.
    stonewalled: bool,
    random: bool,
    work: String,
    place: String,
}

impl Setup {
    /// The measurement of `operation`; `None` for what moves no data, e.g. `remove`.
    fn reading(
        &self,
        operation: &str,
        mut access: Access,
        gather: &mut Gather<'_>,
    ) -> Option<Reading> {
        let random = if self.random { "rnd" } else { "" };
        let key = format!("{random}{operation}");
        let test = TESTS.iter().find(|test| test.key == key)?;
        if !access.keeps_tasks_busy(self) {
            access.latency_s = None;
            gather.note(LATENCY_NOTE);
        }
        Some(Reading {
            procs: self.tasks.max(1),
            seconds: access.total_s.unwrap_or(0.0),
            work: self.work.clone(),
            place: self.place.clone(),
            ..Reading::new(test.info(SUITE), access.outcome(operation))
        })
    }
}

fn csv(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let table = Table::read(file, bytes, b',')?;
    for row in &table.rows {
        let setup = Setup {
            tasks: table.optional(row, "numTasks")?.unwrap_or(1),
            work: format!(
                "block {} KiB; transfer {} KiB",
                table.text(row, "block(KiB)")?,
                table.text(row, "xfer(KiB)")?
            ),
            ..Setup::default()
        };
        let operation = table.text(row, "access")?;
        if operation == "remove" {
            continue;
        }
        let reading = setup.reading(operation, csv_access(&table, row)?, gather);
        let unknown =
            || table.bad(row, "access", format!("is `{}`, not write or read", short(operation)));
        gather.add(file, row.line, reading.ok_or_else(unknown)?)?;
    }
    check_end(file, bytes)
}

fn csv_access(table: &Table<'_>, row: &Row) -> Result<Access, FormatError> {
    let optional = |column: &str| match table.optional::<f64>(row, column)? {
        None => Ok(None),
        Some(_) => table.number(row, column).map(Some),
    };
    Ok(Access {
        transfer_bytes: optional("xfer(KiB)")?.map(|kib| kib * 1024.0),
        bandwidth: table.number(row, "bw(MiB/s)")?,
        iops: optional("IOPS")?,
        latency_s: optional("Latency")?,
        open_s: optional("open(s)")?,
        transfer_s: optional("wr/rd(s)")?,
        close_s: optional("close(s)")?,
        total_s: optional("total(s)")?,
    })
}

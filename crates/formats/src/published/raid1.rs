//! The study of RAID-1 on two slow disks, 2020-03: bonnie++, fio, and a script on many small files.

use super::{Study, label};
use crate::{
    FormatError,
    columnar::Ranked,
    gather::Reading,
    importers::bonnie,
    known::{IOPS, Known, OPS_RATE},
    table::{Row, Table, short},
    text::MB_PER_MIB,
};
use model::{
    figure::{Better, Metric},
    result::{Dataset, Imported},
    workload::Group,
};

/// What the table calls the phases, in the order of [`bonnie::TESTS`].
const PHASES: [&str; 12] = [
    "putc",
    "block_write",
    "rewrite",
    "getc",
    "block_read",
    "seeks",
    "seq_create",
    "seq_stat",
    "seq_delete",
    "ran_create",
    "ran_stat",
    "ran_delete",
];

/// The phases of bonnie++ on each target.
pub(super) fn bonnie(study: &Study) -> Result<Dataset, FormatError> {
    study.rows(|gather, table, row| {
        let phase = table.text(row, "phase")?;
        let at = PHASES.iter().position(|name| *name == phase);
        let at = at.ok_or_else(|| table.bad(row, "phase", "is not a phase of bonnie++"))?;
        let test = &bonnie::TESTS[at];
        let value = match hidden(table, row, "value")? {
            None => Err(Imported::BonnieHidPhase {}.into()),
            Some(value) if table.text(row, "unit")? == "MiB/s" => Ok(value * MB_PER_MIB),
            Some(value) => Ok(value),
        };
        let cpu_pct = hidden(table, row, "cpu_pct")?;
        let latency_ms = latency_ms(table, row)?;
        let outcome = value.map(|value| {
            let mut metrics =
                vec![Metric::new(test.ranked.name, value, test.ranked.unit, test.ranked.better)];
            metrics.extend(cpu_pct.map(|pct| Metric::new("cpu_pct", pct, "%", Better::Lower)));
            metrics.push(Metric::new("latency_max_ms", latency_ms, "ms", Better::Lower));
            metrics
        });
        let reading = Reading::new(test.info(bonnie::SUITE), outcome);
        gather.add(study.id, row.line, Reading { label: label(table, row)?, ..reading })
    })
}

/// A figure that bonnie++ may have hidden behind plus signs.
fn hidden(table: &Table<'_>, row: &Row, column: &str) -> Result<Option<f64>, FormatError> {
    let text = table.text(row, column)?;
    if text.starts_with('+') { Ok(None) } else { table.number(row, column).map(Some) }
}

fn latency_ms(table: &Table<'_>, row: &Row) -> Result<f64, FormatError> {
    let text = table.text(row, "latency")?;
    let bad = || table.bad(row, "latency", format_args!("is `{}`, not a time", short(text)));
    let of = |unit, ms: f64| text.strip_suffix(unit)?.parse::<f64>().ok().map(|n| n * ms);
    of("us", 1e-3).or(of("ms", 1.0)).ok_or_else(bad)
}

const fn randrw70(key: &'static str, name: &'static str) -> Known {
    Known { key, name, testtype: "random read/write", group: Group::Mixed, ranked: &IOPS }
}

/// What fio ran, by the size of its blocks.
const RANDRW70: [(&str, Known); 2] = [
    ("16k", randrw70("randrw70.16k.j8", "random read/write 70/30 16k, 8 jobs")),
    ("128k", randrw70("randrw70.128k.j8", "random read/write 70/30 128k, 8 jobs")),
];

/// One run of fio on each target.
pub(super) fn fio(study: &Study) -> Result<Dataset, FormatError> {
    study.rows(|gather, table, row| {
        let block = table.text(row, "block")?;
        let known = RANDRW70.iter().find(|(size, _)| *size == block);
        let (_, known) =
            known.ok_or_else(|| table.bad(row, "block", "is not part of the study"))?;
        let [read, write] = ["read", "write"].map(|way| flow(table, row, way));
        let (read, write) = (read?, write?);
        let higher = |name, value, unit| Metric::new(name, value, unit, Better::Higher);
        let metrics = vec![
            higher(IOPS.name, read.iops + write.iops, IOPS.unit),
            higher("read_iops", read.iops, "1/s"),
            higher("write_iops", write.iops, "1/s"),
            higher("read_rate", read.bytes_per_s / 1e6, "MB/s"),
            higher("write_rate", write.bytes_per_s / 1e6, "MB/s"),
            higher("read_mb", read.bytes / 1e6, "MB"),
            higher("write_mb", write.bytes / 1e6, "MB"),
        ];
        let reading = Reading::new(known.info("mixed"), Ok(metrics));
        let seconds = table.number(row, "runtime_ms")? / 1e3;
        let (label, bytes) = (label(table, row)?, (read.bytes + write.bytes) as u64);
        gather.add(study.id, row.line, Reading { label, seconds, bytes, ..reading })
    })
}

/// One direction of a run of fio.
struct Flow {
    iops: f64,
    bytes_per_s: f64,
    bytes: f64,
}

fn flow(table: &Table<'_>, row: &Row, way: &str) -> Result<Flow, FormatError> {
    let column = |what: &str| format!("{way}_{what}");
    Ok(Flow {
        iops: table.number(row, &column("iops"))?,
        bytes_per_s: binary(table, row, &column("bw"), "/s")?,
        bytes: binary(table, row, &column("io"), "")?,
    })
}

/// A number of KiB or MiB, as fio writes it, in bytes.
fn binary(table: &Table<'_>, row: &Row, column: &str, end: &str) -> Result<f64, FormatError> {
    let text = table.text(row, column)?;
    let of = |unit: &str, bytes: f64| {
        let number = text.strip_suffix(end)?.strip_suffix(unit)?.parse::<f64>();
        number.ok().map(|number| number * bytes)
    };
    let bad = || table.bad(row, column, format_args!("is `{}`, not an amount", short(text)));
    of("KiB", 1024.0).or(of("MiB", 1024.0 * 1024.0)).ok_or_else(bad)
}

/// Files that the script works on.
const FILES: f64 = 100_000.0;

const FILES_RATE: Ranked = Ranked { name: "files_rate", ..OPS_RATE };

/// What the script does, and what the suite `files` calls it.
const ACTIONS: [(&str, &str, &str); 4] = [
    ("write", "create", "create files"),
    ("rewrite", "rewrite", "rewrite files"),
    ("read", "read", "read files"),
    ("delete", "delete", "delete files"),
];

/// The phases of the script on each target, with files of each size.
pub(super) fn files(study: &Study) -> Result<Dataset, FormatError> {
    study.rows(|gather, table, row| {
        let (phase, size) = (table.text(row, "phase")?, table.text(row, "bytes")?);
        let action = ACTIONS.iter().find(|(name, ..)| *name == phase);
        let (_, action, testtype) =
            *action.ok_or_else(|| table.bad(row, "phase", "is not part of the study"))?;
        let rate = table.number(row, "files_per_s")?;
        let (work_s, sync_s) = (table.number(row, "seconds")?, table.number(row, "sync_seconds")?);
        let higher = |name, value| Metric::new(name, value, OPS_RATE.unit, Better::Higher);
        // What changes nothing has nothing to sync.
        let ranked = if action == "read" { rate } else { FILES / (work_s + sync_s) };
        let metrics = vec![
            higher(FILES_RATE.name, ranked),
            higher("cache_files_rate", rate),
            Metric::new("work_s", work_s, "s", Better::Lower),
            Metric::new("sync_s", sync_s, "s", Better::Lower),
        ];
        let info = model::workload::TestInfo {
            id: format!("files.{action}.{size}"),
            suite: "files".into(),
            name: format!("{testtype} of {size}"),
            testtype: testtype.into(),
            group: Group::Files,
            metric: FILES_RATE.name.into(),
            unit: FILES_RATE.unit.into(),
            better: FILES_RATE.better,
            shape: None,
        };
        let seconds = if action == "read" { work_s } else { work_s + sync_s };
        let reading = Reading { ops: FILES as u64, seconds, ..Reading::new(info, Ok(metrics)) };
        gather.add(study.id, row.line, Reading { label: label(table, row)?, ..reading })
    })
}

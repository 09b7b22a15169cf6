//! The study of file systems of a cloud, 2025-07: programs, fio and mdtest.

use super::{Study, label};
use crate::{
    FormatError,
    gather::{Gather, Reading},
    importers::mdtest,
    known::{IOPS, Known, OPS_RATE, WALL},
    table::{Row, Table},
    text::MB_PER_MIB,
};
use model::{
    figure::{Better, Metric},
    result::Dataset,
    workload::Group,
};

/// Processes that mdtest ran as.
const TASKS: u32 = 2;

/// What ran, as the study calls it.
const PROGRAMS: [Known; 2] = [program("uv.sync", "uv sync"), program("uv.remove", "rm -rf .venv")];

const fn program(key: &'static str, name: &'static str) -> Known {
    Known { key, name, testtype: "application", group: Group::Applications, ranked: &WALL }
}

const RANDRW: Known = Known {
    key: "randrw50.4k.qd64",
    name: "random read/write 50/50 4k, depth 64",
    testtype: "random read/write",
    group: Group::Mixed,
    ranked: &IOPS,
};

/// What the study calls the phases, in the order of [`mdtest::TESTS`].
const PHASES: [&str; 10] = [
    "Dir Create",
    "Dir Stat",
    "Dir Rename",
    "Dir Remove",
    "File Create",
    "File Stat",
    "File Read",
    "File Remove",
    "Tree Create",
    "Tree Remove",
];

/// Programs, with the processor time of each run.
pub(super) fn apps(study: &Study) -> Result<Dataset, FormatError> {
    study.rows(|gather, table, row| {
        let work = table.text(row, "work")?;
        let program = PROGRAMS.iter().find(|program| program.name == work);
        let program =
            program.ok_or_else(|| table.bad(row, "work", "is not a program of the study"))?;
        let seconds = table.number(row, "wall_s")?;
        let (user, system) = (table.number(row, "user_s")?, table.number(row, "system_s")?);
        let metrics = vec![
            Metric::new(WALL.name, seconds, WALL.unit, WALL.better),
            Metric::new("user_s", user, "s", Better::Lower),
            Metric::new("sys_s", system, "s", Better::Lower),
        ];
        let reading = Reading::new(program.info("apps"), Ok(metrics));
        let (label, cpu_s) = (label(table, row)?, Some((user, system)));
        gather.add(study.id, row.line, Reading { label, seconds, cpu_s, ..reading })
    })
}

/// One run of fio on each target.
pub(super) fn fio(study: &Study) -> Result<Dataset, FormatError> {
    study.rows(|gather, table, row| {
        let mb_per_s = |column| Ok(table.number(row, column)? * MB_PER_MIB);
        let seconds = table.number(row, "duration_s")?;
        let metrics = vec![
            Metric::new(IOPS.name, table.number(row, "total_iops")?, IOPS.unit, IOPS.better),
            Metric::new("read_rate", mb_per_s("read_bw_mib_s")?, "MB/s", Better::Higher),
            Metric::new("write_rate", mb_per_s("write_bw_mib_s")?, "MB/s", Better::Higher),
            Metric::new("cpu_sys_pct", table.number(row, "sys_cpu_percent")?, "%", Better::Lower),
            Metric::new("duration_s", seconds, "s", Better::Lower),
        ];
        let reading = Reading::new(RANDRW.info("mixed"), Ok(metrics));
        gather.add(study.id, row.line, Reading { label: label(table, row)?, seconds, ..reading })
    })
}

/// The phases of mdtest, a column for each target.
pub(super) fn mdtest(study: &Study) -> Result<Dataset, FormatError> {
    study.rows(|gather, table, row| phase(study, gather, table, row))
}

fn phase(
    study: &Study,
    gather: &mut Gather<'_>,
    table: &Table<'_>,
    row: &Row,
) -> Result<(), FormatError> {
    let phase = table.text(row, "operation")?;
    let at = PHASES.iter().position(|name| *name == phase);
    let at = at.ok_or_else(|| table.bad(row, "operation", "is not a phase of mdtest"))?;
    for target in &table.header[1..] {
        let rate = table.number(row, target)?;
        let metrics = vec![Metric::new(OPS_RATE.name, rate, OPS_RATE.unit, OPS_RATE.better)];
        let reading = Reading::new(mdtest::TESTS[at].info(mdtest::SUITE), Ok(metrics));
        let (procs, label) = (TASKS, Some(target.clone()));
        gather.add(study.id, row.line, Reading { procs, label, ..reading })?;
    }
    Ok(())
}

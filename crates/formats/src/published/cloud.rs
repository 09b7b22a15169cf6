//! The study of file systems of a cloud, 2025-07: programs, fio and mdtest.

use super::Study;
use crate::{
    FormatError,
    gather::{Gather, Reading},
    importers::mdtest,
    known::{IOPS, Known, OPS_RATE, WALL},
    table::{Row, Table},
    text::MB_PER_MIB,
};
use model::{Better, Dataset, Group, Metric};

const CREATED: &str = "2025-07-01T00:00:00Z";

const APPS: Study = Study {
    id: "published-cloud-2025-07-apps-seconds",
    title: "Cloud storage study, 2025-07: uv sync and removal of what it made, seconds",
    created: CREATED,
    text: include_str!("../../published/cloud-2025-07-apps-seconds.csv"),
    notes: &[],
};

const FIO: Study = Study {
    id: "published-cloud-2025-07-fio-4k-randrw50-qd64",
    title: "Cloud storage study, 2025-07: fio, 4k, half random reads, half random writes, depth 64",
    created: CREATED,
    text: include_str!("../../published/cloud-2025-07-fio-4k-randrw50-qd64.csv"),
    notes: &["Runs lasted from 4 to 289 s, the faster the shorter."],
};

const MDTEST: Study = Study {
    id: "published-cloud-2025-07-mdtest-ops",
    title: "Cloud storage study, 2025-07: mdtest, operations per second",
    created: CREATED,
    text: include_str!("../../published/cloud-2025-07-mdtest-ops.csv"),
    notes: &[],
};

/// Processes that mdtest ran as.
const TASKS: u32 = 2;

/// The columns of the table of programs, and what ran.
const PROGRAMS: [(&str, Known); 2] = [
    ("uv_sync_s", program("uv.sync", "uv sync")),
    ("rm_rf_venv_s", program("uv.remove", "rm -rf .venv")),
];

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

/// The campaigns of the study.
pub(super) fn datasets() -> Result<Vec<Dataset>, FormatError> {
    Ok(vec![APPS.dataset(apps)?, FIO.dataset(fio)?, MDTEST.dataset(phases)?])
}

fn table(study: &Study) -> Result<Table<'static>, FormatError> {
    Table::read(study.id, study.text.as_bytes(), b',')
}

fn label(table: &Table<'_>, row: &Row) -> Result<Option<String>, FormatError> {
    Ok(Some(table.text(row, "target")?.to_owned()))
}

fn apps(gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let table = table(&APPS)?;
    for row in &table.rows {
        for (column, program) in &PROGRAMS {
            let seconds = table.number(row, column)?;
            let metrics = vec![Metric::new(WALL.name, seconds, WALL.unit, WALL.better)];
            let label = label(&table, row)?;
            let reading = Reading::new(program.info("apps"), Ok(metrics));
            gather.add(APPS.id, row.line, Reading { label, seconds, ..reading })?;
        }
    }
    Ok(())
}

fn fio(gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let table = table(&FIO)?;
    for row in &table.rows {
        let mb_per_s = |column| Ok(table.number(row, column)? * MB_PER_MIB);
        let metrics = vec![
            Metric::new(IOPS.name, table.number(row, "total_iops")?, IOPS.unit, IOPS.better),
            Metric::new("read_rate", mb_per_s("read_bw_mib_s")?, "MB/s", Better::Higher),
            Metric::new("write_rate", mb_per_s("write_bw_mib_s")?, "MB/s", Better::Higher),
            Metric::new("cpu_sys_pct", table.number(row, "sys_cpu_percent")?, "%", Better::Lower),
        ];
        let (label, seconds) = (label(&table, row)?, table.number(row, "duration_s")?);
        let reading = Reading::new(RANDRW.info("mixed"), Ok(metrics));
        gather.add(FIO.id, row.line, Reading { label, seconds, ..reading })?;
    }
    Ok(())
}

fn phases(gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let table = table(&MDTEST)?;
    for row in &table.rows {
        let phase = table.text(row, "operation")?;
        let at = PHASES.iter().position(|name| *name == phase);
        let at = at.ok_or_else(|| table.bad(row, "operation", "is no phase of mdtest"))?;
        for target in &table.header[1..] {
            let rate = table.number(row, target)?;
            let metrics = vec![Metric::new(OPS_RATE.name, rate, OPS_RATE.unit, OPS_RATE.better)];
            let reading = Reading::new(mdtest::TESTS[at].info(mdtest::SUITE), Ok(metrics));
            let (procs, label) = (TASKS, Some(target.clone()));
            gather.add(MDTEST.id, row.line, Reading { procs, label, ..reading })?;
        }
    }
    Ok(())
}

//! Reads a plain matrix of operations per second, one row for each file system, pattern, block size
//! and number of threads, headed `fs,pattern,block_bytes,threads,iops`. Each file system is a target.

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gather::{Gather, Reading},
    known::IOPS,
    table::{Row, Table},
};
use model::{
    figure::Metric,
    result::Dataset,
    text::{Bytes, counted},
    workload::{GridCell, Group, Shape, TestInfo},
};

/// The importer.
pub(crate) struct Importer;

const HEADER: [&str; 5] = ["fs", "pattern", "block_bytes", "threads", "iops"];

/// What the table leaves open.
pub(crate) const NOTES: [&str; 2] = [
    "Rows of the same cell are repeats; with a single row, the spread between runs is unknown.",
    "Cache states, times and bytes are not in the source.",
];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        "matrix-csv"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        head.starts_with(HEADER.join(",").as_bytes())
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            rows(file, bytes, &mut gather)?;
        }
        gather.finish(&NOTES)
    }
}

/// Adds every row of a matrix.
pub(crate) fn rows(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let table = Table::read(file, bytes, b',')?;
    table.rows.iter().try_for_each(|row| gather.add(file, row.line, cell(&table, row)?))
}

/// One row of the table.
fn cell(table: &Table<'_>, row: &Row) -> Result<Reading, FormatError> {
    let (pattern, block) = (table.text(row, "pattern")?, table.get(row, "block_bytes")?);
    let threads = table.get(row, "threads")?;
    if threads == 0 {
        return Err(table.bad(row, "threads", "is 0"));
    }
    let test = test_info(pattern, block, threads)
        .ok_or_else(|| table.bad(row, "pattern", "is not one of seqrd, seqwr, rndrd and rndwr"))?;
    let iops = table.number(row, "iops")?;
    let metrics = vec![Metric::new(IOPS.name, iops, IOPS.unit, IOPS.better)];
    let label = Some(table.text(row, "fs")?.to_owned());
    Ok(Reading { threads, label, ..Reading::new(test, Ok(metrics)) })
}

/// The cell of the matrix; `None` for a pattern that it does not have.
fn test_info(pattern: &str, block_bytes: u64, threads: u32) -> Option<TestInfo> {
    let (testtype, group) = match pattern {
        "seqrd" => ("sequential read", Group::SequentialRead),
        "seqwr" => ("sequential write", Group::SequentialWrite),
        "rndrd" => ("random read", Group::RandomRead),
        "rndwr" => ("random write", Group::RandomWrite),
        _ => return None,
    };
    let block = Bytes(block_bytes).short();
    let workers = counted(threads, "thread", "threads");
    Some(TestInfo {
        id: format!("matrix.{pattern}.{block}.t{threads}"),
        suite: "matrix".into(),
        name: format!("{testtype} {block}, {workers}"),
        testtype: testtype.into(),
        group,
        metric: IOPS.name.into(),
        unit: IOPS.unit.into(),
        better: IOPS.better,
        shape: Some(Shape {
            only_writes: matches!(group, Group::SequentialWrite | Group::RandomWrite),
            cell: Some(GridCell { grid: pattern.into(), block_bytes, threads }),
        }),
    })
}

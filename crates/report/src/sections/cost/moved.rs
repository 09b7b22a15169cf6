//! What the device moved for the bytes of each test: where read-ahead, logs and copies are seen, test by test.

use super::figure;
use crate::{
    block::{Cell, Column, Row, Table},
    names,
};
use stats::{Findings, Moved};

/// Bytes for each byte below which the device did nothing but keep its log.
pub(crate) const LEAST_MOVED: f64 = 0.005;

/// Of each test what the device moved for each byte of it, read where it read, written where it wrote.
pub(super) fn by_test(findings: &Findings) -> Option<Table> {
    let mut rows = Vec::new();
    for (what, of) in [("Read", read as fn(&Moved) -> Option<f64>), ("Written", written)] {
        let own =
            findings.tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
        let own: Vec<Row> = own.filter_map(|(table, row)| moved(table, row, of)).collect();
        if !own.is_empty() {
            rows.push(Row::title(what));
            rows.extend(own);
        }
    }
    let targets = findings.targets.iter().map(|target| Column::numbers("", target));
    (!rows.is_empty()).then(|| Table {
        caption: "Bytes that the device moved for each byte of a test".into(),
        columns: [Column::words("Test"), Column::numbers("", "processes")]
            .into_iter()
            .chain(targets)
            .collect(),
        rows,
        footnotes: vec![
            "Above 1 what is read is more than what was asked for, as by read-ahead, and what is written more than the \
             data, as by logs and copies. Below 1 some of it was in memory before, or was written over before it reached \
             the device, or had been written before the timed part; compression makes both less."
                .into(),
        ],
    })
}

fn read(moved: &Moved) -> Option<f64> {
    moved.read_per_byte
}

fn written(moved: &Moved) -> Option<f64> {
    moved.written_per_byte
}

/// `None` where the device of no target did anything of the kind.
fn moved(table: &stats::Table, row: &stats::Row, of: fn(&Moved) -> Option<f64>) -> Option<Row> {
    let cells = || row.cells.iter().map(|cell| of(&cell.moved));
    cells().flatten().any(|bytes| bytes >= LEAST_MOVED).then(|| {
        let test = format!("{}: {}", table.group.title(), names::of_row(row, table));
        let name = [test, table.procs.to_string()].map(Cell::plain);
        Row::body(name.into_iter().chain(cells().map(figure)))
    })
}

//! Shows the device bytes per byte of each test, which reveal read-ahead, logs and copies.

use super::figure;
use crate::{
    block::{Cell, Column, Row, Table},
    names,
};
use stats::{description::Moved, evaluation::Findings};

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
        caption: "Device bytes per byte of a test".into(),
        columns: [Column::words("Test"), Column::numbers("", "processes")]
            .into_iter()
            .chain(targets)
            .collect(),
        rows,
        footnotes: vec![
            "Reads above 1: the device read more than requested, e.g. by read-ahead. Writes above \
             1: it wrote more than the data, e.g. logs and copies. Below 1: some data was cached, \
             or was overwritten before it reached the device, or was written before the timed \
             part; compression lowers both."
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
fn moved(
    table: &stats::description::Table,
    row: &stats::description::Row,
    of: fn(&Moved) -> Option<f64>,
) -> Option<Row> {
    let cells = || row.cells.iter().map(|cell| of(&cell.moved));
    cells().flatten().any(|bytes| bytes >= LEAST_MOVED).then(|| {
        let test = format!("{}: {}", table.group.title(), names::of_row(row, table));
        let name = [test, table.procs.to_string()].map(Cell::plain);
        Row::body(name.into_iter().chain(cells().map(figure)))
    })
}

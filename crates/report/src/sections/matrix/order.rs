//! Random versus sequential blocks on one target: what the order costs there.

use super::{Grid, table};
use crate::{
    block::{Cell, Table},
    number,
};
use model::workload::Group;
use stats::evaluation::Findings;
use std::collections::BTreeMap;

/// Groups that differ in the order of their blocks alone, with the word for both.
const ORDERS: [(Group, Group, &str); 2] = [
    (Group::RandomRead, Group::SequentialRead, "read"),
    (Group::RandomWrite, Group::SequentialWrite, "write"),
];

/// A table for each target and direction of which a suite has one grid in either order, at each process count.
pub(super) fn tables(grids: &BTreeMap<(usize, u32), Grid<'_>>, findings: &Findings) -> Vec<Table> {
    let mut tables = Vec::new();
    for (&(_, procs), random) in grids {
        let Some((own, other, word)) = ORDERS.iter().find(|(own, ..)| random.group == Some(*own))
        else {
            continue;
        };
        let of = |group: Group| {
            let is_of = move |((_, n), grid): &(&(usize, u32), &Grid<'_>)| {
                *n == procs && grid.group == Some(group) && grid.suite == random.suite
            };
            let mut all = grids.iter().filter(is_of).map(|(_, grid)| grid);
            all.next().filter(|_| all.next().is_none())
        };
        if let (Some(random), Some(sequential)) = (of(*own), of(*other)) {
            let columns = 0..findings.targets.len();
            tables.extend(
                columns.filter_map(|at| order_cost((random, sequential), at, word, findings)),
            );
        }
    }
    tables
}

/// The ratio of both orders; `None` where the target has no block in both.
fn order_cost(
    (random, sequential): (&Grid<'_>, &Grid<'_>),
    column: usize,
    word: &str,
    findings: &Findings,
) -> Option<Table> {
    let ratio = |row: &stats::description::Row| {
        let place = row.grid.as_ref().map(|cell| (cell.block_bytes, cell.threads))?;
        let other = sequential.cells.get(&place).filter(|other| other.unit == row.unit)?;
        Some(row.cells[column].value? / other.cells[column].value?)
    };
    random.cells.values().any(|row| ratio(row).is_some()).then(|| Table {
        caption: format!("{}: random {word} over sequential {word}", findings.targets[column]),
        ..table(random, |row| {
            ratio(row).map_or_else(|| Cell::plain("-"), |ratio| Cell::plain(number::ratio(ratio)))
        })
    })
}

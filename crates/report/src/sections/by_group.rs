//! Shows the best candidate for each kind of work: the first in each group of tests at each process count, and its
//! lead.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::{Section, ratios},
    words::phrase,
};
use model::result::Dataset;
use stats::{description::Lead, evaluation::Findings};
use std::collections::BTreeSet;

pub(crate) struct ByGroup;

impl Section for ByGroup {
    fn title(&self) -> &'static str {
        "Best for each kind of work"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if !findings.is_of_campaign() {
            return None;
        }
        let rows: Vec<Row> = leads(findings).map(|(table, lead)| row(table, lead)).collect();
        (!rows.is_empty()).then(|| vec![Block::Table(of_rows(rows, findings))])
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// Each group of tests at each process count that has a first, with it.
pub(super) fn leads(
    findings: &Findings,
) -> impl Iterator<Item = (&stats::description::Table, &Lead)> {
    findings.tables.iter().filter_map(|table| Some((table, table.lead.as_ref()?)))
}

fn of_rows(rows: Vec<Row>, findings: &Findings) -> Table {
    Table {
        caption: "The first of each group of tests over the next; selected as the first, so likely overstated"
            .into(),
        columns: vec![
            Column::words("Kind of work"),
            Column::words("Tests"),
            Column::numbers("", "Processes"),
            Column::words("First"),
            Column::words("Next"),
            Column::numbers("", "First / next"),
        ],
        rows,
        footnotes: leads(findings).filter_map(|(table, _)| read_ahead(table)).collect(),
    }
}

/// `Read, cold, 8 processes: in 4 of 9 tests ...`, where that is so.
fn read_ahead(table: &stats::description::Table) -> Option<String> {
    let count = table.rows.iter().filter(|row| ratios::is_read_ahead(row)).count();
    (count > 0).then(|| {
        format!(
            "{}, {}: in {count} of {} tests most random reads of a candidate were served from the \
             page cache, by read-ahead of earlier reads, so these tests measure read-ahead rather \
             than the device.",
            table.group.title(),
            stats::description::processes(table.procs),
            table.rows.len()
        )
    })
}

fn row(table: &stats::description::Table, lead: &Lead) -> Row {
    Row::body([
        Cell::plain(table.group.title()),
        Cell::plain(tests(table)),
        Cell::plain(table.procs.to_string()),
        Cell::plain(first(lead)),
        Cell::plain(&lead.second),
        ratios::worded(&lead.ratio, Some(lead.comparison)),
    ])
}

/// The target that leads, or that none is clearly ahead.
fn first(lead: &Lead) -> String {
    match lead.comparison.is_difference() {
        true => lead.target.clone(),
        false => format!("none clearly ({})", lead.target),
    }
}

/// What the group is made of: its test types, each once, in the order of the table.
fn tests(table: &stats::description::Table) -> String {
    let mut seen = BTreeSet::new();
    let types = table.rows.iter().map(|row| &*row.testtype);
    phrase::few(types.filter(|kind| seen.insert(*kind)))
}

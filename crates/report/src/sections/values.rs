//! The plain figures of imported measurements, with operations as rows and targets as columns, as studies with one run
//! per cell print them: without an interval they cannot be compared further.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::{Section, ratios},
};
use model::{
    figure::Metric,
    result::{Dataset, Origin, Sample},
};
use stats::evaluation::Findings;
use std::{borrow::Cow, collections::HashMap};

pub(crate) struct Values;

/// Samples by test, processes and target.
type Cells<'a> = HashMap<(&'a str, u32, &'a str), Vec<&'a Sample>>;

impl Section for Values {
    fn title(&self) -> &'static str {
        "Values"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if dataset.campaign.origin == Origin::Run || !findings.is_of_campaign() {
            return None;
        }
        let mut samples = Cells::new();
        for sample in dataset.samples.iter().filter(|s| s.evidence.validity.is_valid()) {
            let case = &sample.case;
            samples.entry((&case.test, case.procs, &case.target)).or_default().push(sample);
        }
        let tables = findings.tables.iter().filter_map(|t| table(t, findings, &samples));
        let blocks: Vec<Block> = tables.map(Block::Table).collect();
        (!blocks.is_empty()).then_some(blocks)
    }
}

/// The table without what the matrix shows; `None` when nothing is left.
fn table(
    table: &stats::description::Table,
    findings: &Findings,
    samples: &Cells<'_>,
) -> Option<Table> {
    let shown = || table.rows.iter().filter(|row| row.grid.is_none());
    let first = shown().next()?;
    let unit = shown().all(|row| row.unit == first.unit).then_some(first.unit.as_str());
    let mut rows = Vec::new();
    let mut testtype = None;
    for row in shown() {
        if testtype != Some(&row.testtype) {
            testtype = Some(&row.testtype);
            rows.push(Row::title(&row.testtype));
        }
        let own_unit = if unit.is_some() { "" } else { &row.unit };
        let cells = row.cells.iter().map(|cell| ratios::value(cell, own_unit, findings));
        let name = Cell::plain(names::of_row(row, table));
        rows.push(Row::body(std::iter::once(name).chain(cells)));
        rows.extend(further(row, table.procs, findings, samples));
    }
    let heads =
        findings.targets.iter().map(|label| Column::numbers(label, unit.unwrap_or("value")));
    Some(Table {
        caption: format!("{}, {}", table.group.title(), stats::description::processes(table.procs)),
        columns: std::iter::once(Column::words("Test")).chain(heads).collect(),
        rows,
        footnotes: Vec::new(),
    })
}

/// The metrics that rank nothing, a row each. Where a cell was measured more than once the figure is
/// left to the export, because a mean of them would be a new figure.
fn further<'a>(
    row: &'a stats::description::Row,
    procs: u32,
    findings: &'a Findings,
    samples: &'a Cells<'a>,
) -> impl Iterator<Item = Row> + 'a {
    let of = |target: &'a String| match samples.get(&(row.test.as_str(), procs, target.as_str())) {
        Some(own) if own.len() == 1 => own[0].all_metrics(),
        _ => Cow::Borrowed([].as_slice()),
    };
    let each: Vec<Cow<'a, [Metric]>> = findings.targets.iter().map(of).collect();
    let mut kinds: Vec<(String, String)> = Vec::new();
    for metric in each.iter().flat_map(|own| own.iter()) {
        let kind = (metric.name.clone(), metric.unit.clone());
        if metric.name != row.basis && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.into_iter().map(move |(name, unit)| {
        let cell = |own: &Cow<'a, [Metric]>| {
            let found = own.iter().find(|m| m.name == name && m.unit == unit);
            Cell::plain(
                found.map_or_else(|| "-".into(), |m| format!("{} {unit}", number::value(m.value))),
            )
        };
        let key = Cell::plain(format!("· {name}"));
        Row::body(std::iter::once(key).chain(each.iter().map(cell)))
    })
}

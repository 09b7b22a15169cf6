//! The tables: one for each group of tests and process count, a row for each test, a cell for each
//! target.

use crate::{
    description::{
        Cell, Excluded, Footer, Lead, Row, Settings, Unjudged, WithSyncs,
        cell::{
            data::{CellData, Series},
            versus::{Versus, versus},
        },
        looks,
        sample::amount,
        table::{footer, lead, sync_means::with_syncs},
    },
    kernel::{
        Mode, Ratio, holm,
        point::{mean, variance},
        ratio::paired,
    },
};
use model::{result::Dataset, workload::Group};
use serde::Serialize;
use std::collections::BTreeSet;

/// Share of the data of a write below which its sync is said to have had a part of it left.
const MOSTLY_LEFT: f64 = 0.9;

/// The tests of one group at one process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Group of the tests.
    pub group: Group,
    /// Worker processes.
    pub procs: u32,
    /// Rows by test type, then in the order of the suite.
    pub rows: Vec<Row>,
    /// One footer for each target.
    pub footers: Vec<Footer>,
    /// The target with the highest mean over the next; `None` below two, and for a table that is not scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<Lead>,
    /// The means with the syncs after these writes among them, by the original suite's rates; empty by others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with_syncs: Vec<WithSyncs>,
}

/// Every table that has a row.
pub(crate) fn tables(
    dataset: &Dataset,
    labels: &[String],
    cells: &[CellData],
    settings: &Settings,
) -> Vec<Table> {
    let all = cells;
    let amounts = amount::amounts(dataset, labels);
    let (mut places, mut tables) = (Vec::new(), Vec::new());
    for (place, cells) in by_place(dataset, cells) {
        let mut rows = rows(dataset, labels, &cells, settings);
        for (row, cell) in rows.iter_mut().zip(&cells) {
            row.amount = amounts.get(&(cell.test, cell.procs)).copied();
        }
        places.push(place);
        tables.push((rows, cells));
    }
    let bar = looks::bar(&dataset.campaign);
    let footers = footer::footers(&tables, bar, settings);
    let leads = lead::leads(&tables, labels, bar, settings);
    let whole = places.into_iter().zip(tables).zip(footers.into_iter().zip(leads));
    whole
        .map(|(((group, procs), (rows, _)), (footers, lead))| Table {
            group,
            procs,
            rows,
            footers,
            lead,
            with_syncs: with_syncs(dataset, labels, all, (group, procs)),
        })
        .collect()
}

/// The cells of each group and process count that has any, in the order of its rows.
pub(crate) fn by_place<'a>(
    dataset: &Dataset,
    cells: &'a [CellData],
) -> Vec<((Group, u32), Vec<&'a CellData>)> {
    let mut tables = Vec::new();
    for group in Group::ALL {
        let of_group: Vec<&CellData> =
            cells.iter().filter(|c| dataset.tests[c.test].group == group).collect();
        let counts: BTreeSet<u32> = of_group.iter().map(|c| c.procs).collect();
        for procs in counts {
            let mut cells: Vec<&CellData> =
                of_group.iter().copied().filter(|c| c.procs == procs).collect();
            sort_by_type(dataset, &mut cells);
            tables.push(((group, procs), cells));
        }
    }
    tables
}

/// Test types in the order in which the suite first has them, tests in the order of the suite.
fn sort_by_type(dataset: &Dataset, cells: &mut [&CellData]) {
    let first_of_type = |c: &CellData| {
        let own = &dataset.tests[c.test].testtype;
        dataset.tests.iter().position(|t| t.testtype == *own)
    };
    cells.sort_by_key(|c| (first_of_type(c), c.test));
}

fn rows(
    dataset: &Dataset,
    labels: &[String],
    cells: &[&CellData],
    settings: &Settings,
) -> Vec<Row> {
    let mut rows: Vec<Row> = cells.iter().map(|c| row(dataset, c, labels, settings)).collect();
    mark(&mut rows);
    rows
}

fn row(dataset: &Dataset, data: &CellData, labels: &[String], settings: &Settings) -> Row {
    let info = &dataset.tests[data.test];
    let cells = labels.iter().enumerate().map(|(i, label)| cell(data, i, label, settings));
    let mut cells: Vec<Cell> = cells.collect();
    if info.group == Group::Sync {
        tell_left(&mut cells);
    }
    Row {
        test: info.id.clone(),
        suite: info.suite.clone(),
        name: info.name.clone(),
        testtype: info.testtype.clone(),
        grid: info.shape().cell,
        unit: data.unit.clone(),
        basis: data.basis.clone(),
        amount: None,
        last_over_first: data.order.map(f64::exp),
        cells,
        lead: lead(data, labels, settings),
    }
}

/// Says of each cell how much was left to sync, where it is not all of any.
fn tell_left(cells: &mut [Cell]) {
    let is_part = |cell: &Cell| cell.moved.written_per_byte.is_some_and(|left| left < MOSTLY_LEFT);
    if cells.iter().any(is_part) {
        for cell in cells {
            cell.left = cell.moved.written_per_byte.map(|left| left.min(1.0));
        }
    }
}

fn lead(data: &CellData, labels: &[String], settings: &Settings) -> Option<Lead> {
    let over = |(first, second)| Some(versus(data, first, second, settings)?.ratio);
    let (first, second) = lead::ahead(lead::first_two(&[data])?, over)?;
    let Versus { ratio, comparison, .. } = versus(data, first, second, settings)?;
    Some(Lead { target: labels[first].clone(), second: labels[second].clone(), ratio, comparison })
}

fn cell(data: &CellData, column: usize, label: &str, settings: &Settings) -> Cell {
    let series = &data.series[column];
    let judged = if column == 0 { None } else { versus(data, column, 0, settings) };
    let is_base = column == 0 && !series.points.is_empty();
    let contended = judged.is_some_and(|v| v.contended);
    let invalid = series.invalid.values().cloned();
    Cell {
        target: label.to_string(),
        value: data.mean_value(column),
        value_interval: data.value_interval(column),
        n: series.points.len(),
        cv: cv(series, data),
        ratio: judged.map(|v| v.ratio).or(is_base.then_some(Ratio::ONE)),
        pairs: paired(&series.points, &data.series[0].points).len(),
        modes: modes(series, data),
        plain: judged.and_then(|v| v.alone),
        comparison: judged.map(|v| v.comparison),
        reason: contended.then_some(Unjudged::Contended),
        holm: false,
        invalid_reasons: invalid.map(|(why, samples)| Excluded { why, samples }).collect(),
        lukewarm: series.lukewarm,
        unsteady: series.unsteady,
        short: series.short,
        read_ahead_pct: series.read_ahead_pct,
        left: None,
        moved: series.moved,
        unproven: series.unproven,
        at_least: data.at_least(column),
        bound: data.bound(column, 0),
    }
}

fn modes(series: &Series, data: &CellData) -> Option<[Mode; 2]> {
    let of = |logs: &Vec<f64>| Mode { value: data.value(mean(logs)), samples: logs.len() };
    series.modes.as_ref().map(|groups| groups.each_ref().map(of))
}

fn cv(series: &Series, data: &CellData) -> Option<f64> {
    let values: Vec<f64> = series.points.iter().map(|p| data.value(p.log)).collect();
    (values.len() > 1).then(|| variance(&values).sqrt() / mean(&values))
}

/// Holm over every ratio of the table, so that 5 % of tables without a difference carry a mark.
fn mark(rows: &mut [Row]) {
    let mut cells: Vec<&mut Cell> =
        rows.iter_mut().flat_map(|r| r.cells.iter_mut().skip(1)).collect();
    let p_values: Vec<Option<f64>> = cells.iter().map(|c| c.ratio.and_then(|r| r.p)).collect();
    for (cell, mark) in cells.iter_mut().zip(holm::holm(&p_values)) {
        cell.holm = mark && cell.reason.is_none();
    }
}

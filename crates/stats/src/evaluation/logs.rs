//! Exports what a page needs to recompute ratios, means and scores for another choice: the logarithm of each cell in
//! each block, and the learnt variance, which no choice changes.

#[cfg(test)]
mod tests;

use crate::{
    description::{
        StatsError,
        cell::{
            data::{CellData, Series},
            select::select,
        },
        looks,
        table::{footer, tables::by_place},
    },
    evaluation::{Findings, findings::part},
    kernel::{prior::Prior, ratio::CONFIDENCE},
};
use model::{result::Dataset, workload::CacheState};
use serde::Serialize;
use std::collections::BTreeSet;

/// Steps of a logarithm: a ratio is kept to a millionth.
const LOG_STEPS: f64 = 1e6;

/// Steps of the logarithm of the length of a timed part.
const LENGTH_STEPS: f64 = 1e4;

/// Choices with the ratios, means and scores that this crate gives for them: what else computes them is held to
/// these. JSON, with data in the form of [`BlockLogs`].
pub const VECTORS: &str = include_str!("logs/vectors.json");

/// The logarithms of one class of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockLogs {
    /// Labels of the columns, the baseline of the findings first.
    pub targets: Vec<String>,
    /// Half-width of the practical band, a share.
    pub band: f64,
    /// Of the intervals.
    pub confidence: Confidence,
    /// The tests that rows name by their place.
    pub tests: Vec<LogTest>,
    /// The tables of the findings in their order.
    pub tables: Vec<LogTable>,
    /// What was learnt of the noise of cells, for each pair of columns and each column with itself.
    pub cell_noise: Vec<VariancePrior>,
    /// The same of the means of tables, for each pair.
    pub mean_noise: Vec<VariancePrior>,
}

/// Nominal confidence of intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Confidence {
    /// Of cells.
    pub cell: f64,
    /// Of means of tables.
    pub mean: f64,
    /// Of scores.
    pub score: f64,
}

/// A test by its names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogTest {
    /// Stable id.
    pub id: String,
    /// Display name.
    pub name: String,
}

/// The tests of one group at one process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogTable {
    /// Its group in files.
    pub group: &'static str,
    /// Its group in tables.
    pub title: &'static str,
    /// Worker processes.
    pub procs: u32,
    /// Its rows in the order of the findings.
    pub rows: Vec<LogRow>,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogRow {
    /// Place among the tests.
    pub test: usize,
    /// Whether it enters means and scores.
    pub scored: bool,
    /// State of the page cache in which it was measured, where that is one of two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheState>,
    /// For each column the oriented logarithms of its blocks in millionths, `null` for a block without any; from the
    /// second value on, less the first. A block is a place in the list.
    pub logs: Vec<Vec<Option<i64>>>,
    /// For each column the mean logarithm of the seconds of its timed part, in steps of 10^-4; `null` where unknown.
    pub lengths: Vec<Option<i64>>,
    /// For each column contended and all valid samples; none where each block has one and nothing was contended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contended: Vec<(usize, usize)>,
}

/// What to expect of the variance of columns `a` and `b`: variance exp(`level` + `slope` (x - `centre`)) at the
/// covariate x, with `df` degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct VariancePrior {
    /// The lower column.
    pub a: usize,
    /// The other; of the values of one column the same.
    pub b: usize,
    /// Covariate at the centre.
    pub centre: f64,
    /// ln s0^2 there.
    pub level: f64,
    /// Per unit of the covariate; `None` where it does not count.
    pub slope: Option<f64>,
    /// d0.
    pub df: f64,
}

/// The logarithms behind `findings`, which are one class of `dataset`.
///
/// # Errors
/// A sample names what the campaign does not list.
pub fn block_logs(dataset: &Dataset, findings: &Findings) -> Result<BlockLogs, StatsError> {
    let part = part(dataset, findings);
    let cells = select(&part, &findings.targets, findings.contention_limit_pct)?;
    Ok(of_cells(&part, findings, &cells))
}

fn of_cells(dataset: &Dataset, findings: &Findings, cells: &[CellData]) -> BlockLogs {
    let tables = by_place(dataset, cells);
    let tests: BTreeSet<usize> = cells.iter().map(|cell| cell.test).collect();
    let tests: Vec<usize> = tests.into_iter().collect();
    let blocks = blocks(cells);
    let row = |cell: &&CellData| {
        let is_told = matches!(cell.cache, CacheState::Cold | CacheState::Hot);
        LogRow { cache: is_told.then_some(cell.cache), ..log_row(cell, &tests, &blocks) }
    };
    let table =
        |((group, procs), cells): &((model::workload::Group, u32), Vec<&CellData>)| LogTable {
            group: group.as_str(),
            title: group.title(),
            procs: *procs,
            rows: cells.iter().map(row).collect(),
        };
    let bar = looks::bar(&dataset.campaign);
    let of_tables: Vec<Vec<&CellData>> = tables.iter().map(|(_, cells)| cells.clone()).collect();
    let columns = findings.targets.len();
    let noise = cells.first().map(|cell| &cell.noise);
    BlockLogs {
        targets: findings.targets.clone(),
        band: findings.band,
        confidence: Confidence {
            cell: cells.first().map_or(CONFIDENCE, |cell| cell.confidence),
            mean: footer::confidence(tables.len(), bar),
            score: bar.confidence,
        },
        tests: tests.iter().map(|&test| log_test(dataset, test)).collect(),
        tables: tables.iter().map(table).collect(),
        cell_noise: learnt(columns, |a, b| noise?.prior(a, b)),
        mean_noise: learnt(columns, |a, b| footer::prior(&of_tables, a, b).filter(|_| a != b)),
    }
}

/// Every block in which any column has a value, ascending.
fn blocks(cells: &[CellData]) -> Vec<u32> {
    let series = cells.iter().flat_map(|cell| &cell.series);
    let all: BTreeSet<u32> = series.flat_map(|s| &s.points).map(|p| p.block).collect();
    all.into_iter().collect()
}

fn log_test(dataset: &Dataset, test: usize) -> LogTest {
    let info = &dataset.tests[test];
    LogTest { id: info.id.clone(), name: info.name.clone() }
}

fn log_row(cell: &CellData, tests: &[usize], blocks: &[u32]) -> LogRow {
    let length = |s: &Series| s.ln_seconds.map(|ln| (ln * LENGTH_STEPS).round() as i64);
    let contended = |s: &Series| (s.contended, s.samples);
    let tells = |s: &Series| s.contended > 0 || s.samples != s.points.len();
    let is_told = cell.series.iter().any(tells);
    LogRow {
        test: tests.binary_search(&cell.test).unwrap_or_default(),
        scored: cell.is_scored,
        cache: None,
        logs: cell.series.iter().map(|series| steps(series, blocks)).collect(),
        lengths: cell.series.iter().map(length).collect(),
        contended: cell.series.iter().filter(|_| is_told).map(contended).collect(),
    }
}

/// The values of a series by block, in steps, up to the last that it has.
fn steps(series: &Series, blocks: &[u32]) -> Vec<Option<i64>> {
    let mut values = Vec::new();
    let mut first = None;
    for point in &series.points {
        let place = blocks.binary_search(&point.block).unwrap_or_default();
        values.resize(place, None);
        let step = (point.log * LOG_STEPS).round() as i64;
        values.push(Some(first.map_or(step, |first| step - first)));
        first.get_or_insert(step);
    }
    values
}

fn learnt(columns: usize, prior: impl Fn(usize, usize) -> Option<Prior>) -> Vec<VariancePrior> {
    let pairs = (0..columns).flat_map(|a| (a..columns).map(move |b| (a, b)));
    let of_pair = |(a, b)| {
        let (centre, level, slope, df) = prior(a, b)?.parameters();
        Some(VariancePrior { a, b, centre, level, slope, df })
    };
    pairs.filter_map(of_pair).collect()
}

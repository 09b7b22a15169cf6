//! Finds the leader of a table and its lead over the next: the best candidate for each kind of work.

use crate::{
    description::{
        Lead, Row, Settings,
        cell::data::{self, CellData},
        equivalence::judge_unless,
        table::footer::{confidence, mean_ratios, shared},
    },
    kernel::{Ratio, fit::order, point::mean, significance::Bar},
};
use std::collections::BTreeMap;

/// Of each of `tables` the column with the highest mean over the next; `labels` are those of the columns. `None` where
/// fewer than two were measured, and for a table that is not scored.
pub(crate) fn leads(
    tables: &[(Vec<Row>, Vec<&CellData>)],
    labels: &[String],
    bar: Bar,
    settings: &Settings,
) -> Vec<Option<Lead>> {
    let tables: Vec<Vec<&CellData>> = tables.iter().map(|(_, cells)| shared(cells)).collect();
    // The ratios of a pair learn from all tables, so they are computed once for all that it leads.
    let mut of_pair: BTreeMap<(usize, usize), Vec<Option<Ratio>>> = BTreeMap::new();
    let mut ratio = |at: usize, (first, second): (usize, usize)| {
        let ratios = of_pair
            .entry((first, second))
            .or_insert_with(|| mean_ratios(&tables, first, second, confidence(tables.len(), bar)));
        ratios[at]
    };
    let lead = |(at, cells): (usize, &Vec<&CellData>)| {
        let (first, second) = ahead(first_two(cells)?, |pair| ratio(at, pair))?;
        let ratio = ratio(at, (first, second))?;
        let contended = data::too_contended(cells, &[first, second]);
        let comparison = judge_unless(contended, &ratio, settings.band);
        let label = |column: usize| labels[column].clone();
        Some(Lead { target: label(first), second: label(second), ratio, comparison })
    };
    tables.iter().enumerate().map(lead).collect()
}

/// The pair with the one first that is ahead by `ratio`, which has the blocks of both only, unlike their means.
pub(crate) fn ahead(
    (first, second): (usize, usize),
    ratio: impl FnOnce((usize, usize)) -> Option<Ratio>,
) -> Option<(usize, usize)> {
    let is_behind = ratio((first, second))?.point < 1.0;
    Some(if is_behind { (second, first) } else { (first, second) })
}

/// The columns with the two highest means over `cells`, among those that have a value in each.
pub(crate) fn first_two(cells: &[&CellData]) -> Option<(usize, usize)> {
    let columns = cells.first()?.series.len();
    let measured: Vec<usize> =
        (0..columns).filter(|&column| cells.iter().all(|c| c.valid_for([column]))).collect();
    let level =
        |column: &usize| mean(&cells.iter().map(|c| c.level(*column)).collect::<Vec<f64>>());
    let order = order(&measured.iter().map(level).collect::<Vec<f64>>());
    Some((measured[*order.first()?], measured[*order.get(1)?]))
}

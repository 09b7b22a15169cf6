//! Computes how the rate of a test scales with processes: each count relative to the smallest, on the same target in
//! the same blocks, and the efficiency of the added processes.

use crate::{
    description::cell::data::CellData,
    kernel::ratio::{Ratio, compare},
};
use model::{figure::Better, result::Dataset, workload::Group};
use serde::Serialize;
use std::collections::BTreeMap;

/// The rates of one test at several process counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scaling {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Group of the test: in several of them there may be tests of one name.
    pub group: Group,
    /// Unit of the rates.
    pub unit: String,
    /// Process counts, ascending; the first is what the others are compared with.
    pub procs: Vec<u32>,
    /// Targets that have a rate at the first count and at another, in the order of the columns.
    pub targets: Vec<TargetScaling>,
}

/// The rates of one target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetScaling {
    /// Label of the target.
    pub target: String,
    /// One for each process count; `None` without a valid sample.
    pub steps: Vec<Option<Step>>,
}

/// One target at one process count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Geometric mean of the rate over the blocks.
    pub value: f64,
    /// That over the rate at the first count, paired by block; 1 at the first count itself.
    pub speedup: Ratio,
    /// Speed-up over the growth of the number of processes: 1 where each added one brings as much as the first.
    pub efficiency: f64,
}

/// Every test of `cells` that was measured at two process counts or more, and of which more is better.
pub(crate) fn scalings(dataset: &Dataset, targets: &[String], cells: &[CellData]) -> Vec<Scaling> {
    let mut tests = BTreeMap::<usize, Vec<&CellData>>::new();
    for cell in cells.iter().filter(|cell| cell.better == Better::Higher && cell.is_scored) {
        tests.entry(cell.test).or_default().push(cell);
    }
    tests.values_mut().for_each(|cells| cells.sort_by_key(|cell| cell.procs));
    tests.values().filter_map(|cells| scaling(dataset, targets, cells)).collect()
}

/// `None` where nothing is there twice, or not in one unit. With several workers a rate may be that of the time in
/// which all of them worked.
fn scaling(dataset: &Dataset, targets: &[String], cells: &[&CellData]) -> Option<Scaling> {
    let (first, others) = cells.split_first()?;
    if others.is_empty() || others.iter().any(|cell| cell.unit != first.unit) {
        return None;
    }
    let of_column = |(column, target): (usize, &String)| {
        let steps: Vec<_> = cells.iter().map(|cell| step(cell, first, column)).collect();
        let is_known = steps[0].is_some() && steps[1..].iter().any(Option::is_some);
        is_known.then(|| TargetScaling { target: target.clone(), steps })
    };
    let scaled: Vec<_> = targets.iter().enumerate().filter_map(of_column).collect();
    let info = &dataset.tests[first.test];
    (!scaled.is_empty()).then(|| Scaling {
        test: info.id.clone(),
        name: info.name.clone(),
        group: info.group,
        unit: first.unit.clone(),
        procs: cells.iter().map(|cell| cell.procs).collect(),
        targets: scaled,
    })
}

fn step(cell: &CellData, first: &CellData, column: usize) -> Option<Step> {
    let value = cell.mean_value(column)?;
    let (own, base) = (&cell.series[column].points, &first.series[column].points);
    let speedup = match cell.procs == first.procs {
        true => Ratio::ONE,
        false => compare(own, base)?.to_ratio(),
    };
    let growth = f64::from(cell.procs) / f64::from(first.procs.max(1));
    Some(Step { value, speedup, efficiency: speedup.point / growth })
}

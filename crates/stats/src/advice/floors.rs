//! Floors: how far behind the best a target may be in a test, whatever it gains elsewhere.

use super::objection::{Basis, FloorFinding, Objection};
use crate::{
    description::cell::data::CellData,
    kernel::{
        Ratio,
        point::{Point, mean},
        ratio::{Estimate, compare},
    },
};
use model::{
    figure::{LatencyLimit, Quantile},
    result::{Dataset, Sample},
    workload::Floor,
};
use std::collections::BTreeMap;
use wildmatch::WildMatch;

/// What the floors of a profile say of one target.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdicts {
    /// Floors that are broken with certainty: the whole interval is beyond the limit.
    pub(super) broken: Vec<Objection>,
    /// Floors that may be broken.
    pub(super) at_risk: Vec<Objection>,
}

impl Verdicts {
    /// Adds what `objection` makes of `ratio` where it is, or may be, above `limit`.
    fn add(
        &mut self,
        (estimate, ratio): (&Estimate, &Ratio),
        limit: f64,
        objection: impl Fn(Basis) -> Objection,
    ) {
        if ratio.low.is_some_and(|low| low > limit) {
            self.broken.push(objection(basis(estimate, ratio, true)));
        } else if ratio.point > limit || ratio.high.is_some_and(|high| high > limit) {
            self.at_risk.push(objection(basis(estimate, ratio, false)));
        }
    }
}

/// One verdict for each of `columns`; the best is the best of these.
pub(super) fn judge(
    dataset: &Dataset,
    floors: &[Floor],
    targets: &[String],
    cells: &[CellData],
    columns: &[usize],
) -> Vec<Verdicts> {
    let mut verdicts = vec![Verdicts::default(); columns.len()];
    for floor in floors {
        let glob = WildMatch::new(&floor.test);
        for cell in cells.iter().filter(|c| glob.matches(&dataset.tests[c.test].id)) {
            if let Some(limit) = &floor.limit {
                for (verdict, &column) in verdicts.iter_mut().zip(columns) {
                    judge_limit(verdict, limit, dataset, cell, &targets[column]);
                }
                continue;
            }
            let Some(best) = best(cell, columns) else { continue };
            for (verdict, &column) in verdicts.iter_mut().zip(columns) {
                let test = &dataset.tests[cell.test].id;
                judge_cell(verdict, floor, (test, cell), (column, best), &targets[best]);
            }
        }
    }
    verdicts
}

/// Floors for which the campaign has no test.
pub(super) fn unmeasured(dataset: &Dataset, floors: &[Floor], cells: &[CellData]) -> Vec<String> {
    let measured = |floor: &&Floor| {
        let glob = WildMatch::new(&floor.test);
        cells.iter().any(|c| glob.matches(&dataset.tests[c.test].id))
    };
    floors.iter().filter(|floor| !measured(floor)).map(|floor| floor.test.clone()).collect()
}

fn objection(test: &str, procs: u32, finding: FloorFinding) -> Objection {
    Objection::Floor { test: test.into(), procs, finding }
}

fn best(cell: &CellData, columns: &[usize]) -> Option<usize> {
    let valid = columns.iter().copied().filter(|&c| cell.valid_for([c]));
    valid.max_by(|&a, &b| cell.level(a).total_cmp(&cell.level(b)))
}

fn judge_cell(
    verdict: &mut Verdicts,
    floor: &Floor,
    (test, cell): (&str, &CellData),
    (column, best): (usize, usize),
    name: &str,
) {
    let Some(limit) = floor.max_ratio_to_best else { return };
    let at_risk = |finding| objection(test, cell.procs, finding);
    let Some(behind) = cell.compare(best, column) else {
        verdict.at_risk.push(at_risk(FloorFinding::NoSample));
        return;
    };
    if column == best {
        return;
    }
    if cell.is_short() {
        verdict.at_risk.push(at_risk(FloorFinding::Short));
        return;
    }
    let ratio = behind.to_ratio_at(cell.confidence);
    verdict.add((&behind, &ratio), limit, |basis| {
        at_risk(FloorFinding::Behind { best: name.into(), ratio, basis, limit })
    });
}

/// The interval of two blocks is so wide that it tells nothing, unless it makes `sure` all the same.
fn basis(estimate: &Estimate, ratio: &Ratio, sure: bool) -> Basis {
    match (ratio.low, estimate.error) {
        (Some(_), Some((_, df))) if sure || df > 1.0 => Basis::Interval,
        (Some(_), _) => Basis::TwoBlocks,
        (None, _) => Basis::OneRun,
    }
}

/// A limit is broken when the whole interval of the quantile, over the blocks, lies above it.
fn judge_limit(
    verdict: &mut Verdicts,
    limit: &LatencyLimit,
    dataset: &Dataset,
    cell: &CellData,
    target: &str,
) {
    let test = &dataset.tests[cell.test].id;
    let points = latencies(limit.quantile(), cell.valid_samples(dataset, target));
    let allowed: Vec<Point> = points.iter().map(|p| Point { log: limit.us.ln(), ..*p }).collect();
    let found = |finding| objection(test, cell.procs, finding);
    let Some(over) = compare(&points, &allowed) else {
        verdict.at_risk.push(found(FloorFinding::NoLatency(limit.clone())));
        return;
    };
    let ratio = over.to_ratio();
    verdict.add((&over, &ratio), 1.0, |basis| {
        found(FloorFinding::Latency { ratio, basis, limit: limit.clone() })
    });
}

/// The quantile of each block, microseconds, logarithmic; of several samples of a block the mean.
pub(super) fn latencies<'a>(
    quantile: Quantile,
    samples: impl Iterator<Item = &'a Sample>,
) -> Vec<Point> {
    let names = quantile.metrics();
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        let us = names.iter().find_map(|name| sample.metric(name)).filter(|us| *us > 0.0);
        blocks.entry(sample.block).or_default().extend(us.map(f64::ln));
    }
    let known = blocks.into_iter().filter(|(_, logs)| !logs.is_empty());
    known.map(|(block, logs)| Point { block, log: mean(&logs) }).collect()
}

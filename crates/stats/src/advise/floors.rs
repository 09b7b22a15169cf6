//! Floors: how far behind the best a target may be in a test, whatever it gains elsewhere.

use super::Question;
use crate::{
    Ratio,
    cell::CellData,
    names::processes,
    point::{Point, mean},
    ratio::{Estimate, compare},
};
use model::{Dataset, Floor, LatencyLimit, Sample};
use std::collections::BTreeMap;
use wildmatch::WildMatch;

/// What the floors of a profile say of one target.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdicts {
    /// Floors that are broken with certainty: the whole interval is beyond the limit.
    pub(super) broken: Vec<String>,
    /// Floors that may be broken.
    pub(super) at_risk: Vec<String>,
}

impl Verdicts {
    /// Adds the line for `ratio` where it is, or may be, above `limit`; `line` is told whether it is for
    /// certain.
    fn add(&mut self, ratio: &Ratio, limit: f64, line: impl Fn(bool) -> String) {
        if ratio.low.is_some_and(|low| low > limit) {
            self.broken.push(line(true));
        } else if ratio.point > limit || ratio.high.is_some_and(|high| high > limit) {
            self.at_risk.push(line(false));
        }
    }
}

/// One verdict for each of `columns`; the best is the best of these.
pub(super) fn judge(
    dataset: &Dataset,
    question: &Question<'_>,
    targets: &[String],
    cells: &[CellData],
    columns: &[usize],
) -> Vec<Verdicts> {
    let mut verdicts = vec![Verdicts::default(); columns.len()];
    for floor in &question.profile.floors {
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
                let place = place(&dataset.tests[cell.test].id, cell.procs);
                judge_cell(verdict, floor, cell, (column, best), &place, &targets[best]);
            }
        }
    }
    verdicts
}

/// Floors for which the campaign has no test.
pub(super) fn unmeasured(
    dataset: &Dataset,
    question: &Question<'_>,
    cells: &[CellData],
) -> Vec<String> {
    let measured = |floor: &&Floor| {
        let glob = WildMatch::new(&floor.test);
        cells.iter().any(|c| glob.matches(&dataset.tests[c.test].id))
    };
    let floors = question.profile.floors.iter().filter(|floor| !measured(floor));
    floors.map(|floor| floor.test.clone()).collect()
}

fn place(test: &str, procs: u32) -> String {
    format!("{test}, {}", processes(procs))
}

fn best(cell: &CellData, columns: &[usize]) -> Option<usize> {
    let valid = columns.iter().copied().filter(|&c| cell.valid_for([c]));
    valid.max_by(|&a, &b| cell.level(a).total_cmp(&cell.level(b)))
}

fn judge_cell(
    verdict: &mut Verdicts,
    floor: &Floor,
    cell: &CellData,
    (column, best): (usize, usize),
    place: &str,
    name: &str,
) {
    let Some(limit) = floor.max_ratio_to_best else { return };
    let Some(behind) = cell.compare(best, column) else {
        verdict.at_risk.push(format!("floor {place}: no valid sample"));
        return;
    };
    if column == best {
        return;
    }
    if cell.is_short() {
        verdict.at_risk.push(format!("floor {place}: its timed part is too short to tell"));
        return;
    }
    let ratio = behind.to_ratio_at(cell.confidence);
    let point = format!("{:.2}x behind {name}", ratio.point);
    let found = |sure| found(&point, (&behind, &ratio), sure, |times| format!("{times:.2}"));
    let line = |sure| format!("floor {place}: {}, {limit}x allowed", found(sure));
    verdict.add(&ratio, limit, line);
}

/// `point` with its interval, whose ends are written by `end`. The interval of two blocks is so wide that
/// it tells nothing, unless it makes `sure` all the same.
fn found(
    point: &str,
    (estimate, ratio): (&Estimate, &Ratio),
    sure: bool,
    end: impl Fn(f64) -> String,
) -> String {
    match (ratio.span(end), estimate.error) {
        (Some(span), Some((_, df))) if sure || df > 1.0 => format!("{point} ({span})"),
        (Some(_), _) => format!("{point} (two blocks, too few to be sure)"),
        _ => format!("{point} (one run)"),
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
    let place = place(&dataset.tests[cell.test].id, cell.procs);
    let points = latencies(limit, dataset, cell, target);
    let allowed: Vec<Point> = points.iter().map(|p| Point { log: limit.us.ln(), ..*p }).collect();
    let Some(over) = compare(&points, &allowed) else {
        verdict.at_risk.push(format!("floor {place}: no {} to compare", limit.quantile()));
        return;
    };
    let ms = |share: f64| format!("{:.3}", share * limit.us / 1e3);
    let ratio = over.to_ratio();
    let point = format!("{} is {} ms", limit.quantile(), ms(ratio.point));
    let found = |sure| found(&point, (&over, &ratio), sure, ms);
    let line = |sure| format!("floor {place}: {}, {limit} allowed", found(sure));
    verdict.add(&ratio, 1.0, line);
}

/// The quantile of each block, microseconds, logarithmic; of several samples of a block the mean.
fn latencies(limit: &LatencyLimit, dataset: &Dataset, cell: &CellData, target: &str) -> Vec<Point> {
    let id = &dataset.tests[cell.test].id;
    let own = |s: &&Sample| {
        let case = &s.case;
        s.validity.is_valid()
            && case.target == target
            && case.test == *id
            && case.procs == cell.procs
    };
    let names = limit.metrics();
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in dataset.samples.iter().filter(own) {
        let us = names.iter().find_map(|name| sample.metric(name)).filter(|us| *us > 0.0);
        blocks.entry(sample.block).or_default().extend(us.map(f64::ln));
    }
    let known = blocks.into_iter().filter(|(_, logs)| !logs.is_empty());
    known.map(|(block, logs)| Point { block, log: mean(&logs) }).collect()
}

//! Floors: how far behind the best a target may be in a test, whatever it gains elsewhere.

use super::Question;
use crate::{
    Ratio,
    ratio::{compare, logs},
    select::{CellData, mean},
};
use model::{Dataset, Floor};
use wildmatch::WildMatch;

/// What the floors of a profile say of one target.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdicts {
    /// Floors that are broken with certainty: the whole interval is beyond the limit.
    pub(super) broken: Vec<String>,
    /// Floors that may be broken.
    pub(super) at_risk: Vec<String>,
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
    format!("{test}, {procs} {}", if procs == 1 { "process" } else { "processes" })
}

fn best(cell: &CellData, columns: &[usize]) -> Option<usize> {
    let level = |c: usize| mean(&logs(&cell.series[c].points));
    let valid = columns.iter().copied().filter(|&c| cell.valid_for([c]));
    valid.max_by(|&a, &b| level(a).total_cmp(&level(b)))
}

fn judge_cell(
    verdict: &mut Verdicts,
    floor: &Floor,
    cell: &CellData,
    (column, best): (usize, usize),
    place: &str,
    name: &str,
) {
    let limit = floor.max_ratio_to_best;
    let points = |c: usize| &cell.series[c].points;
    let Some(behind) = compare(points(best), points(column)).map(|e| e.to_ratio()) else {
        verdict.at_risk.push(format!("floor {place}: no valid sample"));
        return;
    };
    let text = |ratio: &Ratio| match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => {
            format!("{:.2}x behind {name} ({low:.2}-{high:.2})", ratio.point)
        }
        _ => format!("{:.2}x behind {name} (one run)", ratio.point),
    };
    let line = || format!("floor {place}: {}, {limit}x allowed", text(&behind));
    if column == best {
        return;
    }
    if behind.low.is_some_and(|low| low > limit) {
        verdict.broken.push(line());
    } else if behind.point > limit || behind.high.is_some_and(|high| high > limit) {
        verdict.at_risk.push(line());
    }
}

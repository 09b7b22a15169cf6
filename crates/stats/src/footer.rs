//! What stands under a table: for each target the geometric mean, the extremes with the test they
//! come from, and how many tests went which way.

use crate::{
    Ratio, Row, Settings, Verdict,
    blocks::{self, Part},
    contention,
    ratio::{compare, paired},
    select::{CellData, mean},
    verdict::judge,
};
use serde::Serialize;

/// The summary of one target in one table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Footer {
    /// Label of the target.
    pub target: String,
    /// Geometric mean of the values of the tests that are valid for all targets; `None` when they
    /// differ in unit or direction.
    pub geometric_mean: Option<f64>,
    /// Geometric mean of the ratios over the same tests, with the interval that the blocks give.
    pub ratio: Option<Ratio>,
    /// What that ratio allows to say; `None` for the baseline.
    pub verdict: Option<Verdict>,
    /// Tests in the geometric means.
    pub tests: usize,
    /// Tests in the table.
    pub of_tests: usize,
    /// The smallest ratio; an extreme of many, so rather too small than too large.
    pub min_ratio: Option<Extreme>,
    /// The largest ratio; rather too large.
    pub max_ratio: Option<Extreme>,
    /// Tests by verdict.
    pub counts: Counts,
}

/// A ratio that was picked because it is the largest or smallest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Extreme {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Its ratio.
    pub ratio: Ratio,
}

/// Number of tests by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Better.
    pub better: usize,
    /// Slightly better.
    pub slightly_better: usize,
    /// Same.
    pub same: usize,
    /// Slightly worse.
    pub slightly_worse: usize,
    /// Worse.
    pub worse: usize,
    /// Unclear.
    pub unclear: usize,
}

impl Counts {
    /// Number of tests.
    pub fn total(&self) -> usize {
        self.better
            + self.slightly_better
            + self.same
            + self.slightly_worse
            + self.worse
            + self.unclear
    }

    pub(crate) fn merge(&mut self, other: &Counts) {
        self.better += other.better;
        self.slightly_better += other.slightly_better;
        self.same += other.same;
        self.slightly_worse += other.slightly_worse;
        self.worse += other.worse;
        self.unclear += other.unclear;
    }

    pub(crate) fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Better => &mut self.better,
            Verdict::SlightlyBetter => &mut self.slightly_better,
            Verdict::Same => &mut self.same,
            Verdict::SlightlyWorse => &mut self.slightly_worse,
            Verdict::Worse => &mut self.worse,
            Verdict::Unclear => &mut self.unclear,
        } += 1;
    }
}

/// One footer for each column; `rows` and `cells` are the same tests in the same order.
pub(crate) fn footers(rows: &[Row], cells: &[&CellData], settings: &Settings) -> Vec<Footer> {
    let columns = rows.first().map_or(0, |r| r.cells.len());
    // A target that could not be measured at all would otherwise empty every mean.
    let measured: Vec<usize> =
        (0..columns).filter(|&t| cells.iter().any(|c| c.valid_for([t]))).collect();
    let shared: Vec<&CellData> =
        cells.iter().copied().filter(|c| c.valid_for(measured.iter().copied())).collect();
    (0..columns).map(|column| footer(rows, &shared, column, settings)).collect()
}

fn footer(rows: &[Row], shared: &[&CellData], column: usize, settings: &Settings) -> Footer {
    let measured = || shared.iter().any(|c| c.valid_for([0]));
    let ratio = match column {
        0 => measured().then_some(Ratio::ONE),
        _ => mean_ratio(shared, column, 0),
    };
    let judged = if column == 0 { None } else { ratio };
    let contended = shared.iter().flat_map(|c| [&c.series[column], &c.series[0]]);
    let contended = contention::too_contended(contended);
    let mut counts = Counts::default();
    rows.iter().filter_map(|r| r.cells[column].verdict).for_each(|v| counts.add(v));
    let (min_ratio, max_ratio) = extremes(rows, column);
    Footer {
        target: rows[0].cells[column].target.clone(),
        geometric_mean: mean_value(shared, column),
        ratio,
        verdict: judged
            .map(|r| if contended { Verdict::Unclear } else { judge(&r, settings.band) }),
        tests: shared.iter().filter(|c| c.valid_for([column])).count(),
        of_tests: rows.len(),
        min_ratio,
        max_ratio,
        counts,
    }
}

fn mean_value(cells: &[&CellData], column: usize) -> Option<f64> {
    let first = cells.first()?;
    let alike = |c: &&CellData| c.unit == first.unit && c.better == first.better;
    if !cells.iter().all(|c| alike(c) && c.valid_for([column])) {
        return None;
    }
    let levels: Vec<f64> = cells.iter().map(|c| c.level(column)).collect();
    Some(first.value(mean(&levels)))
}

/// Geometric mean of the ratios of column `candidate` over column `base` in the cells that both
/// have: by the blocks they share, else by the blocks of each.
pub(crate) fn mean_ratio(cells: &[&CellData], candidate: usize, base: usize) -> Option<Ratio> {
    let both: Vec<&CellData> =
        cells.iter().copied().filter(|c| c.valid_for([candidate, base])).collect();
    let part = |c: &&CellData| {
        let (candidate, base) = (&c.series[candidate].points, &c.series[base].points);
        let mean = compare(candidate, base)?.mean;
        Some(Part { weight: 1.0, mean, points: paired(candidate, base) })
    };
    let parts: Vec<Part> = both.iter().filter_map(part).collect();
    let estimate = if parts.iter().any(|p| !p.points.is_empty()) {
        blocks::estimate(&parts)
    } else {
        blocks::estimate_apart(&levels(&both, candidate), &levels(&both, base))
    };
    estimate.map(|e| e.to_ratio())
}

/// The level of a column in each cell, all of which it has.
fn levels(cells: &[&CellData], column: usize) -> Vec<Part> {
    cells.iter().map(|c| Part::of(1.0, c.series[column].points.clone())).collect()
}

fn extremes(rows: &[Row], column: usize) -> (Option<Extreme>, Option<Extreme>) {
    let ratios = || {
        rows.iter().filter_map(|row| {
            let (test, name) = (row.test.clone(), row.name.clone());
            row.cells[column].ratio.map(|ratio| Extreme { test, name, ratio })
        })
    };
    let by_point = |a: &Extreme, b: &Extreme| a.ratio.point.total_cmp(&b.ratio.point);
    (ratios().min_by(by_point), ratios().max_by(by_point))
}

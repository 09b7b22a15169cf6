//! Summarizes a table: per target the geometric mean, the extremes with their tests, and counts of better and worse
//! tests.

use crate::{
    description::{
        Comparison, Row, Settings,
        cell::data::{self, CellData},
        equivalence::judge_unless,
    },
    kernel::{
        Ratio,
        block_score::{self, Part},
        point::mean,
        prior::Prior,
        ratio::{CONFIDENCE, Estimate, compare, paired},
        significance::Bar,
    },
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
    #[serde(rename = "verdict")]
    pub comparison: Option<Comparison>,
    /// Tests in the geometric means.
    pub tests: usize,
    /// Tests in the table that are scored.
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

    pub(crate) fn add(&mut self, verdict: Comparison) {
        *match verdict {
            Comparison::Better => &mut self.better,
            Comparison::SlightlyBetter => &mut self.slightly_better,
            Comparison::Same => &mut self.same,
            Comparison::SlightlyWorse => &mut self.slightly_worse,
            Comparison::Worse => &mut self.worse,
            Comparison::Unclear | Comparison::Contended => &mut self.unclear,
        } += 1;
    }
}

/// One footer for each column of each table, none under a table that is not scored; the rows of a table and its cells
/// are the same tests in the same order.
pub(crate) fn footers(
    tables: &[(Vec<Row>, Vec<&CellData>)],
    bar: Bar,
    settings: &Settings,
) -> Vec<Vec<Footer>> {
    let shared: Vec<Vec<&CellData>> = tables.iter().map(|(_, cells)| shared(cells)).collect();
    let confidence = confidence(tables.len(), bar);
    let columns = tables.iter().flat_map(|(rows, _)| rows).map(|row| row.cells.len()).max();
    let ratios: Vec<Vec<Option<Ratio>>> =
        (0..columns.unwrap_or(0)).map(|at| over_baseline(&shared, at, confidence)).collect();
    let mut footers = Vec::new();
    for (table, ((rows, cells), shared)) in tables.iter().zip(&shared).enumerate() {
        let own = |(column, ratios): (usize, &Vec<Option<Ratio>>)| {
            let scored = rows.iter().zip(cells).filter(|(_, cell)| cell.is_scored);
            let rows: Vec<&Row> = scored.map(|(row, _)| row).collect();
            footer(&rows, shared, (column, ratios[table]), settings)
        };
        let is_scored = cells.iter().any(|cell| cell.is_scored);
        let of_table = ratios.iter().enumerate().filter(|_| is_scored).map(own);
        footers.push(of_table.collect());
    }
    footers
}

/// Confidence of the intervals of means. That of the only table is the score, on which it hangs when a campaign ends.
pub(crate) fn confidence(tables: usize, bar: Bar) -> f64 {
    if tables == 1 { bar.confidence } else { CONFIDENCE }
}

/// What the means of `tables` tell of the noise of one of them.
pub(crate) fn prior(tables: &[Vec<&CellData>], candidate: usize, base: usize) -> Option<Prior> {
    let shared = tables.iter().map(|cells| shared(cells));
    block_score::prior(&shared.map(|cells| parts(&cells, candidate, base)).collect::<Vec<_>>())
}

/// The cells that are valid for every target with any.
pub(crate) fn shared<'a>(cells: &[&'a CellData]) -> Vec<&'a CellData> {
    let columns = cells.first().map_or(0, |cell| cell.series.len());
    // A target that could not be measured at all would otherwise empty every mean.
    let measured: Vec<usize> =
        (0..columns).filter(|&t| cells.iter().any(|c| c.valid_for([t]))).collect();
    cells.iter().copied().filter(|c| c.is_scored && c.valid_for(measured.iter().copied())).collect()
}

/// The mean ratio of a column in each table.
fn over_baseline(tables: &[Vec<&CellData>], column: usize, confidence: f64) -> Vec<Option<Ratio>> {
    let one = |cells: &Vec<&CellData>| cells.iter().any(|c| c.valid_for([0])).then_some(Ratio::ONE);
    match column {
        0 => tables.iter().map(one).collect(),
        _ => mean_ratios(tables, column, 0, confidence),
    }
}

fn footer(
    rows: &[&Row],
    shared: &[&CellData],
    (column, ratio): (usize, Option<Ratio>),
    settings: &Settings,
) -> Footer {
    let judged = if column == 0 { None } else { ratio };
    let contended = data::too_contended(shared, &[column, 0]);
    let mut counts = Counts::default();
    rows.iter().filter_map(|r| r.cells[column].comparison).for_each(|v| counts.add(v));
    let (min_ratio, max_ratio) = extremes(rows, column);
    Footer {
        target: rows[0].cells[column].target.clone(),
        geometric_mean: mean_value(shared, column),
        ratio,
        comparison: judged.map(|r| judge_unless(contended, &r, settings.band)),
        tests: shared.iter().filter(|c| c.valid_for([column])).count(),
        of_tests: rows.len(),
        min_ratio,
        max_ratio,
        counts,
    }
}

pub(crate) fn mean_value(cells: &[&CellData], column: usize) -> Option<f64> {
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
    mean_ratios(&[cells.to_vec()], candidate, base, CONFIDENCE).pop()?
}

/// The same of each table; what the blocks say of their noise is moderated by the other tables.
pub(crate) fn mean_ratios(
    tables: &[Vec<&CellData>],
    candidate: usize,
    base: usize,
    confidence: f64,
) -> Vec<Option<Ratio>> {
    let parts: Vec<Vec<Part>> = tables.iter().map(|cells| parts(cells, candidate, base)).collect();
    let estimate = |(estimate, (parts, cells)): (_, (&Vec<Part>, &Vec<&CellData>))| {
        // A mean over one test is that test.
        if let [only] = cells.as_slice() {
            return only.compare(candidate, base);
        }
        if parts.iter().any(|p| !p.points.is_empty()) {
            return estimate;
        }
        block_score::estimate_apart(
            &levels(cells, (candidate, base)),
            &levels(cells, (base, candidate)),
        )
    };
    let paired = block_score::estimates(&parts).into_iter().zip(parts.iter().zip(tables));
    let ratio = |estimate: Estimate| estimate.to_ratio_at(confidence);
    paired.map(estimate).map(|estimate| estimate.map(ratio)).collect()
}

/// The ratio in each of `cells` that has both.
fn parts(cells: &[&CellData], candidate: usize, base: usize) -> Vec<Part> {
    let part = |c: &&CellData| {
        let (candidate, base) = (&c.series[candidate].points, &c.series[base].points);
        let mean = compare(candidate, base)?.mean;
        Some(Part { weight: 1.0, mean, points: paired(candidate, base) })
    };
    cells.iter().filter_map(part).collect()
}

/// The level of a column in each cell that has it and the other.
fn levels(cells: &[&CellData], (column, other): (usize, usize)) -> Vec<Part> {
    let both = cells.iter().filter(|c| c.valid_for([column, other]));
    both.map(|c| Part::of(1.0, c.series[column].points.clone())).collect()
}

fn extremes(rows: &[&Row], column: usize) -> (Option<Extreme>, Option<Extreme>) {
    let ratios = || {
        rows.iter().filter_map(|row| {
            let (test, name) = (row.test.clone(), row.name.clone());
            row.cells[column].ratio.map(|ratio| Extreme { test, name, ratio })
        })
    };
    let by_point = |a: &Extreme, b: &Extreme| a.ratio.point.total_cmp(&b.ratio.point);
    (ratios().min_by(by_point), ratios().max_by(by_point))
}

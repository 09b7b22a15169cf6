//! Target against target across two campaigns: the mean of each pair, and the cells that differ.

use super::{
    asked::{AskedCell, AskedPair},
    side::{Columns, PREFIXES},
};
use crate::{
    description::{
        Comparison, Counts, Settings,
        cell::{
            data::{self, CellData},
            versus::{Versus, versus},
        },
        equivalence::judge_unless,
        table::footer::mean_ratio,
    },
    kernel::{
        Ratio,
        block_score::{self, Part},
        holm,
        ratio::Estimate,
    },
};
use model::{result::Dataset, workload::Group};
use serde::Serialize;

/// A target of B against one of A.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Label of the target of A.
    pub a: String,
    /// Label of the target of B.
    pub b: String,
    /// Geometric mean of B over A over the cells that both have.
    pub ratio: Option<Ratio>,
    /// What that ratio allows to say.
    #[serde(rename = "verdict")]
    pub comparison: Option<Comparison>,
    /// Number of these cells.
    pub cells: usize,
    /// Cells by verdict.
    pub counts: Counts,
    /// Those of the unclear ones that are so because the machine was busy with other work.
    pub contended: usize,
}

/// A cell that became better or worse.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Label of the target of A.
    pub a: String,
    /// Label of the target of B.
    pub b: String,
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Table that the test is in.
    pub group: Group,
    /// Worker processes.
    pub procs: u32,
    /// Geometric mean over the blocks of A.
    pub value_a: f64,
    /// Geometric mean over the blocks of B.
    pub value_b: f64,
    /// Unit of both.
    pub unit: String,
    /// B over A.
    pub ratio: Ratio,
    /// What the ratio allows to say.
    #[serde(rename = "verdict")]
    pub comparison: Comparison,
    /// True when it holds among all cells of all pairs (Holm, 5 %).
    pub holm: bool,
}

pub(super) struct Decided {
    pub(super) asked: Vec<AskedPair>,
    pub(super) pairs: Vec<Pair>,
    pub(super) differences: Vec<Difference>,
}

/// Columns that are set against each other: those of the same label; where no label is shared, every
/// target of the one campaign against the baseline, which is the first column, of the other.
fn columns(targets: &[String]) -> Vec<(usize, usize)> {
    let place = |label: &str| targets.iter().position(|t| t == label);
    let own = |prefix: &str| -> Vec<usize> {
        (0..targets.len()).filter(|&i| targets[i].starts_with(prefix)).collect()
    };
    let twin = |a: usize| {
        let label = targets[a].strip_prefix(PREFIXES[0])?;
        Some((a, place(&format!("{}{label}", PREFIXES[1]))?))
    };
    let shared: Vec<_> = own(PREFIXES[0]).into_iter().filter_map(twin).collect();
    if !shared.is_empty() {
        shared
    } else if targets[0].starts_with(PREFIXES[0]) {
        own(PREFIXES[1]).into_iter().map(|b| (0, b)).collect()
    } else {
        own(PREFIXES[0]).into_iter().map(|a| (a, 0)).collect()
    }
}

/// A pair in a cell.
struct Compared<'a> {
    /// Labels of the columns of the cell.
    targets: &'a [String],
    cell: &'a CellData,
    /// Columns of A and B.
    columns: (usize, usize),
    versus: Versus,
}

/// Judges every pair of each class in every cell.
pub(super) fn judge_pairs(
    dataset: &Dataset,
    classes: &[Columns<'_>],
    settings: &Settings,
) -> Decided {
    let (mut asked, mut pairs, mut compared) = (Vec::new(), Vec::new(), Vec::new());
    for Columns { targets, cells, .. } in classes {
        for (a, b) in columns(targets) {
            pairs.push(pair(targets, cells, (a, b), settings));
            asked.extend(ask(dataset, (targets, cells), (a, b)));
            compared.extend(cells.iter().filter_map(|cell| {
                let versus = versus(cell, b, a, settings)?;
                Some(Compared { targets, cell, columns: (a, b), versus })
            }));
        }
    }
    let p_values: Vec<Option<f64>> = compared.iter().map(|c| c.versus.ratio.p).collect();
    let marks = holm::holm(&p_values);
    let decided = |(compared, holm): (&Compared<'_>, bool)| {
        let differs = compared.versus.comparison.is_difference();
        if differs { difference(dataset, compared, holm) } else { None }
    };
    let mut differences: Vec<Difference> = compared.iter().zip(marks).filter_map(decided).collect();
    let size = |d: &Difference| d.ratio.point.ln().abs();
    differences.sort_by(|a, b| size(b).total_cmp(&size(a)));
    Decided { asked, pairs, differences }
}

/// The mean over the cells of a pair, where there are several, and each of them.
fn ask(
    dataset: &Dataset,
    (targets, cells): (&[String], &[CellData]),
    (a, b): (usize, usize),
) -> Vec<AskedPair> {
    let of = |cell, estimate, cells: &[&CellData]| AskedPair {
        a: targets[a].clone(),
        b: targets[b].clone(),
        cell,
        estimate,
        contended: is_contended(cells, (a, b)),
    };
    let name = |cell: &CellData| AskedCell {
        test: dataset.tests[cell.test].id.clone(),
        name: dataset.tests[cell.test].name.clone(),
        procs: cell.procs,
    };
    let shared = in_mean(cells, (a, b));
    let mean = (cells.len() > 1).then(|| of(None, mean(&shared, (a, b)), &shared));
    let each = cells.iter().map(|c| of(Some(name(c)), c.compare(b, a), &[c]));
    mean.into_iter().chain(each).collect()
}

/// The cells that enter the mean of a pair.
fn in_mean(cells: &[CellData], (a, b): (usize, usize)) -> Vec<&CellData> {
    cells.iter().filter(|c| c.valid_for([a, b]) && !c.is_short()).collect()
}

/// Mean of B over A: their blocks are not shared, so it is Welch's over the scores of either.
fn mean(cells: &[&CellData], (a, b): (usize, usize)) -> Option<Estimate> {
    let levels = |column: usize| -> Vec<Part> {
        cells.iter().map(|c| Part::of(1.0, c.series[column].points.clone())).collect()
    };
    block_score::estimate_apart(&levels(b), &levels(a))
}

fn is_contended(cells: &[&CellData], (a, b): (usize, usize)) -> bool {
    data::too_contended(cells, &[a, b])
}

fn pair(
    targets: &[String],
    cells: &[CellData],
    (a, b): (usize, usize),
    settings: &Settings,
) -> Pair {
    let shared = in_mean(cells, (a, b));
    let each: Vec<Versus> = shared.iter().filter_map(|cell| versus(cell, b, a, settings)).collect();
    let mut counts = Counts::default();
    each.iter().for_each(|v| counts.add(v.comparison));
    let ratio = mean_ratio(&shared, b, a);
    let contended = is_contended(&shared, (a, b));
    Pair {
        a: targets[a].clone(),
        b: targets[b].clone(),
        comparison: ratio.map(|r| judge_unless(contended, &r, settings.band)),
        ratio,
        cells: shared.len(),
        counts,
        contended: each.iter().filter(|v| v.contended).count(),
    }
}

fn difference(dataset: &Dataset, compared: &Compared<'_>, holm: bool) -> Option<Difference> {
    let Compared { targets, cell, columns: (a, b), versus } = compared;
    let info = &dataset.tests[cell.test];
    Some(Difference {
        a: targets[*a].clone(),
        b: targets[*b].clone(),
        test: info.id.clone(),
        name: info.name.clone(),
        group: info.group,
        procs: cell.procs,
        value_a: cell.mean_value(*a)?,
        value_b: cell.mean_value(*b)?,
        unit: cell.unit.clone(),
        ratio: versus.ratio,
        comparison: versus.comparison,
        holm: holm && !versus.contended,
    })
}

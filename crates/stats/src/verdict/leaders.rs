//! Finds the cells in which the first two candidates of the verdict differ most, in both directions, so that a reader
//! sees what a choice costs.

use crate::{
    description::{
        Comparison, Settings,
        cell::{data::CellData, versus::versus},
    },
    kernel::{Ratio, holm::holm},
    verdict::Verdict,
};
use model::{result::Dataset, workload::Group};
use serde::Serialize;
use std::cmp::Ordering;

/// Tests told for each side.
const MOST: usize = 5;

/// The first two candidates, test by test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leaders {
    /// Label of the first.
    pub first: String,
    /// Label of the second.
    pub second: String,
    /// Where the first is ahead, the decided differences before the others, and there the largest first.
    pub ahead: Vec<Contrast>,
    /// Where it is behind, in the same order.
    pub behind: Vec<Contrast>,
    /// Where it is behind any candidate, each cell with the one that is furthest ahead there, in the same order.
    pub lost: Vec<Lost>,
    /// In how many cells another is ahead by interval and band.
    pub lost_in: usize,
}

/// A cell in which another candidate is ahead of the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lost {
    /// Label of the other.
    pub over: String,
    /// The first over it.
    #[serde(flatten)]
    pub contrast: Contrast,
}

/// One cell of them. It was picked for its size, so the ratio is rather too far from 1 than too near.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contrast {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Group of the test: two groups can have tests of one name.
    pub group: Group,
    /// Worker processes.
    pub procs: u32,
    /// The first over the second.
    pub ratio: Ratio,
    /// What that allows to say.
    #[serde(rename = "verdict")]
    pub comparison: Comparison,
    /// Whether it holds among all cells of the two (Holm, 5 %).
    pub holm: bool,
}

/// The leaders of `verdict`; `targets` are the labels of the columns of `cells`. `None` below two candidates.
pub(crate) fn leaders(
    dataset: &Dataset,
    targets: &[String],
    cells: &[CellData],
    verdict: &Verdict,
    settings: &Settings,
) -> Option<Leaders> {
    let [first, second] = verdict.candidates.get(..2)? else { return None };
    let column = |label: &String| targets.iter().position(|target| target == label);
    let a = column(&first.target)?;
    let candidates = verdict.candidates.iter().filter_map(|c| column(&c.target));
    let others: Vec<usize> = candidates.filter(|at| *at != a).collect();
    let against = |cell, b: &usize| {
        let contrast = contrast(dataset, cell, (a, *b), settings)?;
        Some(Lost { over: targets[*b].clone(), contrast })
    };
    let scored = cells.iter().filter(|c| c.is_scored);
    let mut each: Vec<Vec<Lost>> =
        scored.map(|cell| others.iter().filter_map(|b| against(cell, b)).collect()).collect();
    let of_second = each.iter().flatten().filter(|lost| lost.over == second.target);
    let mut all: Vec<Contrast> = of_second.map(|lost| lost.contrast.clone()).collect();
    mark(all.iter_mut());
    all.sort_by(largest);
    mark(each.iter_mut().flatten().map(|lost| &mut lost.contrast));
    let lost = lost(each);
    let is_worse = |lost: &&Lost| lost.contrast.comparison == Comparison::Worse;
    let side = |ahead: bool| {
        let own = all.iter().filter(|c| c.ratio.point != 1.0 && (c.ratio.point > 1.0) == ahead);
        own.take(MOST).cloned().collect()
    };
    Some(Leaders {
        first: first.target.clone(),
        second: second.target.clone(),
        ahead: side(true),
        behind: side(false),
        lost_in: lost.iter().filter(is_worse).count(),
        lost: lost.into_iter().take(MOST).collect(),
    })
}

/// The decided differences before the others, and there the largest first.
fn largest(x: &Contrast, y: &Contrast) -> Ordering {
    let size = |c: &Contrast| c.ratio.point.ln().abs();
    let decided = y.comparison.is_difference().cmp(&x.comparison.is_difference());
    decided.then(size(y).total_cmp(&size(x)))
}

/// Marks what holds among all of `contrasts`.
fn mark<'a>(contrasts: impl Iterator<Item = &'a mut Contrast>) {
    let all: Vec<&mut Contrast> = contrasts.collect();
    let p_values: Vec<Option<f64>> = all.iter().map(|c| c.ratio.p).collect();
    for (contrast, holds) in all.into_iter().zip(holm(&p_values)) {
        contrast.holm = holds && contrast.comparison.is_difference();
    }
}

/// Of each cell the one against which most is lost, if any.
fn lost(cells: Vec<Vec<Lost>>) -> Vec<Lost> {
    let order = |x: &Lost, y: &Lost| largest(&x.contrast, &y.contrast);
    let behind = |lost: &Lost| lost.contrast.ratio.point < 1.0;
    let worst = |cell: Vec<Lost>| cell.into_iter().filter(behind).min_by(order);
    let mut all: Vec<Lost> = cells.into_iter().filter_map(worst).collect();
    all.sort_by(order);
    all
}

fn contrast(
    dataset: &Dataset,
    cell: &CellData,
    (first, second): (usize, usize),
    settings: &Settings,
) -> Option<Contrast> {
    let versus = versus(cell, first, second, settings)?;
    let info = &dataset.tests[cell.test];
    Some(Contrast {
        test: info.id.clone(),
        name: info.name.clone(),
        group: info.group,
        procs: cell.procs,
        ratio: versus.ratio,
        comparison: versus.comparison,
        holm: false,
    })
}

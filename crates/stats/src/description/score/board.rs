//! The scoreboard behind the verdict: for each target its parts (one for each test, weighted by group)
//! and its score in each block.

use crate::{
    description::cell::data::{self, CellData},
    kernel::{
        Ratio,
        block_score::{self, Part},
        fit::{Fit, Scores},
        point::Point,
        ratio::{Estimate, compare, paired},
        significance::Bar,
    },
};
use model::{result::Dataset, workload::Group};
use std::collections::{BTreeMap, BTreeSet};

/// Targets that were measured, with what their scores are made of.
pub(crate) struct Board<'a> {
    /// Columns of the candidates; the first is what the others are compared with.
    pub(crate) columns: Vec<usize>,
    /// Cells that are scored, in which every candidate has a valid sample.
    pub(crate) cells: Vec<&'a CellData>,
    /// The weight of each.
    weights: Vec<f64>,
    /// For each candidate one part for each of these cells, paired with the candidate that has the most
    /// blocks: the first may have left early.
    parts: Vec<Vec<Part>>,
}

impl<'a> Board<'a> {
    pub(crate) fn new(dataset: &Dataset, targets: usize, cells: &'a [CellData]) -> Board<'a> {
        Board::of_columns(dataset, 0..targets, cells)
    }

    /// The board of those of `columns` that were measured.
    pub(crate) fn of_columns(
        dataset: &Dataset,
        columns: impl IntoIterator<Item = usize>,
        cells: &'a [CellData],
    ) -> Board<'a> {
        let scored = || cells.iter().filter(|c| c.is_scored);
        let measured = |t: &usize| scored().any(|c| c.valid_for([*t]));
        let columns: Vec<usize> = columns.into_iter().filter(measured).collect();
        let cells: Vec<&CellData> =
            scored().filter(|c| c.valid_for(columns.iter().copied())).collect();
        let weights = weights(dataset, &cells);
        Board::weighted(columns, cells, &weights)
    }

    /// The board of these columns over cells that are valid for all of them, each with its weight.
    pub(crate) fn weighted(
        columns: Vec<usize>,
        cells: Vec<&'a CellData>,
        weights: &[f64],
    ) -> Board<'a> {
        let mut board = Board { columns, cells, weights: weights.to_vec(), parts: Vec::new() };
        board.parts = board.longest().map_or_else(Vec::new, |base| board.parts_over(base));
        board
    }

    /// The column with the most blocks, the first of equals.
    fn longest(&self) -> Option<usize> {
        let blocks = |column: usize| {
            let points = self.cells.iter().flat_map(|cell| &cell.series[column].points);
            points.map(|p| p.block).collect::<BTreeSet<_>>().len()
        };
        let most = self.columns.iter().map(|&column| blocks(column)).max()?;
        self.columns.iter().copied().find(|&column| blocks(column) == most)
    }

    /// For each candidate its parts, paired with column `base`.
    fn parts_over(&self, base: usize) -> Vec<Vec<Part>> {
        let cells = || self.cells.iter().zip(&self.weights);
        let of = |&column: &usize| -> Vec<Part> {
            cells().filter_map(|(cell, weight)| part(cell, column, base, *weight)).collect()
        };
        self.columns.iter().map(of).collect()
    }

    /// Level of each candidate, logarithmic, relative to the first column.
    pub(crate) fn means(&self) -> Vec<f64> {
        let all: Vec<f64> = self.parts.iter().filter_map(|p| block_score::centre(p)).collect();
        all.iter().map(|level| level - all[0]).collect()
    }

    /// Each candidate over the first column, with the interval that their blocks give.
    pub(crate) fn ratios(&self, bar: Bar) -> Vec<Ratio> {
        let Some(&first) = self.columns.first() else { return Vec::new() };
        let over = self.parts_over(first);
        let ratio =
            |parts: &Vec<Part>| Some(block_score::estimate(parts)?.to_ratio_at(bar.confidence));
        let one = block_score::centre(&over[0]).map(|_| Ratio::ONE);
        one.into_iter().chain(over[1..].iter().filter_map(ratio)).collect()
    }

    /// The model of the scores; `None` below two blocks that all have but those that `left`.
    pub(crate) fn fit(&self, left: &[bool], bar: Bar) -> Option<Fit> {
        let scores = Scores { means: self.means(), points: self.scores(), pairs: self.pairs() };
        Fit::new(scores, left, bar)
    }

    /// Each candidate minus each before it.
    fn pairs(&self) -> Vec<Vec<Estimate>> {
        let mut pairs = vec![Vec::new(); self.columns.len()];
        for (at, &base) in self.columns.iter().enumerate() {
            let over = self.parts_over(base);
            for (own, parts) in pairs.iter_mut().zip(over).skip(at + 1) {
                own.extend(block_score::estimate(&parts));
            }
        }
        pairs
    }

    /// The score of each candidate in each block in which it was measured.
    pub(crate) fn scores(&self) -> Vec<Vec<Point>> {
        self.parts.iter().map(|p| block_score::scores(p)).collect()
    }

    /// Blocks in which every candidate was measured.
    pub(crate) fn blocks(&self) -> usize {
        block_score::common(&self.scores()).0.len()
    }

    /// True when the machine was too busy with other work while one of these two candidates ran.
    pub(crate) fn contended(&self, first: usize, second: usize) -> bool {
        data::too_contended(&self.cells, &[self.columns[first], self.columns[second]])
    }

    /// The candidates while which ran the machine was too busy with other work, by position.
    pub(crate) fn disturbed(&self) -> Vec<usize> {
        let is_disturbed = |at: &usize| data::too_contended(&self.cells, &[self.columns[*at]]);
        (0..self.columns.len()).filter(is_disturbed).collect()
    }

    /// The cell on which `first` loses most against `second`, with its ratio.
    pub(crate) fn worst_cell(&self, first: usize, second: usize) -> Option<(&'a CellData, Ratio)> {
        self.cell_ratios(first, second).min_by(|a, b| a.1.point.total_cmp(&b.1.point))
    }

    /// The cell on which `first` loses most against any other candidate, with its ratio and which that is: of those
    /// that its interval shows to be worse, where there is one.
    pub(crate) fn worst_against_any(&self, first: usize) -> Option<(&'a CellData, Ratio, usize)> {
        let others = (0..self.columns.len()).filter(|other| *other != first);
        let against = |other| self.cell_ratios(first, other).map(move |(cell, r)| (cell, r, other));
        let is_open = |ratio: &Ratio| ratio.high.is_none_or(|high| high >= 1.0);
        others
            .flat_map(against)
            .min_by(|a, b| is_open(&a.1).cmp(&is_open(&b.1)).then(a.1.point.total_cmp(&b.1.point)))
    }

    /// The cell on which `first` gains most over `second`, with its ratio.
    pub(crate) fn best_cell(&self, first: usize, second: usize) -> Option<(&'a CellData, Ratio)> {
        self.cell_ratios(first, second).max_by(|a, b| a.1.point.total_cmp(&b.1.point))
    }

    fn cell_ratios(
        &self,
        first: usize,
        second: usize,
    ) -> impl Iterator<Item = (&'a CellData, Ratio)> {
        let (first, second) = (self.columns[first], self.columns[second]);
        self.cells.iter().filter_map(move |&c| Some((c, c.ratio(first, second)?)))
    }
}

/// Equal groups, then equal cells inside a group; process counts are cells of their own.
pub(crate) fn weights(dataset: &Dataset, cells: &[&CellData]) -> Vec<f64> {
    let group = |c: &CellData| dataset.tests[c.test].group;
    let mut sizes: BTreeMap<Group, usize> = BTreeMap::new();
    for cell in cells {
        *sizes.entry(group(cell)).or_default() += 1;
    }
    cells.iter().map(|c| 1.0 / (sizes.len() * sizes[&group(c)]) as f64).collect()
}

fn part(cell: &CellData, column: usize, base: usize, weight: f64) -> Option<Part> {
    let (own, base) = (&cell.series[column].points, &cell.series[base].points);
    Some(Part { weight, mean: compare(own, base)?.mean, points: paired(own, base) })
}

//! Computes the effect of options: every variant of a board relative to the default, its first column.

use crate::{
    description::{
        Comparison, Settings,
        cell::data::CellData,
        equivalence::{judge, judge_unless},
        looks,
        score::board::Board,
    },
    kernel::{Ratio, holm::holm},
    verdict::CellRatio,
};
use model::result::Dataset;
use serde::Serialize;

/// One variant against the default.
pub(crate) struct Effect {
    /// Its column.
    pub(crate) column: usize,
    /// Score over the default, each group of tests weighted equally, with the interval of the blocks.
    pub(crate) ratio: Ratio,
    /// The word for it; unclear when the machine was busy with other work.
    pub(crate) comparison: Comparison,
    /// Holds by Holm's procedure over the variants.
    pub(crate) holm: bool,
    /// The cell on which it gains most.
    pub(crate) gain: Option<Affected>,
    /// The cell on which it loses most.
    pub(crate) loss: Option<Affected>,
}

/// A cell that was picked because its ratio is the largest or the smallest, so the ratio exaggerates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Affected {
    /// The cell.
    #[serde(flatten)]
    pub cell: CellRatio,
    /// What the ratio allows to say.
    #[serde(rename = "verdict")]
    pub comparison: Comparison,
}

/// Every candidate of `board` over its first, the best first.
pub(crate) fn effects(dataset: &Dataset, board: &Board<'_>, settings: &Settings) -> Vec<Effect> {
    let ratios = board.ratios(looks::bar(&dataset.campaign));
    let p_values: Vec<Option<f64>> = ratios.iter().skip(1).map(|r| r.p).collect();
    let marks = holm(&p_values);
    let affected = |(cell, ratio): (&CellData, Ratio)| Affected {
        cell: CellRatio::new(dataset, cell, ratio),
        comparison: judge(&ratio, settings.band),
    };
    let rows = ratios.into_iter().zip(&board.columns).enumerate().skip(1);
    let mut effects: Vec<Effect> = rows
        .map(|(at, (ratio, &column))| Effect {
            column,
            ratio,
            comparison: judge_unless(board.contended(at, 0), &ratio, settings.band),
            holm: marks[at - 1],
            gain: board.best_cell(at, 0).map(affected),
            loss: board.worst_cell(at, 0).map(affected),
        })
        .collect();
    effects.sort_by(|a, b| b.ratio.point.total_cmp(&a.ratio.point));
    effects
}

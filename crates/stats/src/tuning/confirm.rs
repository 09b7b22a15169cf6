//! The last stage: the finalists against the default, with paired intervals over blocks and Holm's
//! procedure over the finalists.

use super::variants::with_board;
use crate::{
    description::{Comparison, Settings, StatsError},
    kernel::Ratio,
    tuning::effect,
    verdict::CellRatio,
};
use model::result::Dataset;

/// What the confirmation says.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmation {
    /// The finalists that have valid samples, best first.
    pub finalists: Vec<Finalist>,
    /// Position in `finalists` of what should replace the default; `None` to keep the default.
    pub chosen: Option<usize>,
    /// Blocks in which all were measured.
    pub blocks: usize,
    /// Cells (a test at a process count) in the score.
    pub cells: usize,
}

/// One finalist.
#[derive(Clone, Debug, PartialEq)]
pub struct Finalist {
    /// Its position among the variants of the stage.
    pub variant: usize,
    /// Score over the default, with the interval of the blocks.
    pub ratio: Ratio,
    /// The word for it; unclear when the machine was busy with other work.
    pub comparison: Comparison,
    /// Holds by Holm's procedure over the finalists.
    pub holm: bool,
    /// The test on which it loses most against the default, when it is worse by interval and band.
    pub largest_loss: Option<CellRatio>,
}

/// Judges the finalists; the first target of `dataset` is the default. One replaces it when it is
/// better by interval and band and holds by Holm; among several, the one with the highest ratio.
pub(super) fn confirm(dataset: &Dataset, settings: &Settings) -> Result<Confirmation, StatsError> {
    with_board(dataset, settings, |board| {
        let effects = effect::effects(dataset, board, settings).into_iter();
        let finalists: Vec<Finalist> = effects
            .map(|effect| Finalist {
                variant: effect.column - 1,
                ratio: effect.ratio,
                comparison: effect.comparison,
                holm: effect.holm,
                largest_loss: effect
                    .loss
                    .filter(|l| l.comparison == Comparison::Worse)
                    .map(|l| l.cell),
            })
            .collect();
        Confirmation {
            chosen: finalists.iter().position(|f| f.holm && f.comparison == Comparison::Better),
            finalists,
            blocks: board.blocks(),
            cells: board.cells.len(),
        }
    })
}

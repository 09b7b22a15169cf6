//! The last stage: the finalists against the default, with paired intervals over blocks and Holm's
//! procedure over the finalists.

use super::with_board;
use crate::{Loss, Ratio, Settings, StatsError, Verdict, board::Board, holm::holm, verdict::judge};
use model::Dataset;

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
    pub verdict: Verdict,
    /// Holds by Holm's procedure over the finalists.
    pub holm: bool,
    /// The test on which it loses most against the default, when it is worse by interval and band.
    pub largest_loss: Option<Loss>,
}

/// Judges the finalists; the first target of `dataset` is the default. One replaces it when it is
/// better by interval and band and holds by Holm; among several, the one with the highest ratio.
pub(super) fn confirm(dataset: &Dataset, settings: &Settings) -> Result<Confirmation, StatsError> {
    with_board(dataset, settings, |board| {
        let ratios = board.ratios();
        let p_values: Vec<Option<f64>> = ratios.iter().skip(1).map(|r| r.p).collect();
        let marks = holm(&p_values);
        let rows = ratios.into_iter().zip(&board.columns).enumerate().skip(1);
        let mut finalists: Vec<Finalist> = rows
            .map(|(at, (ratio, column))| Finalist {
                variant: column - 1,
                ratio,
                verdict: verdict(board, at, &ratio, settings),
                holm: marks[at - 1],
                largest_loss: largest_loss(dataset, board, at, settings),
            })
            .collect();
        finalists.sort_by(|a, b| b.ratio.point.total_cmp(&a.ratio.point));
        Confirmation {
            chosen: finalists.iter().position(|f| f.holm && f.verdict == Verdict::Better),
            finalists,
            blocks: board.scores().first().map_or(0, Vec::len),
            cells: board.cells.len(),
        }
    })
}

fn verdict(board: &Board<'_>, at: usize, ratio: &Ratio, settings: &Settings) -> Verdict {
    if board.contended(at, 0) { Verdict::Unclear } else { judge(ratio, settings.band) }
}

fn largest_loss(
    dataset: &Dataset,
    board: &Board<'_>,
    at: usize,
    settings: &Settings,
) -> Option<Loss> {
    let (cell, ratio) = board.worst_cell(at, 0)?;
    let info = &dataset.tests[cell.test];
    (judge(&ratio, settings.band) == Verdict::Worse).then(|| Loss {
        test: info.id.clone(),
        name: info.name.clone(),
        procs: cell.procs,
        ratio,
    })
}

//! Targets that were measured in only some of the tests, e.g. because their cold reads are never cold: they are judged
//! by the tests they have, and the other targets keep all of theirs in means and scores.

use crate::description::cell::data::CellData;

/// The columns of `among` that are scored in `cells`: those measured in two thirds or more of the cells that any of
/// them has. All that were measured where the first is not among these, as ratios are over it, and where fewer than two
/// are.
pub(crate) fn scored(cells: &[CellData], among: impl Iterator<Item = usize>) -> Vec<usize> {
    let scored: Vec<&CellData> = cells.iter().filter(|cell| cell.is_scored).collect();
    let count = |column: usize| scored.iter().filter(|c| c.valid_for([column])).count();
    let measured: Vec<usize> = among.filter(|&column| count(column) > 0).collect();
    let any = |c: &&&CellData| measured.iter().any(|&column| c.valid_for([column]));
    let all = scored.iter().filter(any).count();
    let whole: Vec<usize> =
        measured.iter().copied().filter(|&column| 3 * count(column) >= 2 * all).collect();
    if whole.len() < 2 || whole.first() != measured.first() { measured } else { whole }
}

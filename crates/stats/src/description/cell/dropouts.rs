//! Lists candidates that left the campaign: dropped by the race because they were clearly behind, or after repeated
//! failures.

use crate::description::cell::data::CellData;
use model::result::{Dataset, TargetState};
use std::collections::BTreeSet;

/// For each of `columns`, whether its target left the race. None did where one that did is `first` all the same,
/// as by other weights: it is then compared over the blocks that it has.
pub(crate) fn left(
    dataset: &Dataset,
    targets: &[String],
    columns: &[usize],
    first: usize,
) -> Vec<bool> {
    let of = |&column: &usize| has_left(dataset, &targets[column]);
    let leads = columns.get(first).is_some_and(of);
    columns.iter().map(|column| of(column) && !leads).collect()
}

/// Whether the target called `label` left the race.
pub(crate) fn has_left(dataset: &Dataset, label: &str) -> bool {
    dataset.targets.iter().any(|t| t.label == label && t.left_after().is_some())
}

/// A target that has far fewer blocks than others, and did not leave the race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenUp {
    /// Its column.
    pub(crate) column: usize,
    /// Blocks in which it has a sample of a scored test, of use or not.
    pub(crate) blocks: usize,
    /// Most blocks of any target.
    pub(crate) of: usize,
    /// Why it failed, where it did.
    pub(crate) why: Option<String>,
}

/// The targets that have samples in fewer than half of the blocks, or failed after one: too few to be judged by, and to
/// judge the others by.
pub(crate) fn given_up(dataset: &Dataset, targets: &[String], cells: &[CellData]) -> Vec<GivenUp> {
    let scored = || cells.iter().filter(|cell| cell.is_scored);
    let blocks = |column| scored().flat_map(|c| c.tried(column)).collect::<BTreeSet<u32>>().len();
    let blocks: Vec<usize> = (0..targets.len()).map(blocks).collect();
    let of = blocks.iter().copied().max().unwrap_or_default();
    let own = |(column, &blocks): (usize, &usize)| {
        let why = failure(dataset, &targets[column]);
        let is_few = 2 * blocks < of || (blocks < 2 && of > 1 && why.is_some());
        let is_out = blocks > 0 && is_few && !has_left(dataset, &targets[column]);
        is_out.then_some(GivenUp { column, blocks, of, why })
    };
    blocks.iter().enumerate().filter_map(own).collect()
}

/// The columns of `targets` that were not given up.
pub(crate) fn kept<'g>(
    targets: &[String],
    given_up: &'g [GivenUp],
) -> impl Iterator<Item = usize> + use<'g> {
    (0..targets.len()).filter(|column| given_up.iter().all(|own| own.column != *column))
}

fn failure(dataset: &Dataset, label: &str) -> Option<String> {
    let record = dataset.targets.iter().find(|record| record.label == label)?;
    match &record.state {
        TargetState::Failed(why) => Some(why.clone()),
        TargetState::Ok => None,
    }
}

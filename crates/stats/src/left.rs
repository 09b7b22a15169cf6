//! Which candidates left the race, because they were decidedly behind while others went on.

use model::Dataset;

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

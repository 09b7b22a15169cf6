//! Formats the results of snapshots.

use super::harm;
use model::result::{SnapshotMoment, SnapshotOperation, SnapshotTry};
use stats::description::{SnapshotCell, list};

/// When snapshots were read, as the head of a row.
pub(crate) fn moment(moment: SnapshotMoment) -> &'static str {
    match moment {
        SnapshotMoment::Changed => "after later changes",
        SnapshotMoment::Mounted => "after a mount",
        SnapshotMoment::Dropped => "half deleted, mounted",
    }
}

/// What is timed, as the head of a row.
pub(crate) fn operation(operation: SnapshotOperation) -> &'static str {
    match operation {
        SnapshotOperation::Overwrite => "4 KiB overwrite",
        SnapshotOperation::Create => "64 KiB create",
        SnapshotOperation::Delete => "64 KiB delete",
        SnapshotOperation::Read => "64 KiB read",
    }
}

/// What is wrong with a try, with an example; `None` if nothing is.
pub(crate) fn harm(one: &SnapshotTry) -> Option<String> {
    let example = one.example.as_ref().map(|example| format!(" ({example})")).unwrap_or_default();
    match (one.wrong(), one.live_wrong(), one.is_damaged) {
        (0, 0, Some(true)) => Some("the checker finds damage".into()),
        (0, 0, _) => None,
        (0, live, _) => Some(format!("live files were wrong in {live} reads{example}")),
        (wrong, ..) => Some(format!("{wrong} reads of snapshots were not as taken{example}")),
    }
}

/// Whether snapshots did harm; `None` if none was made.
pub(crate) fn sentence(cells: &[SnapshotCell]) -> Option<String> {
    let none = || "Every snapshot read as it was taken.".into();
    (!cells.is_empty()).then(|| losers(cells).unwrap_or_else(none))
}

/// Which targets had wrong snapshots, lost live data, or were harmed by a power failure; `None` if none was.
pub(crate) fn losers(cells: &[SnapshotCell]) -> Option<String> {
    let all: Vec<String> =
        cells.iter().flat_map(|cell| [tries(cell), states(cell)]).flatten().collect();
    (!all.is_empty()).then(|| format!("With snapshots, {}.", list(all.iter().map(String::as_str))))
}

fn tries(cell: &SnapshotCell) -> Option<String> {
    let what = cell.tries.iter().find_map(harm)?;
    let (target, tries) = (&cell.target, cell.tries.len());
    Some(format!("{target} in {} of {tries} tries: {what}", cell.harmed))
}

fn states(cell: &SnapshotCell) -> Option<String> {
    let (harmed, tried) = cell.harmed_states().filter(|(harmed, _)| *harmed > 0)?;
    let found = cell.synced.iter().flat_map(|own| &own.found);
    let (worst, found) = found.min_by_key(|(harm, _)| **harm)?;
    let (target, what) = (&cell.target, harm::harm(*worst));
    Some(format!(
        "{target} in {harmed} of {tried} states after a power failure: {what} ({})",
        found.detail
    ))
}

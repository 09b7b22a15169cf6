//! Formats the reasons why cells and groups of tests are not scored.

use model::workload::Group;

/// The reasons of a single cell, for the legend of the page.
pub(crate) const LEGEND: &str = "Plain: not scored, because the timed part is too short, or because the rate of the \
                                 write includes this sync.";

/// The title of a group, with the reason if it is in no score.
pub(crate) fn heading(group: Group) -> String {
    let why = match group {
        Group::Sync => "because the rate of each write includes its sync",
        Group::AfterFaults => "because what counts is what was found, in After faults",
        _ => return group.title().to_string(),
    };
    format!("{}: not scored, {why}", group.title())
}

/// The number of cells, of `all`, that are not scored because their timed parts are too short; `None` without any.
pub(crate) fn short_cells(short: usize, all: usize) -> Option<String> {
    let (are, their) = if short == 1 { ("is", "its") } else { ("are", "their") };
    (short > 0).then(|| {
        format!(
            "{short} of {all} cells {are} not scored, because {their} timed parts are too short."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_cells_are_counted() {
        assert_eq!(short_cells(0, 10), None);
        let one = short_cells(1, 10).unwrap();
        assert_eq!(one, "1 of 10 cells is not scored, because its timed parts are too short.");
        assert!(short_cells(2, 10).unwrap().starts_with("2 of 10 cells are not scored"));
    }

    #[test]
    fn only_groups_without_a_score_have_a_reason() {
        let with_reason = |group: Group| heading(group).contains("not scored, because");
        assert!([Group::Sync, Group::AfterFaults].into_iter().all(with_reason));
        assert_eq!(heading(Group::ReadCold), "Read, cold");
    }
}

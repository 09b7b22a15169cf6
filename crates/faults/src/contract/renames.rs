//! The names under which a file may be found if a directory above it was renamed, durably or not.

use crate::{ideal::is_below, workload::Operation};
use std::collections::BTreeSet;

/// One rename of a workload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rename<'a> {
    /// The number of its operation.
    pub(super) number: usize,
    from: &'a str,
    to: &'a str,
}

/// The renames among `operations`, in order.
pub(super) fn of(operations: &[Operation]) -> Vec<Rename<'_>> {
    let all = operations.iter().enumerate();
    let renames = all.filter_map(|(number, operation)| match operation {
        Operation::Rename { from, to } => Some(Rename { number, from, to }),
        _ => None,
    });
    renames.collect()
}

/// `path`, and its other names where any of `renames`, which are in order, has not been done of a directory above it,
/// or has.
pub(super) fn other_names(path: &str, renames: &[Rename<'_>]) -> BTreeSet<String> {
    let mut names = BTreeSet::from([path.to_string()]);
    for rename in renames.iter().rev() {
        add(&mut names, rename.to, rename.from);
    }
    for rename in renames {
        add(&mut names, rename.from, rename.to);
    }
    names
}

/// Adds the names below `old` as they are below `new`.
fn add(names: &mut BTreeSet<String>, old: &str, new: &str) {
    let below = names.iter().filter(|name| *name != old && is_below(name, old));
    let more: Vec<String> = below.map(|name| format!("{new}{}", &name[old.len()..])).collect();
    names.extend(more);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, renames: &[(&str, &str)]) -> Vec<String> {
        let rename = |(from, to): &(&str, &str)| Operation::Rename {
            from: from.to_string(),
            to: to.to_string(),
        };
        let operations: Vec<Operation> = renames.iter().map(rename).collect();
        other_names(path, &of(&operations)).into_iter().collect()
    }

    #[test]
    fn a_directory_above_has_its_old_name_or_its_new_one() {
        assert_eq!(names("B/foo", &[("A", "B")]), ["A/foo", "B/foo"]);
        assert_eq!(names("A/foo", &[("A", "B")]), ["A/foo", "B/foo"]);
        assert_eq!(names("B", &[("A", "B")]), ["B"], "the rename itself is no other name");
        assert_eq!(names("C/foo", &[("A", "B"), ("B", "C")]), ["A/foo", "B/foo", "C/foo"]);
        assert_eq!(names("other", &[("A", "B")]), ["other"]);
    }

    #[test]
    fn a_directory_that_was_moved_out_of_another_is_no_endless_chain() {
        let names = names("B/bar", &[("A/C", "B"), ("A", "B")]);
        assert!(names.contains(&"A/C/bar".into()) && names.len() < 10, "{names:?}");
    }
}

//! The names that each node has had over time, and when it had none: computed once, because it is needed at every point
//! of a workload.

use crate::ideal::{Ideal, Node};
use std::collections::BTreeMap;

/// The names of all nodes.
#[derive(Clone, Debug)]
pub(super) struct Lives {
    /// Of each node its names, each with the number of operations done when it led there first.
    names: Vec<BTreeMap<String, usize>>,
    /// Of each node after how many operations it had no name, once it was there; in order.
    nameless: Vec<Vec<usize>>,
}

impl Lives {
    pub(super) fn new(ideal: &Ideal) -> Lives {
        let count = ideal.nodes.len();
        let mut own =
            Lives { names: vec![BTreeMap::new(); count], nameless: vec![Vec::new(); count] };
        for (done, tree) in ideal.trees.iter().enumerate() {
            let mut is_named = vec![false; count];
            for (path, node) in tree {
                is_named[*node] = true;
                if !own.names[*node].contains_key(path) {
                    own.names[*node].insert(path.clone(), done);
                }
            }
            for node in (0..count).filter(|node| !is_named[*node]) {
                if !own.names[node].is_empty() {
                    own.nameless[node].push(done);
                }
            }
        }
        own
    }

    /// Whether `node` has had no name but `path` after the first `done` operations and before.
    pub(super) fn has_only(&self, node: Node, path: &str, done: usize) -> bool {
        self.names[node].iter().all(|(own, first)| own == path || *first > done)
    }

    /// Whether `node`, which is there, has a name all the time after the first `since` to the first `begun` operations.
    pub(super) fn is_named(&self, node: Node, since: usize, begun: usize) -> bool {
        let from = self.nameless[node].partition_point(|done| *done < since);
        self.nameless[node].get(from).is_none_or(|done| *done > begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Operation, Workload};

    #[test]
    fn names_and_their_absence_are_known_by_operations() {
        let path = |path: &str| path.to_string();
        let operations = vec![
            Operation::Create(path("a")),
            Operation::Rename { from: path("a"), to: path("b") },
            Operation::Unlink(path("b")),
            Operation::Create(path("a")),
        ];
        let workload =
            Workload { name: "t".into(), operations, prepared: 0, whole: vec![], promised: vec![] };
        let lives = Lives::new(&Ideal::new(&workload).unwrap());
        assert!(lives.has_only(1, "a", 1) && !lives.has_only(1, "a", 2));
        assert!(lives.has_only(2, "a", 4));
        assert!(lives.is_named(1, 1, 2) && !lives.is_named(1, 1, 3) && !lives.is_named(1, 4, 4));
        assert!(lives.is_named(2, 4, 4));
    }
}

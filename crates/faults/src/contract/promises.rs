//! Which syncs have returned, and since when each thing is promised by them.

use crate::{
    ideal::{Ideal, Kind, Node, parent},
    workload::{Operation, Workload},
};
use std::collections::BTreeMap;

/// Since when, in operations done, each thing is promised.
#[derive(Clone, Debug, Default)]
pub(super) struct Promises {
    /// Everything.
    all: usize,
    /// The names in a directory, by its path.
    directories: BTreeMap<String, usize>,
    /// Single names.
    names: BTreeMap<String, usize>,
    /// Data and size of a file.
    pub(super) data: BTreeMap<Node, usize>,
    /// That a file has a name.
    pub(super) exists: BTreeMap<Node, usize>,
}

impl Promises {
    /// Those of the first `done` operations.
    pub(super) fn new(workload: &Workload, ideal: &Ideal, done: usize) -> Promises {
        let mut own = Promises::default();
        for (number, operation) in workload.operations[..done].iter().enumerate() {
            let at = number + 1;
            match operation {
                Operation::Syncfs => own.sync_all(ideal, at),
                Operation::Fsync(path) => own.sync_one(ideal, path, at),
                Operation::Fdatasync(path) => {
                    if let Some(node) = ideal.trees[at].get(path) {
                        own.data.insert(*node, at);
                    }
                }
                _ => {}
            }
        }
        own
    }

    /// Since when what `path` leads to is promised.
    pub(super) fn since(&self, path: &str) -> usize {
        let one = self.names.get(path).copied().unwrap_or(0);
        self.all.max(one).max(self.directories.get(parent(path)).copied().unwrap_or(0))
    }

    fn sync_all(&mut self, ideal: &Ideal, at: usize) {
        self.all = at;
        for node in ideal.trees[at].values() {
            self.data.insert(*node, at);
            self.exists.insert(*node, at);
        }
    }

    fn sync_one(&mut self, ideal: &Ideal, path: &str, at: usize) {
        let Some(node) = ideal.trees[at].get(path).copied() else { return };
        self.data.insert(node, at);
        self.exists.insert(node, at);
        if ideal.nodes[node] == Kind::Directory {
            self.directories.insert(path.into(), at);
        }
        // The name by which it was made, and those of the directories above: one that was changed since is promised
        // by the sync of a directory alone.
        let mut path = path;
        while !path.is_empty() && is_unchanged(ideal, path, at) {
            self.names.insert(path.into(), at);
            path = parent(path);
        }
    }
}

/// Whether what `path` leads to has had no other name so far.
fn is_unchanged(ideal: &Ideal, path: &str, at: usize) -> bool {
    let node = ideal.trees[at].get(path).copied();
    let others = |(own, other): (&String, &Node)| Some(*other) == node && own != path;
    !ideal.trees[..=at].iter().any(|tree| tree.iter().any(others))
}

//! The syncs that have returned, and since when they promise each change.

use super::lives::Lives;
use crate::{
    ideal::{Ideal, Kind, Node, parent},
    workload::{Operation, Workload},
};
use std::{collections::BTreeMap, ops::Range};

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
    /// Parts of a file's data, by msync.
    pub(super) parts: BTreeMap<Node, Vec<(usize, Range<u64>)>>,
    /// The attributes of a file.
    pub(super) attributes: BTreeMap<Node, usize>,
    /// That a file has a name.
    pub(super) exists: BTreeMap<Node, usize>,
}

impl Promises {
    /// Those of the first `done` operations.
    pub(super) fn new(
        workload: &Workload,
        (ideal, lives): (&Ideal, &Lives),
        done: usize,
    ) -> Promises {
        let mut own = Promises::default();
        for (number, operation) in workload.operations[..done].iter().enumerate() {
            let at = number + 1;
            match operation {
                Operation::Syncfs => own.sync_all(ideal, at),
                Operation::Fsync(path) => own.sync_one((ideal, lives), path, at),
                Operation::Fdatasync(path) => {
                    if let Some(node) = ideal.trees[at].get(path) {
                        own.data.insert(*node, at);
                    }
                }
                Operation::Msync { path, offset, length } => {
                    if let Some(node) = ideal.trees[at].get(path) {
                        let part = (at, *offset..offset.saturating_add(*length));
                        own.parts.entry(*node).or_default().push(part);
                    }
                }
                _ => {}
            }
        }
        if done == workload.operations.len() {
            workload.promised.iter().for_each(|path| own.keep(ideal, path, done));
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
            self.attributes.insert(*node, at);
            self.exists.insert(*node, at);
        }
    }

    /// Promises `path` and the directories above it, with what it leads to.
    fn keep(&mut self, ideal: &Ideal, path: &str, at: usize) {
        let mut above = path;
        while !above.is_empty() {
            self.names.insert(above.into(), at);
            above = parent(above);
        }
        if let Some(node) = ideal.trees[at].get(path) {
            self.data.insert(*node, at);
            self.exists.insert(*node, at);
        }
    }

    fn sync_one(&mut self, (ideal, lives): (&Ideal, &Lives), path: &str, at: usize) {
        let Some(node) = ideal.trees[at].get(path).copied() else { return };
        self.data.insert(node, at);
        self.attributes.insert(node, at);
        self.exists.insert(node, at);
        if ideal.nodes[node] == Kind::Directory {
            self.directories.insert(path.into(), at);
        }
        // The name by which it was made, and those of the directories above: one that was changed since is promised
        // by the sync of a directory alone.
        let mut path = path;
        let has_only = |path: &str| {
            ideal.trees[at].get(path).is_some_and(|node| lives.has_only(*node, path, at))
        };
        while !path.is_empty() && has_only(path) {
            self.names.insert(path.into(), at);
            path = parent(path);
        }
    }
}

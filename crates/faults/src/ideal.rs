//! The tree after each operation of a workload if nothing fails.

use crate::{
    content::Author,
    workload::{How, Operation, Workload},
};
use std::{collections::BTreeMap, fmt, ops::Range};

/// The number of a file, directory or symbolic link, in the order in which they are made; 0 is the root.
pub type Node = usize;

/// Names that lead to something, by paths.
pub type Tree = BTreeMap<String, Node>;

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A symbolic link, with what it names.
    Symlink(String),
    /// A file, with its changes in order, each with the number of its operation.
    File(Vec<(usize, Change)>),
}

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Data of this write, at these bytes.
    Written(Range<u64>, Author),
    /// Zeros at these bytes.
    Zeroed(Range<u64>),
    /// The size, bytes.
    Size(u64),
    /// The extended attribute: the number of the operation that set it, or none.
    Attribute(Option<usize>),
}

/// A workload that cannot be performed: an operation on what is not there, or on what is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The number of the operation.
    pub operation: usize,
    /// Why not.
    pub why: String,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operation {} of the workload is impossible: {}", self.operation, self.why)
    }
}

impl std::error::Error for Impossible {}

/// All trees of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ideal {
    /// Before the first operation, and after each.
    pub trees: Vec<Tree>,
    /// All nodes.
    pub nodes: Vec<Kind>,
    /// The author of each operation that writes.
    pub authors: BTreeMap<usize, Author>,
}

impl Ideal {
    /// Performs `workload` in thought.
    ///
    /// # Errors
    /// It cannot be performed.
    pub fn new(workload: &Workload) -> Result<Ideal, Impossible> {
        let root = Tree::from([(String::new(), 0)]);
        let mut ideal =
            Ideal { trees: vec![root], nodes: vec![Kind::Directory], authors: BTreeMap::new() };
        for (number, operation) in workload.operations.iter().enumerate() {
            let mut tree = ideal.trees[number].clone();
            let done = ideal.perform(&mut tree, number, operation);
            done.map_err(|why| Impossible { operation: number, why })?;
            ideal.trees.push(tree);
        }
        Ok(ideal)
    }

    /// The size of file `node` after the first `done` operations, bytes.
    pub fn size(&self, node: Node, done: usize) -> u64 {
        let sizes = self.changes(node, 0..done).filter_map(|change| match change {
            Change::Size(size) => Some(*size),
            Change::Written(..) | Change::Zeroed(_) | Change::Attribute(_) => None,
        });
        sizes.last().unwrap_or(0)
    }

    /// The changes of file `node` by these operations; none for what is no file.
    pub fn changes(&self, node: Node, operations: Range<usize>) -> impl Iterator<Item = &Change> {
        let changes = match &self.nodes[node] {
            Kind::File(changes) => changes.as_slice(),
            Kind::Directory | Kind::Symlink(_) => &[],
        };
        changes.iter().filter(move |(own, _)| operations.contains(own)).map(|(_, change)| change)
    }

    fn perform(
        &mut self,
        tree: &mut Tree,
        number: usize,
        operation: &Operation,
    ) -> Result<(), String> {
        match operation {
            Operation::Create(path) => self.add(tree, path, Kind::File(Vec::new())),
            Operation::Mkdir(path) => self.add(tree, path, Kind::Directory),
            Operation::Symlink { target, path } => {
                self.add(tree, path, Kind::Symlink(target.clone()))
            }
            Operation::Write { path, offset, length, how } => {
                let block = if *how == How::Direct { 4096 } else { 8 };
                if (offset | length) % block != 0 {
                    return Err(format!("a write to {path} is not of whole blocks of {block}"));
                }
                let node = self.file(tree, path)?;
                let author = author(node, number)?;
                self.authors.insert(number, author);
                let bytes = *offset..offset + length;
                let size = self.size(node, number).max(bytes.end);
                self.change(node, number, [Change::Written(bytes, author), Change::Size(size)]);
                Ok(())
            }
            Operation::Truncate { path, size } => {
                let node = self.file(tree, path)?;
                let end = self.size(node, number).max(*size);
                self.change(node, number, [Change::Zeroed(*size..end), Change::Size(*size)]);
                Ok(())
            }
            Operation::Fallocate { path, space, offset, length } => {
                let node = self.file(tree, path)?;
                let bytes = *offset..offset + length;
                let old = self.size(node, number);
                let size = if space.extends() { old.max(bytes.end) } else { old };
                let zeroed = if space.zeroes() { bytes } else { old..size };
                self.change(node, number, [Change::Zeroed(zeroed), Change::Size(size)]);
                Ok(())
            }
            Operation::Rename { from, to } => self.rename(tree, from, to),
            Operation::Link { from, to } => {
                let node = self.file(tree, from)?;
                self.check_free(tree, to)?;
                tree.insert(to.clone(), node);
                Ok(())
            }
            Operation::SetAttribute(path) | Operation::RemoveAttribute(path) => {
                let node = self.file(tree, path)?;
                let is_set = matches!(operation, Operation::SetAttribute(_));
                self.change(node, number, [Change::Attribute(is_set.then_some(number))]);
                Ok(())
            }
            Operation::Unlink(path) | Operation::Remove(path) => {
                match self.nodes[lookup(tree, path)?] {
                    Kind::Directory => Err(format!("{path} is a directory")),
                    Kind::File(_) | Kind::Symlink(_) => {
                        tree.remove(path);
                        Ok(())
                    }
                }
            }
            Operation::Rmdir(path) => self.rmdir(tree, path),
            Operation::Hold(path) | Operation::Fdatasync(path) | Operation::Msync { path, .. } => {
                self.file(tree, path).map(drop)
            }
            Operation::Fsync(path) => lookup(tree, path).map(drop),
            Operation::Syncfs | Operation::Mark(_) => Ok(()),
        }
    }

    fn add(&mut self, tree: &mut Tree, path: &str, kind: Kind) -> Result<(), String> {
        self.check_free(tree, path)?;
        tree.insert(path.into(), self.nodes.len());
        self.nodes.push(kind);
        Ok(())
    }

    fn check_free(&self, tree: &Tree, path: &str) -> Result<(), String> {
        if tree.contains_key(path) {
            return Err(format!("{path} is there already"));
        }
        match self.nodes[lookup(tree, parent(path))?] {
            Kind::Directory => Ok(()),
            Kind::File(_) | Kind::Symlink(_) => Err(format!("{path} is not in a directory")),
        }
    }

    fn file(&self, tree: &Tree, path: &str) -> Result<Node, String> {
        let node = lookup(tree, path)?;
        match self.nodes[node] {
            Kind::File(_) => Ok(node),
            Kind::Directory | Kind::Symlink(_) => Err(format!("{path} is no file")),
        }
    }

    fn change<const N: usize>(&mut self, node: Node, number: usize, new: [Change; N]) {
        if let Kind::File(changes) = &mut self.nodes[node] {
            changes.extend(new.map(|change| (number, change)));
        }
    }

    fn rename(&mut self, tree: &mut Tree, from: &str, to: &str) -> Result<(), String> {
        let node = lookup(tree, from)?;
        let is_directory = self.nodes[node] == Kind::Directory;
        if let Some(old) = tree.get(to).copied() {
            if is_directory != (self.nodes[old] == Kind::Directory) {
                return Err(format!("{from} and {to} are of different kinds"));
            }
            if old == node {
                // rename(2) does nothing to two names of one file.
                return Ok(());
            }
            if is_directory {
                self.rmdir(tree, to)?;
            }
            tree.remove(to);
        }
        self.check_free(tree, to)?;
        let moved: Vec<String> = tree.keys().filter(|path| is_below(path, from)).cloned().collect();
        for path in moved {
            if let Some(node) = tree.remove(&path) {
                tree.insert(format!("{to}{}", &path[from.len()..]), node);
            }
        }
        Ok(())
    }

    fn rmdir(&self, tree: &mut Tree, path: &str) -> Result<(), String> {
        let node = lookup(tree, path)?;
        let has_more = tree.keys().filter(|own| is_below(own, path)).nth(1).is_some();
        if self.nodes[node] != Kind::Directory || has_more || path.is_empty() {
            return Err(format!("{path} is no empty directory"));
        }
        tree.remove(path);
        Ok(())
    }
}

fn author(node: Node, number: usize) -> Result<Author, String> {
    let file = u16::try_from(node).ok().filter(|file| *file < 4096);
    let write = u16::try_from(number).ok();
    let author = file.zip(write).map(|(file, write)| Author { file, write });
    author.ok_or_else(|| "it has more than 4095 files or 65535 operations".into())
}

fn lookup(tree: &Tree, path: &str) -> Result<Node, String> {
    tree.get(path).copied().ok_or_else(|| format!("{path} is not there"))
}

/// The path of the directory of `path`.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Whether `path` is `top` or below it.
pub fn is_below(path: &str, top: &str) -> bool {
    path.strip_prefix(top)
        .is_some_and(|rest| top.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ideal(operations: Vec<Operation>) -> Result<Ideal, Impossible> {
        Ideal::new(&Workload {
            name: "test".into(),
            operations,
            prepared: 0,
            whole: vec![],
            promised: vec![],
        })
    }

    fn create(path: &str) -> Operation {
        Operation::Create(path.into())
    }

    fn rename(from: &str, to: &str) -> Operation {
        Operation::Rename { from: from.into(), to: to.into() }
    }

    #[test]
    fn what_is_below_a_renamed_directory_goes_with_it() {
        let mkdir = |path: &str| Operation::Mkdir(path.into());
        let asked = vec![mkdir("A"), create("A/x"), create("Ab"), mkdir("B"), rename("A", "B")];
        let ideal = ideal(asked).unwrap();
        let last: Vec<(&str, Node)> =
            ideal.trees[5].iter().map(|(path, node)| (&**path, *node)).collect();
        assert_eq!(last, [("", 0), ("Ab", 3), ("B", 1), ("B/x", 2)]);
    }

    #[test]
    fn sizes_follow_the_operations() {
        let write = |offset, length| Operation::Write {
            path: "a".into(),
            offset,
            length,
            how: How::Buffered,
        };
        let truncate = Operation::Truncate { path: "a".into(), size: 16 };
        let ideal = ideal(vec![create("a"), write(0, 8), write(40, 8), truncate]).unwrap();
        let sizes: Vec<u64> = (0..=4).map(|done| ideal.size(1, done)).collect();
        assert_eq!(sizes, [0, 0, 8, 48, 16]);
        assert_eq!(ideal.authors[&2], Author { file: 1, write: 2 });
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let why = |asked| ideal(asked).unwrap_err().to_string();
        let impossible = "operation 0 of the workload is impossible: ";
        assert_eq!(why(vec![create("A/x")]), format!("{impossible}A is not there"));
        assert_eq!(why(vec![rename("a", "b")]), format!("{impossible}a is not there"));
        let twice = why(vec![create("a"), create("a")]);
        assert!(twice.ends_with("a is there already"), "{twice}");
    }
}

//! The names of a trace while it is translated: which file each leads to, and how long that is.

use std::collections::BTreeMap;

/// The number of a file, directory or link.
pub(super) type Node = usize;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Directory,
    Link,
    /// A file with its recorded size, bytes.
    File(u64),
}

/// All names. The root has the empty one.
#[derive(Debug)]
pub(super) struct Tree {
    names: BTreeMap<String, Node>,
    nodes: Vec<Kind>,
}

impl Tree {
    pub(super) fn new() -> Tree {
        Tree { names: BTreeMap::from([(String::new(), 0)]), nodes: vec![Kind::Directory] }
    }

    pub(super) fn at(&self, path: &str) -> Option<Node> {
        self.names.get(path).copied()
    }

    pub(super) fn kind(&self, node: Node) -> Kind {
        self.nodes[node]
    }

    /// The length of a file as recorded, bytes; 0 of what is none.
    pub(super) fn size(&self, node: Node) -> u64 {
        match self.nodes[node] {
            Kind::File(bytes) => bytes,
            Kind::Directory | Kind::Link => 0,
        }
    }

    pub(super) fn resize(&mut self, node: Node, bytes: u64) {
        if let Kind::File(own) = &mut self.nodes[node] {
            *own = bytes;
        }
    }

    /// One of the names that lead to `node`.
    pub(super) fn name(&self, node: Node) -> Option<&str> {
        self.names.iter().find(|(_, own)| **own == node).map(|(path, _)| &**path)
    }

    pub(super) fn is_directory(&self, path: &str) -> bool {
        self.at(path).is_some_and(|node| self.nodes[node] == Kind::Directory)
    }

    /// Whether there is something below `path`.
    pub(super) fn has_below(&self, path: &str) -> bool {
        let prefix = format!("{path}/");
        self.names.keys().any(|own| own.starts_with(&prefix))
    }

    pub(super) fn make(&mut self, path: &str, kind: Kind) -> Node {
        self.nodes.push(kind);
        let node = self.nodes.len() - 1;
        self.names.insert(path.into(), node);
        node
    }

    pub(super) fn name_also(&mut self, path: &str, node: Node) {
        self.names.insert(path.into(), node);
    }

    pub(super) fn remove(&mut self, path: &str) {
        self.names.remove(path);
    }

    /// Renames `from` with all that is below it, over `to`.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        self.names.remove(to);
        let prefix = format!("{from}/");
        let is_moved = |path: &&String| **path == from || path.starts_with(&prefix);
        let moved: Vec<String> = self.names.keys().filter(is_moved).cloned().collect();
        for path in moved {
            if let Some(node) = self.names.remove(&path) {
                self.names.insert(format!("{to}{}", &path[from.len()..]), node);
            }
        }
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}

/// The directory that a path is in.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

//! The paths of a trace: a tree of names below its roots.

use std::iter;

/// A path of a trace: an index of [`Paths`]. Roots come first.
pub type PathId = u32;

/// Longest name of one component, bytes.
pub const NAME_BYTES: usize = 255;

/// Every path that a trace names, each as its parent and its own name; a path is stored once.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    parents: Vec<PathId>,
    /// Where each name begins in `text`, and one more for the end of the last.
    starts: Vec<u32>,
    text: Vec<u8>,
}

/// A name or parent that cannot be part of a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Empty, `.`, `..`, longer than [`NAME_BYTES`], or with a slash or NUL.
    #[error("path {id} has the name `{name}`, which is not a plain file name")]
    Name {
        /// The path.
        id: PathId,
        /// Its name, lossily.
        name: String,
    },
    /// The parent is not an earlier path.
    #[error("path {id} is below path {parent}, which does not come before it")]
    Parent {
        /// The path.
        id: PathId,
        /// Its parent.
        parent: PathId,
    },
    /// More paths or names than ids can tell apart.
    #[error("the trace has more paths than can be numbered")]
    Many,
}

impl Paths {
    /// Adds a root, which has no name and no parent; all roots come before all other paths.
    ///
    /// # Errors
    /// There are too many.
    pub fn add_root(&mut self) -> Result<PathId, PathError> {
        let id = self.next_id()?;
        self.push(id, &[])
    }

    /// Adds `name` below `parent`.
    ///
    /// # Errors
    /// The name is not plain, or the parent not there.
    pub fn add(&mut self, parent: PathId, name: &[u8]) -> Result<PathId, PathError> {
        let id = self.next_id()?;
        if parent >= id {
            return Err(PathError::Parent { id, parent });
        }
        if !is_plain(name) {
            return Err(PathError::Name { id, name: String::from_utf8_lossy(name).into() });
        }
        self.push(parent, name)
    }

    /// How many there are, roots included.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The parent of a path; `None` for a root.
    ///
    /// # Panics
    /// The path is not there.
    pub fn parent(&self, id: PathId) -> Option<PathId> {
        Some(self.parents[id as usize]).filter(|parent| *parent != id)
    }

    /// The directories above a path, the nearest first and its root last.
    ///
    /// # Panics
    /// The path is not there.
    pub fn ancestors(&self, id: PathId) -> impl Iterator<Item = PathId> {
        iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// The name of a path; empty for a root.
    ///
    /// # Panics
    /// The path is not there.
    pub fn name(&self, id: PathId) -> &[u8] {
        let ends = &self.starts[id as usize..];
        &self.text[ends[0] as usize..ends[1] as usize]
    }

    /// The root of a path, and its names from there on, separated by `/`; empty for the root itself.
    ///
    /// # Panics
    /// The path is not there.
    pub fn relative(&self, id: PathId) -> (PathId, Vec<u8>) {
        let mut names = Vec::new();
        let mut at = id;
        while let Some(parent) = self.parent(at) {
            names.push(self.name(at));
            at = parent;
        }
        names.reverse();
        (at, names.join(&b'/'))
    }

    fn next_id(&self) -> Result<PathId, PathError> {
        u32::try_from(self.parents.len()).ok().filter(|id| *id != u32::MAX).ok_or(PathError::Many)
    }

    fn push(&mut self, parent: PathId, name: &[u8]) -> Result<PathId, PathError> {
        let id = self.next_id()?;
        let end = u32::try_from(self.text.len() + name.len()).map_err(|_| PathError::Many)?;
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.parents.push(parent);
        self.text.extend_from_slice(name);
        self.starts.push(end);
        Ok(id)
    }
}

/// Whether `name` can be one component of a path and leads nowhere else.
fn is_plain(name: &[u8]) -> bool {
    let is_dots = name == b"." || name == b"..";
    !name.is_empty()
        && name.len() <= NAME_BYTES
        && !is_dots
        && !name.iter().any(|b| b"/\0".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_its_names_below_a_root() {
        let mut paths = Paths::default();
        let root = paths.add_root().unwrap();
        let folder = paths.add(root, b"db").unwrap();
        let file = paths.add(folder, b"wal").unwrap();
        assert_eq!(paths.relative(file), (root, b"db/wal".to_vec()));
        assert_eq!(paths.relative(root), (root, Vec::new()));
        assert_eq!((paths.parent(root), paths.name(file)), (None, b"wal".as_slice()));
    }

    #[test]
    fn name_that_leads_elsewhere_is_refused() {
        let mut paths = Paths::default();
        let root = paths.add_root().unwrap();
        for name in [&b""[..], b".", b"..", b"a/b", b"a\0", &[b'x'; 256]] {
            assert!(matches!(paths.add(root, name), Err(PathError::Name { .. })), "{name:?}");
        }
        assert_eq!(paths.add(9, b"a"), Err(PathError::Parent { id: 1, parent: 9 }));
    }
}

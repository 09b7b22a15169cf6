//! Finds the calls of a trace that could lead a replay out of its tree, so that these are not made.
//!
//! Names are plain, so only a symbolic link leads elsewhere. A replay makes links relative, and a link leads out if it
//! goes up more directories than are above it. It is made only where the directories above it are known not to be
//! links themselves, and moved only to where as many are above it.

use std::collections::HashSet;
use trace::{
    call::{Call, Op},
    path::{PathId, Paths},
    start::{StartEntry, StartKind},
};

/// `RENAME_EXCHANGE`.
const EXCHANGE: u32 = 2;
/// Rounds after which a trace is taken as hostile.
const MOST_ROUNDS: usize = 32;

/// A call that makes, moves or copies a name.
#[derive(Clone, Copy, Debug)]
struct Naming {
    number: u64,
    op: Op,
    path: PathId,
    path2: PathId,
    flags: u32,
}

/// The calls that matter, as they are found.
#[derive(Debug, Default)]
pub(super) struct Watch(Vec<Naming>);

impl Watch {
    /// Notes the call `number`.
    pub(super) fn see(&mut self, number: u64, call: &Call) {
        let Call { op, path, path2, flags, .. } = *call;
        if matches!(op, Op::Symlink | Op::Rename | Op::Link) {
            self.0.push(Naming { number, op, path, path2, flags });
        }
    }

    /// The numbers of those that could lead out.
    pub(super) fn dangerous(&self, paths: &Paths, entries: &[StartEntry]) -> HashSet<u64> {
        let links = |entry: &StartEntry| match entry.kind {
            StartKind::Link(to) => Some((entry.path, to)),
            _ => None,
        };
        let there: Vec<_> = entries.iter().filter_map(links).collect();
        let made = self.0.iter().filter(|n| n.op == Op::Symlink);
        let goes_up = there.iter().any(|(at, to)| to.is_some_and(|to| ups(paths, *at, to) > 0))
            || made.clone().any(|n| ups(paths, n.path, n.path2) > 0);
        if !goes_up {
            return HashSet::new();
        }
        let mut maybe = Maybe { paths, links: HashSet::new(), above: HashSet::new() };
        for link in there.iter().map(|(at, _)| *at).chain(made.map(|n| n.path)) {
            maybe.add(link);
        }
        let is_known = (0..MOST_ROUNDS)
            .any(|_| !self.0.iter().fold(false, |is_new, n| maybe.follow(n) | is_new));
        self.0.iter().filter(|n| !is_known || maybe.is_dangerous(n)).map(|n| n.number).collect()
    }
}

/// What may be a symbolic link at some time, whatever the order and the results of the calls.
struct Maybe<'p> {
    paths: &'p Paths,
    links: HashSet<PathId>,
    /// Paths above one of them.
    above: HashSet<PathId>,
}

impl Maybe<'_> {
    /// Adds `path`; true if it is new.
    fn add(&mut self, path: PathId) -> bool {
        if !is_there(self.paths, path) || !self.links.insert(path) {
            return false;
        }
        self.above.extend(self.paths.ancestors(path));
        true
    }

    /// Takes a link, and a directory with links, to where it is moved; true if something is new.
    fn follow(&mut self, n: &Naming) -> bool {
        let mut is_new = false;
        if n.op != Op::Symlink {
            is_new |= self.bears(n.path) && self.add(n.path2);
            let is_exchange = n.op == Op::Rename && n.flags & EXCHANGE != 0;
            is_new |= is_exchange && self.bears(n.path2) && self.add(n.path);
        }
        is_new
    }

    /// Whether `path` may be a link or have one below it.
    fn bears(&self, path: PathId) -> bool {
        self.links.contains(&path) || self.above.contains(&path)
    }

    /// Whether a link, or a directory that brought links along, may be above `path`.
    fn is_below_a_link(&self, path: PathId) -> bool {
        is_there(self.paths, path)
            && self.paths.ancestors(path).any(|path| self.links.contains(&path))
    }

    fn is_dangerous(&self, n: &Naming) -> bool {
        let Naming { path, path2, .. } = *n;
        if n.op == Op::Symlink {
            return ups(self.paths, path, path2) > 0 && self.is_below_a_link(path);
        }
        let is_exchange = n.flags & EXCHANGE != 0 && self.bears(path2);
        if !self.bears(path) && !is_exchange {
            return false;
        }
        let depths = (depth(self.paths, path), depth(self.paths, path2));
        let is_higher = depths.1 < depths.0 || is_exchange && depths.1 != depths.0;
        is_higher || self.is_below_a_link(path) || self.is_below_a_link(path2)
    }
}

fn is_there(paths: &Paths, path: PathId) -> bool {
    (path as usize) < paths.len()
}

/// How many names lead to `path`; a root has one. 0 for a path that is not there.
fn depth(paths: &Paths, path: PathId) -> usize {
    if is_there(paths, path) { 1 + paths.ancestors(path).count() } else { 0 }
}

/// How many directories a link at `path` to `to` has to go up.
pub(super) fn ups(paths: &Paths, path: PathId, to: PathId) -> usize {
    if !is_there(paths, path) || !is_there(paths, to) {
        return 0;
    }
    let above: Vec<PathId> = paths.ancestors(path).collect();
    // The target itself may be a directory above the link, which is then reached from below.
    let common = paths.ancestors(to).find_map(|at| above.iter().position(|path| *path == at));
    common.unwrap_or(above.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree r, r/a, r/a/b, r/a/b/c, r/x, r/x/b, s.
    fn tree() -> Paths {
        let mut paths = Paths::default();
        let (r, s) = (paths.add_root().unwrap(), paths.add_root().unwrap());
        let a = paths.add(r, b"a").unwrap();
        let b = paths.add(a, b"b").unwrap();
        paths.add(b, b"c").unwrap();
        let x = paths.add(r, b"x").unwrap();
        paths.add(x, b"b").unwrap();
        assert_eq!((s, a, b, x), (1, 2, 3, 5));
        paths
    }

    fn dangerous(calls: &[(Op, PathId, PathId, u32)]) -> Vec<u64> {
        let mut watch = Watch::default();
        for (number, (op, path, path2, flags)) in (0..).zip(calls.iter().copied()) {
            watch.0.push(Naming { number, op, path, path2, flags });
        }
        let mut numbers: Vec<u64> = watch.dangerous(&tree(), &[]).into_iter().collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn link_counts_the_directories_that_it_goes_up() {
        let paths = tree();
        assert_eq!(ups(&paths, 4, 3), 1, "from r/a/b/c to r/a/b");
        assert_eq!(ups(&paths, 4, 2), 2);
        assert_eq!(ups(&paths, 4, 1), 3, "to the other root");
        assert_eq!(ups(&paths, 2, 5), 0, "to a neighbour");
        assert_eq!(ups(&paths, 2, 6), 0, "down from a neighbour");
    }

    #[test]
    fn link_that_stays_as_deep_as_it_was_is_made() {
        assert!(dangerous(&[(Op::Symlink, 4, 5, 0)]).is_empty());
        assert!(dangerous(&[(Op::Symlink, 4, 5, 0), (Op::Rename, 2, 5, 0)]).is_empty());
        assert!(dangerous(&[(Op::Symlink, 2, 6, 0), (Op::Rename, 4, 5, 0)]).is_empty());
    }

    #[test]
    fn link_that_is_lifted_is_not_made() {
        assert_eq!(dangerous(&[(Op::Symlink, 4, 5, 0), (Op::Rename, 4, 5, 0)]), [1]);
        assert_eq!(dangerous(&[(Op::Symlink, 4, 5, 0), (Op::Link, 4, 5, 0)]), [1]);
        assert_eq!(dangerous(&[(Op::Symlink, 4, 5, 0), (Op::Rename, 5, 4, EXCHANGE)]), [1]);
        assert_eq!(
            dangerous(&[(Op::Symlink, 4, 5, 0), (Op::Rename, 3, 5, 0)]),
            [1],
            "its directory"
        );
    }

    #[test]
    fn link_below_a_link_is_not_made() {
        // r/x leads up to r, so that r/x/b is less deep than it looks.
        assert_eq!(dangerous(&[(Op::Symlink, 3, 0, 0), (Op::Symlink, 4, 5, 0)]), [1]);
        // The directory r/a has a link inside and becomes r/x: what is below r/x may be a link.
        let calls = [(Op::Symlink, 3, 0, 0), (Op::Rename, 2, 5, 0), (Op::Symlink, 6, 2, 0)];
        assert_eq!(dangerous(&calls), [2]);
    }
}

//! The order of calls on names: what makes, removes or moves a name comes after the calls before it that use that
//! name, and before those that use it later, whatever lane they are of. So does a directory for what is below it.

use super::{
    resource::{Mark, Resource},
    step::{NONE, has},
};
use std::collections::{HashMap, HashSet};
use trace::{
    call::{Call, Field, Op},
    path::{PathId, Paths},
    start::StartEntry,
};

/// `O_CREAT`.
const CREAT: u32 = 0o100;
/// The result of a call that found no such name.
const NO_ENTRY: i64 = -2;

/// The names of a trace.
#[derive(Debug)]
pub(super) struct Names<'p> {
    paths: &'p Paths,
    /// Those that are moved at some time.
    moved: &'p HashSet<PathId>,
    of: HashMap<PathId, Resource>,
    exists: HashSet<PathId>,
}

impl<'p> Names<'p> {
    /// The names of `paths`, of which these are `moved` at some time.
    pub(super) fn new(
        paths: &'p Paths,
        entries: &[StartEntry],
        moved: &'p HashSet<PathId>,
    ) -> Names<'p> {
        Names {
            paths,
            moved,
            of: HashMap::new(),
            exists: entries.iter().map(|entry| entry.path).collect(),
        }
    }

    /// Orders `call` of `mark`.
    pub(super) fn order(&mut self, mark: Mark, call: &Call, wait: &mut dyn FnMut(Mark)) {
        let is_done = call.result >= 0;
        match call.op {
            Op::Open if is_done && call.flags & CREAT != 0 && !self.exists.contains(&call.path) => {
                self.exists.insert(call.path);
                self.change(mark, call.path, wait);
            }
            Op::Rename if is_done => {
                self.exists.remove(&call.path);
                self.exists.insert(call.path2);
                self.change(mark, call.path, wait);
                self.change(mark, call.path2, wait);
            }
            Op::Link if is_done => {
                self.exists.insert(call.path2);
                self.touch(mark, call.path, wait);
                self.change(mark, call.path2, wait);
            }
            Op::Symlink | Op::Mkdir | Op::Mknod if is_done => {
                self.exists.insert(call.path);
                self.change(mark, call.path, wait);
            }
            Op::Unlink | Op::Rmdir if is_done => {
                self.exists.remove(&call.path);
                self.change(mark, call.path, wait);
            }
            op => {
                if has(op, Field::Path) {
                    self.touch(mark, call.path, wait);
                }
                if call.result == NO_ENTRY && self.is_there(call.path) {
                    // Directories that are not there are made after it.
                    self.note_above(mark, call.path, |names, above| !names.exists.contains(&above));
                }
                if has(op, Field::Path2) && op != Op::Symlink {
                    self.touch(mark, call.path2, wait);
                }
            }
        }
    }

    fn is_there(&self, path: PathId) -> bool {
        path != NONE && (path as usize) < self.paths.len()
    }

    /// A use of `path`, and of the directories above it.
    fn touch(&mut self, mark: Mark, path: PathId, wait: &mut dyn FnMut(Mark)) {
        if self.is_there(path) {
            self.above(path, wait);
            self.of.entry(path).or_default().use_by(mark, wait);
            if !self.moved.is_empty() {
                // What is below a directory that is moved is used before or after.
                self.note_above(mark, path, |names, above| names.moved.contains(&above));
            }
        }
    }

    /// A change of `path`, which is also a use of its directory.
    fn change(&mut self, mark: Mark, path: PathId, wait: &mut dyn FnMut(Mark)) {
        if !self.is_there(path) {
            return;
        }
        self.above(path, wait);
        self.of.entry(path).or_default().change_by(mark, wait);
        self.note_above(mark, path, |_, _| true);
    }

    /// Notes a use of those directories above `path` that `is_used` tells.
    fn note_above(&mut self, mark: Mark, path: PathId, is_used: impl Fn(&Self, PathId) -> bool) {
        let paths = self.paths;
        for above in paths.ancestors(path) {
            if is_used(self, above) {
                self.of.entry(above).or_default().note(mark);
            }
        }
    }

    /// Waits for the last changes of the directories above `path`.
    fn above(&self, path: PathId, wait: &mut dyn FnMut(Mark)) {
        for directory in self.paths.ancestors(path).filter_map(|above| self.of.get(&above)) {
            directory.after_change(wait);
        }
    }
}

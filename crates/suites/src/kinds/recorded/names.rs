//! Changes of names, and what was there when the recording began.

use super::{
    translate::Translation,
    tree::{Kind, Node, parent},
};
use faults::{
    content::LONGEST,
    workload::{How, Operation},
};
use trace::{
    call::{Call, Op},
    path::PathId,
    start::{StartEntry, StartKind},
};

/// Longest file that is there at the start, bytes: of longer ones the rest is left out.
const LONGEST_START: u64 = LONGEST / 8;
const RENAME_EXCHANGE: u32 = 2;

impl Translation<'_> {
    /// The name of a path below the directory of the workload; roots are directories in it.
    pub(super) fn text(&self, path: PathId) -> String {
        let mut names = Vec::new();
        let mut at = path;
        while let Some(parent) = self.paths.parent(at) {
            let name = std::str::from_utf8(self.paths.name(at)).map(String::from);
            names.push(name.unwrap_or_else(|_| format!("path{at}")));
            at = parent;
        }
        names.push(format!("root{at}"));
        names.reverse();
        names.join("/")
    }

    pub(super) fn entries(&mut self, entries: &[StartEntry]) {
        for entry in entries {
            let path = self.text(entry.path);
            match entry.kind {
                StartKind::Directory { .. } => self.need_directory(&path),
                StartKind::File { bytes, .. } => self.start_file(&path, bytes),
                StartKind::Link(_) | StartKind::HardLink(_) => {}
            }
        }
        for entry in entries {
            let path = self.text(entry.path);
            match entry.kind {
                StartKind::HardLink(to) => self.link(&self.text(to), &path),
                StartKind::Link(to) => self.symlink(to.map(|to| self.text(to)), &path),
                StartKind::Directory { .. } | StartKind::File { .. } => {}
            }
        }
    }

    pub(super) fn start_file(&mut self, path: &str, bytes: u64) {
        if self.tree.at(path).is_none() {
            let node = self.create(path);
            self.write(node, 0, bytes.min(LONGEST_START), How::Buffered);
        }
    }

    pub(super) fn need_directory(&mut self, path: &str) {
        if self.tree.at(path).is_none() {
            self.need_directory(parent(path));
            self.tree.make(path, Kind::Directory);
            self.operations.push(Operation::Mkdir(path.into()));
        }
    }

    pub(super) fn change_name(&mut self, call: &Call) {
        let path = self.text(call.path);
        match call.op {
            Op::Mkdir if self.is_free(&path) => {
                self.tree.make(&path, Kind::Directory);
                self.operations.push(Operation::Mkdir(path));
            }
            Op::Symlink => self.symlink(Some(self.text(call.path2)), &path),
            Op::Link => self.link(&path, &self.text(call.path2)),
            Op::Unlink if self.tree.at(&path).is_some() && !self.tree.is_directory(&path) => {
                self.tree.remove(&path);
                self.operations.push(Operation::Unlink(path));
            }
            Op::Rmdir if self.tree.is_directory(&path) && !self.tree.has_below(&path) => {
                self.tree.remove(&path);
                self.operations.push(Operation::Rmdir(path));
            }
            Op::Rename => self.rename(path, self.text(call.path2), call.flags),
            _ => self.left_out += 1,
        }
    }

    pub(super) fn is_free(&self, path: &str) -> bool {
        self.tree.at(path).is_none() && self.tree.is_directory(parent(path))
    }

    pub(super) fn symlink(&mut self, target: Option<String>, path: &str) {
        if !self.is_free(path) {
            return self.left_out += 1;
        }
        self.tree.make(path, Kind::Link);
        let target = target.unwrap_or_else(|| "outside".into());
        self.operations.push(Operation::Symlink { target, path: path.into() });
    }

    pub(super) fn link(&mut self, from: &str, to: &str) {
        let node = self.tree.at(from);
        let Some(node) = node.filter(|own| matches!(self.tree.kind(*own), Kind::File(_))) else {
            return self.left_out += 1;
        };
        if !self.is_free(to) {
            return self.left_out += 1;
        }
        self.tree.name_also(to, node);
        self.operations.push(Operation::Link { from: from.into(), to: to.into() });
    }

    pub(super) fn rename(&mut self, from: String, to: String, flags: u32) {
        if flags & RENAME_EXCHANGE != 0 {
            // Both names would lead elsewhere from here on.
            return self.is_full = true;
        }
        let (Some(node), over) = (self.tree.at(&from), self.tree.at(&to)) else {
            return self.left_out += 1;
        };
        let is_directory = |node: Node| self.tree.kind(node) == Kind::Directory;
        let fits = over.is_none_or(|over| {
            is_directory(over) == is_directory(node) && !self.tree.has_below(&to)
        });
        if over == Some(node) {
            // Two names of one file: nothing happens.
            return;
        }
        if !fits || !self.tree.is_directory(parent(&to)) {
            return self.left_out += 1;
        }
        self.tree.rename(&from, &to);
        self.operations.push(Operation::Rename { from, to });
    }
}

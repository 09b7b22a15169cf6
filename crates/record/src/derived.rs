//! Infers the initial state of the disk from the results of the calls, which is all that an import has.

use crate::start::first_named;
use std::collections::{BTreeMap, HashMap};
use trace::{
    call::{Call, HandleId, NONE, Op},
    path::{PathId, Paths},
    start::{StartEntry, StartKind},
};

#[derive(Clone, Copy, Default)]
struct Found {
    is_directory: bool,
    is_link: bool,
    bytes: u64,
    /// Written since: what is read may be what was written.
    is_changed: bool,
}

/// What was found so far.
#[derive(Default)]
pub(crate) struct Derived {
    found: BTreeMap<PathId, Found>,
    seen: Vec<bool>,
    /// Path and position of open files.
    open: HashMap<HandleId, (PathId, u64)>,
}

impl Derived {
    /// Takes note of the next call.
    pub(crate) fn see(&mut self, call: &Call, paths: &Paths) {
        for (path, existed) in first_named(call) {
            if self.is_first(path) && existed {
                self.found.insert(path, Found::default());
                self.directories_above(path, paths);
            }
        }
        match call.op {
            Op::Open if call.handle != NONE => self.opened(call),
            Op::Close if call.flags == 0 => drop(self.open.remove(&call.handle)),
            Op::Dup => {
                if let Some(open) = self.open.get(&call.handle).copied() {
                    self.open.insert(call.other, open);
                }
            }
            Op::Rmdir | Op::Chdir if call.result == 0 => {
                self.is(call.path, |f| f.is_directory = true)
            }
            Op::Readlink if call.result > 0 => self.is(call.path, |f| f.is_link = true),
            _ => self.on_file(call),
        }
    }

    fn opened(&mut self, call: &Call) {
        self.open.insert(call.handle, (call.path, 0));
        let flags = call.flags as i32;
        self.is(call.path, |found| {
            found.is_directory |= flags & libc::O_DIRECTORY == libc::O_DIRECTORY;
            found.is_changed |= flags & libc::O_TRUNC != 0;
        });
    }

    fn on_file(&mut self, call: &Call) {
        let Some((path, position)) = self.open.get_mut(&call.handle) else { return };
        let done = call.result.max(0) as u64;
        let (path, begin) = (*path, if call.op == Op::Pread { call.offset } else { *position });
        match call.op {
            Op::Read => *position = position.saturating_add(done),
            Op::Write => *position = position.saturating_add(done),
            Op::Seek if call.result >= 0 => *position = done,
            _ => {}
        }
        let end = begin.saturating_add(done);
        let from_end = call.op == Op::Seek && call.flags == libc::SEEK_END as u32;
        match call.op {
            Op::Read | Op::Pread if done > 0 => self.is(path, |found| found.reaches(end)),
            Op::Seek if from_end => {
                let size = (call.result).saturating_sub(call.offset as i64).max(0) as u64;
                self.is(path, |found| found.reaches(size));
            }
            Op::Write | Op::Pwrite | Op::Ftruncate | Op::Fallocate if call.result >= 0 => {
                self.is(path, |found| found.is_changed = true);
            }
            Op::Getdents => self.is(path, |found| found.is_directory = true),
            _ => {}
        }
    }

    fn is(&mut self, path: PathId, change: impl FnOnce(&mut Found)) {
        if let Some(found) = self.found.get_mut(&path) {
            change(found);
        }
    }

    fn directories_above(&mut self, path: PathId, paths: &Paths) {
        for above in paths.ancestors(path) {
            if self.is_first(above) {
                self.found.insert(above, Found { is_directory: true, ..Found::default() });
            }
            self.is(above, |found| found.is_directory = true);
        }
    }

    fn is_first(&mut self, path: PathId) -> bool {
        let at = path as usize;
        if self.seen.len() <= at {
            self.seen.resize(at + 1, false);
        }
        !std::mem::replace(&mut self.seen[at], true)
    }

    /// Everything that was there, as far as it is known.
    pub(crate) fn entries(&self) -> Vec<StartEntry> {
        let entry = |(path, found): (&PathId, &Found)| {
            let (kind, mode) = if found.is_directory {
                (StartKind::Directory { entries: 0 }, 0o755)
            } else if found.is_link {
                (StartKind::Link(None), 0o777)
            } else {
                let (cached_bytes, compressed) = (None, None);
                (StartKind::File { bytes: found.bytes, cached_bytes, compressed }, 0o644)
            };
            StartEntry { path: *path, kind, mode }
        };
        self.found.iter().map(entry).collect()
    }
}

impl Found {
    fn reaches(&mut self, end: u64) {
        if !self.is_changed {
            self.bytes = self.bytes.max(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_was_as_long_as_what_was_read_of_it() {
        let mut paths = Paths::default();
        let root = paths.add_root().unwrap();
        let folder = paths.add(root, b"d").unwrap();
        let old = paths.add(folder, b"old").unwrap();
        let new = paths.add(folder, b"new").unwrap();
        let mut derived = Derived::default();
        let mut see = |op, fill: fn(&mut Call)| {
            let mut call = Call::new(op, 0);
            fill(&mut call);
            derived.see(&call, &paths);
        };
        see(Op::Open, |call| (call.handle, call.path) = (0, 2));
        see(Op::Read, |call| (call.handle, call.len, call.result) = (0, 100, 100));
        see(Op::Read, |call| (call.handle, call.len, call.result) = (0, 100, 20));
        see(Op::Stat, |call| (call.path, call.result) = (3, -i64::from(libc::ENOENT)));
        see(Op::Open, |call| (call.handle, call.path, call.flags) = (1, 3, libc::O_CREAT as u32));
        let entries = derived.entries();
        let found: Vec<PathId> = entries.iter().map(|entry| entry.path).collect();
        assert_eq!(found, [root, folder, old]);
        assert!(!found.contains(&new));
        assert!(matches!(entries[2].kind, StartKind::File { bytes: 120, .. }));
    }
}

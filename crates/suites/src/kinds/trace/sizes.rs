//! The largest total size of the files of a trace at any time: the space that a replay needs. A call counts with the
//! size it requested, whatever its recorded result.

use std::collections::HashMap;
use trace::{
    call::{Call, HandleId, Op},
    path::PathId,
    start::{StartEntry, StartHandle, StartKind},
};

/// `O_APPEND`, `O_TRUNC`.
const APPEND: u32 = 0o2000;
const TRUNC: u32 = 0o1000;

/// The lengths of files while calls are read.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    of: HashMap<PathId, u64>,
    handles: HashMap<HandleId, Handle>,
    now: u64,
    most: u64,
}

#[derive(Clone, Copy, Debug)]
struct Handle {
    path: PathId,
    position: u64,
    appends: bool,
}

impl Sizes {
    /// The lengths at the start.
    pub(super) fn new(entries: &[StartEntry], handles: &[StartHandle]) -> Sizes {
        let mut sizes = Sizes::default();
        for entry in entries {
            if let StartKind::File { bytes, .. } = entry.kind {
                sizes.set(entry.path, bytes);
            }
        }
        for start in handles {
            let (path, position, appends) = (start.path, start.offset, start.flags & APPEND != 0);
            sizes.handles.insert(start.handle, Handle { path, position, appends });
        }
        sizes
    }

    /// Most bytes of all files at a time so far.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    fn set(&mut self, path: PathId, bytes: u64) {
        let before = self.of.insert(path, bytes).unwrap_or(0);
        self.now = self.now.saturating_sub(before).saturating_add(bytes);
        self.most = self.most.max(self.now);
    }

    fn grow(&mut self, path: PathId, end: u64) {
        if self.of.get(&path).is_none_or(|bytes| *bytes < end) {
            self.set(path, end);
        }
    }

    fn remove(&mut self, path: PathId) -> u64 {
        let bytes = self.of.remove(&path).unwrap_or(0);
        self.now = self.now.saturating_sub(bytes);
        bytes
    }

    /// Follows `call`.
    pub(super) fn see(&mut self, call: &Call) {
        let is_done = call.result >= 0;
        match call.op {
            Op::Open if is_done => {
                let appends = call.flags & APPEND != 0;
                self.handles.insert(call.handle, Handle { path: call.path, position: 0, appends });
                if call.flags & TRUNC != 0 {
                    self.set(call.path, 0);
                }
            }
            Op::Dup if is_done => {
                if let Some(handle) = self.handles.get(&call.handle).copied() {
                    self.handles.insert(call.other, handle);
                }
            }
            Op::Close if call.flags == 0 => {
                self.handles.remove(&call.handle);
            }
            Op::Unlink if is_done => {
                self.remove(call.path);
            }
            Op::Rename if is_done => {
                self.remove(call.path2);
                let bytes = self.remove(call.path);
                if bytes > 0 {
                    self.set(call.path2, bytes);
                }
            }
            _ => self.on_handle(call),
        }
    }

    fn on_handle(&mut self, call: &Call) {
        let done = call.result.max(0) as u64;
        let copies = call.op.copies();
        let handle = if copies { call.other } else { call.handle };
        let Some(handle) = self.handles.get_mut(&handle) else { return };
        let (path, position) = (handle.path, handle.position);
        match call.op {
            Op::Read => handle.position = position.saturating_add(done),
            Op::Seek => handle.position = done,
            Op::Write | Op::CopyRange | Op::SendFile => {
                let at = match handle.appends {
                    true => self.of.get(&path).copied().unwrap_or(0),
                    false => position,
                };
                handle.position = at.saturating_add(done);
                // A range that is copied ends with its source.
                let asked = if copies { done } else { call.len };
                self.grow(path, at.saturating_add(asked));
            }
            Op::CopyTo => self.grow(path, call.to_offset().saturating_add(done)),
            Op::Pwrite | Op::RingWrite | Op::Fallocate => {
                self.grow(path, call.offset.saturating_add(call.len));
            }
            Op::Ftruncate => self.set(path, call.len),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_bytes_are_those_of_files_that_are_there_together() {
        let mut sizes = Sizes::default();
        let mut see = |op, set: &dyn Fn(&mut Call)| {
            let mut call = Call::new(op, 0);
            set(&mut call);
            sizes.see(&call);
        };
        for round in 0..10 {
            see(Op::Open, &|c| (c.handle, c.path) = (round, round));
            see(Op::Write, &|c| (c.handle, c.len, c.result) = (round, 1000, 1000));
            see(Op::Write, &|c| (c.handle, c.len, c.result) = (round, 1000, 1000));
            see(Op::Pwrite, &|c| (c.handle, c.offset, c.len) = (round, 500, 100));
            see(Op::Close, &|c| (c.handle, c.flags) = (round, 0));
            see(Op::Unlink, &|c| c.path = round);
        }
        assert_eq!(sizes.most(), 2000);
    }

    #[test]
    fn write_that_is_said_to_have_failed_counts() {
        let mut sizes = Sizes::default();
        let open = Call { handle: 0, path: 0, ..Call::new(Op::Open, 0) };
        let write = Call { handle: 0, len: 1 << 40, result: -28, ..Call::new(Op::Write, 0) };
        [open, write].iter().for_each(|call| sizes.see(call));
        assert_eq!(sizes.most(), 1 << 40);
    }
}

//! Calls that move bytes from one open file to another. What comes from a file outside the roots, or from a pipe, is
//! written, and what goes there is read.

use super::{
    LeftOut, Resolver,
    tables::{Open, Thread},
};
use crate::raw::RawCall;
use trace::call::{HandleId, NONE, Op};

/// One side of a copy.
#[derive(Clone, Copy)]
struct Side {
    fd: u64,
    /// Where it began; `None` at the position of the file, which continues.
    offset: Option<u64>,
}

impl Side {
    /// `after` is where an offset at `pointer` was when the call ended.
    fn new(raw: &RawCall, fd: u64, pointer: u64, after: u64) -> Side {
        let moved = raw.result.max(0) as u64;
        Side { fd, offset: (pointer != 0).then(|| after.wrapping_sub(moved)) }
    }
}

impl Resolver {
    /// `copy_file_range` and `sendfile`.
    pub(super) fn between_files(&mut self, raw: &RawCall, thread: &Thread, op: Op) -> bool {
        let (a, after) = (raw.arguments, raw.words);
        let (from, to, len) = match op {
            Op::SendFile => {
                (Side::new(raw, a[1], a[2], after[0]), Side::new(raw, a[0], 0, 0), a[3])
            }
            _ => (Side::new(raw, a[0], a[1], after[0]), Side::new(raw, a[2], a[3], after[1]), a[4]),
        };
        match (self.inside(thread, from.fd), self.inside(thread, to.fd)) {
            (Some(handle), Some(other)) => {
                let to_offset = to.offset.filter(|_| op == Op::CopyRange);
                let op = if to_offset.is_some() { Op::CopyTo } else { op };
                self.emit(raw, thread, op, |call| {
                    (call.handle, call.other) = (handle, other);
                    (call.offset, call.len) = (from.offset.unwrap_or(u64::MAX), len);
                    to_offset.into_iter().for_each(|offset| call.set_to_offset(offset));
                });
            }
            (Some(handle), None) if op == Op::SendFile => self.emit(raw, thread, op, |call| {
                (call.handle, call.other) = (handle, NONE);
                (call.offset, call.len) = (from.offset.unwrap_or(u64::MAX), len);
            }),
            _ => self.one_side(raw, thread, from, to),
        }
        true
    }

    /// `splice`, of which one side is a pipe.
    pub(super) fn splice(&mut self, raw: &RawCall, thread: &Thread) -> bool {
        let (a, after) = (raw.arguments, raw.words);
        let from = Side::new(raw, a[0], a[1], after[0]);
        let to = Side::new(raw, a[2], a[3], after[1]);
        self.one_side(raw, thread, from, to);
        true
    }

    /// A call that reads or writes what it moved: the other side is not recorded.
    fn one_side(&mut self, raw: &RawCall, thread: &Thread, from: Side, to: Side) {
        let (side, handle, ops) = match (self.inside(thread, from.fd), self.inside(thread, to.fd)) {
            (Some(handle), _) => (from, handle, (Op::Read, Op::Pread)),
            (_, Some(handle)) => (to, handle, (Op::Write, Op::Pwrite)),
            _ => return self.count_other(thread, to.fd),
        };
        // Neither did anything to this side: one that found the end of the other, and one that failed.
        match raw.result {
            0 => return self.skip(LeftOut::Outside),
            ..0 => return self.skip(LeftOut::Across),
            1.. => (),
        }
        let op = if side.offset.is_some() { ops.1 } else { ops.0 };
        self.emit(raw, thread, op, |call| {
            (call.handle, call.offset) = (handle, side.offset.unwrap_or(0));
            (call.len, call.mode) = (raw.result as u64, 1);
        });
    }

    /// `ioctl(FICLONE)`.
    pub(super) fn clone_file(&mut self, raw: &RawCall, thread: &Thread) -> bool {
        let [to, _, from, ..] = raw.arguments;
        match (self.inside(thread, to), self.inside(thread, from)) {
            (Some(handle), Some(other)) => self.emit(raw, thread, Op::Clone, |call| {
                (call.handle, call.other) = (handle, other);
            }),
            (None, None) => self.count_other(thread, to),
            _ => self.skip(LeftOut::Across),
        }
        true
    }

    /// Counts a call on a descriptor that is not inside.
    fn count_other(&mut self, thread: &Thread, fd: u64) {
        let _ = self.handle(thread, fd);
    }

    pub(super) fn inside(&self, thread: &Thread, fd: u64) -> Option<HandleId> {
        match self.descriptor(thread, fd)?.open {
            Open::Inside { handle, .. } => Some(handle),
            Open::Outside(_) => None,
        }
    }
}

//! Orders the calls on one file through any handle: by its length, and by its locks. Two calls that only read or
//! overwrite need no order.

use super::{
    grown::Grown,
    resource::{Mark, Resource},
};
use std::collections::HashMap;
use trace::{
    call::{Call, HandleId, Op},
    path::PathId,
    start::{StartEntry, StartKind},
};

/// `O_APPEND`, `O_TRUNC`.
const APPEND: u32 = 0o2000;
const TRUNC: u32 = 0o1000;
/// `O_CREAT`, `O_EXCL` and `O_TRUNC`, without which a file is opened again.
const MAKING: u32 = 0o100 | 0o200 | TRUNC;
/// `SEEK_END`, `SEEK_DATA`, `SEEK_HOLE`: they answer by the length of the file.
const LENGTH_SEEKS: [u32; 3] = [2, 3, 4];
/// `FALLOC_FL_KEEP_SIZE`.
const KEEP_SIZE: u32 = 1;
/// `LOCK_UN`, `F_UNLCK`.
const LOCK_UN: u32 = 8;
const UNLCK: u32 = 2;

#[derive(Debug, Default)]
struct File {
    grown: Grown,
    length: Resource,
    /// The last unlock of each lane.
    unlocked: Resource,
}

#[derive(Clone, Copy, Debug)]
struct Handle {
    file: u32,
    position: u64,
    path: PathId,
    flags: u32,
}

impl Handle {
    fn appends(self) -> bool {
        self.flags & APPEND != 0
    }
}

/// A handle that is open at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) handle: HandleId,
    pub(super) path: PathId,
    pub(super) flags: u32,
    pub(super) position: u64,
}

/// The files of a trace, as far as calls name them.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: Vec<File>,
    at: HashMap<PathId, u32>,
    handles: HashMap<HandleId, Handle>,
}

impl Files {
    pub(super) fn new(entries: &[StartEntry]) -> Files {
        let mut files = Files::default();
        for entry in entries {
            if let StartKind::File { bytes, .. } = entry.kind {
                let file = files.at(entry.path);
                files.files[file].grown = Grown::from(bytes);
            }
        }
        for entry in entries {
            if let StartKind::HardLink(to) = entry.kind {
                let file = files.at(to) as u32;
                files.at.insert(entry.path, file);
            }
        }
        files
    }

    /// The number of the file at `path`.
    fn at(&mut self, path: PathId) -> usize {
        let next = self.files.len() as u32;
        let number = *self.at.entry(path).or_insert(next);
        if number == next {
            self.files.push(File::default());
        }
        number as usize
    }

    /// Notes that `handle` was opened.
    pub(super) fn open(&mut self, handle: HandleId, path: PathId, flags: u32, position: u64) {
        let file = self.at(path) as u32;
        self.handles.insert(handle, Handle { file, position, path, flags });
    }

    /// The handles that are open now.
    pub(super) fn opened(&self) -> Vec<Opened> {
        let opened = |(handle, of): (&HandleId, &Handle)| Opened {
            handle: *handle,
            path: of.path,
            flags: of.flags & !MAKING,
            position: of.position,
        };
        let mut all: Vec<Opened> = self.handles.iter().map(opened).collect();
        all.sort_unstable_by_key(|one| one.handle);
        all
    }

    /// Orders `call` of `mark`.
    pub(super) fn order(&mut self, mark: Mark, call: &Call, wait: &mut dyn FnMut(Mark)) {
        if call.result < 0 {
            return;
        }
        let done = call.result as u64;
        match call.op {
            Op::Open => {
                self.open(call.handle, call.path, call.flags, 0);
                if call.flags & TRUNC != 0 {
                    let file = self.at(call.path);
                    self.files[file].set_length(mark, 0, wait);
                }
            }
            Op::Dup => {
                if let Some(handle) = self.handles.get(&call.handle).copied() {
                    self.handles.insert(call.other, handle);
                }
            }
            Op::Close if call.flags == 0 => drop(self.handles.remove(&call.handle)),
            Op::Rename => {
                if let Some(file) = self.at.remove(&call.path) {
                    self.at.insert(call.path2, file);
                }
            }
            Op::Link => {
                let file = self.at(call.path) as u32;
                self.at.insert(call.path2, file);
            }
            Op::Unlink => drop(self.at.remove(&call.path)),
            Op::Truncate => {
                let file = self.at(call.path);
                self.files[file].set_length(mark, call.len, wait);
            }
            Op::CopyRange | Op::CopyTo | Op::SendFile => self.order_copy(mark, call, done, wait),
            Op::Clone => {
                let [to, from] = [call.handle, call.other].map(|handle| self.handles.get(&handle));
                if let (Some(to), Some(from)) = (to, from) {
                    let (to, from) = (to.file as usize, from.file as usize);
                    let bytes = self.files[from].grown.bytes();
                    self.files[from].read(mark, 0, (bytes, u64::MAX), wait);
                    self.files[to].write(mark, bytes, wait);
                }
            }
            _ => self.order_handle(mark, call, done, wait),
        }
    }

    /// The source is read, and what it gave is written.
    fn order_copy(&mut self, mark: Mark, call: &Call, done: u64, wait: &mut dyn FnMut(Mark)) {
        let from = Some(call.offset).filter(|offset| *offset != u64::MAX);
        if let Some((file, at)) = self.part(call.handle, from, done) {
            self.files[file].read(mark, at, (done, call.len), wait);
        }
        let to = (call.op == Op::CopyTo).then(|| call.to_offset());
        if let Some((file, at)) = self.part(call.other, to, done) {
            self.files[file].write(mark, at.saturating_add(done), wait);
        }
    }

    /// The file of `handle`, and where in it a call on `bytes` begins: at `offset`, or else at its position.
    fn part(&mut self, handle: HandleId, offset: Option<u64>, bytes: u64) -> Option<(usize, u64)> {
        let handle = self.handles.get_mut(&handle)?;
        let file = handle.file as usize;
        let at = offset.unwrap_or_else(|| {
            let own = handle.position;
            handle.position = own.saturating_add(bytes);
            own
        });
        Some((file, at))
    }

    fn order_handle(&mut self, mark: Mark, call: &Call, done: u64, wait: &mut dyn FnMut(Mark)) {
        let Some(handle) = self.handles.get_mut(&call.handle) else { return };
        let Some(file) = self.files.get_mut(handle.file as usize) else { return };
        match call.op {
            Op::Read => {
                file.read(mark, handle.position, (done, call.len), wait);
                handle.position = handle.position.saturating_add(done);
            }
            Op::Pread | Op::RingRead => file.read(mark, call.offset, (done, call.len), wait),
            Op::Write => {
                let from = if handle.appends() { file.grown.bytes() } else { handle.position };
                file.write(mark, from.saturating_add(done), wait);
                handle.position = from.saturating_add(done);
            }
            Op::Pwrite | Op::RingWrite => file.write(mark, call.offset.saturating_add(done), wait),
            Op::Seek => {
                handle.position = done;
                if LENGTH_SEEKS.contains(&call.flags) {
                    file.length.use_by(mark, wait);
                }
            }
            Op::Ftruncate => file.set_length(mark, call.len, wait),
            Op::Fallocate if call.flags & KEEP_SIZE == 0 => {
                file.write(mark, call.offset.saturating_add(call.len), wait);
            }
            Op::Map => file.read(mark, call.offset, (call.len, call.len), wait),
            Op::Lock | Op::Flock => {
                let unlock = if call.op == Op::Lock {
                    call.flags == UNLCK
                } else {
                    call.flags & LOCK_UN != 0
                };
                match unlock {
                    true => file.unlocked.note(mark),
                    false => file.unlocked.each_use(wait),
                }
            }
            _ => {}
        }
    }
}

impl File {
    /// A read that got `done` of `asked` bytes: a short one found the end where it was.
    fn read(
        &mut self,
        mark: Mark,
        from: u64,
        (done, asked): (u64, u64),
        wait: &mut dyn FnMut(Mark),
    ) {
        if done < asked {
            self.length.use_by(mark, wait);
        } else {
            self.grown.maker(from.saturating_add(done)).into_iter().for_each(wait);
        }
    }

    /// A write that ends at `end`.
    fn write(&mut self, mark: Mark, end: u64, wait: &mut dyn FnMut(Mark)) {
        if end > self.grown.bytes() {
            self.length.change_by(mark, wait);
            self.grown.set_bytes(end, mark);
        } else {
            self.grown.maker(end).into_iter().for_each(wait);
        }
    }

    fn set_length(&mut self, mark: Mark, bytes: u64, wait: &mut dyn FnMut(Mark)) {
        self.length.change_by(mark, wait);
        self.grown.set_bytes(bytes, mark);
    }
}

//! Translates a trace into a workload: its changes of files and names, in the order in which the calls began, and a
//! mark after each call that answered when something was durable. What must hold follows from the workload.
//!
//! Offsets and lengths become multiples of 8 bytes, as the content of a workload has words. Calls that failed, and
//! reads, are left out; so is what a workload cannot do, which is counted.

use super::tree::{Kind, Node, Tree, parent};
use faults::workload::{How, Operation, Workload};
use std::collections::HashMap;
use trace::{
    call::{Call, HandleId, MapId, Op},
    file::Named,
    path::{PathId, Paths},
};

/// Most operations: what must hold is worked out from the trees after all of them.
const MOST_OPERATIONS: usize = 1500;
/// Most names times operations, for the same reason.
const MOST_TREES: usize = 150_000;
/// Most bytes that are written: the log has room for them and what a file system adds.
const MOST_BYTES: u64 = 64 << 20;

const O_CREAT: u32 = 0o100;
const O_TRUNC: u32 = 0o1000;
const O_APPEND: u32 = 0o2000;
const O_DIRECT: u32 = 0o40_000;
/// `O_TMPFILE` without `O_DIRECTORY`.
const TMPFILE_BIT: u32 = 0o20_000_000;
const MAP_PRIVATE: u32 = 2;

/// The result of translating a trace.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) workload: Workload,
    /// Marks: calls that answered when something was durable.
    pub(super) syncs: u64,
    /// Calls that change something and are not in the workload.
    pub(super) left_out: u64,
    /// Whether it ends before the trace does.
    pub(super) is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    node: Node,
    position: u64,
    flags: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    pub(super) node: Node,
    pub(super) offset: u64,
}

/// Translates calls, one after the other.
pub(super) struct Translation<'p> {
    pub(super) paths: &'p Paths,
    pub(super) tree: Tree,
    pub(super) handles: HashMap<HandleId, Handle>,
    pub(super) maps: HashMap<MapId, Mapping>,
    pub(super) operations: Vec<Operation>,
    prepared: usize,
    pub(super) syncs: u64,
    pub(super) left_out: u64,
    pub(super) written: u64,
    pub(super) is_full: bool,
}

impl<'p> Translation<'p> {
    /// Begins with what was there when the recording began, synced.
    pub(super) fn new(named: Named<'p>) -> Translation<'p> {
        let mut own = Translation {
            paths: named.paths,
            tree: Tree::new(),
            handles: HashMap::new(),
            maps: HashMap::new(),
            operations: Vec::new(),
            prepared: 0,
            syncs: 0,
            left_out: 0,
            written: 0,
            is_full: false,
        };
        let roots = (0..).zip(0..named.paths.len()).map(|(id, _): (PathId, usize)| id);
        for root in roots.take_while(|id| named.paths.parent(*id).is_none()) {
            own.need_directory(&own.text(root));
        }
        own.entries(named.entries);
        own.operations.push(Operation::Syncfs);
        own.prepared = own.operations.len();
        own.written = 0;
        for start in named.handles {
            if let Some(node) = own.tree.at(&own.text(start.path)) {
                let handle = Handle { node, position: start.offset, flags: start.flags };
                own.handles.insert(start.handle, handle);
            }
        }
        own
    }

    /// The workload called `name`.
    pub(super) fn done(self, name: &str) -> Translated {
        let workload = Workload {
            name: name.into(),
            operations: self.operations,
            prepared: self.prepared,
            whole: Vec::new(),
            promised: Vec::new(),
        };
        let Translation { syncs, left_out, is_full: is_cut, .. } = self;
        Translated { workload, syncs, left_out, is_cut }
    }

    /// Adds what `call` changes; nothing once there is no more room.
    pub(super) fn add(&mut self, call: &Call) {
        let count = self.operations.len() - self.prepared;
        self.is_full |= count >= MOST_OPERATIONS
            || self.written >= MOST_BYTES
            || self.operations.len() * self.tree.len() > MOST_TREES;
        if self.is_full || call.result < 0 {
            return;
        }
        match call.op {
            Op::Open => self.open(call),
            Op::Close if call.flags == 0 => drop(self.handles.remove(&call.handle)),
            Op::Dup => {
                if let Some(handle) = self.handles.get(&call.handle).copied() {
                    self.handles.insert(call.other, handle);
                }
            }
            Op::Mkdir | Op::Symlink | Op::Link | Op::Unlink | Op::Rmdir | Op::Rename => {
                self.change_name(call);
            }
            Op::Truncate => {
                if let Some(node) = self.tree.at(&self.text(call.path)) {
                    self.truncate(node, call.len);
                }
            }
            Op::Sync | Op::Syncfs => self.sync(Operation::Syncfs),
            Op::Map => {
                let handle = self.handles.get(&call.handle);
                if let Some(handle) = handle.filter(|_| call.flags & MAP_PRIVATE == 0) {
                    let mapping = Mapping { node: handle.node, offset: call.offset };
                    self.maps.insert(call.other, mapping);
                }
            }
            Op::Touch | Op::Msync => self.mapped(call),
            Op::Clone => self.left_out += 1,
            Op::CopyRange | Op::SendFile => {
                if let Some(to) = self.handles.get(&call.other).copied() {
                    self.write_by(call.other, to, to.position, call.result as u64);
                }
            }
            Op::CopyTo => {
                if let Some(to) = self.handles.get(&call.other).copied() {
                    let done = call.result as u64;
                    self.write(to.node, call.to_offset(), done, how(to.flags));
                    self.sync_written(to.node, to.flags, 0);
                }
            }
            _ => self.by_handle(call),
        }
    }

    fn open(&mut self, call: &Call) {
        let path = self.text(call.path);
        if call.flags & TMPFILE_BIT != 0 {
            return;
        }
        let node = match self.tree.at(&path) {
            Some(node) => node,
            None if call.flags & O_CREAT != 0 && self.tree.is_directory(parent(&path)) => {
                self.create(&path)
            }
            None => {
                self.left_out += u64::from(call.flags & O_CREAT != 0);
                return;
            }
        };
        if call.flags & O_TRUNC != 0 && self.tree.size(node) > 0 {
            self.truncate(node, 0);
        }
        self.handles.insert(call.handle, Handle { node, position: 0, flags: call.flags });
    }

    pub(super) fn create(&mut self, path: &str) -> Node {
        self.operations.push(Operation::Create(path.into()));
        self.tree.make(path, Kind::File(0))
    }

    fn by_handle(&mut self, call: &Call) {
        let Some(handle) = self.handles.get(&call.handle).copied() else { return };
        let done = u64::try_from(call.result).unwrap_or(0);
        match call.op {
            Op::Read => self.move_to(call.handle, handle.position + done),
            Op::Seek => self.move_to(call.handle, done),
            Op::Write => {
                let is_append = handle.flags & O_APPEND != 0;
                let from = if is_append { self.tree.size(handle.node) } else { handle.position };
                self.write_by(call.handle, handle, from, done);
            }
            Op::Pwrite | Op::RingWrite => {
                let how = how(handle.flags);
                self.write(handle.node, call.offset, done, how);
                self.sync_written(handle.node, handle.flags, call.flags);
            }
            Op::Ftruncate => self.truncate(handle.node, call.len),
            Op::Fallocate => self.fallocate(handle.node, call),
            Op::Fsync => self.sync_node(handle.node, false),
            Op::Fdatasync => self.sync_node(handle.node, true),
            Op::RingFsync => self.sync_node(handle.node, call.flags & 1 != 0),
            _ => {}
        }
    }

    fn move_to(&mut self, handle: HandleId, position: u64) {
        if let Some(own) = self.handles.get_mut(&handle) {
            own.position = position;
        }
    }

    fn write_by(&mut self, id: HandleId, handle: Handle, from: u64, bytes: u64) {
        self.write(handle.node, from, bytes, how(handle.flags));
        self.move_to(id, from.saturating_add(bytes));
        self.sync_written(handle.node, handle.flags, 0);
    }
}

fn how(flags: u32) -> How {
    if flags & O_DIRECT != 0 { How::Direct } else { How::Buffered }
}

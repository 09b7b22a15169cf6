//! Translates changes of named files, in whole words, and their syncs.

use super::{
    translate::Translation,
    tree::{Kind, Node},
};
use faults::{
    content::{LONGEST, WORD_BYTES},
    workload::{How, Operation, Space},
};
use trace::call::{Call, Op};

const PAGE: u64 = 4096;
const O_DSYNC: u32 = 0o10_000;
/// `O_SYNC` without `O_DSYNC`.
const SYNC_BIT: u32 = 0o4_000_000;
const RWF_DSYNC: u32 = 2;
const RWF_SYNC: u32 = 4;
const MS_SYNC: u32 = 4;

fn down(bytes: u64) -> u64 {
    bytes / WORD_BYTES * WORD_BYTES
}

fn up(bytes: u64) -> u64 {
    bytes.div_ceil(WORD_BYTES).saturating_mul(WORD_BYTES)
}

impl Translation<'_> {
    /// Whole words of a file that has a name; what a workload cannot hold is left out.
    pub(super) fn write(&mut self, node: Node, from: u64, bytes: u64, how: How) {
        let end = from.saturating_add(bytes);
        let Kind::File(size) = self.tree.kind(node) else { return };
        let Some(path) = self.tree.name(node).map(String::from) else { return };
        if bytes == 0 {
            return;
        }
        let (offset, length) = (down(from), up(end).saturating_sub(down(from)));
        if offset.saturating_add(length) > LONGEST {
            self.left_out += 1;
            return;
        }
        let is_aligned = (offset | length).is_multiple_of(PAGE);
        let how = if is_aligned { how } else { How::Buffered };
        self.operations.push(Operation::Write { path, offset, length, how });
        self.written += length;
        self.tree.resize(node, size.max(end));
    }

    /// A write by a handle or with flags that make it answer when it is durable.
    pub(super) fn sync_written(&mut self, node: Node, open: u32, flags: u32) {
        if open & SYNC_BIT != 0 || flags & RWF_SYNC != 0 {
            self.sync_node(node, false);
        } else if open & O_DSYNC != 0 || flags & RWF_DSYNC != 0 {
            self.sync_node(node, true);
        }
    }

    pub(super) fn sync_node(&mut self, node: Node, is_data: bool) {
        let Some(path) = self.tree.name(node).map(String::from) else { return };
        match self.tree.kind(node) {
            Kind::File(_) if is_data => self.sync(Operation::Fdatasync(path)),
            Kind::File(_) | Kind::Directory => self.sync(Operation::Fsync(path)),
            Kind::Link => {}
        }
    }

    pub(super) fn sync(&mut self, operation: Operation) {
        self.operations.extend([operation, Operation::Mark(self.syncs)]);
        self.syncs += 1;
    }

    pub(super) fn truncate(&mut self, node: Node, bytes: u64) {
        let name = self.tree.name(node).map(String::from);
        let Some(path) = name.filter(|_| matches!(self.tree.kind(node), Kind::File(_))) else {
            return;
        };
        if bytes > LONGEST {
            self.left_out += 1;
            return;
        }
        self.operations.push(Operation::Truncate { path, size: up(bytes) });
        self.tree.resize(node, bytes);
    }

    pub(super) fn fallocate(&mut self, node: Node, call: &Call) {
        let Some(path) = self.tree.name(node).map(String::from) else { return };
        let Kind::File(size) = self.tree.kind(node) else { return };
        let end = call.offset.saturating_add(call.len);
        let space = match call.flags {
            0 => Space::Allocate,
            1 => Space::Keep,
            3 => Space::Punch,
            0x10 => Space::Zero,
            0x11 => Space::ZeroKeep,
            _ => return self.left_out += 1,
        };
        let (offset, length) = (down(call.offset), up(end).saturating_sub(down(call.offset)));
        if up(end) > LONGEST || length == 0 {
            return self.left_out += 1;
        }
        self.operations.push(Operation::Fallocate { path, space, offset, length });
        if space.extends() {
            self.tree.resize(node, size.max(end));
        }
    }

    /// A first store to pages of a mapping, or its sync.
    pub(super) fn mapped(&mut self, call: &Call) {
        let Some(mapping) = self.maps.get(&call.other).copied() else { return };
        let from = mapping.offset.saturating_add(call.offset);
        match call.op {
            Op::Touch if call.flags == 1 => {
                let end = from.saturating_add(call.len.saturating_mul(PAGE));
                let end = end.min(self.tree.size(mapping.node));
                self.write(mapping.node, from, end.saturating_sub(from), How::Buffered);
            }
            Op::Msync if call.flags & MS_SYNC != 0 => self.sync_node(mapping.node, true),
            _ => {}
        }
    }
}

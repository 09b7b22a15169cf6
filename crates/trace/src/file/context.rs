//! Predicts a call from the calls before it; a column stores the difference from the prediction.
//!
//! Reader and writer keep the same context, and each block starts with an empty one. A wrong prediction only costs
//! bytes, so tables of fixed size suffice for any number of threads and handles.

use crate::call::{Call, Field, NONE, Op};

const SLOTS: usize = 4096;

/// What was last seen of a thread.
#[derive(Clone, Copy, Default)]
struct Thread {
    end_ns: u64,
    handle: u32,
}

/// What the calls of a block led up to.
pub(super) struct Context {
    threads: Vec<Thread>,
    /// Where the last call on a handle ended in its file.
    ends: Vec<u64>,
    lens: [u64; 256],
    next_handle: u32,
    next_map: u32,
    other: u32,
    path: u32,
}

impl Context {
    pub(super) fn new() -> Self {
        Context {
            threads: vec![Thread::default(); SLOTS],
            ends: vec![0; SLOTS],
            lens: [0; 256],
            next_handle: 0,
            next_map: 0,
            other: 0,
            path: 0,
        }
    }

    /// When the thread's last call ended.
    pub(super) fn ended(&self, thread: u32) -> u64 {
        self.threads[thread as usize % SLOTS].end_ns
    }

    /// The likely value of a field of `call`, of which the fields before it are known.
    pub(super) fn guess(&self, call: &Call, field: Field) -> u64 {
        match field {
            Field::Handle if call.op == Op::Open => self.next_handle.into(),
            Field::Handle => self.threads[call.thread as usize % SLOTS].handle.into(),
            Field::Other if call.op == Op::Dup => self.next_handle.into(),
            Field::Other if call.op == Op::Map => self.next_map.into(),
            Field::Other => self.other.into(),
            Field::Path => self.path.into(),
            Field::Path2 => call.path.into(),
            Field::Offset => self.ends[slot(call)],
            Field::Len => self.lens[call.op as usize],
            Field::Flags | Field::Mode => 0,
        }
    }

    /// Takes note of a call.
    pub(super) fn saw(&mut self, call: &Call) {
        let thread = &mut self.threads[call.thread as usize % SLOTS];
        thread.end_ns = call.at_ns.wrapping_add(call.took_ns);
        for field in call.op.fields() {
            match field {
                Field::Handle if call.handle != NONE => thread.handle = call.handle,
                Field::Other if call.other != NONE => self.other = call.other,
                Field::Path if call.path != NONE => self.path = call.path,
                Field::Offset => self.ends[slot(call)] = call.offset.wrapping_add(call.len),
                Field::Len => self.lens[call.op as usize] = call.len,
                _ => {}
            }
        }
        match call.op {
            Op::Open if call.handle != NONE => self.next_handle = call.handle.wrapping_add(1),
            Op::Dup if call.other != NONE => self.next_handle = call.other.wrapping_add(1),
            Op::Map if call.other != NONE => self.next_map = call.other.wrapping_add(1),
            _ => {}
        }
    }
}

/// The slot of the file position that a call is about; mappings have every other.
fn slot(call: &Call) -> usize {
    let of_handle = call.op.fields().contains(&Field::Handle);
    let slot = if of_handle { call.handle } else { call.other };
    (slot as usize * 2 + usize::from(!of_handle)) % SLOTS
}

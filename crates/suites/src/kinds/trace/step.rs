//! The calls of a trace as a replay makes them: compact, with all names resolved, and with what each waits for.

use super::resource::Mark;
use std::ffi::CString;
use trace::call::{Field, Op};

/// The value of a slot or a path that a step does not have.
pub(super) const NONE: u32 = u32::MAX;
/// Bit of a slot that several lanes use; the others are of the lane alone.
pub(super) const SHARED: u32 = 1 << 31;

/// One call of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// As recorded.
    pub(super) result: i64,
    pub(super) offset: u64,
    pub(super) len: u64,
    /// Nanoseconds: when it is due from the start, or how long the thread pauses before it.
    pub(super) time_ns: u64,
    /// Slot of its handle.
    pub(super) handle: u32,
    /// Slot of its second handle or of its mapping.
    pub(super) other: u32,
    pub(super) path: u32,
    pub(super) path2: u32,
    pub(super) flags: u32,
    pub(super) mode: u32,
    pub(super) op: Op,
    /// How many of the marks in [`Chunk::waits`] it waits for.
    pub(super) waits: u16,
    /// Whether another lane waits for it.
    pub(super) awaited: bool,
    /// It could lead out of the tree and is not made.
    pub(super) refused: bool,
    /// It was in flight at the same time as a call on the same thing: either could have come first.
    pub(super) races: bool,
}

/// Consecutive calls of a lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    pub(super) steps: Vec<Step>,
    /// Where symbolic links lead, which a step names as its second path.
    pub(super) links: Vec<CString>,
    /// What they wait for, in their order.
    pub(super) waits: Vec<Mark>,
}

/// Whether calls of the kind `op` have `field`.
pub(super) fn has(op: Op, field: Field) -> bool {
    op.fields().contains(&field)
}

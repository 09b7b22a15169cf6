//! Summarizes in figures what an application does on disk, from the calls of its trace, in one pass and little memory.

mod distinct;
mod durations;
mod over_time;

pub use distinct::Distinct;
pub use durations::Durations;
pub use over_time::OverTime;

use crate::{
    call::{Call, HandleId, Op, ThreadId},
    path::PathId,
};
use std::collections::HashMap;

/// Bytes of a page.
const PAGE: u64 = 4096;
/// Most bytes that Linux moves in a call; a trace that says more is not believed.
const MOST_MOVED: u64 = 0x7fff_f000;
/// `O_CREAT`, `O_APPEND`, `O_DIRECT`, `O_DSYNC`.
const CREAT: u32 = 0o100;
const APPEND: u32 = 0o2000;
const DIRECT: u32 = 0o40_000;
const DSYNC: u32 = 0o10_000;

/// The calls of one kind.
#[derive(Clone, Debug, Default)]
pub struct OfOp {
    /// How many.
    pub calls: u64,
    /// Those that returned an error.
    pub failed: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// How long they took.
    pub durations: Durations,
}

/// Reads, or writes.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    /// Calls that moved data.
    pub calls: u64,
    /// Bytes.
    pub bytes: u64,
    /// Calls that continued where the one before on the same handle ended.
    pub sequential: u64,
    /// Calls by length.
    pub lengths: Powers,
    /// Different pages of files.
    pub pages: Distinct,
    /// Bytes over time.
    pub over_time: OverTime,
    /// Bytes moved past the page cache.
    pub direct_bytes: u64,
}

/// Counts by powers of two: element N counts 2^N to 2^(N+1) - 1 bytes; the first also nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Powers(pub [u64; 64]);

impl Default for Powers {
    fn default() -> Powers {
        Powers([0; 64])
    }
}

impl Powers {
    fn add(&mut self, bytes: u64) {
        self.0[bytes.max(1).ilog2() as usize] += 1;
    }
}

/// Names that were made, removed, moved and looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Files and directories made.
    pub made: u64,
    /// Removed.
    pub removed: u64,
    /// Moved.
    pub moved: u64,
    /// Looked at by name, found or not: stat, access, readlink, open of what is there.
    pub looked_up: u64,
    /// Lists of directories.
    pub listed: u64,
}

/// The figures of a trace.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Calls by kind, by the code of the kind.
    pub of_op: Vec<OfOp>,
    /// All calls.
    pub calls: u64,
    /// From the first call to the end of the last.
    pub wall_ns: u64,
    /// Recorded threads.
    pub threads: u64,
    /// Sum of their lives, each from its first call to the end of its last, nanoseconds.
    pub thread_lives_ns: u64,
    /// Reads.
    pub read: Moved,
    /// Writes.
    pub written: Moved,
    /// Names.
    pub named: Named,
    /// Calls that answered when data was durable, with those that wrote through a handle opened so.
    pub syncs: Durations,
    /// Bytes written before each sync, since the one before; all of them together.
    pub bytes_before_syncs: u64,
    /// Files by their last known length.
    pub sizes: Powers,
    /// First touches of mapped pages.
    pub touched_pages: u64,
}

/// A handle, as far as it is followed.
#[derive(Clone, Copy, Debug)]
struct Handle {
    path: PathId,
    flags: u32,
    position: u64,
    /// Where the last read and the last write ended.
    ends: [u64; 2],
}

/// When a thread made its first call, and ended its last.
#[derive(Clone, Copy, Debug, Default)]
struct Life(Option<(u64, u64)>);

impl Life {
    fn see(&mut self, call: &Call) {
        let end_ns = call.at_ns.saturating_add(call.took_ns);
        let (first_ns, last_ns) = self.0.unwrap_or((call.at_ns, end_ns));
        self.0 = Some((first_ns, last_ns.max(end_ns)));
    }

    fn ns(&self) -> u64 {
        self.0.map_or(0, |(first_ns, last_ns)| last_ns.saturating_sub(first_ns))
    }
}

/// A summary in the making.
#[derive(Debug)]
pub struct Summing {
    summary: Summary,
    handles: HashMap<HandleId, Handle>,
    sizes: HashMap<PathId, u64>,
    lives: HashMap<ThreadId, Life>,
    first_ns: Option<u64>,
    unsynced: u64,
}

impl Summing {
    /// For a trace that begins with these files and handles.
    pub fn new(
        entries: &[crate::start::StartEntry],
        handles: &[crate::start::StartHandle],
    ) -> Summing {
        let mut summing = Summing {
            summary: Summary {
                of_op: vec![OfOp::default(); Op::ALL.len()],
                calls: 0,
                wall_ns: 0,
                threads: 0,
                thread_lives_ns: 0,
                read: Moved::default(),
                written: Moved::default(),
                named: Named::default(),
                syncs: Durations::default(),
                bytes_before_syncs: 0,
                sizes: Powers::default(),
                touched_pages: 0,
            },
            handles: HashMap::new(),
            sizes: HashMap::new(),
            lives: HashMap::new(),
            first_ns: None,
            unsynced: 0,
        };
        for entry in entries {
            if let crate::start::StartKind::File { bytes, .. } = entry.kind {
                summing.sizes.insert(entry.path, bytes);
            }
        }
        for start in handles {
            let (path, position) = (start.path, start.offset);
            summing.open(
                start.handle,
                Handle { path, flags: start.flags, position, ends: [position; 2] },
            );
        }
        summing
    }

    fn open(&mut self, handle: HandleId, of: Handle) {
        self.sizes.entry(of.path).or_default();
        self.handles.insert(handle, of);
    }

    /// Adds calls, in the order of the trace.
    pub fn see(&mut self, calls: &[Call]) {
        calls.iter().for_each(|call| self.see_one(call));
    }

    fn see_one(&mut self, call: &Call) {
        self.lives.entry(call.thread).or_default().see(call);
        if call.op.is_of_thread() {
            return;
        }
        let first_ns = *self.first_ns.get_or_insert(call.at_ns);
        let since_ns = call.at_ns.saturating_sub(first_ns);
        let summary = &mut self.summary;
        summary.calls += 1;
        summary.wall_ns = summary.wall_ns.max(since_ns.saturating_add(call.took_ns));
        if let Some(of) = summary.of_op.get_mut(call.op as usize) {
            of.calls += 1;
            of.failed += u64::from(call.result < 0);
            of.durations.add(call.took_ns);
        }
        self.names(call);
        if call.result < 0 {
            return;
        }
        self.data(call, since_ns);
        if call.op.is_sync() {
            self.sync(call);
        }
    }

    fn sync(&mut self, call: &Call) {
        self.summary.syncs.add(call.took_ns);
        self.summary.bytes_before_syncs += std::mem::take(&mut self.unsynced);
    }

    fn names(&mut self, call: &Call) {
        let named = &mut self.summary.named;
        let is_done = call.result >= 0;
        match call.op {
            Op::Open
                if call.flags & CREAT != 0 && is_done && !self.sizes.contains_key(&call.path) =>
            {
                named.made += 1;
            }
            Op::Mkdir | Op::Mknod | Op::Symlink | Op::Link if is_done => named.made += 1,
            Op::Unlink | Op::Rmdir if is_done => {
                named.removed += 1;
                if let Some(bytes) = self.sizes.remove(&call.path) {
                    self.summary.sizes.add(bytes);
                }
            }
            Op::Rename if is_done => {
                named.moved += 1;
                if let Some(bytes) = self.sizes.remove(&call.path) {
                    self.sizes.insert(call.path2, bytes);
                }
            }
            Op::Open | Op::Stat | Op::Access | Op::Readlink | Op::Chdir | Op::Statfs => {
                named.looked_up += 1;
            }
            Op::Getdents => named.listed += 1,
            _ => {}
        }
    }

    fn data(&mut self, call: &Call, since_ns: u64) {
        use Op::{Pread, Pwrite, Read, RingRead, RingWrite, Write};
        match call.op {
            Op::Open => {
                let Call { path, flags, .. } = *call;
                self.open(call.handle, Handle { path, flags, position: 0, ends: [0; 2] });
            }
            Op::Dup => {
                if let Some(handle) = self.handles.get(&call.handle).copied() {
                    self.handles.insert(call.other, handle);
                }
            }
            Op::Close if call.flags == 0 => drop(self.handles.remove(&call.handle)),
            Op::Seek => {
                if let Some(handle) = self.handles.get_mut(&call.handle) {
                    handle.position = call.result as u64;
                }
            }
            Op::Ftruncate => {
                if let Some(path) = self.handles.get(&call.handle).map(|handle| handle.path) {
                    self.sizes.insert(path, call.len);
                }
            }
            Op::Touch => self.summary.touched_pages += call.len,
            Read | Pread | RingRead | Write | Pwrite | RingWrite => self.moved(call, since_ns),
            op if op.copies() => {
                self.count(call.op, (call.result as u64).min(MOST_MOVED));
            }
            _ => {}
        }
    }

    fn count(&mut self, op: Op, bytes: u64) {
        if let Some(of) = self.summary.of_op.get_mut(op as usize) {
            of.bytes += bytes;
        }
    }

    fn moved(&mut self, call: &Call, since_ns: u64) {
        let bytes = (call.result as u64).min(MOST_MOVED);
        self.count(call.op, bytes);
        let is_write = matches!(call.op, Op::Write | Op::Pwrite | Op::RingWrite);
        let has_position = matches!(call.op, Op::Read | Op::Write);
        let Some(handle) = self.handles.get_mut(&call.handle) else { return };
        let size = self.sizes.entry(handle.path).or_default();
        let at = match (has_position, is_write && handle.flags & APPEND != 0) {
            (_, true) => *size,
            (true, false) => handle.position,
            (false, false) => call.offset,
        };
        let end = at.saturating_add(bytes);
        if has_position {
            handle.position = end;
        }
        if bytes == 0 {
            return;
        }
        let moved = match is_write {
            true => &mut self.summary.written,
            false => &mut self.summary.read,
        };
        moved.calls += 1;
        moved.bytes += bytes;
        moved.sequential += u64::from(handle.ends[usize::from(is_write)] == at);
        moved.lengths.add(bytes);
        moved.over_time.add(since_ns, bytes);
        moved.direct_bytes += if handle.flags & DIRECT != 0 { bytes } else { 0 };
        for page in at / PAGE..end.div_ceil(PAGE) {
            moved.pages.add(u64::from(handle.path) << 40 ^ page);
        }
        handle.ends[usize::from(is_write)] = end;
        if is_write {
            *size = end.max(*size);
            self.unsynced += bytes;
            if handle.flags & DSYNC != 0 {
                self.sync(call);
            }
        }
    }

    /// The figures.
    pub fn end(self) -> Summary {
        let Summing { mut summary, sizes, lives, .. } = self;
        sizes.values().for_each(|bytes| summary.sizes.add(*bytes));
        summary.threads = lives.len() as u64;
        summary.thread_lives_ns = lives.values().fold(0, |sum, life| sum.saturating_add(life.ns()));
        summary
    }
}

impl Summary {
    /// Time in all calls of all threads, nanoseconds.
    pub fn in_calls_ns(&self) -> u64 {
        self.of_op.iter().map(|of| of.durations.total_ns()).sum()
    }

    /// How many threads were in a call at a time, on average.
    pub fn parallelism(&self) -> f64 {
        ratio(self.in_calls_ns() as f64, self.wall_ns as f64)
    }

    /// Files that were opened or there.
    pub fn files(&self) -> u64 {
        self.sizes.0.iter().sum()
    }

    /// Bytes of different pages that were read and written, about.
    pub fn working_set_bytes(&self) -> (u64, u64) {
        (self.read.pages.count() * PAGE, self.written.pages.count() * PAGE)
    }
}

impl Moved {
    /// Share of calls that continued the one before.
    pub fn sequential_share(&self) -> f64 {
        ratio(self.sequential as f64, self.calls as f64)
    }
}

/// 0 for no divisor.
fn ratio(value: f64, by: f64) -> f64 {
    if by > 0.0 { value / by } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::{StartEntry, StartHandle, StartKind};

    fn call(op: Op, at_ns: u64, result: i64, set: impl FnOnce(&mut Call)) -> Call {
        let mut call = Call { at_ns, took_ns: 100, result, handle: 0, ..Call::new(op, 0) };
        set(&mut call);
        call
    }

    #[test]
    fn log_is_written_in_order_and_its_table_read_at_random() {
        let entry = |path, bytes| StartEntry {
            path,
            kind: StartKind::File { bytes, cached_bytes: None, compressed: None },
            mode: 0o644,
        };
        let handle = |handle, path| StartHandle { handle, thread: 0, path, flags: 2, offset: 0 };
        let mut summing =
            Summing::new(&[entry(1, 1 << 20), entry(2, 0)], &[handle(0, 1), handle(1, 2)]);
        for n in 0..100 {
            let offset = n * 7919 % 256 * 4096;
            summing.see(&[
                call(Op::Pread, n * 1000, 4096, |c| (c.offset, c.len) = (offset, 4096)),
                call(Op::Write, n * 1000 + 200, 512, |c| (c.handle, c.len) = (1, 512)),
                call(Op::Fdatasync, n * 1000 + 400, 0, |c| (c.handle, c.took_ns) = (1, 500)),
            ]);
        }
        let summary = summing.end();
        assert_eq!((summary.calls, summary.threads, summary.files()), (300, 1, 2));
        assert_eq!((summary.read.bytes, summary.written.bytes), (409_600, 51_200));
        assert!(summary.read.sequential_share() < 0.05, "{}", summary.read.sequential);
        assert_eq!(summary.written.sequential_share(), 1.0);
        assert_eq!((summary.read.lengths.0[12], summary.written.lengths.0[9]), (100, 100));
        assert_eq!((summary.syncs.count(), summary.bytes_before_syncs), (100, 51_200));
        assert_eq!(summary.working_set_bytes(), (100 * 4096, 13 * 4096));
        assert_eq!(summary.wall_ns, 99_900);
        assert!((0.6..0.8).contains(&summary.parallelism()), "{}", summary.parallelism());
        assert_eq!((summary.sizes.0[20], summary.sizes.0[15]), (1, 1), "a MiB, and 51 200 bytes");
    }

    #[test]
    fn short_thread_counts_by_its_own_life() {
        let mut summing = Summing::new(&[], &[]);
        for (thread, at_ns) in [(0, 0), (1, 0), (0, 900)] {
            summing.see(&[call(Op::Sync, at_ns, 0, |c| c.thread = thread)]);
        }
        let summary = summing.end();
        assert_eq!((summary.threads, summary.thread_lives_ns), (2, 1000 + 100));
    }

    #[test]
    fn bytes_that_no_call_moves_are_not_believed() {
        let mut summing = Summing::new(&[], &[]);
        summing.see(&[
            call(Op::Open, 0, 0, |_| ()),
            call(Op::Pwrite, 1, i64::MAX, |c| c.offset = 4096),
        ]);
        assert_eq!(summing.end().written.bytes, MOST_MOVED);
    }

    #[test]
    fn names_are_made_moved_and_removed() {
        let mut summing = Summing::new(&[], &[]);
        summing.see(&[
            call(Op::Open, 0, 0, |c| (c.path, c.flags) = (1, CREAT | 1)),
            call(Op::Open, 1, -2, |c| (c.handle, c.path) = (crate::call::NONE, 9)),
            call(Op::Close, 2, 0, |_| ()),
            call(Op::Rename, 3, 0, |c| (c.path, c.path2) = (1, 2)),
            call(Op::Open, 4, 0, |c| (c.handle, c.path, c.flags) = (1, 2, CREAT)),
            call(Op::Unlink, 5, 0, |c| c.path = 2),
            call(Op::Stat, 6, -2, |c| c.path = 2),
        ]);
        let summary = summing.end();
        let named = Named { made: 1, removed: 1, moved: 1, looked_up: 3, listed: 0 };
        assert_eq!(summary.named, named);
        assert_eq!(summary.of_op[Op::Stat as usize].failed, 1);
    }
}

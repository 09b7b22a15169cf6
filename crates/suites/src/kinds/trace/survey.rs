//! The first pass over all calls of a trace, before the clock starts: its threads, the handles they share, the bytes
//! read and written, and the calls that must be skipped.

use super::{
    guard::Watch,
    lanes::{Lanes, Life},
    settings::Window,
    sizes::Sizes,
    source::{Recorded, each_block},
};
use std::collections::{HashMap, HashSet};
use trace::{
    call::{Call, Field, HandleId, MapId, NONE, Op, ThreadId},
    path::PathId,
};

/// `O_DIRECT`.
const DIRECT: u32 = 0o40_000;

/// Everything that a replay must know before its first step.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Calls of the window.
    pub(super) calls: u64,
    /// Calls of each kind in the window, by code.
    pub(super) of_op: Vec<u64>,
    /// Bytes read by calls.
    pub(super) read_bytes: u64,
    /// Bytes written by calls.
    pub(super) written_bytes: u64,
    /// Longest buffer of a call.
    pub(super) longest: u64,
    /// Most bytes of all files at a time.
    pub(super) most_bytes: u64,
    /// When the first call of the window began, and the last ended.
    pub(super) first_ns: Option<u64>,
    pub(super) last_ns: u64,
    /// The distribution of threads.
    pub(super) lanes: Lanes,
    /// Whether a file is opened for direct I/O.
    pub(super) direct: bool,
    /// Most mappings at a time.
    pub(super) most_maps: usize,
    /// Handles that several threads use.
    pub(super) shared: HashSet<HandleId>,
    /// Names that are moved: of those that are directories, what is below is used before or after.
    pub(super) moved: HashSet<PathId>,
    /// Numbers of calls that could lead out of the tree.
    pub(super) dangerous: HashSet<u64>,
}

/// State of the pass over the calls.
#[derive(Default)]
struct Looking {
    survey: Survey,
    lives: HashMap<ThreadId, Life>,
    owners: HashMap<HandleId, ThreadId>,
    watch: Watch,
    sizes: Sizes,
    maps: HashSet<MapId>,
    number: u64,
}

impl Survey {
    /// Reads all calls of `trace`.
    ///
    /// # Errors
    /// A block cannot be read.
    pub(super) fn of(trace: &mut Recorded, window: Window) -> Result<Survey, String> {
        let sizes = Sizes::new(trace.start_entries(), trace.start_handles());
        let mut looking = Looking { sizes, ..Looking::default() };
        looking.survey.of_op = vec![0; 1 + usize::from(u8::MAX)];
        for start in trace.start_handles() {
            looking.owners.insert(start.handle, start.thread);
        }
        each_block(trace, &mut |calls| calls.iter().for_each(|call| looking.see(call, window)))?;
        let Looking { mut survey, lives, watch, sizes, .. } = looking;
        survey.most_bytes = sizes.most();
        survey.lanes = Lanes::of(&lives);
        survey.dangerous = watch.dangerous(trace.paths(), trace.start_entries());
        Ok(survey)
    }
}

impl Looking {
    fn see(&mut self, call: &Call, window: Window) {
        let number = self.number;
        self.number += 1;
        self.watch.see(number, call);
        self.sizes.see(call);
        if window.is_over(call.at_ns) {
            return;
        }
        if call.op == Op::Rename && call.result >= 0 {
            self.survey.moved.insert(call.path);
        }
        let life = Life { first: number, last: number };
        self.lives.entry(call.thread).or_insert(life).last = number;
        self.own(call);
        if !window.is_before(call.at_ns) {
            self.count(call);
        }
    }

    /// Notes who uses the handles of `call`.
    fn own(&mut self, call: &Call) {
        let fields = call.op.fields();
        let has_other = call.op.copies() || matches!(call.op, Op::Dup | Op::Clone);
        let first = fields.contains(&Field::Handle).then_some(call.handle);
        let second = has_other.then_some(call.other);
        for handle in first.into_iter().chain(second).filter(|handle| *handle != NONE) {
            let owner = *self.owners.entry(handle).or_insert(call.thread);
            if owner != call.thread {
                self.survey.shared.insert(handle);
            }
        }
        match call.op {
            Op::Map if call.other != NONE => {
                self.maps.insert(call.other);
                self.survey.most_maps = self.survey.most_maps.max(self.maps.len());
            }
            Op::Unmap => {
                self.maps.remove(&call.other);
            }
            _ => {}
        }
        if call.op == Op::Close && call.flags == 0 {
            self.owners.remove(&call.handle);
        }
    }

    fn count(&mut self, call: &Call) {
        use Op::{Pread, Pwrite, Read, RingRead, RingWrite, Write};
        let survey = &mut self.survey;
        survey.calls += 1;
        survey.of_op[call.op as usize] += 1;
        survey.first_ns.get_or_insert(call.at_ns);
        survey.last_ns = survey.last_ns.max(call.at_ns.saturating_add(call.took_ns));
        let bytes = u64::try_from(call.result).unwrap_or(0);
        match call.op {
            Read | Pread | RingRead => {
                survey.read_bytes = survey.read_bytes.saturating_add(bytes);
                survey.longest = survey.longest.max(call.len);
            }
            Write | Pwrite | RingWrite => {
                survey.written_bytes = survey.written_bytes.saturating_add(bytes);
                survey.longest = survey.longest.max(call.len);
            }
            Op::Open => survey.direct |= call.flags & DIRECT != 0,
            op if op.copies() => {
                survey.read_bytes = survey.read_bytes.saturating_add(bytes);
                survey.written_bytes = survey.written_bytes.saturating_add(bytes);
            }
            _ => {}
        }
    }
}

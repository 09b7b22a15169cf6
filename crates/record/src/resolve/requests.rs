//! Follows requests of io_uring. Each is stored as a call of a thread that stands for requests: a submitter has as many
//! of these as it had requests in flight at once, and a request takes the first that is free.

use super::{LeftOut, Resolver, tables::Thread};
use crate::raw::{Completed, RawCall, Submitted, operation};
use std::collections::{BTreeMap, HashMap};
use trace::call::{HandleId, Op};

/// Flags of a request: its file is a registered one, and the next request begins when it is complete.
const REGISTERED: u32 = 1;
const LINKS: u32 = 4 | 8;
/// Operations that read, that write, and those of them whose length is a number of buffers.
const READS: [u8; 4] =
    [operation::READ, operation::READV, operation::READ_FIXED, operation::READV_FIXED];
const WRITES: [u8; 4] =
    [operation::WRITE, operation::WRITEV, operation::WRITE_FIXED, operation::WRITEV_FIXED];
const VECTORS: [u8; 4] =
    [operation::READV, operation::WRITEV, operation::READV_FIXED, operation::WRITEV_FIXED];
/// Numbers of threads of our own begin here, above all that Linux gives.
const FIRST_OWN: u32 = 1 << 24;
/// Threads of one submitter, at most; more requests at once follow one another.
const MOST_LANES: usize = 256;

/// Requests that are in flight, and the threads that they are stored as.
#[derive(Default)]
pub(super) struct Requests {
    in_flight: HashMap<u64, Pending>,
    lanes: BTreeMap<u32, Lanes>,
    next_own: u32,
}

/// The threads of one submitter.
#[derive(Default)]
struct Lanes {
    all: Vec<Lane>,
    /// The one that the next request has to take, as it follows the one before.
    linked: Option<usize>,
}

struct Lane {
    thread: Thread,
    tid: u32,
    in_flight: u32,
    /// When its last request was complete.
    free_ns: u64,
}

/// A request in flight.
struct Pending {
    submitted: Submitted,
    /// Submitter and number of the lane.
    lane: (u32, usize),
    op: Op,
    handle: HandleId,
}

impl Resolver {
    /// A request begins.
    pub(super) fn submit(&mut self, submitted: &Submitted) {
        if self.requests.in_flight.remove(&submitted.key).is_some() {
            // The kernel uses its place again, and its end was not told, as the application asked for.
            self.skip(LeftOut::Untold);
        }
        let thread = self.thread(submitted.tid, submitted.pid, submitted.at_ns);
        let found = self.look_up_request(submitted, &thread);
        let Some((op, handle)) = found else { return self.end_chain(submitted) };
        let number = self.lane(&thread, submitted);
        self.end_chain(submitted);
        let lane = (submitted.tid, number);
        let pending = Pending { submitted: *submitted, lane, op, handle };
        self.requests.in_flight.insert(submitted.key, pending);
    }

    /// What it does to which file; `None`, counted, where it is nothing that a trace has.
    fn look_up_request(
        &mut self,
        submitted: &Submitted,
        thread: &Thread,
    ) -> Option<(Op, HandleId)> {
        let at_position = submitted.offset == u64::MAX;
        let op = match (submitted.operation, at_position) {
            (other, _) if operation::WITHOUT_FILE.contains(&other) => return None,
            (other, true) if READS.contains(&other) => Op::Read,
            (other, false) if READS.contains(&other) => Op::RingRead,
            (other, true) if WRITES.contains(&other) => Op::Write,
            (other, false) if WRITES.contains(&other) => Op::RingWrite,
            (operation::FSYNC, _) => Op::RingFsync,
            (operation::SYNC_FILE_RANGE, _) => Op::SyncRange,
            (operation::FALLOCATE, _) => Op::Fallocate,
            _ => {
                self.skip(LeftOut::Request);
                return None;
            }
        };
        if submitted.request_flags & REGISTERED != 0 {
            self.skip(LeftOut::Registered);
            return None;
        }
        Some((op, self.handle(thread, submitted.fd.into())?))
    }

    /// The number of the submitter's lane that the request takes.
    fn lane(&mut self, thread: &Thread, submitted: &Submitted) -> usize {
        let lanes = self.requests.lanes.entry(submitted.tid).or_default();
        let free = || lanes.all.iter().position(|lane| lane.in_flight == 0);
        let least = || (0..lanes.all.len()).min_by_key(|at| lanes.all[*at].in_flight);
        let known = match lanes.linked {
            Some(number) => Some(number),
            None => free().or_else(|| least().filter(|_| lanes.all.len() >= MOST_LANES)),
        };
        let number = known.unwrap_or_else(|| self.new_lane(thread, submitted));
        if let Some(lanes) = self.requests.lanes.get_mut(&submitted.tid) {
            lanes.all[number].in_flight += 1;
            lanes.linked = Some(number);
        }
        number
    }

    /// The next request is free of this one, unless this one links to it.
    fn end_chain(&mut self, submitted: &Submitted) {
        let lanes = self.requests.lanes.get_mut(&submitted.tid);
        if let Some(lanes) = lanes.filter(|_| submitted.request_flags & LINKS == 0) {
            lanes.linked = None;
        }
    }

    /// Adds a lane, which shares all with its submitter.
    fn new_lane(&mut self, thread: &Thread, submitted: &Submitted) -> usize {
        let tid = FIRST_OWN + self.requests.next_own;
        self.requests.next_own += 1;
        self.tables.files.share(thread.files);
        self.tables.directories.share(thread.directory);
        let own = self.tables.insert(tid, submitted.pid, thread.files, thread.directory);
        let maker = thread.id;
        self.emit_at(&own, submitted.at_ns, Op::Begin, |call| call.other = maker);
        let lanes = self.requests.lanes.entry(submitted.tid).or_default();
        lanes.all.push(Lane { thread: own, tid, in_flight: 0, free_ns: submitted.at_ns });
        lanes.all.len() - 1
    }

    /// A request is complete, and is stored.
    pub(super) fn complete(&mut self, completed: &Completed) {
        let Some(pending) = self.requests.in_flight.remove(&completed.key) else { return };
        let (submitter, number) = pending.lane;
        let lanes = self.requests.lanes.get_mut(&submitter);
        let Some(lane) = lanes.and_then(|lanes| lanes.all.get_mut(number)) else {
            return self.skip(LeftOut::Untold);
        };
        let Submitted { at_ns, operation, offset, len, flags, mode, .. } = pending.submitted;
        let start_ns = at_ns.max(lane.free_ns).min(completed.at_ns);
        (lane.in_flight, lane.free_ns) = (lane.in_flight - 1, completed.at_ns);
        let thread = lane.thread;
        let raw = RawCall {
            start_ns,
            end_ns: completed.at_ns,
            result: completed.result,
            ..RawCall::default()
        };
        let is_vector = VECTORS.contains(&operation);
        let len = if is_vector { completed.result.max(0) as u64 } else { len };
        let offset = if matches!(pending.op, Op::Read | Op::Write) { 0 } else { offset };
        let is_fallocate = operation == operation::FALLOCATE;
        self.emit(&raw, &thread, pending.op, |call| {
            (call.handle, call.offset, call.len) = (pending.handle, offset, len);
            call.flags = if is_fallocate { mode } else { flags };
        });
    }

    /// The threads of a submitter that ended end with it.
    pub(super) fn end_lanes(&mut self, submitter: u32, at_ns: u64) {
        let lanes = self.requests.lanes.remove(&submitter).unwrap_or_default();
        for lane in lanes.all {
            self.exit(lane.tid, at_ns);
        }
    }

    /// Counts the requests that are still in flight.
    pub(super) fn count_in_flight(&mut self) {
        let count = self.requests.in_flight.drain().count();
        (0..count).for_each(|_| self.skip(LeftOut::Untold));
    }
}

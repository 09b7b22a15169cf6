//! Turns calls with descriptors and names into calls with handles and paths: pure code, the same for every recorder.
//!
//! Events come in the order in which they ended; [`Resolver::take`] gives the calls back in the order in which they
//! began, as far as that is known. What is not below a root is counted, not stored.

mod calls;
mod clock;
mod copies;
mod handles;
mod names;
mod order;
mod places;
mod processes;
mod requests;
mod tables;
#[cfg(test)]
mod tests;
mod touches;
mod waits;

pub use names::Names;
pub use places::{Place, Places};

use crate::raw::{Event, RawCall};
use clock::Clock;
use order::Order;
use requests::Requests;
use std::collections::{BTreeMap, HashMap};
use tables::{Descriptor, Open, Table, Tables, Thread};
use touches::Touches;
use trace::{
    call::{Call, HandleId, MapId, NONE, Op},
    path::PathId,
    start::StartHandle,
};
use waits::Waits;

/// What a process has when its recording begins.
#[derive(Clone, Debug, Default)]
pub struct Beginning {
    /// Its threads.
    pub tids: Vec<u32>,
    /// Its number.
    pub pid: u32,
    /// Its working directory, an absolute name.
    pub directory: Vec<u8>,
    /// Its descriptors.
    pub descriptors: Vec<OpenFile>,
    /// Its mappings of files.
    pub mappings: Vec<Mapped>,
    /// When it was looked at, by the recorder's clock.
    pub at_ns: u64,
}

/// A mapping of a file that is there at the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapped {
    /// Where it begins.
    pub address: u64,
    /// Its length, bytes.
    pub len: u64,
    /// Where in the file it begins, bytes.
    pub offset: u64,
    /// The file, an absolute name.
    pub name: Vec<u8>,
    /// Its protection, `PROT_*`.
    pub protection: u32,
    /// Whether writes reach the file.
    pub is_shared: bool,
}

/// A descriptor that is open at the beginning.
#[derive(Clone, Debug, Default)]
pub struct OpenFile {
    /// Its number.
    pub fd: u32,
    /// The file, an absolute name.
    pub name: Vec<u8>,
    /// Its flags.
    pub flags: u32,
    /// Its position.
    pub offset: u64,
    /// Which open file it is: descriptors with the same number share a position.
    pub description: u32,
}

/// Why calls were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// The file is not below a root.
    Outside,
    /// It names one path below a root and one that is not.
    Across,
    /// The descriptor is not known: a socket or pipe, or one that came over a socket.
    Unknown,
    /// A trace has no such call.
    Unsupported,
    /// It is a request of io_uring that a trace does not have.
    Request,
    /// It is a request of io_uring on a registered file.
    Registered,
    /// It is a request of io_uring of which no end was reported.
    Untold,
    /// It submits requests of io_uring on a kernel that does not describe them.
    Ring,
}

impl LeftOut {
    /// For the end of a trace.
    pub fn words(self) -> &'static str {
        match self {
            LeftOut::Outside => "outside the recorded trees",
            LeftOut::Across => "between a recorded tree and another",
            LeftOut::Unknown => "on a socket, a pipe or an unknown descriptor",
            LeftOut::Unsupported => "of a form that a trace cannot hold",
            LeftOut::Request => "io_uring requests other than read, write, sync and fallocate",
            LeftOut::Registered => "io_uring requests on registered files",
            LeftOut::Untold => "io_uring requests whose completion was not seen",
            LeftOut::Ring => {
                "submissions to io_uring, whose requests this kernel does not describe"
            }
        }
    }
}

/// The state of all processes, and the calls that came of their events.
pub struct Resolver {
    clock: Clock,
    places: Places,
    tables: Tables,
    /// Descriptors of each handle that is open.
    handles: BTreeMap<HandleId, u32>,
    next_handle: HandleId,
    /// Handles of open files that processes began with, by their numbers.
    started: HashMap<u32, HandleId>,
    /// By table of descriptors, which stands for the process, and address: length and id.
    maps: BTreeMap<(usize, u64), (u64, MapId)>,
    next_map: MapId,
    touches: Touches,
    requests: Requests,
    waits: Waits,
    order: Order,
    left_out: BTreeMap<LeftOut, u64>,
}

impl Resolver {
    /// For a recording that began at `begin_ns` of the recorder's clock.
    pub fn new(places: Places, begin_ns: u64) -> Resolver {
        Resolver {
            clock: Clock::new(begin_ns),
            places,
            tables: Tables::default(),
            handles: BTreeMap::new(),
            next_handle: 0,
            started: HashMap::new(),
            maps: BTreeMap::new(),
            next_map: 0,
            touches: Touches::default(),
            requests: Requests::default(),
            waits: Waits::default(),
            order: Order::default(),
            left_out: BTreeMap::new(),
        }
    }

    /// Takes a process as it is at the beginning; gives its open files below the roots.
    pub fn begin(&mut self, process: &Beginning) -> Vec<StartHandle> {
        let mut table = Table::default();
        let mut started = Vec::new();
        for file in &process.descriptors {
            let open = match self.places.absolute(&file.name) {
                Place::Inside(path) => {
                    let known = self.started.get(&file.description).copied();
                    let users = known.and_then(|handle| self.handles.get_mut(&handle));
                    let handle = match (known, users) {
                        (Some(handle), Some(users)) => {
                            *users += 1;
                            handle
                        }
                        _ => {
                            let handle = self.new_handle();
                            let (flags, offset) = (file.flags, file.offset);
                            let thread = self.tables.next_thread;
                            started.push(StartHandle { handle, thread, path, flags, offset });
                            self.started.insert(file.description, handle);
                            handle
                        }
                    };
                    Open::Inside { path, handle }
                }
                place => Open::Outside(place),
            };
            let closes_on_exec = file.flags & libc::O_CLOEXEC as u32 != 0;
            table.put(file.fd.into(), Descriptor { open, closes_on_exec, since_ns: 0 });
        }
        let directory = self.places.absolute(&process.directory);
        let Some((first, others)) = process.tids.split_first() else { return started };
        let thread = self.tables.add(*first, process.pid, table, directory);
        for tid in others {
            self.tables.files.share(thread.files);
            self.tables.directories.share(thread.directory);
            self.tables.insert(*tid, process.pid, thread.files, thread.directory);
        }
        for mapped in &process.mappings {
            self.begin_mapping(&thread, mapped, process.at_ns);
        }
        started
    }

    /// Takes the first process of a command as it is when it is made, from when the command's time counts; gives its
    /// open files below the roots.
    pub fn start(&mut self, process: &Beginning) -> Vec<StartHandle> {
        let started = self.begin(process);
        let first = process.tids.first().and_then(|tid| self.tables.threads.get(tid)).copied();
        if let Some(thread) = first {
            self.emit_at(&thread, process.at_ns, Op::Begin, |call| call.other = NONE);
        }
        started
    }

    /// Takes the next event.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::Call(raw) => {
                self.store_touches(raw.tid);
                let thread = self.thread(raw.tid, raw.pid, raw.start_ns);
                if !self.waited(raw, &thread) {
                    self.call(raw, &thread);
                }
            }
            Event::Woke(woke) => self.woke(woke),
            Event::Fork(fork) => self.fork(fork),
            Event::Exit { tid, at_ns } => {
                self.store_touches(*tid);
                self.end_lanes(*tid, *at_ns);
                self.exit(*tid, *at_ns);
            }
            Event::Fault(fault) => self.touch(fault),
            Event::Submitted(submitted) => self.submit(submitted),
            Event::Completed(completed) => self.complete(completed),
        }
    }

    /// Gives the calls that no call that may still come can have begun before; all where `is_last`.
    pub fn take(&mut self, is_last: bool, calls: &mut Vec<Call>) {
        self.store_all_touches();
        if is_last {
            self.count_in_flight();
        }
        self.order.take(is_last, calls);
    }

    /// Calls that are held for [`Resolver::take`].
    pub fn held(&self) -> usize {
        self.order.len()
    }

    /// Where the recorded trees are, and the names in them.
    pub fn places(&mut self) -> &mut Places {
        &mut self.places
    }

    /// Calls that were left out, by reason.
    pub fn left_out(&self) -> impl Iterator<Item = (LeftOut, u64)> {
        self.left_out.iter().map(|(why, calls)| (*why, *calls))
    }

    /// How many threads there were.
    pub fn threads(&self) -> u32 {
        self.tables.next_thread
    }

    fn skip(&mut self, why: LeftOut) {
        *self.left_out.entry(why).or_default() += 1;
    }

    /// Stores a call; `fill` sets the fields that it has.
    fn emit(&mut self, raw: &RawCall, thread: &Thread, op: Op, fill: impl FnOnce(&mut Call)) {
        let mut call = self.timed(raw, thread, op);
        call.result = raw.result;
        fill(&mut call);
        self.order.add(call, raw.start_ns, raw.end_ns);
    }

    /// Stores a call that belongs behind all that others did before it ended.
    fn emit_at_end(
        &mut self,
        raw: &RawCall,
        thread: &Thread,
        op: Op,
        fill: impl FnOnce(&mut Call),
    ) {
        let mut call = self.timed(raw, thread, op);
        fill(&mut call);
        self.order.add(call, raw.end_ns, raw.end_ns);
    }

    fn timed(&mut self, raw: &RawCall, thread: &Thread, op: Op) -> Call {
        let mut call = Call::new(op, thread.id);
        let took_ns = raw.end_ns.saturating_sub(raw.start_ns);
        (call.at_ns, call.took_ns) = self.clock.round(thread.id, raw.start_ns, took_ns);
        call
    }

    /// Stores an event that is not part of a call, e.g. that an exec closes a descriptor.
    fn emit_at(&mut self, thread: &Thread, at_ns: u64, op: Op, fill: impl FnOnce(&mut Call)) {
        let mut call = Call::new(op, thread.id);
        (call.at_ns, _) = self.clock.round(thread.id, at_ns, 0);
        fill(&mut call);
        self.order.add(call, at_ns, at_ns);
    }

    /// A path below a root; `None`, counted, where it is elsewhere.
    fn path(&mut self, thread: &Thread, directory: Option<u64>, name: &[u8]) -> Option<PathId> {
        let from = self.base(thread, directory, name);
        match self.places.resolve(&from, name) {
            Place::Inside(path) if !name.is_empty() => Some(path),
            _ => {
                self.skip(LeftOut::Outside);
                None
            }
        }
    }

    /// Where a name begins: at a descriptor or the working directory.
    fn base(&self, thread: &Thread, directory: Option<u64>, name: &[u8]) -> Place {
        let fd = directory.filter(|fd| *fd as u32 as i32 != libc::AT_FDCWD);
        let place = match fd {
            _ if name.starts_with(b"/") => None,
            None => self.tables.directory(thread).cloned(),
            Some(fd) => self.descriptor(thread, fd).map(|d| match &d.open {
                Open::Inside { path, .. } => Place::Inside(*path),
                Open::Outside(place) => place.clone(),
            }),
        };
        place.unwrap_or_else(|| Place::Outside((*b"/").into()))
    }

    fn descriptor(&self, thread: &Thread, fd: u64) -> Option<&Descriptor> {
        self.tables.files.get(thread.files)?.get(fd)
    }

    fn new_handle(&mut self) -> HandleId {
        let handle = self.next_handle;
        self.next_handle = self.next_handle.saturating_add(1).min(NONE - 1);
        self.handles.insert(handle, 1);
        handle
    }
}

//! Follows descriptors that are opened and closed, and mappings.

use super::{
    LeftOut, Mapped, Resolver,
    places::Place,
    tables::{Descriptor, Open, Thread},
};
use crate::raw::RawCall;
use trace::{
    call::{Call, HandleId, NONE, Op},
    path::PathId,
};

/// The call that closed a descriptor.
#[derive(Clone, Copy)]
pub(super) enum Ended<'a> {
    /// A call.
    By(&'a RawCall<'a>),
    /// The end of a process, an exec, or another file at the same number.
    BySystem,
}

impl Resolver {
    /// A call that opens `name`.
    pub(super) fn open(
        &mut self,
        raw: &RawCall,
        thread: &Thread,
        directory: Option<u64>,
        flags: u32,
        mode: u32,
    ) {
        let name = raw.paths[0];
        let from = self.base(thread, directory, name);
        let place = self.places.resolve(&from, name);
        let makes = (libc::O_CREAT | libc::O_TMPFILE & !libc::O_DIRECTORY) as u32;
        let mode = if flags & makes != 0 { mode } else { 0 };
        let open = match place {
            Place::Inside(path) if !name.is_empty() => {
                let handle = if raw.result < 0 { NONE } else { self.new_handle() };
                self.emit(raw, thread, Op::Open, |call| {
                    (call.handle, call.path, call.flags, call.mode) = (handle, path, flags, mode);
                    call.result = call.result.min(0);
                });
                Open::Inside { path, handle }
            }
            place => {
                self.skip(LeftOut::Outside);
                Open::Outside(place)
            }
        };
        if raw.result >= 0 {
            let closes_on_exec = flags & libc::O_CLOEXEC as u32 != 0;
            self.put(thread, raw.result as u64, open, closes_on_exec, raw.end_ns);
        }
    }

    /// A descriptor has a new meaning from `at_ns` on.
    fn put(&mut self, thread: &Thread, fd: u64, open: Open, closes_on_exec: bool, at_ns: u64) {
        if let Some(table) = self.tables.files.get_mut(thread.files) {
            table.put(fd, Descriptor { open, closes_on_exec, since_ns: at_ns });
        }
    }

    /// `dup` and its kin: `to` is another descriptor of what `from` is.
    pub(super) fn dup(&mut self, raw: &RawCall, thread: &Thread, from: u64, flags: u64) {
        let descriptor = self.descriptor(thread, from).cloned();
        let to = raw.result;
        if to == from as i64 {
            return;
        }
        let is_new = to >= 0;
        // Whatever `from` is, a shell that gives its output back to a pipe ends what was there.
        if is_new && raw.number != libc::SYS_dup && raw.number != libc::SYS_fcntl {
            let table = self.tables.files.get_mut(thread.files);
            let old = table.and_then(|table| table.take(to as u64, u64::MAX));
            if let Some(old) = old {
                self.close(thread, &old.open, raw.start_ns, Ended::BySystem);
            }
        }
        let Some(descriptor) = descriptor else { return self.skip(LeftOut::Unknown) };
        let open = match descriptor.open {
            Open::Inside { path, handle } => {
                let new = if is_new { self.new_handle() } else { NONE };
                self.emit(raw, thread, Op::Dup, |call| {
                    (call.handle, call.other, call.flags) = (handle, new, flags as u32);
                    call.result = call.result.min(0);
                });
                Open::Inside { path, handle: new }
            }
            outside => {
                self.skip(LeftOut::Outside);
                outside
            }
        };
        if is_new {
            self.put(thread, to as u64, open, flags & libc::O_CLOEXEC as u64 != 0, raw.end_ns);
        }
    }

    /// `close`.
    pub(super) fn close_one(&mut self, raw: &RawCall, thread: &Thread, fd: u64) {
        let table = self.tables.files.get_mut(thread.files);
        match table.and_then(|table| table.take(fd, raw.start_ns)) {
            Some(descriptor) => self.close(thread, &descriptor.open, raw.start_ns, Ended::By(raw)),
            None => self.skip(LeftOut::Unknown),
        }
    }

    /// `close_range`, which may also have descriptors close on exec only.
    pub(super) fn close_range(&mut self, raw: &RawCall, thread: &Thread) {
        const CLOEXEC: u64 = 4;
        let [first, last, flags, ..] = raw.arguments;
        let Some(table) = self.tables.files.get_mut(thread.files) else { return };
        if raw.result < 0 {
            return;
        }
        let numbers = table.range(first, last);
        if flags & CLOEXEC != 0 {
            for fd in numbers {
                table.get_mut(fd).into_iter().for_each(|open| open.closes_on_exec = true);
            }
            return;
        }
        let closed: Vec<Descriptor> =
            numbers.into_iter().filter_map(|fd| table.take(fd, u64::MAX)).collect();
        for descriptor in closed {
            self.close(thread, &descriptor.open, raw.start_ns, Ended::BySystem);
        }
    }

    /// Takes a descriptor away from its handle, and stores that.
    pub(super) fn close(&mut self, thread: &Thread, open: &Open, at_ns: u64, by: Ended) {
        let Open::Inside { handle, .. } = open else { return self.skip(LeftOut::Outside) };
        let stays_open = u32::from(self.drop_reference(*handle));
        let fill = |call: &mut Call| (call.handle, call.flags) = (*handle, stays_open);
        match by {
            Ended::By(raw) => self.emit(raw, thread, Op::Close, fill),
            Ended::BySystem => self.emit_at(thread, at_ns, Op::Close, fill),
        }
    }

    /// Whether other descriptors of the handle stay open.
    pub(super) fn drop_reference(&mut self, handle: HandleId) -> bool {
        let Some(users) = self.handles.get_mut(&handle) else { return false };
        *users -= 1;
        let stays = *users > 0;
        if !stays {
            self.handles.remove(&handle);
        }
        stays
    }

    /// A mapping of a file.
    pub(super) fn map(&mut self, raw: &RawCall, thread: &Thread) {
        let [_, len, protection, flags, fd, offset] = raw.arguments;
        let failed = (-4095..0).contains(&raw.result);
        if flags & libc::MAP_ANONYMOUS as u64 != 0 {
            // Over a part of a file's mapping, e.g. for what a library keeps zeroed: no longer of the file.
            if flags & libc::MAP_FIXED as u64 != 0 && !failed {
                self.maps.insert((thread.files, raw.result as u64), (len, NONE));
            }
            return;
        }
        let Some(handle) = self.handle(thread, fd) else { return };
        let id = if failed { NONE } else { self.next_map };
        if !failed {
            self.next_map = self.next_map.saturating_add(1).min(NONE - 1);
            self.maps.insert((thread.files, raw.result as u64), (len, id));
        }
        self.emit(raw, thread, Op::Map, |call| {
            (call.handle, call.other, call.offset, call.len) = (handle, id, offset, len);
            (call.flags, call.mode) = (flags as u32, protection as u32);
            call.result = if failed { call.result } else { 0 };
        });
    }

    /// A mapping that a process begins with, as calls that make it.
    pub(super) fn begin_mapping(&mut self, thread: &Thread, mapped: &Mapped, at_ns: u64) {
        let Place::Inside(path) = self.places.absolute(&mapped.name) else { return };
        let writes = mapped.is_shared && mapped.protection & libc::PROT_WRITE as u32 != 0;
        let open = if writes { libc::O_RDWR } else { libc::O_RDONLY } as u32;
        let kind = if mapped.is_shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE } as u32;
        let (handle, map) = (self.new_handle(), self.next_map);
        self.next_map = self.next_map.saturating_add(1).min(NONE - 1);
        self.maps.insert((thread.files, mapped.address), (mapped.len, map));
        self.emit_at(thread, at_ns, Op::Open, |call| {
            (call.handle, call.path, call.flags) = (handle, path, open);
        });
        self.emit_at(thread, at_ns, Op::Map, |call| {
            (call.handle, call.other, call.offset) = (handle, map, mapped.offset);
            (call.len, call.flags, call.mode) = (mapped.len, kind, mapped.protection);
        });
        self.close(thread, &Open::Inside { path, handle }, at_ns, Ended::BySystem);
    }

    /// `munmap`, which a trace has for whole mappings.
    pub(super) fn unmap(&mut self, raw: &RawCall, thread: &Thread) {
        let [address, len, ..] = raw.arguments;
        let Some((whole, id)) = self.maps.get(&(thread.files, address)).copied() else { return };
        if raw.result == 0 && len >= whole {
            self.maps.remove(&(thread.files, address));
            if id == NONE {
                return;
            }
            self.emit(raw, thread, Op::Unmap, |call| (call.other, call.len) = (id, len));
        }
    }

    /// `msync` and `madvise` on a part of a mapping.
    pub(super) fn on_map(&mut self, raw: &RawCall, thread: &Thread, op: Op) {
        let [address, len, flags, ..] = raw.arguments;
        let Some((from, id)) = self.mapping(thread.files, address) else { return };
        self.emit(raw, thread, op, |call| {
            (call.other, call.offset) = (id, address - from);
            (call.len, call.flags) = (len, flags as u32);
        });
    }

    pub(super) fn forget_maps(&mut self, files: usize) {
        let mut later = self.maps.split_off(&(files, 0));
        self.maps.append(&mut later.split_off(&(files + 1, 0)));
    }

    /// The handle of a descriptor; `None`, counted, where it is not of a file below a root.
    pub(super) fn handle(&mut self, thread: &Thread, fd: u64) -> Option<HandleId> {
        self.file(thread, fd).map(|(handle, _)| handle)
    }

    /// Its handle and path.
    pub(super) fn file(&mut self, thread: &Thread, fd: u64) -> Option<(HandleId, PathId)> {
        let why = match self.descriptor(thread, fd).map(|descriptor| &descriptor.open) {
            Some(Open::Inside { handle, path }) => return Some((*handle, *path)),
            Some(Open::Outside(_)) => LeftOut::Outside,
            None => LeftOut::Unknown,
        };
        self.skip(why);
        None
    }
}

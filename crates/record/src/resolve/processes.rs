//! Follows forks, execs and exits of threads.

use super::{
    Resolver,
    handles::Ended,
    tables::{Open, Table, Thread},
};
use crate::raw::{Fork, RawCall};
use trace::call::{NONE, Op, ThreadId};

impl Resolver {
    /// A thread that made a call; it is new where no fork was seen, e.g. in the text of strace.
    pub(super) fn thread(&mut self, tid: u32, pid: u32, at_ns: u64) -> Thread {
        if let Some(thread) = self.tables.threads.get(&tid).copied() {
            if thread.pid == 0 && pid != 0 {
                return self.learn_process(tid, pid, thread);
            }
            return thread;
        }
        let of_process = |thread: &&Thread| pid != 0 && thread.pid == pid;
        let sibling = self.tables.threads.values().find(of_process).copied();
        let thread = match sibling {
            Some(sibling) => {
                self.tables.files.share(sibling.files);
                self.tables.directories.share(sibling.directory);
                self.tables.insert(tid, pid, sibling.files, sibling.directory)
            }
            None => {
                let nowhere = self.places.absolute(b"/");
                self.tables.add(tid, pid, Table::default(), nowhere)
            }
        };
        self.emit_at(&thread, at_ns, Op::Begin, |call| call.other = NONE);
        thread
    }

    /// The first call of a thread whose maker's recorder did not know its process: a thread of the maker's process
    /// shares all that a process copies.
    fn learn_process(&mut self, tid: u32, pid: u32, mut thread: Thread) -> Thread {
        let maker = self.tables.threads.values().find(|other| other.pid == pid).copied();
        thread.pid = pid;
        if let Some(maker) = maker {
            let copied = self.tables.files.leave(thread.files);
            self.forget(copied.as_ref());
            self.tables.directories.leave(thread.directory);
            self.tables.files.share(maker.files);
            self.tables.directories.share(maker.directory);
            (thread.files, thread.directory) = (maker.files, maker.directory);
        }
        self.tables.threads.insert(tid, thread);
        thread
    }

    pub(super) fn fork(&mut self, fork: &Fork) {
        let maker = self.thread(fork.tid, 0, fork.at_ns);
        let is_thread = fork.child_pid != 0 && fork.child_pid == maker.pid;
        let files = if fork.shares_files || is_thread {
            self.tables.files.share(maker.files);
            maker.files
        } else {
            let table = self.tables.files.get(maker.files).cloned().unwrap_or_default();
            for descriptor in table.all() {
                if let Open::Inside { handle, .. } = descriptor.open {
                    *self.handles.entry(handle).or_default() += 1;
                }
            }
            self.tables.files.add(table)
        };
        let directory = if fork.shares_directory || is_thread {
            self.tables.directories.share(maker.directory);
            maker.directory
        } else {
            let place = self.base(&maker, None, b"");
            self.tables.directories.add(place)
        };
        if let Some(old) = self.tables.threads.remove(&fork.child) {
            self.release(&old, fork.at_ns);
        }
        let child = self.tables.insert(fork.child, fork.child_pid, files, directory);
        let maker: ThreadId = maker.id;
        self.emit_at(&child, fork.at_ns, Op::Begin, |call| call.other = maker);
    }

    pub(super) fn exit(&mut self, tid: u32, at_ns: u64) {
        let Some(thread) = self.tables.threads.remove(&tid) else { return };
        self.release(&thread, at_ns);
        self.emit_at(&thread, at_ns, Op::End, |_| {});
        self.waits.ended(tid, thread.id);
    }

    /// What a thread had goes with it, unless another has it, too.
    fn release(&mut self, thread: &Thread, at_ns: u64) {
        if let Some(table) = self.tables.files.leave(thread.files) {
            for descriptor in table.all() {
                self.close(thread, &descriptor.open, at_ns, Ended::BySystem);
            }
            self.forget_maps(thread.files);
        }
        self.tables.directories.leave(thread.directory);
    }

    /// Drops a copy of descriptors that was never used.
    fn forget(&mut self, table: Option<&Table>) {
        for descriptor in table.into_iter().flat_map(Table::all) {
            if let Open::Inside { handle, .. } = descriptor.open {
                self.drop_reference(handle);
            }
        }
    }

    /// The program of a process is another: what closes on exec is closed, and nothing is shared.
    pub(super) fn exec(&mut self, raw: &RawCall, thread: &Thread) {
        if raw.result != 0 {
            return;
        }
        // Rings do not outlive the program.
        self.end_lanes(raw.tid, raw.end_ns);
        let mut thread = *thread;
        if self.tables.files.users(thread.files) > 1 {
            let table = self.tables.files.get(thread.files).cloned().unwrap_or_default();
            for descriptor in table.all() {
                if let Open::Inside { handle, .. } = descriptor.open {
                    *self.handles.entry(handle).or_default() += 1;
                }
            }
            self.tables.files.leave(thread.files);
            thread.files = self.tables.files.add(table);
            self.tables.threads.insert(raw.tid, thread);
        }
        let Some(table) = self.tables.files.get_mut(thread.files) else { return };
        let closed: Vec<u64> = table
            .range(0, u64::MAX)
            .into_iter()
            .filter(|fd| table.get(*fd).is_some_and(|descriptor| descriptor.closes_on_exec))
            .collect();
        let closed: Vec<Open> =
            closed.iter().filter_map(|fd| Some(table.take(*fd, u64::MAX)?.open)).collect();
        for open in &closed {
            self.close(&thread, open, raw.end_ns, Ended::BySystem);
        }
        self.forget_maps(thread.files);
    }
}

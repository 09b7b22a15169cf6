//! Tests on hand-made sequences of calls.

mod copies;
mod waits;

use super::*;
use crate::raw::{Completed, Fault, Fork, Submitted, operation};

struct Made {
    resolver: Resolver,
    now: u64,
}

impl Made {
    fn new() -> Made {
        let places = Places::new(&[b"/srv".to_vec()], &[]);
        let mut resolver = Resolver::new(places, 0);
        let beginning =
            Beginning { tids: vec![10], pid: 10, directory: b"/".to_vec(), ..Beginning::default() };
        assert!(resolver.begin(&beginning).is_empty());
        Made { resolver, now: 0 }
    }

    fn call(&mut self, tid: u32, number: i64, result: i64, arguments: &[u64], paths: &[&str]) {
        self.now += 160;
        let mut raw = RawCall { tid, pid: tid, number, result, ..RawCall::default() };
        (raw.start_ns, raw.end_ns) = (self.now - 80, self.now);
        raw.arguments[..arguments.len()].copy_from_slice(arguments);
        for (to, from) in raw.paths.iter_mut().zip(paths) {
            *to = from.as_bytes();
        }
        self.resolver.see(&Event::Call(raw));
    }

    fn open(&mut self, tid: u32, fd: i64, path: &str, flags: i32) {
        let cwd = libc::AT_FDCWD as u64;
        self.call(tid, libc::SYS_openat, fd, &[cwd, 0, flags as u64], &[path]);
    }

    fn fork(&mut self, tid: u32, child: u32, shares_files: bool) {
        self.now += 160;
        let fork = Fork {
            tid,
            child,
            child_pid: child,
            shares_files,
            shares_directory: false,
            at_ns: self.now,
        };
        self.resolver.see(&Event::Fork(fork));
    }

    /// Each call as its name, handles, paths and flags, but the beginnings of threads.
    fn shown(mut self) -> Vec<String> {
        let mut calls = Vec::new();
        self.resolver.take(true, &mut calls);
        // Times are rounded thread by thread.
        for thread in 0..self.resolver.threads() {
            let own = calls.iter().filter(|call| call.thread == thread);
            assert!(own.is_sorted_by_key(|call| call.at_ns), "{calls:?}");
        }
        let name = |path: u32| match path {
            NONE => String::new(),
            path => String::from_utf8(self.resolver.places.name_of(path)).unwrap() + " ",
        };
        let id = |id: u32| if id == NONE { String::new() } else { format!("{id} ") };
        calls
            .iter()
            .filter(|call| call.op != Op::Begin)
            .map(|call| {
                let names = name(call.path) + &name(call.path2);
                let ids = id(call.handle) + &id(call.other);
                format!("{} {} {ids}{names}{}", call.thread, call.op.name(), call.result)
            })
            .collect()
    }
}

#[test]
fn descriptor_becomes_a_handle_that_is_never_used_again() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.call(10, libc::SYS_pread64, 9, &[3, 0, 9, 5], &[]);
    made.call(10, libc::SYS_close, 0, &[3], &[]);
    made.open(10, 3, "/etc/passwd", 0);
    made.call(10, libc::SYS_read, 9, &[3, 0, 9], &[]);
    made.open(10, 3, "/srv/b", 0);
    made.open(10, -2, "/srv/none", 0);
    assert_eq!(
        made.shown(),
        [
            "0 open 0 /srv/a 0",
            "0 pread 0 9",
            "0 close 0 0",
            "0 open 1 /srv/b 0",
            "0 open /srv/none -2"
        ]
    );
}

#[test]
fn fork_copies_descriptors_and_exec_closes_those_marked() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", libc::O_CLOEXEC);
    made.open(10, 4, "/srv/b", 0);
    made.fork(10, 20, false);
    made.call(20, libc::SYS_execve, 0, &[], &[]);
    made.call(20, libc::SYS_read, 1, &[3, 0, 1], &[]);
    made.call(20, libc::SYS_read, 1, &[4, 0, 1], &[]);
    made.call(10, libc::SYS_read, 1, &[3, 0, 1], &[]);
    made.resolver.see(&Event::Exit { tid: 20, at_ns: 99_000 });
    assert_eq!(
        made.shown()[2..],
        ["1 close 0 0", "1 read 1 1", "0 read 0 1", "1 close 1 0", "1 end 0"]
    );
}

#[test]
fn shared_descriptors_are_seen_by_both() {
    let mut made = Made::new();
    made.fork(10, 20, true);
    made.open(20, 3, "/srv/a", 0);
    made.call(10, libc::SYS_read, 1, &[3, 0, 1], &[]);
    made.call(20, libc::SYS_close, 0, &[3], &[]);
    made.call(10, libc::SYS_read, 1, &[3, 0, 1], &[]);
    assert_eq!(made.shown(), ["1 open 0 /srv/a 0", "0 read 0 1", "1 close 0 0"]);
}

#[test]
fn dup_replaces_what_was_there() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.open(10, 4, "/srv/b", 0);
    made.call(10, libc::SYS_dup2, 4, &[3, 4], &[]);
    made.call(10, libc::SYS_fcntl, 5, &[4, libc::F_DUPFD as u64, 0], &[]);
    made.call(10, libc::SYS_fsync, 0, &[5], &[]);
    assert_eq!(made.shown()[2..], ["0 close 1 0", "0 dup 0 2 0", "0 dup 2 3 0", "0 fsync 3 0"]);
}

#[test]
fn dup_of_a_pipe_ends_what_was_there() {
    let mut made = Made::new();
    made.open(10, 1, "/srv/a", 0);
    made.call(10, libc::SYS_dup2, 1, &[9, 1], &[]);
    made.call(10, libc::SYS_write, 6, &[1, 0, 6], &[]);
    assert_eq!(made.resolver.left_out[&LeftOut::Unknown], 2);
    assert_eq!(made.shown(), ["0 open 0 /srv/a 0", "0 close 0 0"]);
}

#[test]
fn close_that_ends_after_its_number_was_reused_closes_the_old_file() {
    let mut made = Made::new();
    made.fork(10, 20, true);
    made.open(10, 3, "/srv/a", 0);
    let began = made.now;
    made.open(20, 3, "/srv/b", 0);
    let late = RawCall {
        tid: 10,
        number: libc::SYS_close,
        start_ns: began,
        end_ns: made.now + 9,
        arguments: [3, 0, 0, 0, 0, 0],
        ..RawCall::default()
    };
    made.resolver.see(&Event::Call(late));
    made.call(20, libc::SYS_fsync, 0, &[3], &[]);
    assert!(made.shown().contains(&"0 close 0 0".to_owned()));
}

#[test]
fn time_of_a_command_counts_from_when_it_is_made() {
    let mut resolver = Resolver::new(Places::new(&[b"/srv".to_vec()], &[]), 1000);
    let at_ns = 1000 + 16_000;
    let process = Beginning { tids: vec![10], pid: 10, at_ns, ..Beginning::default() };
    resolver.start(&process);
    let mut calls = Vec::new();
    resolver.take(true, &mut calls);
    let [begin] = &calls[..] else { panic!("{calls:?}") };
    assert_eq!((begin.op, begin.other, begin.at_ns), (Op::Begin, NONE, 16_000));
}

#[test]
fn names_follow_directories() {
    let mut made = Made::new();
    made.call(10, libc::SYS_chdir, 0, &[], &["/srv/db"]);
    made.open(10, 3, "sub", libc::O_DIRECTORY);
    made.call(10, libc::SYS_newfstatat, 0, &[3, 0, 0, 0], &["x"]);
    made.call(10, libc::SYS_renameat2, 0, &[3, 0, libc::AT_FDCWD as u64, 0, 1], &["x", "../y"]);
    made.call(10, libc::SYS_renameat2, 0, &[3, 0, 3, 0, 0], &["x", "/etc/y"]);
    made.call(10, libc::SYS_rename, 0, &[], &["sub", "new"]);
    made.call(10, libc::SYS_unlinkat, 0, &[3, 0, 0], &["z"]);
    made.call(10, libc::SYS_symlink, 0, &[], &["../db/t", "l"]);
    let across = made.resolver.left_out[&LeftOut::Across];
    assert_eq!(across, 1);
    assert_eq!(
        made.shown()[2..],
        [
            "0 stat /srv/db/sub/x 0",
            "0 rename /srv/db/sub/x /srv/y 0",
            "0 rename /srv/db/sub /srv/db/new 0",
            "0 unlink /srv/db/new/z 0",
            "0 symlink /srv/db/l /srv/db/t 0"
        ]
    );
}

#[test]
fn mappings_go_by_their_addresses() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.call(10, libc::SYS_mmap, 0x7000, &[0, 0x3000, 1, 1, 3, 0], &[]);
    made.call(10, libc::SYS_msync, 0, &[0x8000, 0x1000, 4], &[]);
    made.call(10, libc::SYS_msync, 0, &[0xa000, 0x1000, 4], &[]);
    made.call(10, libc::SYS_munmap, 0, &[0x7000, 0x3000], &[]);
    assert_eq!(made.shown()[1..], ["0 mmap 0 0 0", "0 msync 0 0", "0 munmap 0 0"]);
}

#[test]
fn open_files_at_the_beginning_have_handles() {
    let mut resolver = Resolver::new(Places::new(&[b"/srv".to_vec()], &[]), 0);
    let file = |fd, name: &str| OpenFile {
        fd,
        name: name.into(),
        flags: 2,
        offset: 7,
        description: fd.min(3),
    };
    let started = resolver.begin(&Beginning {
        tids: vec![5, 6],
        pid: 5,
        directory: b"/srv".to_vec(),
        descriptors: vec![file(0, "/dev/null"), file(3, "/srv/db/wal"), file(4, "/srv/db/wal")],
        ..Beginning::default()
    });
    assert_eq!(started.len(), 1, "two descriptors of one open file");
    assert_eq!(resolver.handles[&0], 2);
    assert_eq!((started[0].handle, started[0].offset), (0, 7));
    assert_eq!(resolver.places.name_of(started[0].path), b"/srv/db/wal");
}

impl Made {
    fn submit(&mut self, key: u64, request: Submitted) {
        self.now += 160;
        let (tid, pid, at_ns) = (10, 10, self.now);
        self.resolver.see(&Event::Submitted(Submitted { tid, pid, key, at_ns, ..request }));
    }

    fn complete(&mut self, key: u64, result: i64) {
        self.now += 160;
        self.resolver.see(&Event::Completed(Completed { key, at_ns: self.now, result }));
    }
}

fn write_at(offset: u64, len: u64) -> Submitted {
    Submitted { operation: operation::WRITE, fd: 3, offset, len, ..Submitted::default() }
}

fn sync() -> Submitted {
    Submitted { operation: operation::FSYNC, fd: 3, flags: 1, ..Submitted::default() }
}

#[test]
fn requests_in_flight_at_once_are_calls_of_as_many_threads() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.submit(7, write_at(0, 100));
    made.submit(8, write_at(100, 50));
    made.complete(8, 50);
    made.complete(7, 100);
    // The first thread is free again.
    made.submit(8, sync());
    made.complete(8, 0);
    made.call(10, libc::SYS_close, 0, &[3], &[]);
    made.resolver.see(&Event::Exit { tid: 10, at_ns: 9_000 });
    assert_eq!(
        made.shown(),
        [
            "0 open 0 /srv/a 0",
            "1 uring_write 0 100",
            "2 uring_write 0 50",
            "1 uring_fsync 0 0",
            "0 close 0 0",
            "1 end 0",
            "2 end 0",
            "0 end 0",
        ]
    );
}

#[test]
fn a_linked_request_follows_the_one_before() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.submit(7, Submitted { request_flags: 4, ..write_at(0, 100) });
    made.submit(8, sync());
    made.complete(7, 100);
    made.complete(8, 0);
    let mut calls = Vec::new();
    made.resolver.take(true, &mut calls);
    let [write, sync] = [Op::RingWrite, Op::RingFsync]
        .map(|op| calls.iter().copied().find(|call| call.op == op).unwrap());
    assert_eq!((write.thread, sync.thread, sync.flags), (1, 1, 1));
    assert!(write.at_ns + write.took_ns <= sync.at_ns, "{write:?}, {sync:?}");
}

/// As where each read has a timeout: the chain of linked requests ends with it.
#[test]
fn a_request_after_a_chain_that_ends_in_no_call_is_free() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    let timeout = Submitted { operation: 15, ..Submitted::default() };
    for key in [10, 20, 30] {
        made.submit(key, Submitted { request_flags: 4, ..write_at(0, 1) });
        made.submit(key + 1, timeout);
    }
    [10, 20, 30].into_iter().for_each(|key| made.complete(key, 1));
    let mut calls = Vec::new();
    made.resolver.take(true, &mut calls);
    let writes = calls.iter().filter(|call| call.op == Op::RingWrite);
    assert_eq!(writes.map(|call| call.thread).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn requests_that_a_trace_cannot_have_are_counted() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.submit(1, Submitted { request_flags: 1, ..write_at(0, 1) });
    made.submit(2, Submitted { operation: 18, ..write_at(0, 1) });
    made.submit(3, Submitted { fd: 9, ..write_at(0, 1) });
    made.submit(5, Submitted { operation: operation::WITHOUT_FILE[1], ..write_at(0, 1) });
    made.submit(4, write_at(0, 1));
    made.submit(4, write_at(1, 1));
    made.call(10, libc::SYS_io_uring_enter, 1, &[5, 1], &[]);
    made.complete(99, 0);
    made.resolver.take(true, &mut Vec::new());
    let found: Vec<_> = made.resolver.left_out().collect();
    let of =
        [LeftOut::Unknown, LeftOut::Request, LeftOut::Registered, LeftOut::Untold, LeftOut::Ring];
    assert_eq!(found, of.map(|why| (why, if why == LeftOut::Untold { 2 } else { 1 })));
}

#[test]
fn a_request_at_the_position_of_the_file_is_a_plain_call() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.submit(7, write_at(u64::MAX, 10));
    made.complete(7, 10);
    made.submit(
        7,
        Submitted { operation: operation::READV, fd: 3, len: 2, ..Submitted::default() },
    );
    made.complete(7, 900);
    let mut calls = Vec::new();
    made.resolver.take(true, &mut calls);
    let found = |op| calls.iter().find(|call| call.op == op).map(|call| (call.offset, call.len));
    assert_eq!(found(Op::Write), Some((0, 10)));
    assert_eq!(found(Op::RingRead), Some((0, 900)), "a vector has what was read");
}

impl Made {
    fn fault(&mut self, address: u64, is_write: bool) {
        self.now += 160;
        let (tid, pid, at_ns) = (10, 10, self.now);
        self.resolver.see(&Event::Fault(Fault { tid, pid, address, is_write, at_ns }));
    }

    /// Offset, pages and whether they were written, of each use of a mapping.
    fn touches(mut self) -> Vec<(u32, u64, u64, u32)> {
        let mut calls = Vec::new();
        self.resolver.take(true, &mut calls);
        let touches = calls.iter().filter(|call| call.op == Op::Touch);
        touches.map(|call| (call.other, call.offset, call.len, call.flags)).collect()
    }
}

#[test]
fn first_uses_of_mapped_pages_are_calls_of_those_that_follow_each_other() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.call(10, libc::SYS_mmap, 0x10_0000, &[0, 0x10_000, 1, 1, 3, 0], &[]);
    for page in [2, 3, 4, 9] {
        made.fault(0x10_0000 + page * 4096 + 7, false);
    }
    made.fault(0x10_0000 + 10 * 4096, true);
    made.call(10, libc::SYS_read, 1, &[3, 0, 1], &[]);
    made.fault(0x10_0000 + 11 * 4096, true);
    // The heap, before and behind the mapping.
    made.fault(0x0f_f000, true);
    made.fault(0x11_0000, true);
    assert_eq!(
        made.touches(),
        [(0, 2 * 4096, 3, 0), (0, 9 * 4096, 1, 0), (0, 10 * 4096, 1, 1), (0, 11 * 4096, 1, 1)]
    );
}

#[test]
fn memory_that_replaces_a_part_of_a_mapping_is_not_of_the_file() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    made.call(10, libc::SYS_mmap, 0x10_0000, &[0, 0x10_000, 1, 2, 3, 0], &[]);
    let anonymous = (libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_PRIVATE) as u64;
    made.call(10, libc::SYS_mmap, 0x10_8000, &[0x10_8000, 0x8000, 3, anonymous, u64::MAX, 0], &[]);
    made.fault(0x10_9000, true);
    made.fault(0x10_1000, false);
    made.call(10, libc::SYS_munmap, 0, &[0x10_8000, 0x8000], &[]);
    made.call(10, libc::SYS_execve, 0, &[], &[]);
    made.fault(0x10_1000, false);
    assert_eq!(made.touches(), [(0, 4096, 1, 0)]);
}

#[test]
fn mappings_of_the_beginning_are_made_first() {
    let places = Places::new(&[b"/srv".to_vec()], &[]);
    let mut resolver = Resolver::new(places, 0);
    let mapped = |name: &str, address| Mapped {
        address,
        len: 8192,
        offset: 4096,
        name: name.into(),
        protection: 3,
        is_shared: true,
    };
    let mappings = vec![mapped("/srv/map", 0x4000), mapped("/etc/map", 0x8000)];
    let beginning = Beginning {
        tids: vec![10],
        pid: 10,
        directory: b"/".to_vec(),
        mappings,
        ..Beginning::default()
    };
    resolver.begin(&beginning);
    let mut made = Made { resolver, now: 0 };
    made.fault(0x5000, true);
    made.fault(0x8000, true);
    assert_eq!(made.shown(), ["0 open 0 /srv/map 0", "0 mmap 0 0 0", "0 close 0 0", "0 touch 0 0"]);
}

#[test]
fn calls_of_two_threads_stay_in_the_order_in_which_they_began() {
    let mut made = Made::new();
    made.open(10, 3, "/srv/a", 0);
    // Rounded, its pause of 10 ms ends after the close of the other thread begins.
    made.now = 10_007_000;
    made.submit(7, write_at(0, 10));
    made.complete(7, 10);
    made.now = 20_019_000;
    made.submit(7, write_at(0, 10));
    made.complete(7, 10);
    made.call(10, libc::SYS_close, 0, &[3], &[]);
    let mut calls = Vec::new();
    made.resolver.take(true, &mut calls);
    let ops: Vec<Op> = calls.iter().map(|call| call.op).filter(|op| *op != Op::Begin).collect();
    assert_eq!(ops, [Op::Open, Op::RingWrite, Op::RingWrite, Op::Close]);
    assert!(!calls.is_sorted_by_key(|call| call.at_ns), "the rounding shows nothing: {calls:?}");
}

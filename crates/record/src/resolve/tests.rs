//! Made sequences of calls.

use super::*;
use crate::raw::Fork;

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
        assert!(calls.is_sorted_by_key(|call| call.at_ns));
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
    });
    assert_eq!(started.len(), 1, "two descriptors of one open file");
    assert_eq!(resolver.handles[&0], 2);
    assert_eq!((started[0].handle, started[0].offset), (0, 7));
    assert_eq!(resolver.places.name_of(started[0].path), b"/srv/db/wal");
}

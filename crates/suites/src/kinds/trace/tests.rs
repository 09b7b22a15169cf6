//! Replays of small traces that are made here.

mod hostile;

use super::*;
use crate::testing;
use model::{text::Bytes, workload::AssetFile};
use std::path::Path;
use trace::{
    call::{Call, NONE, Op},
    file::Writer,
    header::{Cost, End, Header, Recorder, Root},
    path::{PathId, Paths},
    start::{StartEntry, StartHandle, StartKind},
};

/// A trace in the making.
struct Story {
    paths: Paths,
    entries: Vec<StartEntry>,
    handles: Vec<StartHandle>,
    calls: Vec<Call>,
}

impl Story {
    fn new() -> Story {
        let mut paths = Paths::default();
        paths.add_root().unwrap();
        Story { paths, entries: Vec::new(), handles: Vec::new(), calls: Vec::new() }
    }

    fn path(&mut self, parent: PathId, name: &str) -> PathId {
        self.paths.add(parent, name.as_bytes()).unwrap()
    }

    fn file(&mut self, parent: PathId, name: &str, bytes: u64) -> PathId {
        let path = self.path(parent, name);
        let kind = StartKind::File { bytes, cached_bytes: None, compressed: None };
        self.entries.push(StartEntry { path, kind, mode: 0o644 });
        path
    }

    /// Adds a call of `thread` a microsecond after the one before.
    fn call(
        &mut self,
        thread: u32,
        op: Op,
        result: i64,
        set: impl FnOnce(&mut Call),
    ) -> &mut Story {
        let at_ns = 1000 * self.calls.len() as u64;
        let mut call = Call { at_ns, took_ns: 500, result, ..Call::new(op, thread) };
        set(&mut call);
        self.calls.push(call);
        self
    }

    fn open(&mut self, thread: u32, handle: u32, path: PathId, flags: u32) -> &mut Story {
        self.call(thread, Op::Open, 0, |call| {
            (call.handle, call.path, call.flags, call.mode) = (handle, path, flags, 0o644);
        })
    }

    fn write(&mut self, thread: u32, handle: u32, bytes: u64) -> &mut Story {
        self.call(thread, Op::Write, bytes as i64, |call| (call.handle, call.len) = (handle, bytes))
    }

    fn read(&mut self, thread: u32, handle: u32, len: u64, result: i64) -> &mut Story {
        self.call(thread, Op::Read, result, |call| (call.handle, call.len) = (handle, len))
    }

    fn on(&mut self, thread: u32, op: Op, handle: u32) -> &mut Story {
        self.call(thread, op, 0, |call| call.handle = handle)
    }

    fn named(
        &mut self,
        thread: u32,
        op: Op,
        path: PathId,
        path2: PathId,
        result: i64,
    ) -> &mut Story {
        self.call(thread, op, result, |call| {
            (call.path, call.path2, call.mode) = (path, path2, 0o755);
        })
    }

    /// Writes the trace next to `dir` and makes a job of it.
    fn job(&self, dir: &Path) -> Job {
        let path = dir.join("app.trace");
        let header = Header {
            recorder: Recorder::Made,
            command: "test".into(),
            started_s: 0,
            roots: vec![Root {
                place: "/".into(),
                file_system: "ext4".into(),
                options: String::new(),
            }],
            anonymous: false,
            cost: Cost::default(),
            kernel: "6.1".into(),
            processors: 2,
            memory_bytes: 1 << 30,
        };
        let mut writer = Writer::create(fs::File::create(&path).unwrap(), &header).unwrap();
        writer.names(&self.paths).unwrap();
        writer.start(&self.entries, &self.handles).unwrap();
        self.calls.chunks(1000).for_each(|calls| writer.calls(calls).unwrap());
        let end = End {
            took_ns: 0,
            calls: self.calls.len() as u64,
            lost: 0,
            left_out: Vec::new(),
            memory_bytes: 0,
            recorder_cpu_s: 0.0,
        };
        writer.end(&end).unwrap();
        let own = dir.join("w0");
        fs::create_dir_all(&own).unwrap();
        let asset = AssetFile {
            name: "app.trace".parse().unwrap(),
            bytes: Bytes(fs::metadata(&path).unwrap().len()),
            sha256: model::workload::ContentHash::of_bytes([0; 32]),
            path,
        };
        Job { assets: vec![asset], ..testing::job("x.app", &own) }
    }

    /// Replays it, and gives its figures and the directory of its first root.
    fn replay(&self, more: &str) -> (Measured, tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let job = self.job(dir.path());
        let text = format!("kind = 'trace'\nid = 'x.app'\ntrace = 'app.trace'\n{more}");
        let test = testing::declared(&text);
        let report = testing::run(test, &job).unwrap();
        let told = report.output.clone();
        let measured = test.measure(&job, &testing::pool(report)).remove(0);
        if measured.problem.is_some() {
            println!("{told}");
        }
        let root = job.dir.join("x.app/tree/r0");
        (measured, dir, root)
    }
}

fn metric(measured: &Measured, name: &str) -> f64 {
    measured.metrics.iter().find(|m| m.name == name).map_or(0.0, |m| m.value)
}

const CREATE: u32 = 0o100 | 2;

#[test]
fn calls_of_one_thread_are_made_as_recorded() {
    let mut story = Story::new();
    let old = story.file(0, "old", 10_000);
    let (new, moved) = (story.path(0, "new"), story.path(0, "moved"));
    story.open(0, 0, old, 0).read(0, 0, 8192, 8192).read(0, 0, 8192, 1808).read(0, 0, 8192, 0);
    story.on(0, Op::Close, 0).open(0, 1, new, CREATE).write(0, 1, 5000).on(0, Op::Fsync, 1);
    story.on(0, Op::Close, 1).named(0, Op::Rename, new, moved, 0).named(
        0,
        Op::Unlink,
        old,
        NONE,
        0,
    );
    story.named(0, Op::Stat, old, NONE, -2);
    let (measured, _dir, root) = story.replay("");
    assert_eq!(measured.problem, None);
    assert_eq!((measured.ops, measured.bytes), (12, 15_000));
    assert_eq!(metric(&measured, "differences"), 0.0);
    assert_eq!(fs::metadata(root.join("moved")).unwrap().len(), 5000);
    assert!(!root.join("old").exists() && !root.join("new").exists());
    let fsyncs = measured.histograms.iter().find(|h| h.op == "fsync").unwrap();
    assert_eq!(fsyncs.count(), 1);
    assert!(metric(&measured, "sync_call_s") > 0.0);
    assert!(metric(&measured, "all_in_sync_s") > 0.0, "one thread waits alone");
}

#[test]
fn result_that_differs_makes_the_sample_invalid_and_says_which() {
    let mut story = Story::new();
    let gone = story.path(0, "gone");
    story.open(0, 0, gone, 0).read(0, 0, 100, 100);
    let (measured, _dir, _) = story.replay("");
    let Some(model::result::Reason::ReplayDiffers {
        calls,
        differing,
        call,
        recorded,
        found,
        count,
    }) = measured.problem
    else {
        panic!("{:?}", measured.problem)
    };
    assert_eq!((calls, differing, count), (2, 2, 1));
    assert_eq!((call.as_str(), recorded.as_str(), found.as_str()), ("open", "success", "ENOENT"));
}

#[test]
fn threads_keep_the_order_of_what_they_share() {
    // Each of many files is made by one thread, lengthened by another, moved by a third and removed by the first.
    let mut story = Story::new();
    for number in 0..300 {
        let folder = story.path(0, &format!("d{number}"));
        let (made, moved) = (story.path(folder, "made"), story.path(folder, "moved"));
        let handle = 2 * number;
        story.named(0, Op::Mkdir, folder, NONE, 0).open(1, handle, made, CREATE);
        story.write(1, handle, 100).write(2, handle, 100).read(0, handle, 10, 0);
        story.open(2, handle + 1, made, 0).read(2, handle + 1, 500, 200).on(0, Op::Close, handle);
        story.named(0, Op::Rename, made, moved, 0).named(1, Op::Stat, made, NONE, -2);
        story.named(2, Op::Unlink, moved, NONE, 0).named(1, Op::Rmdir, folder, NONE, 0);
        story.on(2, Op::Close, handle + 1);
    }
    for pace in ["full", "think", "2x"] {
        let (measured, _dir, root) = story.replay(&format!("pace = '{pace}'"));
        assert_eq!(measured.problem, None, "{pace}");
        assert_eq!(metric(&measured, "differences"), 0.0, "{pace}");
        assert_eq!(fs::read_dir(root).unwrap().count(), 0);
    }
}

/// As a database does that asks each file for its length before it adds a block.
#[test]
fn a_length_that_is_asked_for_is_that_of_its_moment() {
    /// `SEEK_END`.
    const END: u32 = 2;
    let mut story = Story::new();
    let path = story.file(0, "f", 0);
    for thread in 0..3 {
        story.open(thread, thread, path, 2);
    }
    for round in 0..200 {
        let (len, thread) = (100 * round, round as u32 % 2);
        story.call(1 - thread, Op::Seek, len as i64, |c| (c.handle, c.flags) = (1 - thread, END));
        story.call(thread, Op::Pwrite, 100, |c| {
            (c.handle, c.offset, c.len) = (thread, len, 100);
        });
        // A third one writes blocks again that have been there for a while.
        if round >= 20 {
            story.call(2, Op::Pwrite, 100, |c| (c.handle, c.offset, c.len) = (2, len - 1000, 100));
        }
    }
    let (measured, ..) = story.replay("");
    assert_eq!(metric(&measured, "differences"), 0.0);
}

/// As a copier does whose threads read, copy and look at the same growing files.
#[test]
fn a_copy_comes_after_what_made_its_source_and_before_who_reads_it() {
    let mut story = Story::new();
    let (from, to) = (story.file(0, "from", 0), story.file(0, "to", 0));
    story.open(0, 0, from, 2).open(1, 1, from, 0).open(1, 2, to, 2).open(2, 3, to, 0);
    for round in 0..300 {
        story.write(0, 0, 100).call(1, Op::CopyTo, 100, |c| {
            (c.handle, c.other, c.offset, c.len) = (1, 2, 100 * round, 1 << 20);
            c.set_to_offset(100 * round);
        });
        story.call(2, Op::Pread, 100, |c| (c.handle, c.offset, c.len) = (3, 100 * round, 100));
    }
    let (measured, ..) = story.replay("");
    assert_eq!(metric(&measured, "differences"), 0.0);
}

/// As a package manager does that unpacks aside, reads what it unpacked, and moves the whole into its place.
#[test]
fn a_directory_moves_after_what_is_opened_in_it() {
    let mut story = Story::new();
    for number in 0..200 {
        let aside = story.path(0, &format!("aside{number}"));
        let inner = story.path(aside, "inner");
        let (file, place) =
            (story.path(inner, "file"), story.path(0, &format!("in place{number}")));
        story.named(0, Op::Mkdir, aside, NONE, 0).named(0, Op::Mkdir, inner, NONE, 0);
        story.open(0, 2 * number, file, CREATE).on(0, Op::Close, 2 * number);
        story.open(1, 2 * number + 1, file, 0).on(1, Op::Close, 2 * number + 1);
        story.named(2, Op::Stat, file, NONE, 0);
        story.named(0, Op::Rename, aside, place, 0);
    }
    let (measured, ..) = story.replay("");
    assert_eq!(metric(&measured, "differences"), 0.0);
}

/// As `mkdir -p` of several threads: what is missing is missing until another thread has made its directory.
#[test]
fn what_is_missing_below_a_directory_is_so_until_that_is_made() {
    let mut story = Story::new();
    for number in 0..300 {
        let folder = story.path(0, &format!("d{number}"));
        let inner = story.path(folder, "inner");
        story.named(0, Op::Mkdir, inner, NONE, -2).named(1, Op::Mkdir, folder, NONE, 0);
        story.named(1, Op::Mkdir, inner, NONE, 0).named(0, Op::Stat, inner, NONE, 0);
    }
    let (measured, ..) = story.replay("");
    assert_eq!(metric(&measured, "differences"), 0.0);
}

/// A length that is asked for while a write is in flight is that before or after it; the replay has the one after.
#[test]
fn either_of_two_calls_in_flight_may_come_first() {
    let mut story = Story::new();
    let path = story.file(0, "f", 0);
    story.open(0, 0, path, 2).open(1, 1, path, 2);
    story.call(0, Op::Pwrite, 100, |c| (c.handle, c.len, c.took_ns) = (0, 100, 1500));
    story.call(1, Op::Seek, 0, |c| (c.handle, c.flags) = (1, 2));
    let (measured, ..) = story.replay("");
    assert_eq!(metric(&measured, "differences"), 1.0);
    assert_eq!(metric(&measured, "unexplained"), 0.0);
    // After the write had ended it is not.
    story.call(1, Op::Seek, 0, |c| (c.handle, c.flags) = (1, 2));
    let (measured, ..) = story.replay("");
    assert_eq!(metric(&measured, "unexplained_lseek"), 1.0);
}

#[test]
fn start_has_links_other_entries_and_open_handles() {
    let mut story = Story::new();
    let folder = story.path(0, "folder");
    let kind = StartKind::Directory { entries: 6 };
    story.entries.push(StartEntry { path: folder, kind, mode: 0o755 });
    let file = story.file(folder, "file", 3000);
    let (link, hard, out) = (story.path(0, "link"), story.path(0, "hard"), story.path(0, "out"));
    let links = [
        (link, StartKind::Link(Some(file))),
        (hard, StartKind::HardLink(file)),
        (out, StartKind::Link(None)),
    ];
    for (path, kind) in links {
        story.entries.push(StartEntry { path, kind, mode: 0o777 });
    }
    story.handles.push(StartHandle { handle: 0, thread: 0, path: file, flags: 0, offset: 1000 });
    story.read(0, 0, 5000, 2000).open(0, 1, link, 0).read(0, 1, 5000, 3000);
    story.open(0, 2, hard, 0).read(0, 2, 5000, 3000).named(0, Op::Stat, out, NONE, -2);
    let (measured, _dir, root) = story.replay("cache = 'recorded'");
    assert_eq!(measured.problem, None);
    assert_eq!(fs::read_link(root.join("link")).unwrap(), Path::new("folder/file"));
    assert_eq!(fs::read_dir(root.join("folder")).unwrap().count(), 6);
}

#[test]
fn window_begins_with_what_the_calls_before_left() {
    let mut story = Story::new();
    let file = story.path(0, "file");
    story.open(0, 0, file, CREATE).write(0, 0, 1000).read(0, 0, 10, 0).write(0, 0, 500);
    story.named(0, Op::Stat, file, NONE, 0).on(0, Op::Close, 0);
    // Calls come a microsecond apart.
    let (measured, _dir, root) = story.replay("window = '0.000003s..0.000005s'");
    assert_eq!(measured.problem, None);
    assert_eq!((measured.ops, measured.bytes), (2, 500));
    assert_eq!(fs::metadata(root.join("file")).unwrap().len(), 1500, "behind the first thousand");
}

#[test]
fn start_of_the_application_is_a_pause_like_any_other() {
    let mut story = Story::new();
    let file = story.path(0, "file");
    story.call(0, Op::Begin, 0, |c| c.other = NONE);
    story.open(0, 0, file, CREATE).calls[1].at_ns = 20_000_000;
    let (measured, _dir, _) = story.replay("pace = 'think'");
    assert!(metric(&measured, "wall_s") >= 0.02, "{:?}", measured.metrics);
}

#[test]
fn thread_that_waited_goes_on_when_it_is_woken() {
    let mut story = Story::new();
    let (a, b) = (story.path(0, "a"), story.path(0, "b"));
    // The first thread thinks for 20 ms, then wakes the second one, which had waited for all of it.
    story.open(0, 0, a, CREATE);
    story.call(0, Op::Wake, 0, |call| (call.other, call.at_ns) = (1, 20_000_000));
    story.call(1, Op::Wait, 0, |call| {
        (call.other, call.at_ns, call.took_ns) = (0, 1000, 20_000_000);
    });
    story.open(1, 1, b, CREATE).calls[3].at_ns = 20_001_000;
    let (measured, _dir, _) = story.replay("pace = 'think'");
    assert!(metric(&measured, "wall_s") >= 0.02, "{:?}", measured.metrics);
    assert_eq!((measured.ops, metric(&measured, "differences")), (2, 0.0));
    let (measured, _dir, _) = story.replay("");
    assert_eq!(measured.ops, 2, "{:?}", measured.metrics);
}

#[test]
fn call_that_could_lead_out_is_not_made() {
    let mut story = Story::new();
    let a = story.path(0, "a");
    let b = story.path(a, "b");
    let (link, lifted) = (story.path(b, "link"), story.path(0, "lifted"));
    let outside = story.path(lifted, "outside");
    story.named(0, Op::Mkdir, a, NONE, 0).named(0, Op::Mkdir, b, NONE, 0);
    story.named(0, Op::Symlink, link, 0, 0).named(0, Op::Rename, link, lifted, 0);
    story.open(0, 0, outside, CREATE);
    let (measured, dir, root) = story.replay("");
    assert!(matches!(measured.problem, Some(model::result::Reason::ReplayDiffers { .. })));
    assert!(root.join("a/b/link").is_symlink() && !root.join("lifted").exists());
    let mut found: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    found.sort();
    assert_eq!(found, ["app.trace", "w0"]);
}

#[test]
fn every_kind_of_call_is_made() {
    let mut story = Story::new();
    let (a, b) = (story.file(0, "a", 100_000), story.file(0, "b", 50_000));
    let (folder, fifo, link) =
        (story.path(0, "folder"), story.path(0, "fifo"), story.path(0, "link"));
    story.call(0, Op::Begin, 0, |c| c.other = NONE);
    story.open(0, 0, a, 2).open(0, 1, b, 2);
    story.call(0, Op::Dup, 0, |c| (c.handle, c.other, c.flags) = (0, 2, 0));
    story.call(0, Op::Pread, 4096, |c| (c.handle, c.offset, c.len, c.mode) = (2, 4096, 4096, 3));
    story
        .call(0, Op::Pwrite, 3000, |c| (c.handle, c.offset, c.len, c.mode) = (0, 99_000, 3000, 20));
    story.call(0, Op::Seek, 102_000, |c| (c.handle, c.flags) = (0, 2));
    for op in [Op::Fsync, Op::Fdatasync, Op::Syncfs, Op::SyncRange, Op::Fstat, Op::Fstatfs] {
        story.on(0, op, 0);
    }
    for op in [Op::Fchmod, Op::Fchown, Op::Futimens, Op::Fadvise, Op::Readahead, Op::RingFsync] {
        story.on(0, op, 0);
    }
    story.call(0, Op::Sync, 0, |_| ());
    story.call(0, Op::Ftruncate, 0, |c| (c.handle, c.len) = (0, 90_000));
    story.call(0, Op::Truncate, 0, |c| (c.path, c.len) = (a, 80_000));
    story.call(0, Op::Fallocate, 0, |c| (c.handle, c.len) = (0, 1 << 20));
    story.call(0, Op::CopyRange, 1000, |c| {
        (c.handle, c.other, c.offset, c.len) = (0, 1, 0, 1000);
    });
    story.call(0, Op::CopyTo, 1000, |c| {
        (c.handle, c.other, c.offset, c.len) = (0, 1, 0, 1000);
        c.set_to_offset(70_000);
    });
    story.call(0, Op::SendFile, 500, |c| (c.handle, c.other, c.offset, c.len) = (0, NONE, 0, 500));
    story.call(0, Op::Clone, -95, |c| (c.handle, c.other) = (1, 0));
    story.named(0, Op::Mkdir, folder, NONE, 0).open(0, 3, folder, 0o200_000);
    story.call(0, Op::Getdents, 48, |c| (c.handle, c.len) = (3, 32_768));
    story.call(0, Op::Mknod, 0, |c| (c.path, c.mode) = (fifo, 0o10_644));
    story.named(0, Op::Symlink, link, a, 0);
    story.call(0, Op::Readlink, 1, |c| (c.path, c.len) = (link, 100));
    for op in [Op::Stat, Op::Access, Op::Statfs, Op::Chmod, Op::Chown, Op::Utimens, Op::Chdir] {
        story.named(0, op, a, NONE, 0);
    }
    for op in [Op::Setxattr, Op::Getxattr, Op::Listxattr, Op::Removexattr] {
        story.call(0, op, 0, |c| (c.path, c.len) = (a, 10));
    }
    for op in [Op::Fsetxattr, Op::Fgetxattr, Op::Flistxattr] {
        story.call(0, op, 0, |c| (c.handle, c.len) = (0, 10));
    }
    for (kind, offset) in [(1, 0), (2, 0)] {
        story
            .call(0, Op::Lock, 0, |c| (c.handle, c.flags, c.offset, c.len) = (0, kind, offset, 10));
    }
    story.call(0, Op::Flock, 0, |c| (c.handle, c.flags) = (0, 2));
    story.call(0, Op::Map, 0, |c| {
        (c.handle, c.other, c.len, c.mode, c.flags) = (1, 0, 40_960, 3, 1);
    });
    story.call(0, Op::Touch, 0, |c| (c.other, c.offset, c.len, c.flags) = (0, 4096, 2, 1));
    story.call(0, Op::Msync, 0, |c| (c.other, c.len, c.flags) = (0, 40_960, 4));
    story.call(0, Op::Madvise, 0, |c| (c.other, c.len, c.flags) = (0, 40_960, 2));
    story.call(0, Op::Unmap, 0, |c| (c.other, c.len) = (0, 40_960));
    story.call(0, Op::RingRead, 100, |c| (c.handle, c.len) = (0, 100));
    story.call(0, Op::RingWrite, 100, |c| (c.handle, c.len) = (0, 100));
    story.named(0, Op::Rmdir, folder, NONE, 0).named(0, Op::Link, a, folder, 0);
    story.on(0, Op::Close, 0).call(0, Op::End, 0, |_| ());
    let used: std::collections::BTreeSet<u8> = story.calls.iter().map(|c| c.op as u8).collect();
    let missing = Op::ALL.iter().filter(|op| !used.contains(&(**op as u8)));
    let missing: Vec<&str> = missing.map(|op| op.name()).collect();
    let elsewhere = ["read", "write", "rename", "unlink", "wake", "wait"];
    assert_eq!(missing, elsewhere, "made by other tests");
    let (measured, _dir, _) = story.replay("");
    assert_eq!(measured.problem, None, "{:?}", measured.metrics);
}

#[test]
fn long_trace_is_planned_while_it_is_replayed() {
    let mut story = Story::new();
    let (mine, yours) = (story.path(0, "mine"), story.path(0, "yours"));
    story.open(0, 0, mine, CREATE).open(1, 1, yours, CREATE);
    for number in 0..supply::AHEAD as u64 + 100_000 {
        let handle = (number % 2) as u32;
        story.call(handle, Op::Seek, number as i64, |c| (c.handle, c.offset) = (handle, number));
    }
    story.on(1, Op::Close, 0).on(0, Op::Close, 1);
    let (measured, _dir, _) = story.replay("");
    assert_eq!(measured.problem, None);
    assert_eq!(measured.ops, supply::AHEAD as u64 + 100_004);
    assert_eq!(metric(&measured, "differences"), 0.0);
}

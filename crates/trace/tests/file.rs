//! A trace comes back as it was written, and damage of any kind is an answer.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use std::io::Cursor;
use trace::{
    call::{Call, Field, NONE, Op, TICK_NS},
    file::{Trace, Writer},
    header::{Cost, End, Header, Recorder, Root},
    path::Paths,
    start::{StartEntry, StartHandle, StartKind},
};

fn header() -> Header {
    Header {
        recorder: Recorder::Made,
        command: "made".into(),
        started_s: 1,
        roots: vec![Root {
            place: "/srv".into(),
            file_system: "ext4".into(),
            options: "rw".into(),
        }],
        anonymous: false,
        cost: Cost { inside_ns: 60.5, between_ns: 90.0 },
        kernel: "6.18".into(),
        processors: 2,
        memory_bytes: 1 << 30,
    }
}

fn end(calls: u64) -> End {
    End {
        took_ns: 9,
        calls,
        lost: 0,
        left_out: vec![("outside the roots".into(), 3)],
        memory_bytes: 1,
        recorder_cpu_s: 0.25,
    }
}

fn paths(files: usize) -> Paths {
    let mut paths = Paths::default();
    let root = paths.add_root().unwrap();
    for file in 0..files {
        paths.add(root, format!("file-{file}").as_bytes()).unwrap();
    }
    paths
}

fn write(calls: &[Call], files: usize) -> Vec<u8> {
    let paths = paths(files);
    let mut writer = Writer::create(Vec::new(), &header()).unwrap();
    writer.names(&paths).unwrap();
    writer.start(&entries(files), &handles()).unwrap();
    writer.calls(calls).unwrap();
    let counted = writer.bytes();
    let end = end(calls.len() as u64);
    let mut written = writer.end(&end).unwrap();
    assert!(counted < written.len() as u64);
    written.shrink_to_fit();
    written
}

fn entries(files: usize) -> Vec<StartEntry> {
    (0..=files as u32)
        .map(|path| StartEntry {
            path,
            kind: match path % 5 {
                0 => StartKind::Directory { entries: path },
                1 => StartKind::File { bytes: 1 << 40, cached_bytes: None, compressed: Some(0.25) },
                2 => StartKind::Link((path > 2).then_some(1)),
                3 => StartKind::HardLink(1),
                _ => StartKind::File { bytes: 0, cached_bytes: Some(0), compressed: None },
            },
            mode: 0o644,
        })
        .collect()
}

fn handles() -> Vec<StartHandle> {
    vec![StartHandle { handle: 0, thread: 0, path: 1, flags: 2, offset: 1 << 33 }]
}

fn read_calls(bytes: &[u8]) -> (Vec<Call>, bool) {
    let mut trace = Trace::open(Cursor::new(bytes)).unwrap();
    let mut all = Vec::new();
    let mut calls = Vec::new();
    let mut is_whole = !trace.is_cut();
    for block in trace.blocks().to_vec() {
        is_whole &= trace.read(&block, &mut calls).is_ok();
        all.extend_from_slice(&calls);
    }
    (all, is_whole)
}

/// Any call, with only the fields that its operation has.
fn any_call(files: u32) -> impl Strategy<Value = Call> {
    let id = || prop_oneof![Just(NONE), 0..50u32, any::<u32>()];
    let path = move || prop_oneof![Just(NONE), 0..=files];
    let number = || prop_oneof![Just(0u64), 0..1u64 << 20, any::<u64>()];
    (
        (0..Op::ALL.len(), prop_oneof![0..3u32, any::<u32>()]),
        (number(), number(), any::<i64>()),
        (id(), id(), path(), path()),
        (number(), number(), any::<u32>(), any::<u32>()),
    )
        .prop_map(|((op, thread), (at_ns, took_ns, result), ids, numbers)| {
            let mut call = Call::new(Op::ALL[op], thread);
            (call.at_ns, call.took_ns, call.result) = (at_ns, took_ns, result);
            for field in call.op.fields() {
                match field {
                    Field::Handle => call.handle = ids.0,
                    Field::Other => call.other = ids.1,
                    Field::Path => call.path = ids.2,
                    Field::Path2 => call.path2 = ids.3,
                    Field::Offset => call.offset = numbers.0,
                    Field::Len => call.len = numbers.1,
                    Field::Flags => call.flags = numbers.2,
                    Field::Mode => call.mode = numbers.3,
                }
            }
            call
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_round_trip(calls in prop::collection::vec(any_call(9), 0..200)) {
        prop_assert_eq!(read_calls(&write(&calls, 9)), (calls, true));
    }

    #[test]
    fn flipped_bytes_never_panic_and_never_go_unnoticed(
        calls in prop::collection::vec(any_call(3), 1..60),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=255u8), 1..4),
    ) {
        let whole = write(&calls, 3);
        let mut damaged = whole.clone();
        for (at, by) in flips {
            damaged[at.index(whole.len())] ^= by;
        }
        prop_assume!(damaged != whole);
        if Trace::open(Cursor::new(&damaged)).is_ok() {
            prop_assert!(!read_calls(&damaged).1);
        }
    }
}

#[test]
fn trace_cut_at_any_byte_gives_what_is_whole() {
    let calls: Vec<Call> = (0..40).map(|i| read_of(i, 4096)).collect();
    let whole = write(&calls, 3);
    let mut opened = 0;
    for cut in 0..whole.len() {
        let Ok(trace) = Trace::open(Cursor::new(&whole[..cut])) else { continue };
        assert!(trace.is_cut(), "{cut}");
        let (read, _) = read_calls(&whole[..cut]);
        assert!(read.is_empty() || read == calls, "{cut}");
        opened += 1;
    }
    assert!(opened > 100, "{opened}");
}

#[test]
fn everything_but_calls_comes_back_too() {
    let bytes = write(&[], 40_000);
    let trace = Trace::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(trace.header(), &header());
    assert_eq!(trace.end(), Some(&end(0)));
    assert_eq!(trace.start_entries(), entries(40_000));
    assert_eq!(trace.start_handles(), handles());
    assert_eq!(trace.paths().relative(40_000), (0, b"file-39999".to_vec()));
    assert!(trace.damage().is_none() && !trace.is_cut());
}

#[test]
fn files_that_are_no_traces_are_refused_by_what_they_are() {
    let open = |bytes: &[u8]| Trace::open(Cursor::new(bytes.to_vec())).err().unwrap().to_string();
    assert!(open(b"SQLite format 3\0").contains("not an assay trace"));
    assert!(open(b"").contains("not an assay trace"));
    assert!(open(b"assaytr\x02....").contains("version 2"));
    assert!(open(b"assaytr\x01").contains("no readable header"));
}

#[test]
fn path_that_leaves_the_tree_damages_its_part_only() {
    let mut writer = Writer::create(Vec::new(), &header()).unwrap();
    writer.names(&paths(1)).unwrap();
    writer.start(&[StartEntry { path: 7, kind: StartKind::Link(None), mode: 0 }], &[]).unwrap();
    let bytes = writer.end(&end(0)).unwrap();
    let trace = Trace::open(Cursor::new(&bytes)).unwrap();
    assert!(trace.damage().unwrap().to_string().contains("entries are broken"));
    assert_eq!(trace.paths().len(), 2);
}

fn read_of(i: u64, len: u64) -> Call {
    let mut call = Call::new(Op::Pread, 0);
    (call.at_ns, call.took_ns, call.result) = (i * 900, 400, len as i64);
    (call.handle, call.offset, call.len, call.mode) = (0, i * len, len, 1);
    call
}

/// Numbers that look like measured times: a floor, a spread, and a rare long one.
struct Times(u64);

impl Times {
    fn draw(&mut self, floor: u64, spread: u64) -> u64 {
        self.random(floor, spread) / TICK_NS * TICK_NS
    }

    fn random(&mut self, floor: u64, spread: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let random = self.0 >> 33;
        let long = if random.is_multiple_of(97) { 20_000 } else { 0 };
        floor + long + (random % spread + (random >> 8) % spread) / 2
    }
}

/// Random reads, as of a database, from two threads.
fn random_reads() -> Vec<Call> {
    let mut times = Times(1);
    let mut ends = [0; 2];
    (0..60_000)
        .map(|i: u32| {
            let thread = i % 2;
            let mut call = read_of(0, 4096);
            call.thread = thread;
            call.offset = times.random(0, 1 << 18) << 12;
            call.at_ns = ends[thread as usize] + times.draw(300, 200);
            call.took_ns = times.draw(400, 150);
            ends[thread as usize] = call.at_ns + call.took_ns;
            call
        })
        .collect()
}

/// What SQLite does with a write-ahead log: locks, a header and a page for each insert.
fn write_ahead_log() -> Vec<Call> {
    let mut times = Times(2);
    let mut calls = Vec::new();
    let mut now = 0;
    for insert in 0..7_000u64 {
        let log = 32 + insert % 1000 * 4120;
        let shapes = [
            (Op::Lock, 2, 123, 1, 0),
            (Op::Lock, 2, 120, 1, 1),
            (Op::Pwrite, 1, log, 24, 0),
            (Op::Pwrite, 1, log + 24, 4096, 0),
            (Op::Lock, 2, 120, 1, 2),
            (Op::Lock, 2, 123, 1, 2),
            (Op::Fstat, 1, 0, 0, 0),
            (Op::Pread, 0, 24, 16, 0),
        ];
        for (op, handle, offset, len, flags) in shapes {
            let mut call = Call::new(op, 0);
            (call.handle, call.flags) = (handle, flags);
            if op != Op::Fstat {
                (call.offset, call.len) = (offset, len);
                call.mode = if op == Op::Lock { 6 } else { 1 };
            } else {
                call.flags = 0;
            }
            call.result = if matches!(op, Op::Pwrite | Op::Pread) { len as i64 } else { 0 };
            (call.at_ns, call.took_ns) = (now + times.draw(250, 120), times.draw(200, 100));
            now = call.at_ns + call.took_ns;
            calls.push(call);
        }
    }
    calls
}

/// What `find` does: a look at each name, a list of each directory.
fn walk() -> Vec<Call> {
    let mut times = Times(3);
    let mut calls = Vec::new();
    let mut now = 0;
    for (next, folder) in (0..60_000u32).step_by(12).zip(0..) {
        for step in 0..16 {
            let op = [Op::Open, Op::Fstat, Op::Getdents, Op::Getdents, Op::Close];
            let mut call = Call::new(op.get(step).copied().unwrap_or(Op::Stat), 0);
            match call.op {
                Op::Stat => (call.path, call.flags) = (next + step as u32 - 4, 0x100),
                Op::Open => (call.handle, call.path, call.flags) = (folder, next, 0x90800),
                Op::Getdents => (call.handle, call.len) = (folder, 32768),
                _ => call.handle = folder,
            }
            call.result = if step == 2 { 480 } else { 0 };
            (call.at_ns, call.took_ns) = (now + times.draw(400, 300), times.draw(500, 400));
            now = call.at_ns + call.took_ns;
            calls.push(call);
        }
    }
    calls
}

#[test]
fn realistic_calls_take_at_most_four_bytes() {
    for (name, calls) in [("reads", random_reads()), ("log", write_ahead_log()), ("walk", walk())] {
        let empty = write(&[], 60_010).len();
        let full = write(&calls, 60_010).len();
        let each = (full - empty) as f64 / calls.len() as f64;
        println!("{name}: {each:.2} bytes a call");
        assert!(each <= 4.0, "{name}: {each:.2} bytes a call");
        assert_eq!(read_calls(&write(&calls, 60_010)), (calls, true));
    }
}

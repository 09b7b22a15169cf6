//! Writes traces of known work, for harnesses that compare a replay with a program that makes the same calls:
//! `made reads COUNT FILE`, `made names COUNT FILE`, `made threads COUNT FILE`.

use std::{env, error::Error, fs::File};
use trace::{
    call::{Call, Op},
    file::{BLOCK_CALLS, Writer},
    header::{Cost, End, Header, Recorder, Root},
    path::{PathId, Paths},
    start::{StartEntry, StartHandle, StartKind},
};

/// Length of the file that is read.
const FILE_BYTES: u64 = 64 << 20;
/// Bytes of a read.
const BLOCK: u64 = 4096;
/// Threads of `threads`.
const THREADS: u32 = 8;
/// `O_CREAT | O_RDWR`.
const CREATE: u32 = 0o102;

/// A trace that is written call by call.
struct Made {
    writer: Writer<File>,
    block: Vec<Call>,
    calls: u64,
}

impl Made {
    fn new(
        file: &str,
        paths: &Paths,
        entries: &[StartEntry],
        handles: &[StartHandle],
    ) -> Result<Made, Box<dyn Error>> {
        let root =
            Root { place: "/made".into(), file_system: "none".into(), options: String::new() };
        let header = Header {
            recorder: Recorder::Made,
            command: "made".into(),
            started_s: 0,
            roots: vec![root],
            anonymous: false,
            cost: Cost::default(),
            kernel: "none".into(),
            processors: 1,
            memory_bytes: 0,
        };
        let mut writer = Writer::create(File::create(file)?, &header)?;
        writer.names(paths)?;
        writer.start(entries, handles)?;
        Ok(Made { writer, block: Vec::new(), calls: 0 })
    }

    fn call(
        &mut self,
        thread: u32,
        op: Op,
        result: i64,
        set: impl FnOnce(&mut Call),
    ) -> Result<(), Box<dyn Error>> {
        let mut call =
            Call { at_ns: self.calls * 1024, took_ns: 512, result, ..Call::new(op, thread) };
        set(&mut call);
        self.calls += 1;
        self.block.push(call);
        if self.block.len() == BLOCK_CALLS {
            self.writer.calls(&self.block)?;
            self.block.clear();
        }
        Ok(())
    }

    fn end(mut self) -> Result<(), Box<dyn Error>> {
        self.writer.calls(&self.block)?;
        let end = End {
            took_ns: self.calls * 1024,
            calls: self.calls,
            lost: 0,
            left_out: Vec::new(),
            memory_bytes: 0,
            recorder_cpu_s: 0.0,
        };
        self.writer.end(&end)?;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [what, count, file] = words.as_slice() else {
        return Err("made reads|names|threads COUNT FILE".into());
    };
    let count: u64 = count.parse()?;
    match what.as_str() {
        "reads" => reads(count, file),
        "names" => names(count, file),
        "threads" => threads(count, file),
        _ => Err("made reads|names|threads COUNT FILE".into()),
    }
}

fn paths(names: &[&str]) -> Result<(Paths, Vec<PathId>), Box<dyn Error>> {
    let mut paths = Paths::default();
    let root = paths.add_root()?;
    let ids =
        names.iter().map(|name| paths.add(root, name.as_bytes())).collect::<Result<_, _>>()?;
    Ok((paths, ids))
}

fn large(path: PathId) -> StartEntry {
    let kind =
        StartKind::File { bytes: FILE_BYTES, cached_bytes: Some(FILE_BYTES), compressed: None };
    StartEntry { path, kind, mode: 0o644 }
}

/// Blocks of one file, at the places of a multiplicative generator, as `bench/c/replayed.c` reads them.
fn reads(count: u64, file: &str) -> Result<(), Box<dyn Error>> {
    let (paths, ids) = paths(&["file"])?;
    let handle = StartHandle { handle: 0, thread: 0, path: ids[0], flags: 0, offset: 0 };
    let mut made = Made::new(file, &paths, &[large(ids[0])], &[handle])?;
    let mut state = 1_u64;
    for _ in 0..count {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let offset = (state >> 33) % (FILE_BYTES / BLOCK) * BLOCK;
        made.call(0, Op::Pread, BLOCK as i64, |c| {
            (c.handle, c.offset, c.len) = (0, offset, BLOCK)
        })?;
    }
    made.end()
}

/// A file that is made, closed, looked at, moved and removed, again and again.
fn names(count: u64, file: &str) -> Result<(), Box<dyn Error>> {
    let (paths, ids) = paths(&["one", "two"])?;
    let mut made = Made::new(file, &paths, &[], &[])?;
    for round in 0..count / 5 {
        let handle = round as u32;
        made.call(0, Op::Open, 0, |c| {
            (c.handle, c.path, c.flags, c.mode) = (handle, ids[0], CREATE, 0o644)
        })?;
        made.call(0, Op::Close, 0, |c| (c.handle, c.flags) = (handle, 0))?;
        made.call(0, Op::Stat, 0, |c| (c.path, c.flags) = (ids[0], 0))?;
        made.call(0, Op::Rename, 0, |c| (c.path, c.path2, c.flags) = (ids[0], ids[1], 0))?;
        made.call(0, Op::Unlink, 0, |c| c.path = ids[1])?;
    }
    made.end()
}

/// Threads that append to a file of their own and read a common one.
fn threads(count: u64, file: &str) -> Result<(), Box<dyn Error>> {
    let own: Vec<String> = (0..THREADS).map(|thread| format!("own{thread}")).collect();
    let names: Vec<&str> = own.iter().map(String::as_str).chain(["file"]).collect();
    let (paths, ids) = paths(&names)?;
    let common = ids[THREADS as usize];
    let handle = StartHandle { handle: 0, thread: 0, path: common, flags: 0, offset: 0 };
    let mut made = Made::new(file, &paths, &[large(common)], &[handle])?;
    for thread in 0..THREADS {
        let path = ids[thread as usize];
        made.call(thread, Op::Open, 0, |c| {
            (c.handle, c.path, c.flags, c.mode) = (1 + thread, path, CREATE, 0o644)
        })?;
    }
    for number in 0..count {
        let thread = (number % u64::from(THREADS)) as u32;
        match number % 3 {
            0 => made.call(thread, Op::Pwrite, 512, |c| {
                (c.handle, c.offset, c.len) = (1 + thread, 512 * (number % 8192), 512)
            })?,
            _ => made.call(thread, Op::Pread, 4096, |c| {
                (c.handle, c.offset, c.len) =
                    (0, BLOCK * (number * 7919 % (FILE_BYTES / BLOCK)), BLOCK)
            })?,
        }
    }
    made.end()
}

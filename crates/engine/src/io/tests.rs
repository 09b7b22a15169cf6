//! Tests that every engine does what was requested, counts all of it, and says what went wrong.

use super::{buffers::Buffers, drive::Engine, mapped::Mapped, sync::Sync, uring::Uring, *};
use crate::{
    data::Pattern,
    progress::{Counters, Progress},
};
use model::{figure::LatencyKind, workload::DataKind};
use needs::{Need, skip};
use std::{
    fs::{self, File},
    path::PathBuf,
};

mod refusals;

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 200;

/// A directory with `files` files of `BLOCKS` blocks; block `b` of file `f` is full of `f * 256 + b`.
struct TestFiles {
    dir: tempfile::TempDir,
    files: u32,
}

impl TestFiles {
    fn new(files: u32) -> TestFiles {
        let test_files = TestFiles { dir: tempfile::tempdir().unwrap(), files };
        for file in 0..files {
            let content: Vec<u8> = (0..BLOCKS)
                .flat_map(|block| [u64::from(file) * 256 + block; BLOCK as usize / 8])
                .flat_map(u64::to_ne_bytes)
                .collect();
            fs::write(test_files.path(file), content).unwrap();
        }
        test_files
    }

    fn path(&self, file: u32) -> PathBuf {
        self.dir.path().join(file.to_string())
    }

    fn open(&self, write: bool, direct: bool) -> Result<Vec<File>, EngineError> {
        (0..self.files).map(|file| open(&self.path(file), write, direct)).collect()
    }

    fn access(&self, order: Order, read_percent: u8) -> Access {
        Access {
            files: self.files,
            file_bytes: BLOCKS * u64::from(BLOCK),
            block_bytes: BLOCK,
            blocks: None,
            order,
            read_percent,
            passes: Some(1),
            seed: 4,
        }
    }
}

/// Engines to be tested, those that do I/O.
fn engines() -> [EngineOptions; 4] {
    let sync = EngineOptions::default();
    let uring = EngineOptions { kind: EngineKind::IoUring, ..sync };
    [
        sync,
        EngineOptions { kind: EngineKind::Mmap, advise: Some(Advice::Random), ..sync },
        uring,
        EngineOptions { depth: 32, batch: 5, ..uring },
    ]
}

fn pattern() -> Pattern {
    Pattern::new(&DataKind::Random, 11, 0, 512)
}

/// What a run gave: its end, what was counted, and operations and bytes told as progress.
type Ran = (Result<Done, EngineError>, Latencies, (u64, u64));

/// Prepares and runs; `None` with the reason printed where the machine has no io_uring.
fn run(
    options: &EngineOptions,
    files: &[File],
    pace: Pace,
    until: Until,
    ops: &mut impl OpSource,
) -> Option<Ran> {
    let content = pattern();
    let mut prepared = match Prepared::new(options, files, BLOCK, Some(&content)) {
        Err(error @ EngineError::Unavailable { .. }) => {
            skip(Need::Other, error);
            return None;
        }
        prepared => prepared.unwrap(),
    };
    let counters = Counters::default();
    let progress = Progress::new(&counters);
    let mut latencies = Latencies::new(pace.latency_kind()).unwrap();
    let done = prepared.run(Work { ops, pace, until, progress }, &mut latencies);
    Some((done, latencies, (progress.ops(), progress.bytes())))
}

#[test]
fn every_engine_writes_each_block_once_and_counts_it() {
    for options in engines() {
        for order in [Order::Sequential, Order::Permuted] {
            let test_files = TestFiles::new(3);
            let files = test_files.open(true, false).unwrap();
            let mut ops = Offsets::new(&test_files.access(order, 0));
            let ran = run(&options, &files, Pace::Closed, Until::Exhausted, &mut ops);
            let Some((done, latencies, progress)) = ran else { continue };
            let done = done.unwrap();
            assert_eq!((done.ops_read, done.ops_written), (0, 3 * BLOCKS), "{options:?}");
            assert_eq!(progress, (3 * BLOCKS, done.bytes));
            let [written] = &latencies.histograms()[..] else { panic!("{latencies:?}") };
            assert_eq!((written.op.as_str(), written.count()), ("write", 3 * BLOCKS));
            assert_eq!(written.latency, LatencyKind::Service);
            for file in 0..3 {
                let content = fs::read(test_files.path(file)).unwrap();
                assert_eq!(content.len() as u64, BLOCKS * 4096);
                for block in content.chunks(4096) {
                    assert!(holds_written_block(&pattern(), block), "{options:?} {order:?}");
                }
            }
        }
    }
}

/// Reads blocks through an engine and looks at what arrived.
fn arrives<E: Engine>(mut engine: E, buffers: fn(&mut E) -> &mut Buffers) {
    for (file, block) in [(1, 7), (0, 0), (2, BLOCKS - 1), (1, 8)] {
        let op = Op { write: false, file, offset: block * u64::from(BLOCK) };
        engine.stage(0, op).unwrap();
        engine.submit(1, None).unwrap();
        assert_eq!(engine.completed().unwrap(), Some(0));
        assert_eq!(engine.completed().unwrap(), None);
        let expected = (u64::from(file) * 256 + block).to_ne_bytes();
        let read = buffers(&mut engine).read_block(0);
        assert_eq!(read.len(), BLOCK as usize);
        assert!(read.chunks(8).all(|word| word == expected), "file {file}, block {block}");
    }
}

#[test]
fn reads_return_the_content_of_the_file() {
    let test_files = TestFiles::new(3);
    let files = test_files.open(false, false).unwrap();
    let options = EngineOptions::default();
    let buffers = || Buffers::new(1, BLOCK, None).unwrap();
    arrives(Sync::new(&options, &files, buffers()), |engine| &mut engine.buffers);
    arrives(Mapped::new(&options, &files, false, buffers()).unwrap(), |engine| &mut engine.buffers);
    match Uring::new(&options, &files, BLOCK, buffers()) {
        Err(error) => skip(Need::Other, error),
        Ok(engine) => arrives(engine, |engine| &mut engine.buffers),
    }
}

#[test]
fn number_of_operations_is_exact_and_reported() {
    for options in engines() {
        let test_files = TestFiles::new(1);
        let files = test_files.open(true, false).unwrap();
        let mut ops =
            Offsets::new(&Access { passes: None, ..test_files.access(Order::Uniform, 60) });
        let ran = run(&options, &files, Pace::Closed, Until::Ops(1003), &mut ops);
        let Some((done, latencies, progress)) = ran else { continue };
        let done = done.unwrap();
        assert_eq!(done.ops_read + done.ops_written, 1003, "{options:?}");
        assert_eq!(progress, (1003, done.bytes));
        let counts: Vec<u64> =
            latencies.histograms().iter().map(model::figure::Histogram::count).collect();
        assert_eq!(counts, [done.ops_read, done.ops_written]);
    }
}

/// The same operation for ever.
struct Same(Op);

impl OpSource for Same {
    fn next_op(&mut self) -> Option<Op> {
        Some(self.0)
    }
}

/// Runs the null engine, whose figures are exact.
fn null(delay_ns: u64, pace: Pace, ops: u64) -> (Done, model::figure::Histogram) {
    let options = EngineOptions { kind: EngineKind::Null, delay_ns, ..EngineOptions::default() };
    let mut source = Same(Op::default());
    let (done, latencies, _) = run(&options, &[], pace, Until::Ops(ops), &mut source).unwrap();
    (done.unwrap(), latencies.histograms().remove(0))
}

#[test]
fn the_null_engine_takes_exactly_its_time() {
    let (done, latencies) = null(20_000, Pace::Closed, 500);
    assert_eq!((latencies.count(), latencies.bins.len()), (500, 1));
    assert!((latencies.mean_ns().unwrap() - 20_000.0).abs() <= 10.0, "{latencies:?}");
    assert_eq!(done.elapsed_ns, 500 * 20_000);
    assert_eq!(null(0, Pace::Closed, 500).1.count(), 500);
}

#[test]
fn at_a_fixed_rate_waiting_is_part_of_the_latency() {
    // Twice as many operations as the engine can do: each waits 10 microseconds longer than the one
    // before, and none is left out.
    let at = |ops_per_s| Pace::Fixed { ops_per_s, first_ns: crate::clock::now_ns() + 1_000_000 };
    let (_, latencies) = null(20_000, at(100_000.0), 100);
    assert_eq!((latencies.latency, latencies.count()), (LatencyKind::Response, 100));
    let (shortest, longest) = (latencies.bins[0].0, latencies.quantile_ns(1.0).unwrap());
    let spread = longest - shortest;
    assert!(spread.abs_diff(990_000) <= longest / 500, "{shortest} to {longest}");
    // A rate that it can keep: operations wait only until a late start is made up, each 95 microseconds less than
    // the one before.
    let (done, latencies) = null(5_000, at(10_000.0), 200);
    let longest_ns = latencies.quantile_ns(1.0).unwrap();
    let longest_wait_ns = longest_ns.saturating_sub(5_000);
    let in_time: u64 = latencies.bins.iter().filter(|bin| bin.0 <= 5_005).map(|bin| bin.1).sum();
    let waited = longest_wait_ns.div_ceil(95_000).min(200);
    assert!(waited.abs_diff(200 - in_time) <= 1, "{latencies:?}");
    // It ends with its schedule, however late it began.
    assert!(done.elapsed_ns + longest_wait_ns >= 199 * 100_000 - longest_ns / 500, "{done:?}");
}

#[test]
fn every_engine_keeps_a_rate_without_leaving_operations_out() {
    for options in engines() {
        let test_files = TestFiles::new(1);
        let files = test_files.open(true, false).unwrap();
        let pace = Pace::Fixed { ops_per_s: 20_000.0, first_ns: crate::clock::now_ns() };
        let mut ops =
            Offsets::new(&Access { passes: None, ..test_files.access(Order::Uniform, 100) });
        // Those that should start before 30 ms are over.
        let ran = run(&options, &files, pace, Until::Nanoseconds(30_000_000), &mut ops);
        let Some((done, latencies, _)) = ran else { continue };
        let done = done.unwrap();
        assert!(done.ops_read >= 600, "{options:?}: {done:?}");
        assert_eq!(latencies.histograms()[0].count(), done.ops_read);
        assert!(done.elapsed_ns >= 29_000_000);
    }
}

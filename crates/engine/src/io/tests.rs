//! Every engine does what it was told, counts all of it, and says what went wrong.

use super::*;
use crate::{
    data::Pattern,
    progress::{Counters, Progress},
};
use model::{DataKind, LatencyKind};
use std::{
    fs::{self, File},
    path::PathBuf,
};

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 200;

/// A directory with `files` files of `BLOCKS` blocks; block `b` of file `f` is full of `f * 256 + b`.
struct Place {
    dir: tempfile::TempDir,
    files: u32,
}

impl Place {
    fn new(files: u32) -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap(), files };
        for file in 0..files {
            let content: Vec<u8> = (0..BLOCKS)
                .flat_map(|block| [u64::from(file) * 256 + block; BLOCK as usize / 8])
                .flat_map(u64::to_ne_bytes)
                .collect();
            fs::write(place.path(file), content).unwrap();
        }
        place
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
            eprintln!("skipped: {error}");
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
            let place = Place::new(3);
            let files = place.open(true, false).unwrap();
            let mut ops = Offsets::new(&place.access(order, 0));
            let ran = run(&options, &files, Pace::Closed, Until::Exhausted, &mut ops);
            let Some((done, latencies, progress)) = ran else { continue };
            let done = done.unwrap();
            assert_eq!((done.ops_read, done.ops_written), (0, 3 * BLOCKS), "{options:?}");
            assert_eq!((done.bytes, done.bytes), (progress.0 * 4096, progress.1));
            let [written] = &latencies.histograms()[..] else { panic!("{latencies:?}") };
            assert_eq!((written.op.as_str(), written.count()), ("write", 3 * BLOCKS));
            assert_eq!(written.latency, LatencyKind::Service);
            for file in 0..3 {
                let content = fs::read(place.path(file)).unwrap();
                assert_eq!(content.len() as u64, BLOCKS * 4096);
                for block in content.chunks(4096) {
                    assert!(holds_written_block(&pattern(), block), "{options:?} {order:?}");
                }
            }
        }
    }
}

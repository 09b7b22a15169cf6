//! Blocks, files and figures of compressed columns.

use super::{
    codec::{Algorithm, Codec},
    table::{Entry, MAGIC, Table},
    trades::{BATCH_BYTES, Column, Image, TABLE},
    *,
};
use crate::testing::{Clock, declared, job, pool, run};
use model::workload::{DataKind, WorkerReport};
use proptest::prelude::*;
use std::{
    fs::{self, File},
    io::Read,
    os::unix::fs::FileExt,
};

const MIB: u64 = 1 << 20;

fn value(measured: &Measured, name: &str) -> f64 {
    let metric = measured.metrics.iter().find(|metric| metric.name == name);
    metric.unwrap_or_else(|| panic!("no {name}")).value
}

fn test_of(action: &str, compress: &str, block: &str) -> &'static dyn Test {
    let what = format!("action = '{action}'\ncompress = '{compress}'\nblock = '{block}'");
    declared(&format!("kind = 'column'\nid = 'x.c'\n{what}"))
}

/// Columns of 3 MiB each.
fn job_of(dir: &Path) -> Job {
    Job { scale: 3.0 / 64.0, ..job("x.c", dir) }
}

/// Bytes as columns have them: runs, steps and noise.
fn block() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        (any::<u64>(), 1..200usize).prop_map(|(word, count)| vec![word; count]),
        (any::<u64>(), any::<u8>(), 1..200u64).prop_map(|(first, step, count)| {
            (0..count).map(|i| first.wrapping_add(i * u64::from(step))).collect()
        }),
        prop::collection::vec(any::<u64>(), 1..100),
    ];
    prop::collection::vec(piece, 1..20).prop_map(|pieces| {
        let words: Vec<u64> = pieces.concat();
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    })
}

proptest! {
    #[test]
    fn blocks_come_back_as_they_were_and_never_grow(blocks in prop::collection::vec(block(), 1..4), level in 1..10u32) {
        for algorithm in Algorithm::ALL {
            let most = blocks.iter().map(Vec::len).max().unwrap_or(0);
            let mut codec = Codec::new(algorithm, level, most);
            for block in &blocks {
                let mut packed = vec![7];
                let stored = codec.pack(block, &mut packed);
                prop_assert!(packed.len() - 1 <= block.len());
                let mut back = vec![0; block.len()];
                prop_assert!(codec.unpack(stored, &packed[1..], &mut back), "{}", algorithm.word());
                prop_assert!(back == *block);
                // A block that is cut off is an error, or at least no whole block.
                let mut cut = vec![0; block.len() + 1];
                prop_assert!(!codec.unpack(stored, &packed[1..], &mut cut));
            }
        }
    }

    #[test]
    fn tables_are_read_as_written_or_refused(
        lens in prop::collection::vec((0..4096u32, 0..4usize), 1..50), last in 1..4096u64, at in 0..200usize, bit in 0..8u32
    ) {
        let entries: Vec<Entry> = lens
            .iter()
            .map(|(len, algorithm)| Entry { len: *len, algorithm: Algorithm::ALL[*algorithm] })
            .collect();
        let image_bytes = 4096 * (entries.len() as u64 - 1) + last;
        let table = Table { image_bytes, block_bytes: 4096, entries };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(table.entries.iter().flat_map(|entry| vec![9; entry.len as usize]));
        bytes.extend(table.to_bytes(Algorithm::Gzip, 6));
        let path = tempfile::NamedTempFile::new().unwrap();
        fs::write(&path, &bytes).unwrap();
        let read = || Table::read(&File::open(path.path()).unwrap(), path.path());
        prop_assert_eq!(read().unwrap(), table);
        // Whatever a broken file says: no panic, and no table that needs more than the file has.
        let at = bytes.len().saturating_sub(1 + at);
        bytes[at] ^= 1 << bit;
        fs::write(&path, &bytes).unwrap();
        if let Ok(table) = read() {
            let packed: u64 = table.entries.iter().map(|entry| u64::from(entry.len)).sum();
            prop_assert!(packed <= bytes.len() as u64);
        }
    }
}

#[test]
fn trades_compress_as_those_of_nyse_do() {
    let job = Job { seed: 3, ..job("x.c", Path::new("/nowhere")) };
    // What is left, in percent, of 4 MiB in blocks of 128 KiB: published for NYSE TAQ, and how far off it may be.
    let published = [
        (Column::Sym, [(Algorithm::Lz4, 0.4), (Algorithm::Snappy, 4.7), (Algorithm::Gzip, 0.6)]),
        (
            Column::Time,
            [(Algorithm::Lz4, 67.0), (Algorithm::Snappy, 68.6), (Algorithm::Gzip, 45.5)],
        ),
        (
            Column::Price,
            [(Algorithm::Lz4, 28.6), (Algorithm::Snappy, 29.9), (Algorithm::Gzip, 19.6)],
        ),
        (
            Column::Size,
            [(Algorithm::Lz4, 40.1), (Algorithm::Snappy, 45.4), (Algorithm::Gzip, 29.3)],
        ),
    ];
    for (column, left) in published {
        let image = Image::new(column, 4 * MIB / 8, true, &job);
        for (algorithm, pct) in left {
            let mut codec = Codec::new(algorithm, 1, 128 << 10);
            let mut packed = Vec::new();
            for batch in image.batches() {
                for block in batch.chunks(128 << 10) {
                    codec.pack(block, &mut packed);
                }
            }
            let found = 100.0 * packed.len() as f64 / image.bytes() as f64;
            let off = (found - pct).abs();
            assert!(off < 11.0, "{column:?} {}: {found:.1} % instead of {pct}", algorithm.word());
        }
    }
}

#[test]
fn times_ascend_and_workers_differ() {
    let image = |column, worker| {
        let job = Job { worker, ..job("x.c", Path::new("/nowhere")) };
        let image = Image::new(column, MIB / 8, false, &job);
        let bytes: Vec<u8> = image.batches().flat_map(|batch| batch.into_owned()).collect();
        assert_eq!(bytes.len() as u64, image.bytes());
        bytes
    };
    let words = |bytes: &[u8]| -> Vec<u64> {
        bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect()
    };
    assert!(words(&image(Column::Time, 0)[16..]).is_sorted());
    assert!(words(&image(Column::Sym, 0)[4096..]).is_sorted());
    assert_ne!(image(Column::Price, 0), image(Column::Price, 1));
    let cents = words(&image(Column::Price, 0)[16..]).into_iter().map(|w| f64::from_bits(w) * 1e4);
    assert!(cents.into_iter().all(|cents| cents > 0.0 && (cents - cents.round()).abs() < 1e-6));
}

/// Counts that do not depend on the file system: bytes of values with the headers, and MiB.
#[test]
fn work_is_the_same_with_every_algorithm() {
    let headers = 4096 + 3 * 16;
    for action in ["write", "read"] {
        for (compress, block) in
            [("none", "128k"), ("lz4", "4k"), ("snappy", "128k"), ("gzip", "1m")]
        {
            let dir = tempfile::tempdir().unwrap();
            let (test, job) = (test_of(action, compress, block), job_of(dir.path()));
            let report = run(test, &job).unwrap();
            // Each header makes a fourth MiB of its column.
            let phase = &report.phases[0];
            assert_eq!(
                (phase.bytes, phase.ops),
                (4 * 3 * MIB + headers, 16),
                "{action} {compress}"
            );
            let left = dir.path().join("x.c").exists();
            assert_eq!(left, action == "read", "{action} {compress}");
        }
    }
}

#[test]
fn figures_tell_the_algorithm_from_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let measure = |compress: &str| {
        let (test, job) = (test_of("write", compress, "128k"), job_of(dir.path()));
        let pool = pool(run(test, &job).unwrap());
        test.measure(&job, &pool).remove(0)
    };
    let plain = measure("none");
    assert_eq!(plain.metrics[0].name, "durable_rate");
    assert_eq!(value(&plain, "file_pct"), 100.0);
    assert!(plain.metrics.iter().all(|metric| !metric.name.starts_with("codec")));
    let packed = measure("lz4");
    assert_eq!(value(&packed, "values_bytes"), value(&plain, "values_bytes"));
    let expected = 100.0 * value(&packed, "file_bytes") / value(&packed, "values_bytes");
    assert_eq!(value(&packed, "file_pct"), expected);
    assert!((30.0..40.0).contains(&expected), "{expected} % are left");
    assert!(value(&packed, "codec_cpu_s") > 0.0 && value(&packed, "codec_rate") > 0.0);
}

#[test]
fn figures_are_of_all_workers() {
    let phase = |start_ns, end_ns, bytes| model::workload::PhaseReport {
        kind: model::workload::PhaseKind::Read,
        start_ns,
        end_ns,
        bytes,
        ops: 10,
        cpu_user_s: 0.5,
        cpu_sys_s: 0.25,
    };
    let worker = |end_ns, codec_ns: f64| WorkerReport {
        phases: vec![phase(0, end_ns, 100_000_000)],
        metrics: [(cost::WALL_NS, codec_ns), (cost::CPU_NS, codec_ns / 2.0), (FILE_BYTES, 25e6)]
            .map(|(name, value)| model::figure::Metric::new(name, value, "", Better::Lower))
            .into(),
        ..WorkerReport::default()
    };
    let workers = vec![worker(1_000_000_000, 3e8), worker(2_000_000_000, 5e8)];
    let pool = PoolReport { workers, ..PoolReport::default() };
    let test = test_of("read", "gzip", "128k");
    let measured = &test.measure(&job_of(Path::new("/nowhere")), &pool)[0];
    assert_eq!(value(measured, "rate"), 100.0);
    assert_eq!((value(measured, "codec_s"), value(measured, "codec_cpu_s")), (0.4, 0.2));
    assert_eq!((value(measured, "codec_rate"), value(measured, "cpu_s")), (500.0, 0.75));
    assert_eq!((value(measured, "file_bytes"), value(measured, "file_pct")), (50e6, 25.0));
}

#[test]
fn damage_is_found_in_what_is_written_and_in_what_is_read() {
    for compress in ["none", "lz4", "snappy", "gzip"] {
        for action in ["write", "read"] {
            let dir = tempfile::tempdir().unwrap();
            let (test, job) = (test_of(action, compress, "128k"), job_of(dir.path()));
            test.fill(&job).unwrap();
            let mut started = test.start(&job).unwrap();
            let path = paths(&job).remove(1);
            let damage = || {
                let file = File::options().read(true).write(true).open(&path).unwrap();
                let at = file.metadata().unwrap().len() / 2;
                let mut bytes = [0; 16];
                file.read_exact_at(&mut bytes, at).unwrap();
                file.write_all_at(&bytes.map(|byte| byte ^ 0x55), at).unwrap();
            };
            let ended = match action {
                "write" => started.timed(&mut Clock::default()).map(|()| damage()),
                _ => {
                    damage();
                    started.timed(&mut Clock::default())
                }
            };
            let error = ended.and_then(|()| started.verify()).unwrap_err().to_string();
            assert!(error.contains("x.c/time holds wrong data: "), "{action} {compress}: {error}");
        }
    }
}

#[test]
fn files_that_are_not_whole_are_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let (test, job) = (test_of("read", "snappy", "4k"), job_of(dir.path()));
    test.fill(&job).unwrap();
    let path = paths(&job).remove(2);
    let made = fs::read(&path).unwrap();
    fs::write(&path, &made[..made.len() - 1]).unwrap();
    test.fill(&job).unwrap();
    assert!(fs::read(&path).unwrap() == made);
    let sizes: u64 = paths(&job).iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    let planned = crate::space_bytes(&[(test, job.clone())]);
    assert!(planned.abs_diff(sizes) < sizes / 10, "{planned} instead of {sizes}");
}

/// Reads a compressed file of kdb+ by its end alone; shares no code with what writes one.
fn independent(bytes: &[u8]) -> Vec<u8> {
    assert_eq!(bytes[..8], *b"kxzipped");
    let int = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let long = |at: usize| i64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let end = bytes.len();
    let blocks = long(end - 8);
    let table = end - 8 - 8 * blocks;
    let (mut at, mut image) = (8, Vec::new());
    for block in 0..blocks {
        let (len, algorithm) = (int(table + 8 * block), int(table + 8 * block + 4));
        let packed = &bytes[at..at + len];
        match algorithm {
            0 => image.extend(packed),
            2 => {
                flate2::read::ZlibDecoder::new(packed).read_to_end(&mut image).unwrap();
            }
            other => panic!("algorithm {other}"),
        }
        at += len;
    }
    assert_eq!(at, table - 32);
    assert_eq!((long(table - 24), long(table - 16), long(table - 8)), (image.len(), at, 128 << 10));
    image
}

/// Files that kdb+ compressed with gzip in blocks of 128 KiB, of the folder
/// `kdb/test/data/kdb_sample/compressCharArrayVector` of github.com/dolphindb/DolphinDBPlugin at
/// fbfcefc2d8ce5dac336a6abf75d91babf55c0e85.
mod real {
    /// `.d`: two names, stored as they are since deflate makes them longer.
    pub(super) const NAMES: &[u8] =
        b"kxzipped\xff\x01\x0b\0\0\0\0\0id\0nestChar\0\x03\0\0\0\x02\x06\0\0\
        \x14\0\0\0\0\0\0\0\x1c\0\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\x14\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0";
    /// `id`: 2000 ints, the same three again and again.
    pub(super) const INTS: &[u8] = b"kxzippedx\x9c\xed\xc8;\x0d\0!\0DA**D\xe0\x0f\x13\x18\xc2\0\xc6h\x08\x9f\xear\
        \x1e\x98M^\xb1\xb3r\x0c\xff\xa5\xdbh\xdf\xad\xbd\xcc\xcd\x18c\x8c1\xc6\x18c\x8c1\xc6\x18c\x8c1\xc6\x18c\
        \x8c\xbdf\x07\x05\x90N\x9d\x03\0\0\0\x02\x06\0\0P\x1f\0\0\0\0\0\0L\0\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\
        D\0\0\0\x02\0\0\0\x01\0\0\0\0\0\0\0";
}

#[test]
fn files_that_kdb_compressed_are_read_and_made_again() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (real, algorithm, image_bytes) in
        [(real::NAMES, Algorithm::None, 20), (real::INTS, Algorithm::Gzip, 8016)]
    {
        fs::write(file.path(), real).unwrap();
        let table = Table::read(&File::open(file.path()).unwrap(), file.path()).unwrap();
        assert_eq!((table.image_bytes, table.block_bytes), (image_bytes, 128 << 10));
        assert_eq!(table.entries.len(), 1);
        assert_eq!(table.entries[0].algorithm, algorithm);
        let (packed, end) = real[MAGIC.len()..].split_at(table.entries[0].len as usize);
        assert_eq!(table.to_bytes(Algorithm::Gzip, 6), end);
        let mut image = vec![0; image_bytes as usize];
        assert!(Codec::new(Algorithm::Gzip, 6, 128 << 10).unpack(algorithm, packed, &mut image));
        assert_eq!(image, independent(real));
    }
    // The count of a vector of fixed size is 0: it follows from the size of the image.
    assert_eq!(independent(real::INTS)[..16], *b"\xfe\x20\x06\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

#[test]
fn an_independent_reader_finds_the_image_of_each_column() {
    let dir = tempfile::tempdir().unwrap();
    let (test, job) = (test_of("read", "gzip", "128k"), job_of(dir.path()));
    test.fill(&job).unwrap();
    for (column, path) in TABLE.iter().zip(paths(&job)) {
        let image = Image::new(*column, 3 * MIB / 8, true, &job);
        let wanted: Vec<u8> = image.batches().flat_map(|batch| batch.into_owned()).collect();
        assert!(independent(&fs::read(path).unwrap()) == wanted, "{column:?}");
    }
}

#[test]
fn data_of_another_kind_is_asked_for_and_planned() {
    let dir = tempfile::tempdir().unwrap();
    let job = Job { data: DataKind::Zeros, ..job_of(dir.path()) };
    let test = test_of("write", "lz4", "128k");
    let pool = pool(run(test, &job).unwrap());
    let measured = &test.measure(&job, &pool)[0];
    assert!(value(measured, "file_pct") < 1.0);
    assert!(test.estimate(&job).write_bytes < BATCH_BYTES);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |text: &str| Settings::of(text.parse().unwrap()).unwrap_err();
    assert!(refused("level = 10").contains("`level` must be from 1 to 9, not 10"));
    assert!(refused("block = '2k'").contains("`block` must be a power of two"));
    assert!(refused("block = '3M'").contains("`block`"));
    assert!(refused("size = '1k'").contains("`size` must be at least 1M"));
    assert!(refused("cache = 'any'").contains("`cache` must be cold or hot"));
    assert!(refused("compress = 'zstd'").contains("zstd"));
}

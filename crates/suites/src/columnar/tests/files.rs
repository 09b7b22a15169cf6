//! Tests the content of the files afterwards, byte by byte.

use super::{job, run};
use crate::{
    Stretch, Test,
    columnar::{
        COLUMNAR,
        column::{self, Column, FLOAT, HUGE, RANDOM, SYM, SYM_TABLE, TINY},
        kdb::{self, Format, PARTED},
        random::{Block, RandomTest, page_bytes},
        sizes::{Length, Sizes},
        symbols::read_ids,
    },
    find, space_bytes,
};
use model::{
    target::Options,
    workload::{CacheNeed, Group, Job, Work},
};
use std::{
    collections::HashSet,
    fs::{self, File},
    path::Path,
};

/// All words of a column of numbers.
fn words(path: &Path) -> Vec<u64> {
    let bytes = fs::read(path).unwrap();
    bytes[16..].chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect()
}

fn run_id(id: &str, job: &Job) {
    run(find(id).unwrap(), job).unwrap();
}

#[test]
fn what_set_writes_is_the_column() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("", dir.path());
    for (id, file) in [
        ("columnar.write.int.tiny", TINY),
        ("columnar.write.int.huge", HUGE),
        ("columnar.write.float.large", FLOAT),
    ] {
        run_id(id, &job);
        let column = Column::new(file, &job);
        let header = kdb::read_header(&File::open(&column.path).unwrap()).unwrap();
        assert_eq!((header.format, header.attribute), (column.format, 0));
        assert_eq!(header.count, column.rows);
        let words = words(&column.path);
        assert_eq!(words.len() as u64, column.rows);
        assert!(words.iter().enumerate().all(|(i, w)| *w == column.word(i as u64)), "{id}");
    }
    assert!(!dir.path().join("seqreadTiny.new").exists());
}

#[test]
fn symbols_are_the_same_in_both_formats() {
    let ids = ["plain", "enum"].map(|sym| {
        let dir = tempfile::tempdir().unwrap();
        let knobs = Options::from([("sym".into(), sym.into())]);
        let job = Job { knobs, ..job("", dir.path()) };
        run_id("columnar.write.sym.large", &job);
        read_ids(&Column::new(SYM, &job)).unwrap()
    });
    assert_eq!(ids[0].len() as u64, Sizes::new(&job("", Path::new("/"))).rows(Length::Large));
    // The columns differ where runs of a chunk end, not before.
    assert_eq!(ids[0][..1000], ids[1][..1000]);
    assert!(ids[0].iter().collect::<HashSet<_>>().len() > 9000);
}

#[test]
fn appends_continue_the_column_and_keep_its_count() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("", dir.path());
    run_id("columnar.append.int.small", &job);
    for file in RANDOM {
        let column = Column::new(file, &job);
        let header = kdb::read_header(&File::open(&column.path).unwrap()).unwrap();
        assert_eq!(header.count, column.rows);
        let words = words(&column.path);
        assert_eq!(words.len() as u64, column.rows);
        assert!(words.iter().enumerate().all(|(i, w)| *w == column.word(i as u64)));
    }
    run_id("columnar.append.sym.large", &job);
    let table = Column::new(SYM_TABLE, &job);
    assert_eq!(read_ids(&table).unwrap().len() as u64, table.rows);
    assert_eq!(kdb::read_header(&File::open(&table.path).unwrap()).unwrap().count, table.rows / 9);
}

#[test]
fn files_of_append_tests_do_not_stay() {
    let dir = tempfile::tempdir().unwrap();
    for id in ["columnar.append.int.tiny", "columnar.handle.int.tiny", "columnar.handle.int.small"]
    {
        run_id(id, &job("", dir.path()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{id}");
    }
}

#[test]
fn an_amend_changes_the_given_elements_only() {
    for (id, file, value) in [
        ("columnar.replace.int.tiny", TINY, column::REPLACED_INT),
        ("columnar.replace.float.large", FLOAT, column::REPLACED_FLOAT),
        ("columnar.replace_sorted.int.huge", HUGE, column::REPLACED_SORTED),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let job = job(id, dir.path());
        run_id(id, &job);
        let column = Column::new(file, &job);
        let changed: Vec<u64> = words(&column.path)
            .into_iter()
            .enumerate()
            .filter(|(i, word)| *word != column.word(*i as u64))
            .map(|(_, word)| word)
            .collect();
        assert_eq!(changed.len() as u64, Sizes::new(&job).replaced(file.length), "{id}");
        assert!(changed.iter().all(|word| *word == value));
    }
}

#[test]
fn the_sorted_table_is_the_table_sorted() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("", dir.path());
    run_id("columnar.sort", &job);
    let [sym, float] = [SYM_TABLE, column::FLOAT_TABLE].map(|file| Column::new(file, &job));
    let ids = read_ids(&sym).unwrap();
    assert!(ids.is_sorted());
    let mut rows: Vec<(u64, u64)> = (0..sym.rows).map(|i| (sym.word(i), float.word(i))).collect();
    rows.sort_by_key(|row| row.0);
    let found: Vec<(u64, u64)> = ids.into_iter().map(u64::from).zip(words(&float.path)).collect();
    assert!(rows == found);
    let names = fs::read(dir.path().join(column::TABLE_NAMES)).unwrap();
    assert_eq!(kdb::parse_symbols(&names).unwrap().collect::<Vec<_>>(), [&b"sym"[..], b"floatcol"]);
    run_id("columnar.attribute", &job);
    let header = kdb::read_header(&File::open(&sym.path).unwrap()).unwrap();
    assert_eq!((header.attribute, header.format), (PARTED, Format::Text));
    assert_eq!(read_ids(&sym).unwrap().len() as u64, sym.rows);
}

#[test]
fn damage_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("", dir.path());
    let column = Column::new(TINY, &job);
    column.fill().unwrap();
    let mut bytes = fs::read(&column.path).unwrap();
    bytes[17] ^= 1;
    fs::write(&column.path, &bytes).unwrap();
    let error = column.check(0).unwrap_err().to_string();
    assert!(error.contains("seqreadTiny holds wrong data: row 0"), "{error}");
    fs::write(&column.path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(column.check(0).is_err());
    column.fill().unwrap();
    column.check(0).unwrap();
}

/// Bytes of all regular files below a directory.
fn used(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|e| if e.path().is_dir() { used(&e.path()) } else { e.metadata().unwrap().len() })
        .sum()
}

#[test]
fn estimates_agree_with_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("", dir.path());
    let near = |a: u64, b: u64| a.abs_diff(b) as f64 <= 0.1 * b as f64 + 4096.0;
    let mut expected = 0;
    for test in COLUMNAR.tests.iter() {
        run(*test, &job).unwrap();
        expected += test.estimate(&job).disk_bytes;
        let (found, id) = (used(dir.path()), &test.infos()[0].id);
        // The sort test also leaves the list of symbols.
        assert!(near(expected, found.saturating_sub(50_008)) || near(expected, found), "{id}");
    }
    let all: Vec<_> = COLUMNAR.tests.iter().map(|test| (*test, job.clone())).collect();
    let space = space_bytes(&all);
    let scratch = COLUMNAR.tests.iter().map(|t| t.estimate(&job).scratch_bytes).max().unwrap();
    assert!(near(space - scratch, used(dir.path())));
}

/// A job whose tests were sized one by one.
fn sized(dir: &Path, times: f64, copies: u32) -> Job {
    Job { work: Some(Work { times, copies }), ..job("", dir) }
}

#[test]
fn copies_are_files_with_data_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let job = sized(dir.path(), 1.0, 3);
    run_id("columnar.write.int.tiny", &job);
    run_id("columnar.write.sym.large", &job);
    let columns = Column::copies(TINY, &job);
    let all: Vec<Vec<u64>> = columns.iter().map(|column| words(&column.path)).collect();
    assert_eq!(columns[0].path, dir.path().join("seqreadTiny"));
    assert_eq!(columns[2].path, dir.path().join("seqreadTiny.2"));
    for (column, words) in columns.iter().zip(&all) {
        assert!(words.iter().enumerate().all(|(i, w)| *w == column.word(i as u64)));
    }
    let first: HashSet<u64> = all[0].iter().copied().collect();
    assert!(all[1..].iter().flatten().all(|word| !first.contains(word)));
    assert!(dir.path().join("kdbdb.2/tbl/sym").exists());
}

#[test]
fn sized_tests_keep_their_kind_whatever_the_scale() {
    let sizes = |scale| Sizes::new(&Job { scale, ..sized(Path::new("/"), 1.0, 1) });
    let full = Sizes::new(&Job { scale: 1.0, ..job("", Path::new("/")) });
    for scale in [1e-4, 0.002, 1.0] {
        let sizes = sizes(scale);
        for length in [Length::Tiny, Length::Small, Length::Medium] {
            assert_eq!(sizes.rows(length), full.rows(length));
        }
        assert!(sizes.rows(Length::Large) >= 2 * sizes.rows(Length::Medium));
        assert!(sizes.rows(Length::Huge) >= 4 * sizes.rows(Length::Large));
    }
}

#[test]
fn work_is_done_as_often_as_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let done = |id: &str, times, copies| {
        let job = sized(dir.path(), times, copies);
        let report = run(find(id).unwrap(), &job).unwrap();
        (report.phases[0].ops, report.phases[0].bytes)
    };
    for id in ["columnar.openclose", "columnar.lock", "columnar.mmap"] {
        assert_eq!((done(id, 0.001, 1).0, done(id, 0.004, 1).0), (50, 200), "{id}");
    }
    let (once, bytes) = done("columnar.reread.int.medium", 1.0, 2);
    assert_eq!(done("columnar.reread.int.medium", 6.0, 2), (3 * once, 3 * bytes));
    let (few, _) = done("columnar.rerandom.4k", 0.001, 1);
    let places = Sizes::new(&sized(dir.path(), 1e3, 1)).blocks(4_000) * 4;
    // Each place once, and again until there are enough.
    assert_eq!(few, 200);
    assert!(done("columnar.rerandom.4k", 0.2, 1).0 >= 40_000.max(places));
    // What is not in memory can be read once.
    assert_eq!(done("columnar.random.4k", 1e3, 1).0, places);
}

#[test]
fn estimates_of_sized_tests_agree_with_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let job = |test: &dyn Test| match test.stretch() {
        Stretch::Copies(_) | Stretch::Passes(_) => sized(dir.path(), 1.0, 2),
        _ => sized(dir.path(), 0.002, 1),
    };
    let all: Vec<_> = COLUMNAR.tests.iter().map(|test| (*test, job(*test))).collect();
    for (test, job) in &all {
        run(*test, job).unwrap();
    }
    let scratch = all.iter().map(|(test, job)| test.estimate(job).scratch_bytes).max().unwrap();
    let (space, found) = (space_bytes(&all) - scratch, used(dir.path()));
    assert!(space.abs_diff(found) < found / 20, "{space} {found}");
}

fn random_test(block_bytes: u64, seed: u64) -> RandomTest {
    let row = super::super::row::Row {
        id: "",
        name: "",
        testtype: "",
        group: Group::ReadCold,
        only_writes: false,
    };
    RandomTest { row, block_bytes, remap: false, seed, cache: CacheNeed::Cold }
}

#[test]
fn blocks_are_distinct_pages_and_the_same_in_every_worker() {
    for scale in [0.0005, 0.002, 1.0] {
        for block_bytes in [1_000_000, 64_000, 4_000] {
            let job = Job { scale, ..job("", Path::new("/")) };
            let blocks = random_test(block_bytes, 1).blocks(&job);
            assert_eq!(blocks.iter().collect::<HashSet<_>>().len(), blocks.len());
            assert!(blocks.iter().all(|block| block.row % 512 == 0));
            let sizes = Sizes::new(&job);
            let end = sizes.rows(Length::RandomFile) - sizes.block_rows(block_bytes);
            assert!(blocks.iter().all(|block| block.row <= end));
            let other = Job { worker: 5, ..job.clone() };
            assert_eq!(random_test(block_bytes, 1).blocks(&other), blocks);
            if blocks.len() > 10 {
                assert_ne!(random_test(block_bytes, 2).blocks(&job), blocks);
            }
        }
    }
}

#[test]
fn pages_are_counted_once() {
    let at = |file, row| Block { file, row };
    // 500 rows behind a header of 16 bytes lie in one page.
    assert_eq!(page_bytes(&[at(0, 0), at(0, 512), at(1, 0)], 500, false), 3 * 4096);
    assert_eq!(page_bytes(&[at(0, 512), at(0, 512)], 500, true), 2 * 4096);
    assert_eq!(page_bytes(&[at(0, 0), at(0, 512)], 8000, false), 17 * 4096);
    assert_eq!(page_bytes(&[], 500, true), 0);
}

/// Elements of one vector are written over again and again before any of it is on the device.
#[test]
fn tests_that_write_over_what_they_wrote_say_nothing_of_write_amplification() {
    let only_writes = |id: &str| find(id).unwrap().infos()[0].shape().only_writes;
    for id in ["replace.int.small", "replace.int.tiny", "rewrite.int.tiny"] {
        assert!(!only_writes(&format!("columnar.{id}")), "{id}");
    }
    for id in ["write.int.small", "append.int.small"] {
        assert!(only_writes(&format!("columnar.{id}")), "{id}");
    }
}

//! Tests that impossible I/O is refused or ends the run, with the reason.

use super::*;

#[test]
fn direct_reads_come_from_the_file_or_are_refused_clearly() {
    let test_files = TestFiles::new(1);
    let files = match test_files.open(false, true) {
        Err(error @ EngineError::NotDirect { .. }) => return skip(Need::Other, error),
        files => files.unwrap(),
    };
    for options in engines().map(|options| EngineOptions { direct: true, ..options }) {
        let mut ops = Offsets::new(&test_files.access(Order::Permuted, 100));
        if options.kind == EngineKind::Mmap {
            assert!(matches!(
                Prepared::new(&options, &files, BLOCK, None),
                Err(EngineError::Options(_))
            ));
            continue;
        }
        let ran = run(&options, &files, Pace::Closed, Until::Exhausted, &mut ops);
        let Some((done, ..)) = ran else { continue };
        assert_eq!(done.unwrap().ops_read, BLOCKS);
    }
    let options = EngineOptions { direct: true, ..EngineOptions::default() };
    let error = Prepared::new(&options, &files, 520, None).unwrap_err().to_string();
    assert!(error.contains("direct I/O to") && error.contains("a multiple of"), "{error}");
    let error = Prepared::new(&EngineOptions::default(), &files, BLOCK, None).unwrap_err();
    assert!(
        error.to_string().contains(
            "is open with O_DIRECT, which contradicts the \
                                        options"
        ),
        "{error}"
    );
}

#[test]
fn a_file_that_is_too_short_is_an_error_and_the_engine_lives_on() {
    for options in engines() {
        let test_files = TestFiles::new(2);
        File::options()
            .write(true)
            .open(test_files.path(1))
            .unwrap()
            .set_len(4096 * 50 + 100)
            .unwrap();
        let files = test_files.open(false, false).unwrap();
        let mut prepared = match Prepared::new(&options, &files, BLOCK, None) {
            Err(error @ EngineError::Unavailable { .. }) => return skip(Need::Other, error),
            prepared => prepared.unwrap(),
        };
        let counters = Counters::default();
        let mut run = |blocks| {
            let access =
                Access { blocks: Some(blocks), ..test_files.access(Order::Sequential, 100) };
            let mut latencies = Latencies::new(LatencyKind::Service).unwrap();
            let work = Work {
                ops: &mut Offsets::new(&access),
                pace: Pace::Closed,
                until: Until::Exhausted,
                progress: Progress::new(&counters),
            };
            prepared.run(work, &mut latencies)
        };
        let error = run(200..300).unwrap_err();
        let EngineError::Short { what, path, offset, moved, block_bytes } = &error else {
            panic!("{error}")
        };
        assert_eq!(
            (*what, path, *offset),
            ("read", &test_files.path(1).canonicalize().unwrap(), 204_800)
        );
        assert!(*moved <= 100 && *block_bytes == BLOCK, "{error}");
        assert_eq!(run(0..250).unwrap().ops_read, 250, "{options:?}");
    }
}

#[test]
fn a_disk_without_space_and_a_file_that_may_not_be_written_say_so() {
    for options in engines().into_iter().filter(|options| options.kind != EngineKind::Mmap) {
        let full = [open("/dev/full".as_ref(), true, false).unwrap()];
        let test_files = TestFiles::new(1);
        let readable = test_files.open(false, false).unwrap();
        for (files, kind) in [(&full[..], Some(std::io::ErrorKind::StorageFull)), (&readable, None)]
        {
            let mut ops = Offsets::new(&test_files.access(Order::Sequential, 0));
            let ran = run(&options, files, Pace::Closed, Until::Exhausted, &mut ops);
            let Some((done, latencies, progress)) = ran else { continue };
            let error = done.unwrap_err();
            let EngineError::Io { what: "write", .. } = error else { panic!("{error}") };
            assert!(kind.is_none_or(|kind| error.io_kind() == Some(kind)), "{error}");
            assert!(error.path().is_some());
            assert!(latencies.histograms().is_empty());
            assert_eq!(progress, (0, 0));
        }
    }
}

#[test]
fn operations_that_were_not_prepared_for_are_errors() {
    let counters = Counters::default();
    for options in engines() {
        let test_files = TestFiles::new(1);
        let files = test_files.open(true, false).unwrap();
        let mut prepared = match Prepared::new(&options, &files, BLOCK, None) {
            Err(error @ EngineError::Unavailable { .. }) => return skip(Need::Other, error),
            prepared => prepared.unwrap(),
        };
        let foreign = Op { file: 1, ..Op::default() };
        let unfed = Op { write: true, ..Op::default() };
        for (op, expected) in [(foreign, "read of file 1 of 1"), (unfed, "without data")] {
            let work = Work {
                ops: &mut Same(op),
                pace: Pace::Closed,
                until: Until::Ops(3),
                progress: Progress::new(&counters),
            };
            let mut latencies = Latencies::new(LatencyKind::Service).unwrap();
            let error = prepared.run(work, &mut latencies).unwrap_err().to_string();
            assert!(error.contains(expected), "{options:?}: {error}");
        }
    }
}

#[test]
fn histograms_of_the_wrong_kind_and_rates_of_nothing_are_refused() {
    let options = EngineOptions { kind: EngineKind::Null, ..EngineOptions::default() };
    let mut prepared = Prepared::new(&options, &[], BLOCK, None).unwrap();
    let counters = Counters::default();
    let mut attempt = |pace, kind| {
        let work = Work {
            ops: &mut Same(Op::default()),
            pace,
            until: Until::Ops(1),
            progress: Progress::new(&counters),
        };
        prepared.run(work, &mut Latencies::new(kind).unwrap())
    };
    assert!(attempt(Pace::Closed, LatencyKind::Response).is_err());
    assert!(attempt(Pace::Closed, LatencyKind::Service).is_ok());
    for ops_per_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let pace = Pace::Fixed { ops_per_s, first_ns: 0 };
        assert!(attempt(pace, LatencyKind::Response).is_err(), "{ops_per_s}");
    }
}

#[test]
fn uncached_io_does_every_block_or_is_refused_by_name() {
    for options in [EngineKind::Sync, EngineKind::IoUring] {
        let options = EngineOptions { kind: options, dontcache: true, ..EngineOptions::default() };
        let test_files = TestFiles::new(1);
        let files = test_files.open(true, false).unwrap();
        for read_percent in [0, 100] {
            let mut ops = Offsets::new(&test_files.access(Order::Sequential, read_percent));
            let content = pattern();
            let mut prepared = match Prepared::new(&options, &files, BLOCK, Some(&content)) {
                Err(
                    error @ (EngineError::NotSupported { .. } | EngineError::Unavailable { .. }),
                ) => {
                    return skip(Need::Other, error);
                }
                prepared => prepared.unwrap(),
            };
            let counters = Counters::default();
            let work = Work {
                ops: &mut ops,
                pace: Pace::Closed,
                until: Until::Exhausted,
                progress: Progress::new(&counters),
            };
            let mut latencies = Latencies::new(LatencyKind::Service).unwrap();
            let done = prepared.run(work, &mut latencies).unwrap();
            assert_eq!(done.ops_read + done.ops_written, BLOCKS, "{options:?}");
        }
    }
}

#[test]
fn a_file_system_without_uncached_io_refuses_it_before_the_first_block() {
    // tmpfs has none.
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else { return skip(Need::Other, "no /dev/shm") };
    let path = dir.path().join("file");
    fs::write(&path, [7; 4096]).unwrap();
    let files = [open(&path, true, false).unwrap()];
    for kind in [EngineKind::Sync, EngineKind::IoUring] {
        let options = EngineOptions { kind, dontcache: true, ..EngineOptions::default() };
        let error = Prepared::new(&options, &files, BLOCK, Some(&pattern())).unwrap_err();
        assert_eq!(error.refused(), Some("RWF_DONTCACHE"), "{error}");
        assert!(
            error.to_string().contains("RWF_DONTCACHE is not supported on /dev/shm/"),
            "{error}"
        );
    }
    assert_eq!(fs::read(&path).unwrap(), [7; 4096]);
}

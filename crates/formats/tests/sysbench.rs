//! sysbench's fileio output, versions 1.0 and 1.1.
#![allow(clippy::unwrap_used)]

use crate::files;
use model::result::Note;

use files::*;
use model::result::{Imported, Reason};

#[test]
fn reads_and_writes_are_the_operations() {
    let data = read_fixtures(&["sysbench-fileio-rndrw.txt"]);
    tests_are_of(&data, "sysbench");
    let mixed = sample(&data, "sysbench.rndrw");
    assert_eq!((mixed.case.procs, mixed.case.threads), (1, 4));
    assert_eq!(mixed.figures.metrics[0].name, "iops");
    assert!(near(mixed.figures.metrics[0].value, 5537.36 + 3691.58));
    assert_eq!(mixed.metric("fsync_iops"), Some(1488.35));
    assert!(near(mixed.metric("read_rate").unwrap(), 21.63 * 1.048576));
    assert_eq!(mixed.metric("service_p99_us"), Some(9060.0));
    assert_eq!((mixed.figures.seconds, mixed.figures.ops), (4.1811, 44761));
    assert_eq!(data.campaign.environment.0["tool.sysbench"], "1.0.20");
}

#[test]
fn what_was_rounded_to_nothing_is_no_figure() {
    let data = read_fixtures(&["sysbench-fileio-rndrd.txt"]);
    let read = sample(&data, "sysbench.rndrd");
    assert_eq!(read.metric("iops"), Some(292467.05));
    for absent in ["service_p99_us", "service_min_us", "write_iops", "write_rate", "fsync_iops"] {
        assert_eq!(read.metric(absent), None, "{absent}");
    }
    assert_eq!(read.metric("service_mean_us"), Some(10.0));
}

#[test]
fn modes_of_several_files_become_tests_of_one_target() {
    let names =
        ["sysbench-fileio-rndrd.txt", "sysbench-fileio-rndrw.txt", "sysbench-fileio-seqwr.txt"];
    let named = formats::ImportOptions { target: Some("xfs".into()), ..options() };
    let data = formats::import(&names.map(fixture), None, &named).unwrap();
    check(&data);
    assert_eq!(labels(&data), ["xfs"]);
    assert_eq!(sample(&data, "sysbench.seqwr").metric("iops"), Some(11332.58));
}

#[test]
fn the_histogram_counts_every_operation() {
    let data = read_fixtures(&["sysbench-fileio-rndrd-interval-hist.txt"]);
    let read = sample(&data, "sysbench.rndrd");
    assert_eq!(read.figures.histograms.len(), 1);
    let histogram = &read.figures.histograms[0];
    assert_eq!((histogram.op.as_str(), histogram.count()), ("read", 490270));
    assert_eq!(histogram.bins.last(), Some(&(24_384_000, 1)));
    assert_eq!(histogram.quantile_ns(0.95), Some(4_000));
    assert!(histogram.bins.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

/// It was run with `--rate=200`.
#[test]
fn checkpoint_reports_are_one_run() {
    let data = read_fixtures(&["sysbench-fileio-rndrd-checkpoints.txt"]);
    assert_eq!(data.samples.len(), 1);
    let read = sample(&data, "sysbench.rndrd");
    assert_eq!((read.figures.ops, read.figures.seconds), (209 + 211 + 202, 3.0014));
    let reads = 208.82 * 1.0001 + 210.66 * (2.0021 - 1.0001) + 202.15 * (3.0014 - 2.0021);
    assert!(near(read.metric("iops").unwrap(), reads / 3.0014));
    let mean_us = (209.0 * 20.0 + 211.0 * 30.0 + 202.0 * 20.0) / 622.0;
    assert!(near(read.metric("response_mean_us").unwrap(), mean_us));
    assert_eq!(read.metric("response_min_us"), Some(10.0));
    assert_eq!(read.metric("response_max_us"), Some(770.0));
    assert_eq!(
        read.metric("response_p95_us"),
        None,
        "percentiles of parts are not those of the whole"
    );
}

#[test]
fn histogram_of_the_last_interval_is_not_that_of_the_run() {
    let data = read_fixtures(&["sysbench-fileio-rndwr-checkpoint-hist.txt"]);
    let write = sample(&data, "sysbench.rndwr");
    assert_eq!(write.figures.ops, 201 + 390);
    assert!(write.figures.histograms.is_empty());
    let notes = Vec::from_iter(data.campaign.notes.iter().filter_map(Note::said)).join(" ");
    assert!(notes.contains("checkpoint"), "{notes}");
}

#[test]
fn version_1_1_gives_the_same_figures() {
    let data = read_fixtures(&["sysbench-fileio-1.1-rndrw.txt"]);
    let mixed = sample(&data, "sysbench.rndrw");
    assert!(near(mixed.figures.metrics[0].value, 5537.36 + 3691.58));
    assert_eq!(mixed.metric("fsync_iops"), Some(1488.35));
    assert!(near(mixed.metric("write_rate").unwrap(), 14.42 * 1.048576));
    assert_eq!(mixed.metric("service_p95_us"), Some(2070.0));
}

#[test]
fn a_run_that_gave_up_is_an_error_alone_and_invalid_among_others() {
    let name = "sysbench-fileio-error-after-seqwr.txt";
    assert_eq!(
        error(&[fixture(name)]),
        "sysbench-fileio-error-after-seqwr.txt, line 19: sysbench stopped: Size of file \
         'test_file.11' is 2.9062MiB, but at least 16MiB is expected; prepare the files again"
    );
    let both = text(name) + &text("sysbench-fileio-seqwr.txt");
    let data = read(&[file("xfs.txt", &both)]);
    let Reason::Imported(Imported::SysbenchStopped { error }) = invalid(&data, "sysbench.rndrd")
    else {
        panic!("{:?}", invalid(&data, "sysbench.rndrd"))
    };
    assert!(error.contains("at least 16MiB is expected"), "{error}");
    assert!(sample(&data, "sysbench.seqwr").evidence.validity.is_valid());
}

#[test]
fn preparing_is_no_measurement() {
    let name = "sysbench-fileio-prepare.txt";
    assert!(error(&[fixture(name)]).starts_with("sysbench-fileio-prepare.txt: contains no result"));
    let both = text(name) + &text("sysbench-fileio-rndrd.txt");
    assert_eq!(read(&[file("xfs.txt", &both)]).samples.len(), 1);
}

#[test]
fn other_block_sizes_are_other_work() {
    let name = "sysbench-fileio-rndrd.txt";
    let larger = text(name).replace("Block size 4KiB", "Block size 16KiB");
    let why = error(&[fixture(name), file("other.txt", &larger)]);
    assert!(
        why.starts_with(
            "other.txt, line 46: `sysbench.rndrd` did different work \
                             here"
        ),
        "{why}"
    );
    assert!(why.contains(": `Block size 16KiB` versus `Block size 4KiB`;"), "{why}");
}

#[test]
fn damage_is_named_with_file_and_line() {
    // The last line alone says that the run ended.
    let end = "execution time (avg/stddev):   3.9970/0.00\n";
    let cut = text("sysbench-fileio-rndrw.txt").replace(end, "");
    assert!(error(&[file("x.txt", &cut)]).starts_with("x.txt, line 4"));
    let broken = text("sysbench-fileio-rndrw.txt").replace("5537.36", "5.5.3");
    assert_eq!(
        error(&[file("x.txt", &broken)]),
        "x.txt, line 24: reads/s is `5.5.3`, not a number"
    );
    let unknown = text("sysbench-fileio-rndrw.txt").replace("random r/w", "backward");
    assert!(error(&[file("x.txt", &unknown)]).contains("line 17: `backward` is not a mode"));
}

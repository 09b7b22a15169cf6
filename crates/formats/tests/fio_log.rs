//! fio's logs whose times do not count from the start of one job.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;

fn close(seen: f64, right: f64) -> bool {
    (seen / right - 1.0).abs() < 0.01
}

/// fio 3.33, `log_unix_epoch=1 --rate_iops=200 --bs=4k`, the first 100 rows.
#[test]
fn times_since_1970_count_from_the_first_row() {
    let data = read_fixtures(&["epoch_iops.1.log", "epoch_bw.1.log", "epoch_lat.1.log"]);
    let iops = sample(&data, "fio-log.epoch-iops-write");
    assert!(close(iops.figures.metrics[0].value, 200.0), "{:?}", iops.figures);
    assert!(close(iops.figures.seconds, 0.495), "{:?}", iops.figures);
    let rate = value(&data, "fio-log.epoch-bw-write");
    assert!(close(rate, 200.0 * 4096.0 / 1e6), "{rate}");
    let lat = sample(&data, "fio-log.epoch-lat-write");
    assert_eq!((lat.figures.ops, lat.figures.histograms[0].count()), (100, 100));
    assert!(close(lat.figures.seconds, 0.495), "{:?}", lat.figures.seconds);
    assert!(says(&data, "log_unix_epoch"));
}

/// The same with `log_avg_msec=500`: the first row is of an interval as long as the others.
#[test]
fn means_since_1970_begin_one_interval_before_the_first() {
    let data = read_fixtures(&["epochmean_iops.1.log", "epochmean_bw.1.log"]);
    let iops = sample(&data, "fio-log.epochmean-iops-write");
    assert!(close(iops.figures.metrics[0].value, (202.0 + 200.0 + 200.0) / 3.0));
    assert_eq!(iops.figures.seconds, 1.5);
    assert_eq!(iops.figures.series.as_ref().unwrap().end_ms, [500, 1000, 1500]);
    assert!(close(value(&data, "fio-log.epochmean-bw-write"), 0.8226));
    let alone = "1796055756572, 202, 1, 0, 0\n";
    let alone = read(&[file("a_iops.1.log", alone)]);
    let alone = sample(&alone, "fio-log.a-iops-write");
    assert_eq!((alone.figures.metrics[0].value, alone.figures.seconds), (202.0, 0.0));
}

/// `log_alternate_epoch` may count from any clock, such as the start of the machine.
#[test]
fn times_since_another_clock_are_refused() {
    let rows: String =
        (0..5).map(|at| format!("{}, 1, 1, 4096, 0\n", 86_400_000 + at * 5)).collect();
    let why = error(&[file("a_iops.1.log", &rows)]);
    assert!(
        why.starts_with("a_iops.1.log, line 1: ") && why.contains("log_alternate_epoch"),
        "{why}"
    );
    // Means over ten minutes, the last of a second.
    let long = "600000, 9, 1, 0, 0\n601000, 9, 1, 0, 0\n";
    assert_eq!(value(&read(&[file("a_iops.1.log", long)]), "fio-log.a-iops-write"), 9.0);
}

/// `per_job_logs=0`: the rows of the second job follow those of the first.
#[test]
fn a_log_of_all_jobs_is_refused_with_advice_that_can_be_followed() {
    let rows = "0, 1, 1, 4096, 0\n5, 1, 1, 4096, 0\n0, 1, 1, 4096, 0\n5, 1, 1, 4096, 0\n";
    let why = error(&[file("c_iops.log", rows)]);
    assert!(why.starts_with("c_iops.log, line 3: ") && why.contains("per_job_logs=1"), "{why}");
    let why = error(&[file("c_iops.1.log", rows)]);
    assert!(why.contains("put each run into a separate file"), "{why}");
}

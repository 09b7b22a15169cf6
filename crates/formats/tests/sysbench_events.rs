//! Reads of sysbench's outputs: what counts as an operation, and from when it is timed.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;
use model::figure::LatencyKind;

/// sysbench 1.0.20 with `--file-fsync-all=on`: events are reads and writes.
#[test]
fn an_fsync_after_each_write_is_no_operation_of_its_own() {
    let data = read_fixtures(&["sysbench-fsync-all-rndrw.txt"]);
    let mixed = sample(&data, "sysbench.rndrw");
    assert!(mixed.evidence.validity.is_valid(), "{:?}", mixed.evidence.validity);
    assert_eq!(mixed.metric("read_iops"), Some(3169.65));
    assert_eq!(
        (mixed.metric("write_iops"), mixed.metric("fsync_iops")),
        (Some(2114.75), Some(2114.75))
    );
    assert_eq!(mixed.figures.ops, 5345);
    let data = read_fixtures(&["sysbench-fsync-all-rndwr.txt"]);
    assert_eq!(sample(&data, "sysbench.rndwr").metric("iops"), Some(2557.82));
    assert!(says(&data, "--file-fsync-all"));
    // Without it, they are operations.
    let periodic = "Periodic FSYNC enabled, calling fsync() each 100 requests.";
    let other = text("sysbench-fsync-all-rndwr.txt")
        .replace("Calling fsync() after each write operation.", periodic);
    assert!(!only(&read(&[file("a.txt", &other)])).evidence.validity.is_valid());
}

/// sysbench 1.0.20 with `--rate=300`, more than the disk could do: times have the wait in the queue.
#[test]
fn times_at_a_rate_are_response_times() {
    let data = read_fixtures(&["sysbench-rate-overloaded.txt"]);
    let write = sample(&data, "sysbench.seqrewr");
    assert!(write.evidence.validity.is_valid(), "{:?}", write.evidence.validity);
    assert_eq!((write.metric("iops"), write.metric("fsync_iops")), (Some(295.85), Some(295.85)));
    assert_eq!(write.metric("response_mean_us"), Some(16_620.0));
    assert_eq!(write.metric("response_p95_us"), Some(64_470.0));
    assert!(write.figures.metrics.iter().all(|metric| !metric.name.contains("service")));
    assert!(says(&data, "response times"));
    let wrong = text("sysbench-rate-overloaded.txt").replace("71.63", "1.63");
    let wrong = formats::import(&[file("a.txt", &wrong)], None, &options()).unwrap();
    assert!(!only(&wrong).evidence.validity.is_valid());
    let rate = "Number of threads: 1\nTarget transaction rate: 900000/sec";
    let timed =
        text("sysbench-fileio-rndrd-interval-hist.txt").replace("Number of threads: 1", rate);
    let timed = read(&[file("a.txt", &timed)]);
    assert_eq!(only(&timed).figures.histograms[0].latency, LatencyKind::Response);
}

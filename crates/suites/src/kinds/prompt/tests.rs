//! Appends next to a stream, and settings that are refused.

use super::*;
use crate::testing::{Clock, declared, job, pool, run};
use std::{fs, os::unix::fs::FileExt};

fn value(measured: &Measured, name: &str) -> Option<f64> {
    measured.metrics.iter().find(|metric| metric.name == name).map(|metric| metric.value)
}

#[test]
fn appends_are_timed_from_their_due_time_next_to_a_stream() {
    let dir = tempfile::tempdir().unwrap();
    // 0.2 s at this scale, so 40 appends.
    let test = declared("kind = 'prompt'\nid = 'x.p'\nrate = 200\nrecord = '100'");
    let job = job("x.p", dir.path());
    let pool = pool(run(test, &job).unwrap());
    let [histogram] = &pool.workers[0].histograms[..] else { panic!("one kind of operation") };
    assert_eq!(histogram.latency, model::figure::LatencyKind::Response);
    assert_eq!(histogram.count(), 40);
    let measured = &test.measure(&job, &pool)[0];
    assert_eq!(measured.metrics[0].name, "latency_p99_us");
    let of = |name| value(measured, name).unwrap();
    assert!(of("latency_p50_us") <= of("latency_p99_us"));
    assert!(of("latency_p99_us") <= of("latency_max_us"));
    assert!(of("stream_rate") > 0.0);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["prompt"], "the files of the stream are removed");
    assert_eq!(fs::metadata(dir.path().join(FILE)).unwrap().len(), 4000);
}

#[test]
fn without_a_stream_there_is_no_rate_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let test = declared("kind = 'prompt'\nid = 'x.p'\nstream = '0'\nrate = 50");
    let job = job("x.p", dir.path());
    let pool = pool(run(test, &job).unwrap());
    assert_eq!(value(&test.measure(&job, &pool)[0], "stream_rate"), None);
    assert_eq!(test.threads(&job), 1);
}

#[test]
fn a_lost_record_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let test = declared("kind = 'prompt'\nid = 'x.p'\nstream = '0'\nrate = 50");
    let job = job("x.p", dir.path());
    test.fill(&job).unwrap();
    let mut started = test.start(&job).unwrap();
    started.timed(&mut Clock::default()).unwrap();
    let file = fs::File::options().write(true).open(dir.path().join(FILE)).unwrap();
    file.write_all_at(b"damage", 2 * 4096 + 5).unwrap();
    let error = started.verify().unwrap_err().to_string();
    assert!(error.contains("record 2 is not what was appended"), "{error}");
}

#[test]
fn a_stream_that_is_broken_off_leaves_files_that_the_next_fill_removes() {
    let dir = tempfile::tempdir().unwrap();
    let test = declared("kind = 'prompt'\nid = 'x.p'");
    let job = job("x.p", dir.path());
    test.fill(&job).unwrap();
    drop(test.start(&job).unwrap());
    let count = || fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(count(), 3);
    test.fill(&job).unwrap();
    assert_eq!(count(), 1);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |text: &str| {
        let settings: Result<Settings, String> = settings(text.parse().unwrap(), &KNOBS);
        settings.and_then(|s| s.check()).unwrap_err()
    };
    assert!(refused("record = '2M'").contains("`record`"));
    assert!(refused("rate = 0").contains("`rate`"));
    assert!(refused("stream = '1M'").contains("`stream`"));
    assert!(refused("runtime_s = 0").contains("`runtime_s`"));
}

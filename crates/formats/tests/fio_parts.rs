//! Parts of fio's output as people copy them: the status of groups, the sum of clients.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;
use model::result::{Contradiction, Reason};

#[test]
fn the_status_of_groups_alone_gives_rates_and_nothing_else() {
    let data = read_fixtures(&["fio-run-status.txt"]);
    assert_eq!(data.samples.len(), 1);
    let group = &data.samples[0];
    assert_eq!(group.metric("read_rate"), Some(205.0));
    assert_eq!(group.metric("write_rate"), Some(68.3));
    assert_eq!(
        (group.figures.metrics[0].name.as_str(), group.figures.metrics[0].value),
        ("rate", 273.3)
    );
    assert_eq!((group.figures.metrics.len(), group.figures.seconds), (3, 60.0));
    assert!(
        data.campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("The number of processes")))
    );
    let old = "Run status group 0 (all jobs):\n   READ: io=266688KB, aggrb=88866KB/s, minb=88866KB/s, \
               maxb=88866KB/s, mint=3001msec, maxt=3001msec\n";
    let data = read(&[file("a.txt", old)]);
    assert!(near(data.samples[0].metric("read_rate").unwrap(), 88866.0 * 1.024e-3));
    let wrong = text("fio-run-status.txt").replace("(205MB/s),", "(2050MB/s),");
    let data = read(&[file("a.txt", &wrong)]);
    let group = &data.samples[0];
    let Reason::Contradicts(Contradiction::BytesOverTime { bytes_per_s, .. }) = why(group) else {
        panic!("{group:?}")
    };
    assert_eq!(bytes_per_s.0, 2.05e9);
    let again = [text("fio-run-status.txt"), text("fio-run-status.txt")].concat();
    let data = read(&[file("a.txt", &again)]);
    assert_eq!(data.samples.len(), 1);
    assert!(
        data.campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("more than once")))
    );
    let status = |mib: u32| {
        let (s, kb) = (mib / 100, mib * 1024);
        format!(
            "Run status group 0 (all jobs):\n   READ: io={kb}KB, aggrb=102400KB/s, minb=102400KB/s, \
             maxb=102400KB/s, mint={s}000msec, maxt={s}000msec\n"
        )
    };
    let goes_on = error(&[file("a.txt", &(status(1000) + &status(2000)))]);
    assert!(goes_on.contains("line 4: the status of this group appeared before"), "{goes_on}");
    let cut = text("fio-run-status.txt");
    let cut = &cut[..cut.find("-60000msec").unwrap()];
    assert!(error(&[file("a.txt", cut)]).contains("line 2: the line is truncated"));
}

#[test]
fn sum_of_clients_is_a_job_only_without_them() {
    let data = read_fixtures(&["fio-all-clients.txt"]);
    let sum = &data.samples[0];
    assert_eq!((data.samples.len(), sum.case.procs), (1, 4));
    assert_eq!(sum.figures.metrics[0].value, 2000.0);
    assert!((sum.metric("write_rate").unwrap() - 2097.15).abs() < 0.005 * 2097.15);
    assert_eq!(sum.metric("service_mean_us"), Some(16000.0));
    let again = [text("fio-all-clients.txt"), text("fio-all-clients.txt")].concat();
    let data = read(&[file("a.txt", &again)]);
    assert_eq!((data.samples.len(), data.samples[0].figures.metrics[0].value), (1, 2000.0));
    assert!(
        data.campaign
            .notes
            .iter()
            .any(|note| note.said().is_some_and(|said| said.contains("more than once")))
    );
    let client = text("fio-all-clients.txt")
        .replace("All clients: (", "<a> w: (")
        .replace("jobs=4", "jobs=1");
    let end = "Run status group 0 (all jobs):\n";
    let beside = format!("{client}{end}{}", text("fio-all-clients.txt"));
    let data = read(&[file("a.txt", &beside)]);
    assert_eq!((data.samples.len(), data.samples[0].case.procs), (1, 1));
    let data = read_fixtures(&["fio-all-clients.json"]);
    let sum = &data.samples[0];
    assert_eq!((data.samples.len(), sum.figures.metrics[0].value), (1, 50000.0));
    assert_eq!(sum.metric("read_rate"), Some(204.8));
    assert_eq!(sum.metric("service_p99_us"), Some(400.0));
}

/// fio 3.33 with `fdatasync=1` and `fsync=32`: the section of syncs follows the line of shares, untouched.
#[test]
fn shares_above_the_section_of_syncs_are_no_broken_lines() {
    let is = |seen: Option<f64>, right: f64| (seen.unwrap_or(0.0) / right - 1.0).abs() < 1e-3;
    let data = read_fixtures(&["fio-3.33-fdatasync.txt"]);
    let synced = only(&data);
    assert!(is(synced.metric("write_iops"), 302.0), "{synced:?}");
    assert!(is(synced.metric("service_mean_us"), 16.38), "{synced:?}");
    assert!(is(synced.metric("sync_service_mean_us"), 1962.97), "{synced:?}");
    let data = read_fixtures(&["fio-3.33-fsync32-2jobs.txt"]);
    assert!(is(only(&data).metric("write_iops"), 33_300.0));
}

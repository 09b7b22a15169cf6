//! Reports that dd prints when a signal asks for its progress.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;

/// GNU dd 9.1, `if=/dev/zero of=f bs=1M count=50`, which got one SIGUSR1.
#[test]
fn a_report_of_progress_is_no_run_of_its_own() {
    let data = read_fixtures(&["dd-9.1-usr1.txt"]);
    let run = only(&data);
    assert!(near(run.figures.metrics[0].value, 51_924_992.0 / 0.0402518 / 1e6));
    assert_eq!((run.figures.seconds, run.figures.ops), (0.0402518, 50));
    assert!(says(&data, "SIGUSR1"));
}

/// One report of dd, of records of 1 MiB.
fn report(mib: u64, seconds: f64) -> String {
    let bytes = mib << 20;
    let rate = bytes as f64 / seconds / 1e6;
    format!(
        "{mib}+0 records in\n{mib}+0 records out\n{bytes} bytes copied, {seconds} s, {rate:.1} MB/s\n"
    )
}

fn seconds(text: &str) -> Vec<f64> {
    read(&[file("a.txt", text)]).samples.iter().map(|sample| sample.figures.seconds).collect()
}

#[test]
fn a_sync_at_the_end_is_of_the_run() {
    let all = report(10, 1.0) + &report(100, 9.0) + &report(100, 11.0) + &report(100, 12.0);
    assert_eq!(seconds(&all), [12.0]);
}

#[test]
fn runs_that_do_not_continue_each_other_are_several() {
    assert_eq!(seconds(&(report(100, 1.0) + &report(100, 2.0))), [1.0, 2.0], "one size");
    assert_eq!(seconds(&(report(100, 2.0) + &report(200, 1.0))), [2.0, 1.0], "less time");
    assert_eq!(seconds(&(report(100, 1.0) + "real 0m1s\n" + &report(200, 2.0))), [1.0, 2.0]);
    let command = "$ dd if=/dev/zero of=f bs=1M\n";
    let both = format!("{command}{}{command}{}", report(100, 1.0), report(200, 2.0));
    assert_eq!(seconds(&both), [1.0, 2.0]);
    let kib = "204800+0 records in\n204800+0 records out\n209715200 bytes copied, 2 s, 105 MB/s\n";
    assert_eq!(seconds(&(report(100, 1.0) + kib)), [1.0, 2.0], "other records");
}

#[test]
fn the_last_report_of_a_run_is_of_its_command() {
    let text = format!("$ dd if=/dev/zero of=f bs=1M\n{}{}", report(10, 1.0), report(100, 9.0));
    let data = read(&[file("a.txt", &text)]);
    assert_eq!(sample(&data, "dd.write-b1048576").figures.seconds, 9.0);
}

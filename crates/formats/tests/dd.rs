//! Reports that dd prints when a signal asks for its progress, in other languages, and after other options.
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

/// GNU dd 9.1 with LC_ALL=es_ES.UTF-8, `bs=64k count=2400 oflag=dsync`: English words, and commas in numbers.
#[test]
fn seconds_with_a_comma_keep_their_decimals() {
    let data = read_fixtures(&["dd-9.1-es.txt"]);
    let run = only(&data);
    assert!(near(run.figures.metrics[0].value, 157_286_400.0 / 18.0241 / 1e6));
    assert_eq!((run.figures.seconds, run.figures.ops), (18.0241, 2400));
    let wrong = text("dd-9.1-es.txt").replace("8,7 MB/s", "18,7 MB/s");
    let error = formats::import(&[file("a.txt", &wrong)], None, &options()).unwrap();
    assert!(!only(&error).evidence.validity.is_valid(), "the rate is compared, too");
}

/// GNU dd 9.1 in Ukrainian, `bs=1M count=24 conv=fsync`.
const UKRAINIAN: &str = "24+0 записів прочитано\n24+0 записів записано\n\
                         скопійовано 25165824 байтів (25 MB, 24 MiB), 0,043937 s, 573 MB/s\n";

/// The same in German and Chinese.
#[test]
fn other_languages_report_the_same() {
    for (name, whole, seconds) in [
        ("de", text("dd-9.1-de.txt"), 0.104387),
        ("zh", text("dd-9.1-zh.txt"), 0.038347),
        ("uk", UKRAINIAN.to_owned(), 0.043937),
    ] {
        let data = read(&[file("a.txt", &whole)]);
        let copy = sample(&data, "dd.copy-b1048576");
        assert_eq!((copy.figures.seconds, copy.figures.ops), (seconds, 24), "{name}");
        assert!(near(copy.figures.metrics[0].value, 25_165_824.0 / seconds / 1e6), "{name}");
    }
    let twice = text("dd-9.1-de.txt") + &text("dd-9.1-de.txt").replace("0,104387", "0,104388");
    assert_eq!(read(&[file("a.txt", &twice)]).samples.len(), 2);
    for (name, whole) in [("de", text("dd-9.1-de.txt")), ("uk", UKRAINIAN.to_owned())] {
        let end = whole.rfind(" MB/s").unwrap();
        assert!(error(&[file("a.txt", &whole[..end])]).contains("a.txt"), "{name}");
    }
}

/// GNU dd 9.1 on one file, four times in one text.
#[test]
fn runs_with_other_flags_are_other_tests() {
    let data = read_fixtures(&["dd-9.1-flags.txt"]);
    let rates = [
        ("dd.write-b262144-oflag-direct", 0.0207699),
        ("dd.write-b262144-conv-fdatasync", 0.0302243),
        ("dd.read-b262144-iflag-direct", 0.0331907),
    ];
    for (test, seconds) in rates {
        assert!(near(value(&data, test), 16_777_216.0 / seconds / 1e6), "{test}");
    }
    // What goes from memory into nothing is written to no disk.
    assert!(near(value(&data, "dd.copy-b262144"), 1_048_576_000.0 / 0.0416142 / 1e6));
    let both = |words: &str| format!("$ dd if=/dev/zero of=f bs=1M {words}\n{}", report(100, 2.0));
    let data = read(&[file("a.txt", &both("oflag=direct conv=fsync"))]);
    assert_eq!(data.tests[0].id, "dd.write-b1048576-conv-fsync-oflag-direct");
    assert_eq!(read(&[file("a.txt", &both("conv=fsync oflag=direct"))]).tests, data.tests);
    let in_hdd = format!("root@host:/srv/hdd # dd if=/dev/zero of=f bs=1M\n{}", report(100, 2.0));
    assert_eq!(read(&[file("a.txt", &in_hdd)]).tests[0].id, "dd.write-b1048576");
}

/// GNU dd 9.1 on a terminal, ended by Ctrl-C twice.
#[test]
fn an_interrupted_run_counts_next_to_one_that_ended() {
    let data = read_fixtures(&["dd-9.1-interrupted.txt"]);
    let ops: Vec<u64> = data.samples.iter().map(|sample| sample.figures.ops).collect();
    assert_eq!(ops, [140, 188]);
    let mixed =
        text("dd-9.1-interrupted.txt") + "# dd if=/dev/zero of=f bs=1M\n" + &report(100, 2.0);
    assert_eq!(read(&[file("a.txt", &mixed)]).samples.len(), 3);
}

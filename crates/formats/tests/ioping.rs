//! Reads of ioping's outputs: what they tell of requests, and what only the command does.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;

/// ioping 1.3, `-c 10 -i 0.01 -G -WWW file`.
#[test]
fn reads_and_writes_in_turn_are_both() {
    let data = read_fixtures(&["ioping-1.3-G.txt"]);
    let both = sample(&data, "ioping.read-write");
    assert_eq!((both.figures.metrics[0].value, both.figures.ops), (6430.0, 9));
    assert!(near(both.metric("rate").unwrap(), 25.1 * 1.048576));
    assert_eq!((both.metric("read_rate"), both.metric("write_rate")), (None, None));
    assert_eq!(data.tests[0].name, "read/write");
}

/// ioping 1.3, `-R -L -w 1 file`: nothing in the output tells `-L`.
#[test]
fn only_the_command_tells_sequential_from_random() {
    let data = read_fixtures(&["ioping-1.3-RL.txt"]);
    assert_eq!(sample(&data, "ioping.read").figures.metrics[0].value, 21_000.0);
    assert_eq!((data.tests[0].name.as_str(), data.tests[0].testtype.as_str()), ("read", "read"));
    assert!(says(&data, "in sequence (-L)"));
    let of = |command: &str| {
        let text = format!("{command}\n{}", text("ioping-1.3-RL.txt"));
        let data = read(&[file("a.txt", &text)]);
        assert!(!says(&data, "in sequence (-L)"));
        only(&data).case.test.clone()
    };
    assert_eq!(of("$ ioping -R -L -w 1 file"), "ioping.sequential-read");
    assert_eq!(of("$ ioping -R -s 256k -w 1 file"), "ioping.random-read");
}

/// ioping 0.9: `-c 10 -i 0.01 t`, `-c 4 -i 0.01 -WWW -D t` and `-q -R -w 1 t`.
#[test]
fn release_0_9_tells_the_kind_by_its_requests() {
    let reads = read_fixtures(&["ioping-0.9.txt"]);
    let read_test = sample(&reads, "ioping.read");
    assert_eq!((read_test.figures.metrics[0].value, read_test.figures.ops), (1990.0, 10));
    assert!(near(read_test.metric("read_rate").unwrap(), 7.76 * 1.048576));
    assert!(near(read_test.figures.seconds, 10.0 * 503e-6), "without the waits between requests");
    assert!(says(&reads, "ioping 0.9"));
    let writes = read_fixtures(&["ioping-0.9-W.txt"]);
    let write_test = sample(&writes, "ioping.write");
    assert_eq!((write_test.metric("iops"), write_test.figures.ops), (Some(1470.0), 4));
    let quiet = read_fixtures(&["ioping-0.9-qR.txt"]);
    assert_eq!(sample(&quiet, "ioping.read").figures.ops, 11_300);
    assert!(!says(&read_fixtures(&["ioping-1.3.txt"]), "ioping 0.9"));
    let damaged = read(&[file("a.txt", &text("ioping-0.9.txt").replace("/ 503 us", "/ 903 us"))]);
    assert!(
        only(&damaged).evidence.validity.why().is_some(),
        "mean and rate contradict each other"
    );
}

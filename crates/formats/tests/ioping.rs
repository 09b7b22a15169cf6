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

//! What the tables say of timed parts below their floor, and of random reads that were read ahead.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::{Better, FLOOR, Metric, READ_AHEAD_HITS};
use report::{TerminalOptions, html, json, terminal};
use stats::{Settings, findings};

const SHORT: &str = "columnar.append.mid";
const READ_AHEAD: &str = "columnar.read.random";

#[test]
fn a_row_says_that_it_is_short_and_that_it_was_read_ahead() {
    let mut data = common::campaign(2);
    for sample in &mut data.samples {
        // All of them take 1.5 s.
        let floor_s = if sample.case.test == SHORT { 2.0 } else { 1.0 };
        sample.metrics.push(Metric::new(FLOOR, floor_s, "s", Better::Lower));
        let hits = Metric::new(READ_AHEAD_HITS, 91.0, "%", Better::Lower);
        sample.metrics.extend((sample.case.test == READ_AHEAD).then_some(hits));
    }
    let judged = findings(&data, &Settings::default()).unwrap();
    let text = terminal(&data, &judged, &TerminalOptions::default());
    let says = |name: &str, word: &str| {
        text.lines().any(|line| line.contains(name) && line.contains(word))
    };
    assert!(says("open append mid float, sync once", " short "), "{text}");
    assert!(says("random read 64k", "read ahead 91 %"), "{text}");
    assert!(!says("write float large", " short "), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("in no mean, no score and no verdict: open append mid"), "{text}");
    assert!(words.contains("short: timed part below a third"), "{text}");
    assert!(words.contains("read ahead: cold at the start"), "{text}");
    for page in [html(&data, &judged), json(&data, &judged)] {
        assert!(page.contains("short") && page.contains("91"), "{page}");
    }
    assert!(html(&data, &judged).contains("read ahead 91 %"));
}

#[test]
fn nothing_is_said_where_nothing_is_short() {
    let data = common::campaign(2);
    let judged = findings(&data, &Settings::default()).unwrap();
    let text = terminal(&data, &judged, &TerminalOptions::default());
    assert!(!text.contains("short:") && !text.contains("read ahead"), "{text}");
}

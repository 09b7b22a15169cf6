//! Tests of tables with timed parts below their minimum, and with random reads served by read-ahead.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, summary, terminal},
    common,
};
use model::{plan::Preset, result::known, workload::TestSize};
use report::TerminalOptions;
use stats::{description::Settings, evaluation::findings};

const SHORT: &str = "columnar.append.mid";
const READ_AHEAD: &str = "columnar.read.random";

#[test]
fn a_row_says_that_it_is_short_and_that_it_was_read_ahead() {
    let mut data = common::campaign(2);
    for sample in &mut data.samples {
        // All of them take 1.5 s.
        let floor_s = if sample.case.test == SHORT { 2.0 } else { 1.0 };
        sample.set(known::FLOOR_S, floor_s);
        sample.set(known::READ_AHEAD_HIT_PCT, (sample.case.test == READ_AHEAD).then_some(91.0));
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
    assert!(words.contains("excluded from means, scores and verdicts: open append mid"), "{text}");
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

/// The words of `text`, each after one blank.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn cells_that_are_too_short_are_counted_among_all_and_left_out() {
    let mut data = common::campaign(2);
    data.samples.retain(|sample| sample.evidence.validity.is_valid());
    for sample in &mut data.samples {
        let floor_s = if sample.case.test == SHORT { 2.0 } else { 1.0 };
        sample.set(known::FLOOR_S, floor_s);
    }
    let judged = findings(&data, &Settings::default()).unwrap();
    let text = flowing(&summary(&data, &judged, &TerminalOptions::default(), ""));
    let said = "Left out: 2 of 10 cells are not scored, because their timed parts are too short.";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("Candidates over 6 of 10 cells"), "{text}");
}

#[test]
fn timed_parts_below_what_the_preset_asks_for_have_the_names_and_lengths_of_the_tables() {
    let mut data = common::campaign(2);
    data.campaign.plan.preset = Preset::Quick;
    let name = "open append mid float, sync once";
    for sample in data.samples.iter_mut().filter(|s| s.case.test == SHORT) {
        sample.figures.seconds = if sample.case.procs == 1 { 0.046 } else { 0.028 };
    }
    let full = data.samples.iter_mut().filter(|s| s.case.test == "columnar.sort.disk");
    full.for_each(|sample| sample.figures.seconds = 0.0496);
    let said = format!(
        "Timed parts below the minimum of 50 ms for quick (scored from 17 ms): {name}, 1 process (46 \
         ms); {name}, 64 processes (28 ms)."
    );
    let text = |data: &model::result::Dataset| {
        let judged = findings(data, &Settings::default()).unwrap();
        let options = TerminalOptions { width: 200, color: false };
        [terminal(data, &judged, &options), summary(data, &judged, &options, "")]
    };
    assert!(text(&data).iter().all(|text| !text.contains("Timed parts below")), "sizes were given");
    data.campaign.plan.sizes =
        vec![TestSize { test: SHORT.into(), procs: 1, scale: 1.0, work: None }];
    let [all, brief] = text(&data);
    assert!(flowing(&all).contains(&said) && flowing(&brief).contains(&said), "{brief}");
    let row = |length: &str| all.lines().any(|l| l.contains(name) && l.contains(length));
    assert!(row("· 46 ms") && row("· 28 ms"), "{all}");
}

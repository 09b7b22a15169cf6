//! Tests that a mount option changed or dropped by the kernel is reported next to each label.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown, terminal},
    common,
};
use model::result::NOT_AS_ASKED;
use report::TerminalOptions;

#[test]
fn options_in_effect_are_shown_in_every_format() {
    let mut data = common::campaign(5);
    let found =
        stats::evaluation::findings(&data, &stats::description::Settings::default()).unwrap();
    assert!(!markdown(&data, &found).contains("not in effect as requested"));
    let xfs = data.targets.iter_mut().find(|target| target.label == "xfs").unwrap();
    let what = "rsize is 524288, not 1048576 as requested";
    xfs.facts.0.insert(NOT_AS_ASKED.into(), what.into());
    let found =
        stats::evaluation::findings(&data, &stats::description::Settings::default()).unwrap();
    let text = markdown(&data, &found);
    assert!(text.contains("## Options not in effect as requested\n"), "{text}");
    for text in [text, html(&data, &found), terminal(&data, &found, &TerminalOptions::default())] {
        assert!(text.contains(&format!("xfs: {what}.")), "{text}");
    }
}

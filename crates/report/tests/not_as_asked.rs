//! A mount option that the kernel changed or dropped is told wherever the label stands.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::NOT_AS_ASKED;
use report::{TerminalOptions, html, markdown, terminal};

#[test]
fn what_is_in_effect_is_told_in_every_form() {
    let mut data = common::campaign(5);
    let found = stats::findings(&data, &stats::Settings::default()).unwrap();
    assert!(!markdown(&data, &found).contains("not in effect as asked"));
    let xfs = data.targets.iter_mut().find(|target| target.label == "xfs").unwrap();
    let what = "rsize is 524288, not 1048576 as asked";
    xfs.facts.0.insert(NOT_AS_ASKED.into(), what.into());
    let found = stats::findings(&data, &stats::Settings::default()).unwrap();
    let text = markdown(&data, &found);
    assert!(text.contains("## Options that are not in effect as asked\n"), "{text}");
    for text in [text, html(&data, &found), terminal(&data, &found, &TerminalOptions::default())] {
        assert!(text.contains(&format!("xfs: {what}.")), "{text}");
    }
}

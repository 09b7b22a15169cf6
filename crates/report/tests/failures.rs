//! Tests that a failed target is named above the tables, with its reason.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown},
    common,
};
use model::result::TargetState;
use stats::{description::Settings, evaluation::findings};

#[test]
fn a_failed_target_is_named_with_its_reason() {
    let mut data = common::campaign(3);
    let text = |data: &_| markdown(data, &findings(data, &Settings::default()).unwrap());
    assert!(!text(&data).contains("## Failed targets"));
    let xfs = data.targets.iter_mut().find(|target| target.label == "xfs").unwrap();
    xfs.state = TargetState::Failed("mkfs.xfs: no space".into());
    let told = text(&data);
    let (_, section) = told.split_once("## Failed targets\n").unwrap();
    assert!(section.contains("Targets that could not be measured completely"), "{section}");
    let row = section.lines().find(|line| line.contains("mkfs.xfs: no space")).unwrap();
    assert!(row.contains("xfs"), "{row}");
    assert!(
        html(&data, &findings(&data, &Settings::default()).unwrap()).contains("mkfs.xfs: no space")
    );
}

//! Tests that a target of NFS whose calls bypass the network is named.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown, terminal},
    common,
};
use report::TerminalOptions;

#[test]
fn a_bypassed_network_is_told_in_every_form() {
    let mut data = common::campaign(5);
    let mut texts = |state: &str| {
        let xfs = data.targets.iter_mut().find(|target| target.label == "xfs").unwrap();
        xfs.facts.0.insert("geometry.nfs.localio".into(), state.into());
        let settings = stats::description::Settings::default();
        let found = stats::evaluation::findings(&data, &settings).unwrap();
        let terminal = terminal(&data, &found, &TerminalOptions::default());
        [markdown(&data, &found), html(&data, &found), terminal]
    };
    for text in texts("no") {
        assert!(!text.contains("LOCALIO"), "{text}");
    }
    for text in texts("yes") {
        assert!(text.contains("xfs: client and server are in one kernel"), "{text}");
    }
}

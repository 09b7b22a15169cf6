//! Tests of the section on swept options.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, markdown, terminal},
    common,
};
use model::{
    result::{Dataset, TargetState},
    target::{LeftOut, Sweep, SweepMode},
};
use report::TerminalOptions;
use stats::{description::Settings, evaluation::findings};

/// The campaign of `common` with ext4 as the default of a sweep, and the others as its variants.
fn campaign() -> Dataset {
    let mut data = common::campaign(5);
    let names = ["ext4", "ext4[noatime]", "ext4[data=journal]"];
    for (record, name) in data.targets.iter_mut().zip(names) {
        let label = std::mem::replace(&mut record.label, name.into());
        record.target = name.into();
        let own = data.samples.iter_mut().filter(|sample| sample.case.target == label);
        own.for_each(|sample| sample.case.target = name.into());
    }
    let on = "ext4[noatime;data=journal,writeback]".parse().unwrap();
    let variants = names.iter().map(|name| name.parse().unwrap()).collect();
    let left_out = vec![LeftOut {
        variant: "ext4[data=writeback]".parse().unwrap(),
        why: "it is never so".into(),
    }];
    data.campaign.plan.sweeps = vec![Sweep { on, mode: SweepMode::OneAtATime, variants, left_out }];
    data
}

fn on_terminal(data: &Dataset) -> String {
    let found = findings(data, &Settings::default()).unwrap();
    terminal(data, &found, &TerminalOptions { width: 160, color: false })
}

#[test]
fn variants_stand_against_the_default_by_their_effect() {
    let data = campaign();
    let text = on_terminal(&data);
    let at =
        text.find("ext4[noatime;data=journal,writeback]: variants against the default").unwrap();
    let table: Vec<&str> = text[at..].lines().collect();
    assert!(table[0].contains("over 8 of 10 cells and 4 blocks"), "{text}");
    assert!(table[1].contains("Default  Variant             "), "{text}");
    // Rates of five tests of two groups: the slower one loses on the sort and gains on the cold read.
    let words: Vec<&str> = table[3].split_whitespace().collect();
    assert_eq!(words[..4], ["ext4", "ext4[noatime]", "1.03", "same"], "{text}");
    assert!(table[3].contains("write float large, 64 processes: 1.25 better; disk"), "{text}");
    assert!(table[4].contains("ext4[data=journal]") && table[4].contains("worse*"), "{text}");
    assert!(table[4].contains("disk sort, ") && table[4].contains("; sequential read, "), "{text}");
    assert!(text.contains("ext4[data=writeback]  it is never so"), "{text}");
}

#[test]
fn every_format_has_the_table() {
    let data = campaign();
    let found = findings(&data, &Settings::default()).unwrap();
    for text in [html(&data, &found), markdown(&data, &found)] {
        assert!(text.contains("variants against the default") && text.contains("it is never so"));
    }
    let json: serde_json::Value = serde_json::from_str(&json(&data, &found)).unwrap();
    let sweep = &json["sweeps"][0];
    assert_eq!(sweep["default"], "ext4");
    assert_eq!(sweep["variants"][0]["target"], "ext4[noatime]");
    assert_eq!(sweep["variants"][1]["loss"]["name"], "disk sort");
    assert_eq!(sweep["left_out"][0]["variant"], "ext4[data=writeback]");
}

#[test]
fn what_failed_is_named_with_its_reason() {
    let mut data = campaign();
    data.samples.retain(|sample| sample.case.target != "ext4[noatime]");
    data.targets[1].state = TargetState::Failed("block 1: no room".into());
    let text = on_terminal(&data);
    let told = "Not compared with ext4: ext4[noatime]. ext4[noatime] failed: block 1: no room.";
    assert!(text.contains(told), "{text}");
    data.samples.retain(|sample| sample.case.target != "ext4");
    assert!(
        on_terminal(&data).contains("Not compared with ext4: ext4[noatime], ext4[data=journal]")
    );
}

#[test]
fn several_values_of_an_option_are_drawn_as_a_line_and_of_a_grid_as_several() {
    let drawn = |names: [&str; 3], on: &str, mode: SweepMode| {
        let mut data = campaign();
        let before: Vec<String> = data.targets.iter().map(|target| target.label.clone()).collect();
        for (record, name) in data.targets.iter_mut().zip(names) {
            (record.label, record.target) = (name.into(), name.into());
        }
        for sample in &mut data.samples {
            let at = before.iter().position(|label| *label == sample.case.target).unwrap();
            sample.case.target = names[at].into();
        }
        let variants = names.iter().map(|name| name.parse().unwrap()).collect();
        data.campaign.plan.sweeps =
            vec![Sweep { variants, ..Sweep::new(on.parse().unwrap(), mode) }];
        html(&data, &findings(&data, &Settings::default()).unwrap())
    };
    let page = drawn(
        ["ext4", "ext4[commit=5]", "ext4[commit=60]"],
        "ext4[commit=5,60;data=ordered,journal]",
        SweepMode::OneAtATime,
    );
    assert!(page.contains("ratio over ext4 by commit, 95 % intervals"));
    // Of the other option nothing was measured.
    assert!(!page.contains("by data, 95 %") && page.contains(">the others at their d…<"));
    let page = drawn(
        ["ext4", "ext4[commit=5,data=journal]", "ext4[commit=60,data=journal]"],
        "ext4[commit=5,60;data=ordered,journal]",
        SweepMode::Grid,
    );
    assert!(page.contains("by commit, 95 %") && page.contains(">data=journal<"));
}

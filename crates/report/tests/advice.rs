//! The advice as a reader sees it, on a campaign with blocks: probabilities, doubts, reasons.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, terminal},
    common,
};
use model::{
    target::{Fact, FactSheet, FactValue},
    workload::{Floor, Procs, Profile, ProfileHead, Require, Tier, WorkGroup},
};
use report::TerminalOptions;
use stats::{
    advice::Question,
    description::Settings,
    evaluation::{Findings, advise},
};

fn profile() -> Profile {
    let group = |name: &str, weight: f64, glob: &str| WorkGroup {
        name: name.into(),
        weight,
        tests: vec![glob.into()],
        cache: None,
        procs: Procs::All,
    };
    Profile {
        profile: ProfileHead {
            name: "mine".into(),
            intent: "Writes, some reads.".into(),
            device_class: "ssd".into(),
            tier: Some(Tier::Hot),
        },
        groups: vec![
            group("writes", 60.0, "columnar.write.*"),
            group("reads", 40.0, "columnar.read.*"),
        ],
        ops: vec![],
        floors: vec![Floor {
            test: "columnar.sort.disk".into(),
            max_ratio_to_best: Some(5.0),
            limit: None,
        }],
        requires: vec![Require { feature: "durable".into() }],
        prefers: vec![],
    }
}

fn facts() -> Vec<FactSheet> {
    let sheet = |name: &str| FactSheet {
        file_system: name.into(),
        facts: vec![Fact {
            feature: "durable".into(),
            value: FactValue::Has(true),
            scope: "Linux".into(),
            only_with: None,
            unless: vec![],
            with: vec![],
            but: None,
            source: "a manual page".into(),
            as_of: "2026-11-21".into(),
            checked_by: "a test".into(),
        }],
    };
    vec![sheet("xfs"), sheet("btrfs")]
}

fn advised(data: &model::result::Dataset) -> Findings {
    let (profile, facts) = (profile(), facts());
    let question = Question { profile: &profile, facts: &facts, requirements: &[], block_s: None };
    advise(data, &question, &Settings::default()).unwrap()
}

#[test]
fn answer_is_first_with_its_doubts_below() {
    let data = common::campaign(5);
    let findings = advised(&data);
    let text = terminal(&data, &findings, &TerminalOptions { width: 160, color: false });
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is not in\n{text}"));
    assert!(
        at("Profile mine, hot tier")
            < at("For mine by these tests at these sizes on this machine, xfs is best (P>0.99): ")
    );
    assert!(at("5 blocks).") < at("Candidates over 6 of 6 cells of the profile"));
    // 105 against 9.5 MB/s: 11 times behind where 5 are allowed.
    assert!(
        text.contains(
            "btrfs[compress=zstd:3] is ruled out: floor columnar.sort.disk, 1 process: 1"
        )
    );
    assert!(text.contains("ext4 is at risk: support for durable is unknown."));
    let is_head = |line: &str| line.split_whitespace().take(2).eq(["Target", "Standing"]);
    assert!(text.lines().any(is_head), "{text}");
    assert!(text.contains("writes: xfs is better, 1.2"), "{text}");
    assert!(
        text.contains("Cells behind xfs over ext4")
            && text.contains("P covers the variation between runs")
    );
    assert!(!text.contains("GEOMETRIC MEAN"), "tables are those of `assay report`");
}

#[test]
fn the_page_and_the_json_carry_the_same() {
    let data = common::campaign(5);
    let findings = advised(&data);
    let page = html(&data, &findings);
    assert!(page.contains("<h2>Advice</h2>") && !page.contains("<h2>Verdict</h2>"));
    let value: serde_json::Value = serde_json::from_str(&json(&data, &findings)).unwrap();
    let advice = &value["advice"];
    assert_eq!((&advice["counsel"], &advice["tier"]), (&"clear".into(), &"hot".into()));
    assert_eq!(advice["candidates"][2]["standing"], "ruled-out");
    let sentence = advice["sentence"].as_str().unwrap();
    assert!(page.contains(&sentence.replace('>', "&gt;")), "{sentence}");
}

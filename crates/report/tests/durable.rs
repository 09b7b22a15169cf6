//! Tests that targets that may lose synced data are shown with the reason and not ranked.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, markdown, summary, terminal},
    common,
};
use model::result::{Dataset, NOT_DURABLE};
use report::{TerminalOptions, csv};

fn judged(data: &Dataset) -> stats::evaluation::Findings {
    stats::evaluation::findings(data, &stats::description::Settings::default()).unwrap()
}

/// The campaign of three whose xfs, which is best, loses what it synced.
fn campaign() -> Dataset {
    let mut data = common::campaign(5);
    let xfs = data.targets.iter_mut().find(|t| t.label == "xfs").unwrap();
    xfs.facts.0.insert(NOT_DURABLE.into(), "xfs: the cache of the device is not flushed".into());
    data
}

const WHY: &str =
    "xfs may lose synced data on power loss (xfs: the cache of the device is not flushed)";

#[test]
fn it_has_tables_of_its_own_and_is_in_no_other() {
    let data = campaign();
    let text = markdown(&data, &judged(&data));
    assert_eq!(text.matches(&format!("Not ranked: {WHY}.")).count(), 1, "{text}");
    let (ranked, not) = text.split_once("\n## Verdict, may lose synced data\n").unwrap();
    for table in ranked.split("\n\n").filter(|part| part.contains("| ---")) {
        assert!(!table.contains("xfs"), "{table}");
    }
    assert!(
        ranked.contains("\n## Verdict\n") && ranked.contains(&format!("{WHY}.")),
        "said above all"
    );
    assert!(not.contains("\n## Ratios, may lose synced data\n"), "{not}");
    assert!(!ranked.contains("kinds of lab"));
}

#[test]
fn every_form_keeps_them_apart() {
    let data = campaign();
    let found = judged(&data);
    let page = html(&data, &found);
    assert!(
        page.contains("<h2>Ratios, may lose synced data</h2>") && page.contains("Not ranked: xfs")
    );
    let value: serde_json::Value = serde_json::from_str(&json(&data, &found)).unwrap();
    assert_eq!(value["call"]["candidates"].as_array().unwrap().len(), 2);
    assert_eq!((&value["durability"], &value["is_ranked"]), (&().into(), &().into()));
    let other = &value["others"][0];
    assert_eq!(
        (&other["durability"]["synced"], &other["is_ranked"]),
        (&"loses".into(), &false.into())
    );
    assert!(other["call"]["candidates"].as_array().unwrap().is_empty());
    // Before what was left out, which is nothing.
    let last = |line: &str| line.rsplit(',').nth(1).map(str::to_string);
    assert!(csv(&data, &found).lines().skip(1).all(|line| {
        last(line).as_deref() == Some(if line.contains(",xfs,") { "loses" } else { "keeps" })
    }));
    let short = summary(&data, &found, &TerminalOptions::default(), "the rest");
    assert!(short.lines().count() <= 40 && short.contains("Not ranked: xfs"), "{short}");
    let long = terminal(&data, &found, &TerminalOptions::default());
    assert!(long.contains("Not ranked: xfs"), "{long}");
}

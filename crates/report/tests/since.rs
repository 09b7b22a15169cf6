//! Tests of what changed since the last campaign of the same name.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown, summary},
    common,
};
use model::result::Dataset;
use report::TerminalOptions;
use stats::{
    description::Settings,
    evaluation::{Findings, findings, since},
};

/// A campaign called nightly whose xfs is `gain` times as fast as usual.
fn nightly(id: &str, gain: f64) -> Dataset {
    let mut data = common::campaign(5);
    data.campaign.id = id.into();
    data.campaign.plan.name = Some("nightly".into());
    for sample in data.samples.iter_mut().filter(|own| own.case.target == "xfs") {
        sample.figures.metrics[0].value *= gain;
    }
    data
}

fn judged(before: &Dataset, now: &Dataset) -> Findings {
    let settings = Settings::default();
    findings(now, &settings).unwrap().with_since(since(before, now, &settings))
}

#[test]
fn the_change_since_the_last_run_is_in_the_short_answer_and_on_the_page() {
    let (mut before, mut now) = (nightly("c1", 1.0), nightly("c2", 0.5));
    now.campaign.environment.0.insert("kernel.release".into(), "6.19".into());
    before.campaign.environment.0.insert("kernel.release".into(), "6.18".into());
    let found = judged(&before, &now);
    let text = summary(&now, &found, &TerminalOptions::default(), "All tables: x.");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "Since the last run of nightly (c1,",
        "xfs 0.50x (worse,",
        "Changed: machine kernel.release",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let page = html(&now, &found);
    let own = page.split("<h2>Since the last run</h2>").nth(1).unwrap();
    let own = own.split("</section>").next().unwrap();
    for said in ["This run over the last", "Decided differences", "6.18", "assay compare c1 c2"] {
        assert!(own.contains(said), "{said}: {own}");
    }
    assert!(!own.contains(">B:xfs"), "without letters of sides: {own}");
}

#[test]
fn other_work_is_not_compared_and_says_how_to_repeat_it() {
    let (before, mut now) = (nightly("c1", 1.0), nightly("c2", 1.0));
    now.campaign.scale = before.campaign.scale / 2.0;
    let text = markdown(&now, &judged(&before, &now));
    assert!(text.contains("not compared, because the two did different work"), "{text}");
    assert!(text.contains("assay run --like c1 --name nightly"), "{text}");
    assert!(!text.contains("This run over the last"), "{text}");
}

#[test]
fn without_a_name_there_is_no_last_run() {
    let (before, mut now) = (nightly("c1", 1.0), nightly("c2", 1.0));
    now.campaign.plan.name = None;
    assert_eq!(since(&before, &now, &Settings::default()), None);
    assert!(!html(&now, &judged(&before, &now)).contains("Since the last run"));
}

//! Campaigns of several ages side by side.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{bare::html_side_by_side, common};
use model::result::Dataset;
use stats::{
    description::Settings,
    evaluation::{Findings, findings},
};

fn aged(cycles: Option<u32>) -> (Dataset, Findings) {
    let mut data = common::campaign(5);
    data.campaign.id = format!("c{}", cycles.unwrap_or(0));
    data.campaign.plan.age = cycles;
    let found = findings(&data, &Settings::default()).unwrap();
    (data, found)
}

const TITLE: &str = "<h2>Ageing</h2>";

#[test]
fn ages_are_the_steps_of_a_ladder_in_their_order() {
    let page = html_side_by_side(&[aged(Some(1000)), aged(None), aged(Some(50))]);
    let ladder = page.split(TITLE).nth(1).unwrap().split("</section>").next().unwrap();
    let at = |step: &str| ladder.find(&format!(">{step}<")).unwrap();
    assert!(at("fresh") < at("50") && at("50") < at("1000"), "{ladder}");
    assert!(ladder.contains("Score over ext4 by age") && ladder.contains(">xfs<"), "{ladder}");
    assert!(
        ladder.matches("<polyline class=\"k").count() >= 2,
        "a line for each candidate: {ladder}"
    );
}

#[test]
fn campaigns_of_one_age_have_no_ladder() {
    assert!(!html_side_by_side(&[aged(Some(50)), aged(Some(50))]).contains(TITLE));
    assert!(!html_side_by_side(&[aged(None), aged(None)]).contains(TITLE));
}

#[test]
fn what_is_not_the_same_of_the_campaigns_is_marked() {
    let [mut one, other] = [aged(Some(50)), aged(None)];
    one.0.campaign.environment.0.insert("kernel.release".into(), "6.19".into());
    let page = html_side_by_side(&[other, one]);
    let own = page.split("<h2>What differs</h2>").nth(1).unwrap();
    let own = own.split("</section>").next().unwrap();
    assert!(own.contains("settings: condition") && own.contains("<b>"), "{own}");
}

/// What a suite stands for follows from its name, and is no fact of the machine.
#[test]
fn words_about_suites_are_no_difference_and_commands_are_code() {
    let [mut one, other] = [aged(Some(50)), aged(None)];
    one.0.campaign.environment.0.insert("suites.about".into(), "Columns are read.".into());
    let mut third = other.clone();
    third.0.campaign.environment.0.insert("suites.about".into(), "Files are made.".into());
    let page = html_side_by_side(&[one, third]);
    let own = page.split("<h2>What differs</h2>").nth(1).unwrap();
    let own = own.split("</section>").next().unwrap();
    assert!(own.contains("settings: condition") && !own.contains("Files are made."), "{own}");
    assert!(page.contains(">assay compare "));
}

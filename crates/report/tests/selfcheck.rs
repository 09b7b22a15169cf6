//! Tests of the section on self-checks.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, terminal},
    common,
};
use model::{
    result::{Dataset, TargetRecord},
    target::Target,
};
use report::TerminalOptions;
use stats::{description::Settings, evaluation::findings};

/// The campaign of `common` with its first target entered again, `factor` times as fast.
fn with_twin(factor: f64, blocks: u32) -> Dataset {
    let mut data = common::campaign(blocks);
    let of = data.targets[0].clone();
    let label = format!("{}#2", of.label);
    let plan = &mut data.campaign.plan;
    plan.targets = data.targets.iter().map(|t| t.label.parse::<Target>().unwrap()).collect();
    plan.aa = Some(true);
    let mut twins: Vec<_> =
        data.samples.iter().filter(|s| s.case.target == of.label).cloned().collect();
    for twin in &mut twins {
        twin.case.target.clone_from(&label);
        twin.figures.metrics[0].value *= factor;
        twin.position = 3;
    }
    data.samples.extend(twins);
    data.targets.push(TargetRecord { label, ..of });
    data
}

fn printed(data: &Dataset) -> String {
    let found = findings(data, &Settings::default()).unwrap();
    let html = html(data, &found);
    assert!(html.contains("Self-check"));
    terminal(data, &found, &TerminalOptions { width: 160, color: false })
}

#[test]
fn a_pair_that_passes_is_a_badge_and_no_column() {
    let text = printed(&with_twin(1.0, 8));
    assert!(text.contains("A/A pair passes"), "{text}");
    assert!(text.contains("0 of 10") && text.contains("passes: as far apart in "), "{text}");
    let told: Vec<&str> = text.lines().filter(|line| line.contains("ext4#2")).collect();
    let what = "two checks and the footnote name it, any other section leaves out `Dataset::twin`";
    assert_eq!(told.len(), 3, "{what}: {told:#?}");
}

#[test]
fn a_pair_that_fails_must_not_be_missed() {
    let text = printed(&with_twin(1.5, 8));
    assert!(
        text.contains("A/A pair fails") && text.contains("fails: as far apart in 1 of 128"),
        "{text}"
    );
    assert!(text.contains("10 of 10 cells differ between ext4 and itself"), "{text}");
}

#[test]
fn a_pair_of_few_blocks_says_that_it_says_nothing() {
    let text = printed(&with_twin(1.0, 5));
    assert!(text.contains("inconclusive: 16 patterns of signs, 20 are needed"), "{text}");
    assert!(text.contains("With fewer than six blocks"), "{text}");
    assert!(!text.contains("A/A pair passes") && !text.contains("A/A pair fails"), "{text}");
    // What all cells have in common can be seen all the same.
    let text = printed(&with_twin(1.5, 5));
    assert!(text.contains("A/A pair fails") && text.contains("fails: by the mean below"), "{text}");
    assert!(text.contains("over all cells ext4 differs from itself by +"), "{text}");
}

#[test]
fn without_a_pair_there_is_the_drift_alone_and_of_one_block_nothing() {
    let text = printed(&common::campaign(5));
    assert!(text.contains("Drift: last block over first"), "{text}");
    assert!(text.contains("A/A pair: none") && !text.contains("A/A pair: cells"), "{text}");
    let data = common::campaign(1);
    let found = findings(&data, &Settings::default()).unwrap();
    let text = terminal(&data, &found, &TerminalOptions { width: 160, color: false });
    assert!(!text.contains("Self-check"), "{text}");
}

#[test]
fn the_twin_of_a_pair_is_not_among_the_choices_of_the_page() {
    let data = with_twin(1.0, 5);
    let page = html(&data, &findings(&data, &Settings::default()).unwrap());
    let question = "Which is best for columnar: ext4, xfs or btrfs[compress=zstd:3]?";
    assert!(page.contains(question), "{}", page.split("</header>").next().unwrap());
}

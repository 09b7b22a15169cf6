//! The A/A pair, the drift and the place in a block, on campaigns whose truth is known.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::Noise;
use model::{result::Dataset, target::Target};
use statrs::distribution::{Binomial, DiscreteCDF};
use stats::{
    description::Settings,
    evaluation::{Findings, findings},
};

const TWIN: &str = "ext4#2";

/// Two candidates and the twin of the first, whose level is `twin`.
fn campaign(noise: &Noise, twin: f64, tests: usize, seed: u64) -> Dataset {
    let mut data = noise.dataset(&[("ext4", 1.0), ("xfs", 1.2), (TWIN, twin)], tests, 5, seed);
    data.campaign.plan.targets = vec![Target::named("ext4"), Target::named("xfs")];
    data.campaign.plan.aa = Some(true);
    data
}

fn judged(data: &Dataset) -> Findings {
    findings(data, &Settings::default()).unwrap()
}

const NOISE: Noise = Noise { block_sd: 0.0, own_sd: 0.05 };

/// Most of `cells` that differ by chance in 95 of 100 campaigns were they independent: scipy's
/// `binom.ppf(.95, n, .05)`.
fn binomial_limit(cells: usize) -> usize {
    let binomial = Binomial::new(0.05, cells as u64).unwrap();
    (0..cells).find(|&marked| binomial.cdf(marked as u64) > 0.95).unwrap()
}

/// What the pair says in campaigns without a difference: shares that pass, that fail, and that have more marks than
/// the binomial distribution explains.
fn said(noise: &Noise, blocks: u32) -> (f64, f64, f64) {
    let campaigns = 150;
    let passes = |seed: u64| {
        let mut data = noise.dataset(&[("ext4", 1.0), (TWIN, 1.0)], 24, blocks, seed);
        data.campaign.plan.targets = vec![Target::named("ext4")];
        data.campaign.plan.aa = Some(true);
        data.campaign.seed = seed;
        let aa = judged(&data).selfcheck.aa.unwrap();
        (aa.passes(), aa.marked > binomial_limit(aa.cells))
    };
    let all: Vec<(Option<bool>, bool)> = (0..campaigns).map(passes).collect();
    let share = |count: usize| count as f64 / campaigns as f64;
    let says = |what| share(all.iter().filter(|one| one.0 == what).count());
    (says(Some(true)), says(Some(false)), share(all.iter().filter(|one| one.1).count()))
}

/// An instance shares most of its noise among all of its cells, so that in some campaigns half of them differ:
/// by the binomial distribution, which takes them for independent, such a pair fails in 9 to 13 %.
#[test]
fn a_pair_without_a_difference_fails_in_5_of_100_campaigns_however_cells_share_their_noise() {
    for (block_sd, own_sd) in [(0.0, 0.05), (0.06, 0.05), (0.06, 0.01)] {
        let noise = Noise { block_sd, own_sd };
        for blocks in [6, 10] {
            let (passes, fails, binomial) = said(&noise, blocks);
            let what = format!(
                "{block_sd} {own_sd}, {blocks} blocks: {passes} pass, {fails} fail, {binomial} by the binomial"
            );
            assert!(block_sd == 0.0 || binomial > 0.08, "{what}");
            assert!(fails <= 0.08 && (passes + fails - 1.0).abs() < 1e-9, "{what}");
        }
    }
}

#[test]
fn a_pair_of_few_blocks_says_what_it_cannot_know() {
    for blocks in [3, 5] {
        let (passes, fails, _) = said(&Noise { block_sd: 0.06, own_sd: 0.01 }, blocks);
        assert!(passes == 0.0 && fails <= 0.06, "{blocks} blocks: {passes} pass, {fails} fail");
    }
    let check = judged(&campaign(&Noise { block_sd: 0.06, own_sd: 0.01 }, 1.0, 40, 1)).selfcheck;
    let aa = check.aa.unwrap();
    assert_eq!((aa.cells, aa.patterns, aa.passes()), (40, 16, None));
}

#[test]
fn the_limit_comes_from_the_signs_of_blocks() {
    // All cells are one: whatever the signs of the blocks, all of them differ or none.
    let mut data = campaign(&Noise { block_sd: 0.05, own_sd: 0.0 }, 1.0, 40, 3);
    data.campaign.plan.targets.pop();
    data.samples.retain(|s| s.case.target != "xfs");
    let aa = judged(&data).selfcheck.aa.unwrap();
    assert!(aa.patterns == 16 && [0, 40].contains(&aa.limit) && [0, 40].contains(&aa.marked));
    // Nine blocks are counted through, more are drawn.
    for (blocks, patterns) in [(2, 2), (9, 256), (10, 256), (20, 256)] {
        let mut data = NOISE.dataset(&[("ext4", 1.0), (TWIN, 1.0)], 4, blocks, 5);
        data.campaign.plan.targets = vec![Target::named("ext4")];
        data.campaign.plan.aa = Some(true);
        let (one, again) = (judged(&data).selfcheck.aa, judged(&data).selfcheck.aa);
        assert_eq!(one, again);
        assert_eq!(one.unwrap().patterns, patterns, "{blocks} blocks");
    }
}

#[test]
fn noise_that_the_intervals_do_not_see_fails() {
    // Each target keeps a level of its own for the whole campaign, as on one instance that is never
    // made anew.
    let check = judged(&campaign(&NOISE, 1.2, 40, 1)).selfcheck;
    let aa = check.aa.unwrap();
    assert_eq!((aa.is_telling(), aa.passes()), (false, Some(false)));
    assert!((aa.ratio.unwrap().point - 1.2).abs() < 0.02, "{aa:?}");
    let note = "The A/A check failed: over all cells ext4 differs from itself by +";
    assert!(check.notes[0].starts_with(note), "{:?}", check.notes);
    // With more blocks the marks say so.
    let mut data = NOISE.dataset(&[("ext4", 1.0), (TWIN, 1.2)], 40, 8, 1);
    data.campaign.plan.targets = vec![Target::named("ext4")];
    data.campaign.plan.aa = Some(true);
    let check = judged(&data).selfcheck;
    let aa = check.aa.unwrap();
    assert_eq!((aa.is_telling(), aa.passes()), (true, Some(false)));
    assert!(check.notes[0].contains(" of 40 cells differ between ext4 and itself, which 1 of 128"));
}

#[test]
fn the_twin_is_no_candidate_and_changes_nothing() {
    let with = campaign(&NOISE, 3.0, 6, 1);
    let mut without = with.clone();
    without.campaign.plan.aa = Some(false);
    without.targets.retain(|t| t.label != TWIN);
    without.samples.retain(|s| s.case.target != TWIN);
    let (mut with, mut without) = (judged(&with), judged(&without));
    assert_eq!(with.targets, ["ext4", "xfs"]);
    assert!(without.selfcheck.aa.is_none());
    with.selfcheck = Default::default();
    without.selfcheck = Default::default();
    assert_eq!(with, without);
}

#[test]
fn a_pair_of_one_block_says_nothing() {
    let mut data = campaign(&NOISE, 1.0, 6, 1);
    data.samples.retain(|s| s.block == 0);
    let check = judged(&data).selfcheck;
    assert_eq!((check.aa.unwrap().passes(), check.drift), (None, None));
}

#[test]
fn a_machine_that_slows_down_is_seen_and_moves_no_ratio() {
    let noise = Noise { block_sd: 0.005, own_sd: 0.01 };
    let steady = campaign(&noise, 1.0, 10, 3);
    let mut slowing = steady.clone();
    slowing
        .samples
        .iter_mut()
        .for_each(|s| s.figures.metrics[0].value *= 0.97_f64.powi(s.block as i32));
    let (steady, slowing) = (judged(&steady), judged(&slowing));
    assert!(steady.selfcheck.notes.is_empty(), "{:?}", steady.selfcheck.notes);
    let drift = slowing.selfcheck.drift.unwrap();
    let truth = 0.97_f64.powi(4);
    assert!((drift.trend.point / truth - 1.0).abs() < 0.02, "{drift:?}");
    assert!((drift.last_over_first / truth - 1.0).abs() < 0.02, "{drift:?}");
    assert!(slowing.selfcheck.notes[0].contains("drifted by -1"), "{:?}", slowing.selfcheck.notes);
    let (a, b) = (steady.verdict.lead.unwrap(), slowing.verdict.lead.unwrap());
    assert!((a.point / b.point - 1.0).abs() < 1e-9, "the ratio moved: {a:?} {b:?}");
}

#[test]
fn cost_of_the_place_in_a_block_is_distinguished_from_the_targets() {
    let mut data = campaign(&Noise { block_sd: 0.002, own_sd: 0.005 }, 1.0, 10, 3);
    let orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1], [2, 1, 0]];
    for sample in &mut data.samples {
        let target = ["ext4", "xfs", TWIN].iter().position(|t| *t == sample.case.target).unwrap();
        sample.position = orders[sample.block as usize][target];
        sample.figures.metrics[0].value *= 0.92_f64.powi(sample.position as i32);
    }
    let check = judged(&data).selfcheck;
    let place = check.drift.unwrap().position.unwrap();
    assert!((place.point / 0.92_f64.powi(2) - 1.0).abs() < 0.02, "{place:?}");
    assert!(
        check.notes.iter().any(|n| n.starts_with("Targets that ran last in a block")),
        "{:?}",
        check.notes
    );
}

#[test]
fn sample_taken_after_its_block_is_reported_and_has_no_place_in_it() {
    let mut data = campaign(&Noise { block_sd: 0.002, own_sd: 0.005 }, 1.0, 10, 3);
    let orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1], [2, 1, 0]];
    for sample in &mut data.samples {
        let target = ["ext4", "xfs", TWIN].iter().position(|t| *t == sample.case.target).unwrap();
        sample.position = orders[sample.block as usize][target];
    }
    let before = judged(&data).selfcheck;
    assert!(before.notes.is_empty(), "{:?}", before.notes);
    let xfs = |s: &&mut model::result::Sample| s.case.target == "xfs" && s.block == 1;
    data.samples.iter_mut().filter(xfs).for_each(|s| s.position = 3);
    let after = judged(&data).selfcheck;
    assert_eq!(
        after.notes,
        ["xfs failed in 1 block at first and was run again after its block: its figures there \
             were measured later than those of the other targets."]
    );
    // As if the block were not there; its place would stretch what is last in a block.
    data.samples.retain(|s| s.block != 1);
    let without = judged(&data).selfcheck.drift.unwrap().position;
    let (after, without) = (after.drift.unwrap().position.unwrap(), without.unwrap());
    assert!((after.point / without.point - 1.0).abs() < 1e-9, "{after:?} {without:?}");
}

//! The verdict and its wording.

use crate::common::{Noise, dataset, sample, test};
use model::{
    figure::{Better, Metric},
    workload::Group,
};
use report::words::{verdict, verdict_notes};
use stats::{
    description::Settings,
    evaluation::findings,
    verdict::{Verdict, VerdictKind},
};
use std::ops::Deref;

/// A verdict with its words.
struct Worded {
    verdict: Verdict,
    sentence: String,
    notes: Vec<String>,
}

impl Deref for Worded {
    type Target = Verdict;

    fn deref(&self) -> &Verdict {
        &self.verdict
    }
}

fn said(data: &model::result::Dataset) -> Worded {
    let found = findings(data, &Settings::default()).unwrap();
    Worded {
        sentence: verdict(&found),
        notes: verdict_notes(&found.verdict),
        verdict: found.verdict,
    }
}

const QUIET: Noise = Noise { block_sd: 0.01, own_sd: 0.01 };
const LOUD: Noise = Noise { block_sd: 0.3, own_sd: 0.1 };

#[test]
fn a_lead_is_called_with_its_largest_loss() {
    let mut data = QUIET.dataset(&[("ext4", 100.0), ("xfs", 130.0), ("btrfs", 60.0)], 4, 5, 1);
    let against = data.samples.iter_mut().filter(|s| s.case.test == "t3" && s.case.target == "xfs");
    against.for_each(|s| s.figures.metrics[0].value *= 0.6);
    let verdict = said(&data);
    assert_eq!(verdict.kind, VerdictKind::Clear);
    let order: Vec<&str> = verdict.candidates.iter().map(|c| c.target.as_str()).collect();
    assert_eq!(order, ["xfs", "ext4", "btrfs"]);
    assert_eq!(verdict.candidates[0].ranks, Some((1, 1)));
    assert!(verdict.sentence.starts_with(
        "For these tests of columnar at these sizes on this machine, xfs is best (P>0.99): 1.1"
    ));
    assert!(
        verdict.sentence.contains("x ext4 (95 % CI 1.")
            && verdict.sentence.contains(", 5 blocks).")
    );
    assert!(
        verdict.sentence.contains("Weakest cell: t3 by name, 1 process, 0.7"),
        "{}",
        verdict.sentence
    );
    // A name that two tests have names no cell.
    data.tests[1].name = "t3 by name".into();
    let sentence = said(&data).sentence;
    let named =
        format!("Weakest cell: {}: t3 by name, 1 process, 0.7", data.tests[3].group.title());
    assert!(sentence.contains(&named), "{sentence}");
}

#[test]
fn equals_are_the_same_within_the_band() {
    let verdict = said(&QUIET.dataset(&[("ext4", 1.0), ("xfs", 1.001), ("btrfs", 0.5)], 6, 5, 3));
    assert_eq!(verdict.kind, VerdictKind::Equivalent, "{}", verdict.sentence);
    assert!(verdict.sentence.contains(" are the same within 5 % ("), "{}", verdict.sentence);
    assert!(!verdict.sentence.contains("btrfs"));
}

#[test]
fn noise_is_answered_with_a_number_of_blocks() {
    let verdict = said(&LOUD.dataset(&[("ext4", 1.0), ("xfs", 1.05)], 4, 5, 3));
    assert_eq!(verdict.kind, VerdictKind::Insufficient);
    assert!(
        verdict.sentence.contains("more blocks would resolve a 10 % difference"),
        "{}",
        verdict.sentence
    );
}

#[test]
fn one_block_has_a_leader_and_no_probability() {
    let verdict = said(&QUIET.dataset(&[("ext4", 1.0), ("xfs", 1.2)], 4, 1, 3));
    assert_eq!((verdict.kind, verdict.candidates[0].p_best), (VerdictKind::Insufficient, None));
    assert!(verdict.sentence.starts_with("One run per cell: no interval, no P(best)."));
    assert!(verdict.sentence.contains("xfs came first: 1.19x ext4"), "{}", verdict.sentence);
}

#[test]
fn groups_weigh_the_same() {
    // Four tests of one group say b, one test of another says a by as much: no lead is left.
    let ids = ["t0", "t1", "t2", "t3"];
    let mut infos: Vec<_> = ids.iter().map(|id| test(id, Group::WriteCritical)).collect();
    infos.push(test("r", Group::ReadCold));
    let mut samples = Vec::new();
    for block in 0..3 {
        for id in ids {
            samples.push(sample("a", id, block, 1.0));
            samples.push(sample("b", id, block, 2.0));
        }
        samples.push(sample("a", "r", block, 2.0));
        samples.push(sample("b", "r", block, 1.0));
    }
    let verdict = said(&dataset(&["a", "b"], infos, samples));
    assert!((verdict.lead.unwrap().point - 1.0).abs() < 1e-12);
    assert_eq!(verdict.kind, VerdictKind::Equivalent);
}

#[test]
fn a_busy_machine_gets_no_recommendation() {
    let mut data = QUIET.dataset(&[("a", 1.0), ("b", 2.0)], 3, 5, 2);
    let busy = Metric::new("foreign_cpu_pct", 60.0, "%", Better::Lower);
    data.samples.iter_mut().for_each(|s| s.push(busy.clone()));
    assert_eq!(said(&data).kind, VerdictKind::Insufficient);
    assert!(said(&data).sentence.contains("Repeat on a quiet machine"));
    data.samples.retain(|sample| sample.block == 0);
    assert!(said(&data).sentence.contains("Repeat on a quiet machine"), "nor after one block");
}

#[test]
fn a_target_that_failed_does_not_stop_the_others() {
    let mut data = QUIET.dataset(&[("a", 1.0), ("b", 2.0), ("zfs", 1.0)], 3, 5, 2);
    data.samples.retain(|s| s.case.target != "zfs");
    let with = said(&data);
    assert_eq!((with.kind, with.candidates.len()), (VerdictKind::Clear, 2));
    assert_eq!(with.notes, ["zfs has no valid sample and is not compared."]);
    data.samples.retain(|s| s.case.target == "a");
    assert!(said(&data).sentence.contains("only a has a valid sample on this machine;"));
    data.samples.clear();
    assert!(said(&data).sentence.contains("no sample of columnar is valid"));
}

#[test]
fn the_forbidden_words_are_never_used() {
    for (noise, blocks) in [(QUIET, 5), (LOUD, 5), (QUIET, 1)] {
        for level in [1.0, 1.02, 1.5] {
            let sentence = said(&noise.dataset(&[("a", 1.0), ("b", level)], 4, blocks, 9)).sentence;
            for word in ["winner", "fastest", "tied"] {
                assert!(!sentence.contains(word), "{sentence}");
            }
            // Never without the size of the effect.
            let (_, after) = sentence.split_once("significant").unwrap_or(("", "x b, 95 % CI"));
            assert!(after.contains("x b, 95 % CI") || after.contains("x a, 95 % CI"), "{sentence}");
        }
    }
}

#[test]
fn what_is_left_to_sync_is_in_no_mean_and_no_score() {
    let (targets, blocks) = (["ext4", "xfs"], 4);
    let noise = |block: u32| 1.0 + 0.004 * f64::from(block % 3);
    let mut samples = Vec::new();
    for block in 0..blocks {
        for (target, write, sync) in [("ext4", 1.2, 1.0), ("xfs", 1.0, 90.0)] {
            samples.push(sample(
                target,
                "columnar.write",
                block,
                write * noise(block + sync as u32),
            ));
            samples.push(sample(target, "columnar.sync", block, sync * noise(block)));
        }
    }
    let tests = vec![test("columnar.write", Group::WriteOther), test("columnar.sync", Group::Sync)];
    let found = findings(&dataset(&targets, tests, samples), &Settings::default()).unwrap();
    assert_eq!(found.verdict.candidates[0].target, "ext4", "{}", verdict(&found));
    assert_eq!((found.verdict.cells, found.verdict.of_cells), (1, 1));
    let table = found.tables.iter().find(|t| t.group == Group::Sync).unwrap();
    assert!(table.footers.is_empty() && table.rows[0].cells[1].ratio.unwrap().point > 80.0);
    let leaders = found.leaders.unwrap();
    assert!(leaders.behind.is_empty(), "{leaders:?}");
}

#[test]
fn constant_run_order_gets_no_verdict() {
    let turned = |same: bool| {
        let mut data = QUIET.dataset(&[("ext4", 100.0), ("xfs", 130.0)], 6, 4, 1);
        for sample in &mut data.samples {
            let goes_first = (sample.case.target == "xfs") == (same || sample.block % 2 == 0);
            sample.position = u32::from(!goes_first);
        }
        data
    };
    let same = said(&turned(true));
    assert_eq!(same.kind, VerdictKind::Insufficient);
    assert!(same.sentence.contains("in the same order in every block"), "{}", same.sentence);
    assert_eq!(said(&turned(false)).kind, VerdictKind::Clear);
    let mut side_by_side = turned(true);
    side_by_side.campaign.plan.order = Some(model::plan::Order::Interleaved);
    assert_eq!(said(&side_by_side).kind, VerdictKind::Clear);
}

/// Two targets of which the first that is named always went first.
fn in_one_order(first: &str) -> model::result::Dataset {
    let mut data = QUIET.dataset(&[("ext4", 100.0), ("xfs", 130.0)], 6, 4, 1);
    data.samples.iter_mut().for_each(|s| s.position = u32::from(s.case.target != first));
    data
}

/// More blocks in the same order would only be more of it.
#[test]
fn constant_run_order_asks_for_no_more_blocks() {
    let found = findings(&in_one_order("xfs"), &Settings::default()).unwrap();
    assert_eq!(found.next, None);
    let sentence = verdict(&found);
    assert!(sentence.contains("Measure again with as many blocks as candidates"));
    assert!(!sentence.contains("more blocks"), "{sentence}");
}

#[test]
fn a_call_says_of_what_it_is() {
    for (noise, blocks, level) in
        [(QUIET, 5, 1.3), (QUIET, 5, 1.001), (QUIET, 1, 1.3), (LOUD, 5, 1.0)]
    {
        let sentence = said(&noise.dataset(&[("a", 1.0), ("b", level)], 4, blocks, 9)).sentence;
        let scope = "or these tests of columnar at these sizes on this machine";
        assert!(sentence.contains(scope), "{sentence}");
    }
}

#[test]
fn what_a_choice_costs_is_said_with_its_probability() {
    let verdict = said(&QUIET.dataset(&[("ext4", 1.0), ("xfs", 1.001)], 6, 5, 3));
    let cost = verdict.sentence.split_once("Choosing either costs at most ").unwrap().1;
    assert!(cost.contains(" % (each with 95 % probability)"), "{}", verdict.sentence);
}

/// Not shown to be different is another thing than shown to be the same.
#[test]
fn what_does_not_differ_is_not_called_the_same() {
    let some = Noise { block_sd: 0.045, own_sd: 0.01 };
    let verdicts: Vec<Worded> =
        (0..40).map(|seed| said(&some.dataset(&[("a", 1.0), ("b", 1.01)], 4, 6, seed))).collect();
    let of = |kind: VerdictKind| verdicts.iter().filter(move |verdict| verdict.kind == kind);
    let high = |verdict: &Worded| verdict.lead.unwrap().high.unwrap();
    assert!(of(VerdictKind::Equivalent).count() > 0);
    assert!(of(VerdictKind::NoSignificantDifference).count() > 0);
    for verdict in of(VerdictKind::Equivalent) {
        assert!(high(verdict) <= 1.05 && verdict.sentence.contains("are the same within 5 %"));
        assert!(verdict.candidates.iter().all(|c| c.regret_95.unwrap() <= 0.05));
    }
    for verdict in of(VerdictKind::NoSignificantDifference) {
        let said = &verdict.sentence;
        assert!(high(verdict) > 1.05 && !said.contains("same within"), "{said}");
        let open =
            said.contains("no significant difference between") || said.contains("not decided");
        assert!(open && said.ends_with("or measure more blocks."), "{said}");
    }
}

/// A lead that the tables call the same, or slight, makes no best.
#[test]
fn a_clear_lead_inside_the_band_is_ahead_by_little() {
    let still = Noise { block_sd: 0.001, own_sd: 0.001 };
    let verdict = said(&still.dataset(&[("a", 1.0), ("b", 1.04)], 4, 6, 1));
    assert_eq!(verdict.kind, VerdictKind::Clear);
    let start = "on this machine, b leads slightly (P>0.99): 1.04x a (95 % CI 1.04-1.04, 6 \
                 blocks), inside the band of 5 %.";
    assert!(verdict.sentence.contains(start), "{}", verdict.sentence);
    let verdict = said(&still.dataset(&[("a", 1.0), ("b", 1.06)], 4, 6, 1));
    assert!(verdict.sentence.contains("b is best (P>0.99): 1.06x a"), "{}", verdict.sentence);
}

#[test]
fn a_lead_near_1_keeps_the_digit_that_says_on_which_side_it_is() {
    let still = Noise { block_sd: 0.0001, own_sd: 0.0001 };
    let verdict = said(&still.dataset(&[("a", 1.0), ("b", 1.003)], 6, 5, 3));
    assert!(
        verdict.sentence.contains("(b is 1.003x a, 95 % CI 1.003-1.003, 5 blocks)"),
        "{}",
        verdict.sentence
    );
    let once = said(&still.dataset(&[("a", 1.0), ("b", 1.003)], 6, 1, 3));
    assert!(once.sentence.contains("b came first: 1.003x a"), "{}", once.sentence);
}

/// Worded of those that are clear by more than the band and of no other.
#[test]
fn only_a_clear_call_names_the_best() {
    let noise = Noise { block_sd: 0.06, own_sd: 0.02 };
    let mut clear = 0;
    for (seed, level) in (0..40).flat_map(|seed| [(seed, 1.0), (seed, 1.2)]) {
        let verdict = said(&noise.dataset(&[("a", 1.0), ("b", level)], 6, 3, seed));
        let is_clear = verdict.kind == VerdictKind::Clear;
        let is_best = is_clear && verdict.lead.unwrap().point > 1.05;
        assert_eq!(verdict.sentence.contains("is best"), is_best, "{}", verdict.sentence);
        clear += usize::from(verdict.kind == VerdictKind::Clear);
    }
    assert!((1..80).contains(&clear), "{clear}");
}

/// The reported blocks are those of the first two, even if others left before.
#[test]
fn the_blocks_of_a_call_are_those_that_the_first_two_share() {
    let mut data = QUIET.dataset(&[("a", 1.0), ("b", 1.2), ("c", 0.5)], 6, 8, 1);
    data.samples.retain(|s| s.case.target != "c" || s.block < 3);
    data.targets[2].leave_after(3);
    let verdict = said(&data);
    assert!(verdict.sentence.contains(", 8 blocks)"), "{}", verdict.sentence);
}

/// Of many small campaigns of four candidates some have a lead that is certain as a pair alone.
#[test]
fn open_verdict_with_an_interval_that_excludes_1_says_why() {
    let four = Noise { block_sd: 0.05, own_sd: 0.03 };
    let two = Noise { block_sd: 0.012, own_sd: 0.01 };
    let of_four = [("ext4", 1.0), ("xfs", 1.02), ("btrfs", 1.05), ("f2fs", 1.09)];
    let of_two = [("ext4", 1.0), ("xfs", 1.027)];
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..40 {
        for data in [four.dataset(&of_four, 4, 5, seed), two.dataset(&of_two, 4, 5, seed)] {
            let verdict = said(&data);
            let excludes_1 = verdict.lead.unwrap().low.unwrap() > 1.0;
            let is_open = !matches!(verdict.kind, VerdictKind::Clear | VerdictKind::Equivalent);
            let (_, why) = verdict.sentence.split_once("excludes 1, but ").unzip();
            assert_eq!(why.is_some(), is_open && excludes_1, "{}", verdict.sentence);
            seen.extend(why.map(|why| why.split(' ').next().unwrap().to_string()));
            assert!(excludes_1 || verdict.kind != VerdictKind::Clear, "{}", verdict.sentence);
        }
    }
    assert!(["among", "leads"].iter().all(|own| seen.contains(*own)), "{seen:?}");
}

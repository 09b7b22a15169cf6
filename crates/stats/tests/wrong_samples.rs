//! Verdicts that would rest on the wrong samples: disturbed, missing, zero, or of a candidate that was given up. Each
//! is refused, or holds for the others.

use crate::common::{Noise, profile};
use model::{
    figure::{Better, Metric},
    random::Rng,
    result::{Dataset, Sample, TargetState, Validity},
};
use stats::{
    advice::{Counsel, Question, Refusal},
    description::Settings,
    evaluation::{advise, findings},
    verdict::{Note, Reason, Verdict, VerdictKind, look},
};

const CAMPAIGNS: u64 = 60;
/// Each instance has noise that its tests share, and each test its own.
const USUAL: Noise = Noise { block_sd: 0.03, own_sd: 0.02 };

fn verdict(data: &Dataset) -> Verdict {
    findings(data, &Settings::default()).unwrap().verdict
}

/// Of how many in 60 campaigns made by `campaign` the verdict names a best.
fn best_in(campaign: impl Fn(u64) -> Dataset) -> usize {
    (0..CAMPAIGNS).filter(|seed| verdict(&campaign(*seed)).kind == VerdictKind::Clear).count()
}

/// Other work in those samples of `target` of which `is_hit` says so, which leaves them `factor` of their value.
fn disturb(data: &mut Dataset, target: &str, factor: f64, mut is_hit: impl FnMut(&Sample) -> bool) {
    for sample in &mut data.samples {
        let hit = sample.case.target == target && is_hit(sample);
        let used_pct = if hit { 60.0 } else { 0.5 };
        sample.figures.metrics[0].value *= if hit { factor } else { 1.0 };
        sample.push(Metric::new("foreign_cpu_pct", used_pct, "%", Better::Lower));
    }
}

fn is_silent(verdict: &Verdict) -> bool {
    let says = |c: &stats::verdict::Candidate| {
        c.p_best.is_some() || c.ranks.is_some() || c.regret_95.is_some()
    };
    verdict.kind == VerdictKind::Insufficient && !verdict.candidates.iter().any(says)
}

#[test]
fn a_third_that_was_disturbed_in_every_sample_may_be_the_best() {
    let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.1), ("c", 1.3)], 8, 6, 1);
    disturb(&mut data, "c", 0.5, |_| true);
    let verdict = verdict(&data);
    assert_eq!(verdict.reason, Reason::Contended(vec!["c".into()]));
    assert!(is_silent(&verdict), "{verdict:?}");
    assert_eq!(findings(&data, &Settings::default()).unwrap().next, None);
    let look = look(&data, &Settings::default()).unwrap();
    assert!(!look.is_settled() && look.behind.is_empty(), "{look:?}");
    let profile = profile("all");
    let question = Question { profile: &profile, facts: &[], requirements: &[], block_s: None };
    let advice = advise(&data, &question, &Settings::default()).unwrap().advice.unwrap();
    assert_eq!(advice.counsel, Counsel::Insufficient);
    assert_eq!(advice.refusal, Some(Refusal::Contended(vec!["c".into()])));
    assert!(advice.candidates.iter().all(|c| c.p_best.is_none() && c.ranks.is_none()));
}

/// One of two equals loses half of its speed in a fifth of its samples: what the undisturbed ones do not say is not
/// said. Of equals one is best in 5 %.
#[test]
fn what_disturbed_one_side_makes_no_best() {
    let equals = |seed: u64| {
        let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.0)], 8, 10, seed);
        // Each test in two of ten blocks, other ones for each test.
        disturb(&mut data, "b", 0.5, |s| (s.block + u32::from(s.case.test.as_bytes()[1])) % 5 == 0);
        data
    };
    let called = best_in(equals);
    assert!(called <= 6, "{called} of {CAMPAIGNS}");
    let by_advice = |seed: &u64| {
        let (data, profile) = (equals(*seed), profile("all"));
        let question = Question { profile: &profile, facts: &[], requirements: &[], block_s: None };
        let advice = advise(&data, &question, &Settings::default()).unwrap().advice.unwrap();
        advice.counsel == Counsel::Clear
    };
    let called = (0..CAMPAIGNS).filter(by_advice).count();
    assert!(called <= 6, "{called} of {CAMPAIGNS} by an advice");
}

#[test]
fn a_lead_that_the_undisturbed_samples_have_too_is_named() {
    let called = best_in(|seed| {
        let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.2)], 8, 10, seed);
        disturb(&mut data, "a", 0.9, |sample| sample.block == 3);
        data
    });
    assert!(called >= 57, "{called} of {CAMPAIGNS}");
}

#[test]
fn one_that_was_given_up_leaves_the_others_to_be_decided() {
    let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.2), ("c", 1.4)], 8, 12, 1);
    // It has a part of the tests of its only block: the others have all of theirs.
    data.samples.retain(|s| s.case.target != "c" || (s.block == 0 && s.case.test < "t3".into()));
    data.targets[2].state = TargetState::Failed("three failures in a row".into());
    let found = verdict(&data);
    assert_eq!((found.kind, found.blocks, found.cells), (VerdictKind::Clear, 12, 8));
    let labels: Vec<&str> = found.candidates.iter().map(|c| c.target.as_str()).collect();
    assert_eq!(labels, ["b", "a"]);
    let why = Some("three failures in a row".to_string());
    let note = Note::GivenUp { target: "c".into(), blocks: 1, of: 12, why };
    assert!(found.notes.len() == 1 && found.notes[0] == note, "{:?}", found.notes);
    assert!(look(&data, &Settings::default()).unwrap().is_settled());
    // If no other is left there is no choice.
    data.samples.retain(|s| s.case.target != "b");
    let alone = verdict(&data);
    assert_eq!((alone.kind, &alone.reason), (VerdictKind::Insufficient, &Reason::NothingToCompare));
    assert!(alone.notes.contains(&note), "{:?}", alone.notes);
}

/// A block that not every target has yet is no reason to leave one out.
#[test]
fn one_that_lacks_the_last_block_is_still_ranked() {
    let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.2), ("c", 1.4)], 8, 3, 1);
    data.samples.retain(|s| s.case.target != "c" || s.block < 2);
    assert_eq!(verdict(&data).candidates.len(), 3);
}

#[test]
fn zeros_are_counted_and_make_no_best() {
    let called = best_in(|seed| {
        let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.2)], 8, 6, seed);
        let mut rng = Rng::new(seed + 1_000);
        for sample in data.samples.iter_mut().filter(|s| s.case.target == "b") {
            sample.figures.metrics[0].value *= f64::from(u8::from(rng.unit() >= 0.3));
        }
        let found = verdict(&data);
        let is_told = |note: &Note| match note {
            Note::Zeros(target, zeros) => target == "b" && zeros.zeros > 0 && zeros.of == 48,
            _ => false,
        };
        assert!(found.notes.iter().any(is_told), "{:?}", found.notes);
        data
    });
    assert_eq!(called, 0);
}

/// Makes those samples of `target` invalid of which `is_gone` says so.
fn invalidate(data: &mut Dataset, target: &str, mut is_gone: impl FnMut(&Sample) -> bool) {
    for sample in &mut data.samples {
        if sample.case.target == target && is_gone(sample) {
            *sample.evidence.validity = Validity::Invalid(model::result::Reason::said("timed out"));
        }
    }
}

fn median(data: &Dataset, target: &str) -> f64 {
    let own = data.samples.iter().filter(|s| s.case.target == target);
    let mut values: Vec<f64> = own.map(|s| s.figures.metrics[0].value).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn a_target_whose_slow_half_is_missing_is_not_best() {
    let of = |levels: [f64; 2], seed: u64| {
        let mut data = Noise { block_sd: 0.03, own_sd: 0.15 }.dataset(
            &[("a", levels[0]), ("b", levels[1])],
            8,
            10,
            seed,
        );
        let middle = median(&data, "b");
        invalidate(&mut data, "b", |sample| sample.figures.metrics[0].value < middle);
        data
    };
    assert_eq!(best_in(|seed| of([1.0, 1.0], seed)), 0);
    // Nor one of which the slow half would be slower than anything that was seen.
    assert_eq!(best_in(|seed| of([1.0, 1.3], seed)), 0);
    let found = verdict(&of([1.0, 1.0], 3));
    let Reason::Missing(of) = &found.reason else { panic!("{found:?}") };
    assert_eq!((of.len(), of[0].0.as_str(), of[0].1.samples, of[0].1.of), (1, "b", 40, 80));
    assert!(is_silent(&found));
}

#[test]
fn nor_is_the_other_where_the_fast_half_is_missing() {
    let called = best_in(|seed| {
        let mut data =
            Noise { block_sd: 0.02, own_sd: 0.15 }.dataset(&[("a", 1.0), ("b", 1.0)], 8, 10, seed);
        let middle = median(&data, "b");
        invalidate(&mut data, "b", |sample| sample.figures.metrics[0].value > middle);
        data
    });
    assert!(called <= 4, "{called} of {CAMPAIGNS}");
}

/// The tests in which it is slow are missing altogether.
#[test]
fn a_target_that_lacks_its_slow_tests_is_not_best() {
    let called = best_in(|seed| {
        let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.3)], 8, 6, seed);
        invalidate(&mut data, "b", |sample| sample.case.test.as_str() < "t4");
        data
    });
    assert_eq!(called, 0);
}

#[test]
fn a_lead_that_holds_with_the_missing_at_the_worst_is_named() {
    let called = best_in(|seed| {
        let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.3), ("c", 0.4)], 8, 10, seed);
        let mut rng = Rng::new(seed + 1_000);
        invalidate(&mut data, "b", |_| rng.unit() < 0.05);
        // One that is far behind may lack as much as it likes.
        invalidate(&mut data, "c", |sample| sample.block % 2 == 0);
        data
    });
    assert!(called >= 57, "{called} of {CAMPAIGNS}");
}

#[test]
fn what_is_missing_may_hide_that_two_are_not_the_same() {
    let quiet = Noise { block_sd: 0.01, own_sd: 0.01 };
    let same = |gone: u32| {
        let of = |seed: &u64| {
            let mut data = quiet.dataset(&[("a", 1.0), ("b", 1.0)], 8, 10, *seed);
            invalidate(&mut data, "b", |sample| sample.block < gone);
            verdict(&data).kind == VerdictKind::Equivalent
        };
        (0..CAMPAIGNS).filter(of).count()
    };
    assert_eq!((same(0), same(3)), (60, 0));
    assert!(same(1) >= 50, "{}", same(1));
}

#[test]
fn one_order_of_all_blocks_tells_no_rank() {
    let mut data = USUAL.dataset(&[("a", 1.0), ("b", 1.3)], 8, 6, 1);
    data.samples.iter_mut().for_each(|s| s.position = u32::from(s.case.target == "a"));
    let found = verdict(&data);
    assert_eq!(found.reason, Reason::SamePlaces);
    assert!(is_silent(&found));
}

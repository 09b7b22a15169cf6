//! Campaigns end by number, look and budget, and give the reason.

use super::*;
use model::plan::Preset;
use stats::description::Wide;

#[test]
fn expected_block_time_follows_the_last_blocks() {
    assert_eq!(block_s(&[]), 0.0);
    assert_eq!(block_s(&[115.0]), 115.0);
    assert_eq!(block_s(&[115.0, 56.0, 61.0, 58.0]), 61.0);
}

fn plan(preset: Preset, blocks: Option<u32>, budget_s: Option<u64>) -> Plan {
    Plan { preset, blocks, budget_s, ..Plan::default() }
}

fn spent(blocks: u32, used_s: f64) -> Spent {
    Spent { blocks, used_s, block_s: 60.0 }
}

fn open() -> InterimDecision {
    let wide = Wide { name: "read".into(), procs: 4, target: "xfs".into(), half_width: Some(0.12) };
    InterimDecision::Ratios(Precision { ratios: 9, resolved: 7, widest: Some(wide), median: 0.1 })
}

fn enough() -> InterimDecision {
    InterimDecision::Ratios(Precision { ratios: 9, resolved: 9, widest: None, median: 0.04 })
}

fn called(verdicts: &[Standoff]) -> InterimDecision {
    with_ratios(verdicts, 7)
}

fn with_ratios(verdicts: &[Standoff], resolved: usize) -> InterimDecision {
    with_precision(verdicts, Precision { ratios: 10, resolved, widest: None, median: 0.06 })
}

fn with_precision(verdicts: &[Standoff], precision: Precision) -> InterimDecision {
    InterimDecision::Verdict(
        InterimVerdicts { verdicts: verdicts.to_vec(), behind: Vec::new() },
        precision,
    )
}

fn ended(after_blocks: u32, cause: EndCause, seen: LastLook) -> Note {
    Note::Ended(Ended { after_blocks, cause, seen, band_pct: 5.0 })
}

fn never() -> Result<InterimDecision> {
    panic!("not asked")
}

#[test]
fn given_number_of_blocks_is_exact() {
    let plan = plan(Preset::Standard, Some(6), None);
    assert_eq!(end(&plan, &spent(5, 1e9), never).unwrap(), None);
    assert_eq!(end(&plan, &spent(6, 0.0), never).unwrap(), Some(End::Fixed));
    assert_eq!(End::Fixed.note(&plan, &spent(6, 0.0), 0.05), None);
}

#[test]
fn precision_is_evaluated_only_at_looks() {
    let plan = plan(Preset::Standard, None, None);
    for blocks in [0, 1, 4, 6, 7, 13, 19] {
        assert_eq!(end(&plan, &spent(blocks, 0.0), never).unwrap(), None, "{blocks}");
    }
    for blocks in [5, 8, 12] {
        let at = |seen: InterimDecision| end(&plan, &spent(blocks, 0.0), || Ok(seen));
        assert_eq!(at(open()).unwrap(), None);
        assert_eq!(at(enough()).unwrap(), Some(End::Enough(enough())));
    }
    let last = end(&plan, &spent(20, 0.0), || Ok(open())).unwrap().unwrap();
    let widest = WideRatio {
        test: "read".into(),
        procs: 4,
        target: "xfs".into(),
        half_width_pct: Some(12.0),
    };
    let seen = LastLook::Ratios { ratios: Ratios { resolved: 7, all: 9 }, widest: Some(widest) };
    assert_eq!(last.note(&plan, &spent(20, 0.0), 0.05), Some(ended(20, EndCause::Most, seen)));
    assert_eq!((goal(&plan, 0), goal(&plan, 5), goal(&plan, 20)), (5, 8, 20));
}

#[test]
fn campaign_may_end_by_number_look_and_budget() {
    let fixed = plan(Preset::Standard, Some(6), None);
    let looks = plan(Preset::Standard, None, None);
    let budget = plan(Preset::Smoke, None, Some(600));
    let at = |plan: &Plan, blocks, used_s| may_end(plan, &spent(blocks, used_s));
    assert!(!at(&fixed, 5, 1e9) && at(&fixed, 6, 0.0) && at(&fixed, 7, 0.0));
    assert!(!at(&looks, 4, 0.0) && at(&looks, 5, 0.0) && !at(&looks, 6, 0.0));
    assert!(!at(&budget, 3, 540.0) && at(&budget, 3, 541.0));
}

#[test]
fn no_block_starts_that_would_overrun_the_budget() {
    let plan = plan(Preset::Smoke, None, Some(600));
    let at = |blocks, used_s| end(&plan, &spent(blocks, used_s), || Ok(open())).unwrap();
    assert_eq!(at(0, 0.0), None);
    assert_eq!(at(3, 540.0), None);
    assert_eq!(at(3, 541.0), Some(End::Budget(open())));
    assert_eq!(at(5, 541.0), Some(End::Budget(open())));
    let note = at(3, 541.0).unwrap().note(&plan, &spent(3, 541.0), 0.05);
    let cause = EndCause::Budget { budget_s: 600, used_s: 541, block_s: 60 };
    assert_eq!(note, Some(ended(3, cause, open().seen())));
}

#[test]
fn verdict_over_open_ratios_does_not_end_a_campaign() {
    let plan = plan(Preset::Quick, None, None);
    let at = |seen: InterimDecision| end(&plan, &spent(4, 0.0), || Ok(seen)).unwrap().is_some();
    let decided = [Standoff::Decided("xfs".into())];
    assert!(!at(with_ratios(&decided, 6)) && at(with_ratios(&decided, 7)));
    assert!(!at(with_ratios(&[Standoff::Open], 10)));
    let wide = Precision { ratios: 10, resolved: 10, widest: None, median: 0.061 };
    assert!(!at(with_precision(&decided, wide)), "half of them are decided, and known to nothing");
    assert!(at(with_ratios(&[], 0)), "nothing is compared");
}

#[test]
fn quick_campaign_ends_with_its_verdict_or_after_ten_minutes() {
    let plan = plan(Preset::Quick, None, None);
    let at = |blocks, used_s, verdicts: &[Standoff]| {
        let spent = spent(blocks, used_s);
        let end = end(&plan, &spent, || Ok(called(verdicts))).unwrap()?;
        end.note(&plan, &spent, 0.05)
    };
    let decided = Standoff::Decided("xfs".into());
    let same = Standoff::Same(vec!["xfs".into(), "ext4".into()]);
    assert_eq!(end(&plan, &spent(2, 0.0), never).unwrap(), None);
    assert_eq!(at(3, 0.0, &[Standoff::Open]), None);
    assert_eq!(at(7, 0.0, std::slice::from_ref(&decided)), None, "no look");
    let seen = |verdicts: &[Standing]| LastLook::Verdicts {
        verdicts: verdicts.to_vec(),
        ratios: Ratios { resolved: 7, all: 10 },
    };
    let best = Standing::Decided("xfs".into());
    let equal = Standing::Same(vec!["xfs".into(), "ext4".into()]);
    let enough = |blocks, verdicts: &[Standing]| ended(blocks, EndCause::Enough, seen(verdicts));
    let note = |blocks, used_s, verdicts: &[Standoff]| at(blocks, used_s, verdicts).unwrap();
    assert_eq!(
        note(4, 0.0, std::slice::from_ref(&decided)),
        enough(4, std::slice::from_ref(&best))
    );
    assert_eq!(note(5, 0.0, &[decided, same]), enough(5, &[best, equal]));
    let open = seen(&[Standing::Open]);
    assert_eq!(note(20, 0.0, &[Standoff::Open]), ended(20, EndCause::Most, open.clone()));
    assert_eq!(note(3, 0.0, &[]), enough(3, &[]));
    let cause = EndCause::Budget { budget_s: 590, used_s: 541, block_s: 60 };
    assert_eq!(note(7, 541.0, &[Standoff::Open]), ended(7, cause, open));
}

#[test]
fn budget_ends_with_what_earlier_runs_left_of_it() {
    let since = Instant::now();
    let after = |seconds| Some(since + Duration::from_secs(seconds));
    assert_eq!(over(&plan(Preset::Quick, None, None), since, 0.0), after(590));
    assert_eq!(over(&plan(Preset::Quick, None, Some(600)), since, 100.0), after(500));
    assert_eq!(over(&plan(Preset::Quick, None, Some(600)), since, 700.0), after(0));
    assert_eq!(over(&plan(Preset::Quick, Some(4), None), since, 0.0), None);
    assert_eq!(over(&plan(Preset::Standard, None, None), since, 0.0), None);
}

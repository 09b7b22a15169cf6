//! When a campaign ends: after its number of blocks, when its call or its ratios need no more, or before a
//! block would overrun the budget. No clock in here, so that each rule is tested with numbers.

use anyhow::Result;
use model::Plan;
use stats::{Look, Precision, Standoff};
use std::time::Duration;

/// What a campaign has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Blocks in which every target that is not given up did what it should.
    pub blocks: u32,
    /// Time, seconds: of this run, and of the finished blocks of earlier ones.
    pub used_s: f64,
    /// What the next block is expected to take, seconds.
    pub block_s: f64,
}

/// What a block is expected to take after those that took `finished`, seconds: as long as the longer of the last
/// two. The first of a campaign takes longer than the others, and so does one that was disturbed.
pub fn block_s(finished: &[f64]) -> f64 {
    finished.iter().rev().take(2).copied().fold(0.0, f64::max)
}

/// Share of the ratios that are to be resolved when a campaign that seeks a call ends before its time: a call
/// over tables that are mostly open would say which candidate to take, and not for what.
const RESOLVED_SHARE: f64 = 0.7;

/// What a look at a campaign shows.
#[derive(Debug, PartialEq)]
pub enum Seen {
    /// Where it seeks a call, how far that is, and how many ratios are resolved.
    Call(Look, Precision),
    /// How many ratios are resolved.
    Ratios(Precision),
}

impl Seen {
    fn is_enough(&self) -> bool {
        match self {
            Seen::Call(look, ratios) => {
                let most = ratios.resolved as f64 >= RESOLVED_SHARE * ratios.ratios as f64;
                look.is_settled() && (most || look.calls.is_empty())
            }
            Seen::Ratios(precision) => precision.is_enough(),
        }
    }
}

/// Why no further block is run.
#[derive(Debug, PartialEq)]
pub enum End {
    /// The number of blocks was given.
    Fixed,
    /// At a look, nothing was open.
    Enough(Seen),
    /// It was the last look.
    Most(Seen),
    /// Another block would not end within the budget.
    Budget(Seen),
}

/// Whether a campaign of `plan` ends here. `look` is asked only when the answer hangs on it.
pub fn end(plan: &Plan, spent: &Spent, look: impl FnOnce() -> Result<Seen>) -> Result<Option<End>> {
    let last = spent.blocks >= plan.block_count();
    if plan.looks().is_empty() {
        return Ok(last.then_some(End::Fixed));
    }
    if last || is_look(plan, spent) {
        let seen = look()?;
        if seen.is_enough() {
            return Ok(Some(End::Enough(seen)));
        }
        if last {
            return Ok(Some(End::Most(seen)));
        }
        return Ok(is_short(plan, spent).then_some(End::Budget(seen)));
    }
    Ok(if is_short(plan, spent) { Some(End::Budget(look()?)) } else { None })
}

/// Whether a campaign of `plan` is looked at here.
pub fn is_look(plan: &Plan, spent: &Spent) -> bool {
    plan.looks().contains(&spent.blocks)
}

/// Whether a campaign of `plan` may end here, by what was run. What failed is tried again before that.
pub fn may_end(plan: &Plan, spent: &Spent) -> bool {
    spent.blocks >= plan.block_count() || is_look(plan, spent) || is_short(plan, spent)
}

/// True when another block would not end within the budget. The first block is always run: until
/// then nothing tells how long one takes.
fn is_short(plan: &Plan, spent: &Spent) -> bool {
    let needed_s = spent.used_s + spent.block_s;
    spent.blocks > 0 && plan.budget().is_some_and(|budget_s| needed_s > budget_s as f64)
}

/// The number of blocks at which the campaign may end next when `done` are finished.
pub fn goal(plan: &Plan, done: u32) -> u32 {
    plan.looks().iter().copied().find(|look| *look > done).unwrap_or_else(|| plan.block_count())
}

impl End {
    /// Why, in a sentence or two; `None` when that was to be expected.
    pub fn sentence(&self, plan: &Plan, spent: &Spent, band: f64) -> Option<String> {
        let after = format!("Ended after {} blocks", spent.blocks);
        let after = if spent.blocks == 1 { "Ended after 1 block".into() } else { after };
        Some(match self {
            End::Fixed => return None,
            End::Enough(seen) => format!("{after}: {}", seen.sentence(band)),
            End::Most(seen) => format!("{after}, the most: {}", seen.sentence(band)),
            End::Budget(seen) => format!(
                "{after}: the budget of {} does not hold another; {} are used, a block took up to \
                 {}. So far {}",
                time(plan.budget().unwrap_or(0) as f64),
                time(spent.used_s),
                time(spent.block_s),
                seen.sentence(band)
            ),
        })
    }
}

impl Seen {
    /// What was seen, as the rest of a sentence.
    fn sentence(&self, band: f64) -> String {
        match self {
            Seen::Ratios(p) if p.ratios == 0 => {
                "there is no ratio that more blocks would make precise.".into()
            }
            Seen::Ratios(p) => format!("{}.{}", resolved(p, band), widest(p)),
            Seen::Call(look, _) if look.calls.is_empty() => {
                "there is no verdict that more blocks would decide.".into()
            }
            Seen::Call(look, ratios) => {
                let all: Vec<String> = look.calls.iter().map(|call| standoff(call, band)).collect();
                format!("{}; {}.", all.join("; "), resolved(ratios, band))
            }
        }
    }
}

fn standoff(call: &Standoff, band: f64) -> String {
    match call {
        Standoff::Decided(best) => format!("the verdict is decided, for {best}"),
        Standoff::Same(leaders) => {
            let leaders = stats::list(leaders.iter().map(String::as_str));
            format!("{leaders} are the same within {:.0} %", 100.0 * band)
        }
        Standoff::Open => "the verdict is not decided".into(),
    }
}

fn resolved(p: &Precision, band: f64) -> String {
    format!(
        "{} of {} ratios over the baseline are decided or known to {:.0} %",
        p.resolved,
        p.ratios,
        100.0 * band
    )
}

fn widest(p: &Precision) -> String {
    let Some(wide) = &p.widest else { return String::new() };
    let width = wide.half_width.map_or_else(
        || "which has no interval".to_string(),
        |half| format!("known to {:.0} %", 100.0 * half),
    );
    let processes = if wide.procs == 1 { "process" } else { "processes" };
    format!(
        " The widest of the others is {} at {} {processes} on {}, {width}.",
        wide.name, wide.procs, wide.target
    )
}

/// A time for a reader: whole seconds, at least one.
pub fn time(seconds: f64) -> String {
    let whole = Duration::from_secs(seconds.max(1.0).round() as u64);
    humantime::format_duration(whole).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_expected_to_take_what_the_last_ones_took() {
        assert_eq!(block_s(&[]), 0.0);
        assert_eq!(block_s(&[115.0]), 115.0);
        assert_eq!(block_s(&[115.0, 56.0, 61.0, 58.0]), 61.0);
    }
    use model::Preset;
    use stats::Wide;

    fn plan(preset: Preset, blocks: Option<u32>, budget_s: Option<u64>) -> Plan {
        Plan { preset, blocks, budget_s, ..Plan::default() }
    }

    fn spent(blocks: u32, used_s: f64) -> Spent {
        Spent { blocks, used_s, block_s: 60.0 }
    }

    fn open() -> Seen {
        let wide =
            Wide { name: "read".into(), procs: 4, target: "xfs".into(), half_width: Some(0.12) };
        Seen::Ratios(Precision { ratios: 9, resolved: 7, widest: Some(wide) })
    }

    fn enough() -> Seen {
        Seen::Ratios(Precision { ratios: 9, resolved: 9, widest: None })
    }

    fn called(calls: &[Standoff]) -> Seen {
        with_ratios(calls, 7)
    }

    fn with_ratios(calls: &[Standoff], resolved: usize) -> Seen {
        let look = Look { calls: calls.to_vec(), behind: Vec::new() };
        Seen::Call(look, Precision { ratios: 10, resolved, widest: None })
    }

    fn never() -> Result<Seen> {
        panic!("not asked")
    }

    #[test]
    fn a_given_number_of_blocks_is_exact() {
        let plan = plan(Preset::Standard, Some(6), None);
        assert_eq!(end(&plan, &spent(5, 1e9), never).unwrap(), None);
        assert_eq!(end(&plan, &spent(6, 0.0), never).unwrap(), Some(End::Fixed));
        assert_eq!(End::Fixed.sentence(&plan, &spent(6, 0.0), 0.05), None);
    }

    #[test]
    fn precision_is_looked_at_only_at_the_looks() {
        let plan = plan(Preset::Standard, None, None);
        for blocks in [0, 1, 4, 6, 7, 13, 19] {
            assert_eq!(end(&plan, &spent(blocks, 0.0), never).unwrap(), None, "{blocks}");
        }
        for blocks in [5, 8, 12] {
            let at = |seen: Seen| end(&plan, &spent(blocks, 0.0), || Ok(seen));
            assert_eq!(at(open()).unwrap(), None);
            assert_eq!(at(enough()).unwrap(), Some(End::Enough(enough())));
        }
        let last = end(&plan, &spent(20, 0.0), || Ok(open())).unwrap().unwrap();
        let sentence = last.sentence(&plan, &spent(20, 0.0), 0.05).unwrap();
        assert_eq!(
            sentence,
            "Ended after 20 blocks, the most: 7 of 9 ratios over the baseline are decided or known to \
             5 %. The widest of the others is read at 4 processes on xfs, known to 12 %."
        );
        assert_eq!((goal(&plan, 0), goal(&plan, 5), goal(&plan, 20)), (5, 8, 20));
    }

    #[test]
    fn a_campaign_may_end_at_its_number_at_a_look_and_by_its_budget() {
        let fixed = plan(Preset::Standard, Some(6), None);
        let looks = plan(Preset::Standard, None, None);
        let budget = plan(Preset::Smoke, None, Some(600));
        let at = |plan: &Plan, blocks, used_s| may_end(plan, &spent(blocks, used_s));
        assert!(!at(&fixed, 5, 1e9) && at(&fixed, 6, 0.0) && at(&fixed, 7, 0.0));
        assert!(!at(&looks, 4, 0.0) && at(&looks, 5, 0.0) && !at(&looks, 6, 0.0));
        assert!(!at(&budget, 3, 540.0) && at(&budget, 3, 541.0));
    }

    #[test]
    fn no_block_is_begun_that_would_overrun_the_budget() {
        let plan = plan(Preset::Smoke, None, Some(600));
        let at = |blocks, used_s| end(&plan, &spent(blocks, used_s), || Ok(open())).unwrap();
        assert_eq!(at(0, 0.0), None);
        assert_eq!(at(3, 540.0), None);
        assert_eq!(at(3, 541.0), Some(End::Budget(open())));
        assert_eq!(at(5, 541.0), Some(End::Budget(open())));
        let sentence = at(3, 541.0).unwrap().sentence(&plan, &spent(3, 541.0), 0.05).unwrap();
        assert!(
            sentence.starts_with(
                "Ended after 3 blocks: the budget of 10m does not hold another; 9m 1s are used, a \
                 block took up to 1m. So far 7 of 9"
            ),
            "{sentence}"
        );
    }

    #[test]
    fn a_call_over_ratios_that_are_mostly_open_does_not_end_a_campaign() {
        let plan = plan(Preset::Quick, None, None);
        let at = |seen: Seen| end(&plan, &spent(4, 0.0), || Ok(seen)).unwrap().is_some();
        let decided = [Standoff::Decided("xfs".into())];
        assert!(!at(with_ratios(&decided, 6)) && at(with_ratios(&decided, 7)));
        assert!(!at(with_ratios(&[Standoff::Open], 10)));
        assert!(at(with_ratios(&[], 0)), "nothing is compared");
    }

    #[test]
    fn a_quick_campaign_ends_with_its_call_or_after_ten_minutes() {
        let plan = plan(Preset::Quick, None, None);
        let at = |blocks, used_s, calls: &[Standoff]| {
            let spent = spent(blocks, used_s);
            let end = end(&plan, &spent, || Ok(called(calls))).unwrap()?;
            end.sentence(&plan, &spent, 0.05)
        };
        let decided = Standoff::Decided("xfs".into());
        let same = Standoff::Same(vec!["xfs".into(), "ext4".into()]);
        assert_eq!(end(&plan, &spent(2, 0.0), never).unwrap(), None);
        assert_eq!(at(3, 0.0, &[Standoff::Open]), None);
        assert_eq!(at(7, 0.0, std::slice::from_ref(&decided)), None, "no look");
        let sentence = |blocks, used_s, calls: &[Standoff]| at(blocks, used_s, calls).unwrap();
        assert_eq!(
            sentence(4, 0.0, std::slice::from_ref(&decided)),
            "Ended after 4 blocks: the verdict is decided, for xfs; 7 of 10 ratios over the baseline are decided or known \
             to 5 %."
        );
        assert_eq!(
            sentence(5, 0.0, &[decided, same]),
            "Ended after 5 blocks: the verdict is decided, for xfs; xfs and ext4 are the same within 5 %; 7 of 10 ratios \
             over the baseline are decided or known to 5 %."
        );
        assert_eq!(
            sentence(20, 0.0, &[Standoff::Open]),
            "Ended after 20 blocks, the most: the verdict is not decided; 7 of 10 ratios over the baseline are decided or \
             known to 5 %."
        );
        assert_eq!(
            sentence(3, 0.0, &[]),
            "Ended after 3 blocks: there is no verdict that more blocks would decide."
        );
        assert_eq!(
            sentence(7, 541.0, &[Standoff::Open]),
            "Ended after 7 blocks: the budget of 9m 50s does not hold another; 9m 1s are used, a block took \
             up to 1m. So far the verdict is not decided; 7 of 10 ratios over the baseline are decided or known to 5 %."
        );
    }
}

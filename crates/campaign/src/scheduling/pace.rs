//! Decides when a campaign ends: after its number of blocks, when its verdict or its ratios need no more, or before
//! a block would overrun the budget. Reads no clock, so that each rule is tested with numbers.

use anyhow::Result;
use model::{
    plan::Plan,
    result::{EndCause, Ended, LastLook, Note, Ratios, Standing, WideRatio},
};
use stats::{
    description::Precision,
    verdict::{InterimVerdicts, Standoff},
};
use std::time::{Duration, Instant};

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

/// Share of the ratios that are to be resolved when a campaign that seeks a verdict ends before its time: a verdict
/// over tables that are mostly open would say which candidate to take, and not for what.
const RESOLVED_SHARE: f64 = 0.7;
/// Half-width of the median ratio that is narrow enough for such an end, at each process count.
const MEDIAN_HALF_WIDTH: f64 = 0.06;

/// What a look at a campaign shows.
#[derive(Debug, PartialEq)]
pub enum InterimDecision {
    /// Where it seeks a verdict, how far that is, and how many ratios are resolved.
    Verdict(InterimVerdicts, Precision),
    /// How many ratios are resolved.
    Ratios(Precision),
}

impl InterimDecision {
    fn is_enough(&self) -> bool {
        match self {
            InterimDecision::Verdict(look, ratios) => {
                let most = ratios.resolved as f64 >= RESOLVED_SHARE * ratios.ratios as f64;
                let is_precise = most && ratios.median <= MEDIAN_HALF_WIDTH;
                look.is_settled() && (is_precise || look.verdicts.is_empty())
            }
            InterimDecision::Ratios(precision) => precision.is_enough(),
        }
    }
}

/// Why no further block is run.
#[derive(Debug, PartialEq)]
pub enum End {
    /// The number of blocks was given.
    Fixed,
    /// At a look, nothing was open.
    Enough(InterimDecision),
    /// It was the last look.
    Most(InterimDecision),
    /// Another block would not end within the budget.
    Budget(InterimDecision),
}

/// Returns whether a campaign of `plan` ends here. `look` is called only when the answer depends on it.
pub fn end(
    plan: &Plan,
    spent: &Spent,
    look: impl FnOnce() -> Result<InterimDecision>,
) -> Result<Option<End>> {
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

/// When the budget of a campaign of `plan` is over that began at `since`, after earlier runs of `earlier_s`; `None`
/// without a budget.
pub fn over(plan: &Plan, since: Instant, earlier_s: f64) -> Option<Instant> {
    let left_s = (plan.budget()? as f64 - earlier_s).max(0.0);
    since.checked_add(Duration::from_secs_f64(left_s))
}

/// The number of blocks at which the campaign may end next when `done` are finished.
pub fn goal(plan: &Plan, done: u32) -> u32 {
    plan.looks().iter().copied().find(|look| *look > done).unwrap_or_else(|| plan.block_count())
}

impl End {
    /// Why, for readers of the campaign; `None` when that was to be expected. `band` is the share by which a ratio may
    /// change without mattering.
    pub fn note(&self, plan: &Plan, spent: &Spent, band: f64) -> Option<Note> {
        let (cause, look) = match self {
            End::Fixed => return None,
            End::Enough(look) => (EndCause::Enough, look),
            End::Most(look) => (EndCause::Most, look),
            End::Budget(look) => {
                let budget_s = plan.budget().unwrap_or(0);
                let [used_s, block_s] = [spent.used_s, spent.block_s].map(|s| s.round() as u64);
                (EndCause::Budget { budget_s, used_s, block_s }, look)
            }
        };
        let (after_blocks, seen) = (spent.blocks, look.seen());
        Some(Note::Ended(Ended { after_blocks, cause, seen, band_pct: 100.0 * band }))
    }
}

impl InterimDecision {
    /// What was seen, without what only the decision needs.
    fn seen(&self) -> LastLook {
        match self {
            InterimDecision::Ratios(precision) => LastLook::Ratios {
                ratios: ratios(precision),
                widest: precision.widest.as_ref().map(|wide| WideRatio {
                    test: wide.name.clone(),
                    procs: wide.procs,
                    target: wide.target.clone(),
                    half_width_pct: wide
                        .half_width
                        .map(|half| 100.0 * half)
                        .filter(|pct| pct.is_finite()),
                }),
            },
            InterimDecision::Verdict(look, precision) => LastLook::Verdicts {
                verdicts: look.verdicts.iter().map(standing).collect(),
                ratios: ratios(precision),
            },
        }
    }
}

fn ratios(precision: &Precision) -> Ratios {
    Ratios { resolved: precision.resolved, all: precision.ratios }
}

fn standing(verdict: &Standoff) -> Standing {
    match verdict {
        Standoff::Decided(best) => Standing::Decided(best.clone()),
        Standoff::Same(leaders) => Standing::Same(leaders.clone()),
        Standoff::Open => Standing::Open,
    }
}

#[cfg(test)]
mod tests;

//! Tries the tests before the first block, to size them: a few targets are made once, every test runs on them for a
//! moment, and its length decides how much it does in the campaign. Only the sizes are stored. Trying ends early where
//! a budget would have no time left for the blocks, in the middle of a trial if need be.

mod time;

use super::bound::Bound;
use crate::{
    guests::guest,
    messages::{self, Watch},
    run::{
        context::{Event, RunContext, TargetRun},
        run_end::RunEnd,
        target_run,
    },
    sizes::range::{Key, Range, TrialResult, Trials},
    stages::{Amount, Placed, place::TargetPlace},
};
use anyhow::Result;
use model::{result::Sample, text::counted};
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use time::{Pace, TrialShare};

/// Trials of every test, each on another target if there are several.
pub const ROUNDS: usize = 3;
/// Least length of a timed part from which others can be predicted, seconds.
const ENOUGH_S: f64 = 0.1;
/// Largest ratio of the mean part of a run to its shortest one.
const MOST_SPREAD: f64 = 10.0;
/// Block number of trials, from which random choices are drawn; no campaign has as many blocks.
const BLOCK: u32 = 1 << 20;

/// What trying found.
#[derive(Clone, Debug)]
pub struct Found {
    /// How much each test does.
    pub amount: Amount,
    /// What a block is expected to take, seconds; `None` where no trial was whole.
    pub block_s: Option<f64>,
}

/// One line for the user: what was `found` for `placed` in `seconds`.
pub fn sentence(found: &Found, placed: &Placed, seconds: f64) -> String {
    let (cases, aim_s) = (found.amount.sizes.len(), placed.plan.preset.aim_s());
    let block = found.block_s.map(|block_s| {
        format!("; a block of all candidates takes about {}", messages::duration(block_s))
    });
    format!(
        "{} sized for timed parts of {aim_s} s, in {}{}",
        counted(cases, "case", "cases"),
        messages::duration(seconds),
        block.unwrap_or_default()
    )
}

/// Tries the tests of `context` on some of its targets, and finds how much each of them does; `None` when a signal
/// arrived. A target that fails is skipped: the campaign will report why. Of the time that is `left` of a budget, at
/// least that of two blocks stays, as far as the trials show it.
///
/// # Errors
/// An object that was made for it could not be torn down.
pub fn run(
    context: &RunContext<'_>,
    campaign: &str,
    range: &Range,
    left: Option<Duration>,
    progress: &dyn Watch,
) -> Result<Option<Found>> {
    let aim_s = context.placed.plan.preset.aim_s();
    let (mut trials, mut pace) = (Trials::default(), Pace::new(left, Instant::now()));
    for round in 0..ROUNDS {
        let start = Instant::now();
        if !pace.allows_another(start) {
            break;
        }
        let targets = targets(context.placed);
        let Some(&target) = targets.get(round % targets.len().max(1)) else { break };
        let sizes = trials.sizes(context.placed, range, ENOUGH_S, false);
        let amount = Amount { scale: range.first.scale, sizes };
        let context = RunContext { amount: &amount, ..*context };
        let bound = Bound { since: start, limit: pace.limit(start) };
        let tried = Tried { round, bound, guest_limit: pace.guest_limit(start), progress };
        let (ended, shown) = try_target(&context, campaign, target, tried, &mut trials)?;
        if ended == RunEnd::Stopped {
            return Ok(None);
        }
        let sizes = trials.sizes(context.placed, range, aim_s, true);
        let work_s = trials.expected_s(context.placed, &sizes);
        pace.took(start.elapsed().as_secs_f64(), shown, work_s, context.placed.available().count());
    }
    let sizes = trials.sizes(context.placed, range, aim_s, true);
    let amount = Amount { scale: range.first.scale, sizes };
    Ok(Some(Found { amount, block_s: pace.block_s }))
}

/// Some different targets, those of this machine first: a guest is slower, so a size that is long enough here is
/// long enough in it.
fn targets(placed: &Placed) -> Vec<usize> {
    let host = |at: &usize| matches!(placed.entrants[*at].place, TargetPlace::Host);
    let of = |wanted: bool| placed.available().filter(move |at| host(at) == wanted);
    let distinct = |targets: Vec<usize>| {
        let is_first = |at: &usize| {
            placed.entrants[..*at]
                .iter()
                .all(|earlier| earlier.target != placed.entrants[*at].target)
        };
        targets.into_iter().filter(is_first).take(ROUNDS).collect::<Vec<usize>>()
    };
    let hosts = distinct(of(true).collect());
    if hosts.is_empty() { distinct(of(false).collect()) } else { hosts }
}

/// Which trial it is, and how long it may take here or in a guest.
struct Tried<'a> {
    round: usize,
    bound: Bound,
    guest_limit: Duration,
    progress: &'a dyn Watch,
}

/// Tries `target`. Returns with the end what that showed.
fn try_target(
    context: &RunContext<'_>,
    campaign: &str,
    target: usize,
    Tried { round, bound, guest_limit, progress }: Tried<'_>,
    trials: &mut Trials,
) -> Result<(RunEnd, TrialShare)> {
    let placed = context.placed;
    let label = &placed.entrants[target].label;
    progress.step(&format!("sizing the tests, {} of {ROUNDS} · {label}", round + 1));
    let mut seen = BTreeMap::<Key, Lengths>::new();
    let mut take = |procs: u32, event: Event| {
        match event {
            Event::Now(what) => progress.now(&what),
            Event::Sample(sample) => note(placed, procs, &sample, &mut seen),
            _ => {}
        }
        Ok(())
    };
    let ended = match &placed.entrants[target].place {
        TargetPlace::Guest(guest) => {
            let of = (BLOCK, 0, target);
            guest::run_target(context, &**guest, campaign, of, (None, Some(guest_limit)), &mut take)
                .map_or(RunEnd::Done, |ended| match ended {
                    lab::guest::GuestExit::Stopped => RunEnd::Stopped,
                    lab::guest::GuestExit::Exit(_) => RunEnd::Done,
                })
        }
        TargetPlace::Host | TargetPlace::Nowhere(_) => on_host(context, target, &bound, &mut take)?,
    };
    let timed_s = seen.values().flat_map(|lengths| &lengths.each_s).sum();
    let share = seen.len() as f64 / context.amount.sizes.len().max(1) as f64;
    for ((test, procs), lengths) in seen {
        if let Some(size) = model::workload::size_of(&context.amount.sizes, &test, procs) {
            trials.add(TrialResult { size: size.clone(), seconds: lengths.seconds() });
        }
    }
    let stopped = context.stop.load(Ordering::Relaxed);
    Ok((if stopped { RunEnd::Stopped } else { ended }, TrialShare { timed_s, share }))
}

/// Tries `target` on this machine at every process count. What `bound` cuts short ends like a whole trial.
fn on_host(
    context: &RunContext<'_>,
    target: usize,
    bound: &Bound,
    take: &mut dyn FnMut(u32, Event) -> Result<()>,
) -> Result<RunEnd> {
    let cut = AtomicBool::new(false);
    bound.hold(context.stop, &cut, || {
        let context = RunContext { stop: &cut, ..*context };
        let placed = context.placed;
        for &procs in &placed.counts {
            let target_run = TargetRun {
                block: BLOCK,
                position: 0,
                label: &placed.entrants[target].label,
                target: &placed.entrants[target].target,
                part: placed.part(context.seed, 0, target),
                procs,
                last: false,
                retakes: None,
            };
            if target_run::run(&context, &[target_run], &mut |_, event| take(procs, event))?
                == RunEnd::Stopped
            {
                break;
            }
        }
        Ok(RunEnd::Done)
    })
}

/// Lengths of the parts of a run.
#[derive(Debug, Default)]
struct Lengths {
    each_s: Vec<f64>,
}

impl Lengths {
    /// Returns the length by which the test is sized: the shortest part, or more if the total is long compared with it.
    fn seconds(&self) -> f64 {
        let shortest = self.each_s.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = self.each_s.iter().sum::<f64>() / self.each_s.len().max(1) as f64;
        shortest.max(mean / MOST_SPREAD)
    }
}

/// Records the length of a test's own timed part, or of each part of a run that a program divides. A failed run has
/// none, and its size stays.
fn note(placed: &Placed, procs: u32, sample: &Sample, seen: &mut BTreeMap<Key, Lengths>) {
    let id = &sample.case.test;
    let own = placed.items.iter().find_map(|item| {
        let own = item.test.infos().swap_remove(0).id;
        let parts = item.test.parts();
        let is_own = parts.as_ref().map_or(own == *id, |parts| parts.ids.contains(id));
        is_own.then_some((own, parts.is_some()))
    });
    let Some((own, has_parts)) = own.filter(|_| sample.figures.seconds > 0.0) else { return };
    let lengths = seen.entry((own, procs)).or_default();
    if !has_parts {
        lengths.each_s.clear();
    }
    lengths.each_s.push(sample.figures.seconds);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_part_sizes_a_run_within_a_limit() {
        let of = |each_s: &[f64]| Lengths { each_s: each_s.to_vec() }.seconds();
        assert_eq!(of(&[0.3]), 0.3);
        assert_eq!(of(&[0.3, 0.02, 0.1]), 0.02);
        assert_eq!(
            of(&[0.02, 1.0, 2.98]),
            4.0 / 30.0,
            "they would take ten times as long as aimed for"
        );
    }
}

//! Tries the tests before the first block, to size them: a few targets are made once, every test runs on them for a
//! moment, and its length decides how much it does in the campaign. Only the sizes are stored.

use crate::{
    guests::guest,
    messages::{self, Watch},
    run::{
        run_end::RunEnd,
        target_run::{self, Event, RunContext, TargetRun},
    },
    sizes::range::{Key, Range, TrialResult, Trials},
    stages::{Amount, Placed, place::TargetPlace},
};
use anyhow::Result;
use model::result::Sample;
use std::{collections::BTreeMap, sync::atomic::Ordering};

/// Trials of every test, each on another target if there are several.
const ROUNDS: usize = 3;
/// Least length of a timed part from which others can be predicted, seconds.
const ENOUGH_S: f64 = 0.1;
/// Largest ratio of the mean part of a run to its shortest one.
const MOST_SPREAD: f64 = 10.0;
/// Block number of trials, from which random choices are drawn; no campaign has as many blocks.
const BLOCK: u32 = 1 << 20;

/// One line for the user: the sizes `found` for `placed` in `seconds`.
pub fn sentence(found: &Amount, placed: &Placed, seconds: f64) -> String {
    let (cases, aim_s) = (found.sizes.len(), placed.plan.preset.aim_s());
    format!("{cases} cases sized for timed parts of {aim_s} s, in {}", messages::duration(seconds))
}

/// Tries the tests of `context` on some of its targets, and finds how much each of them does; `None` when a signal
/// arrived. A target that fails is skipped: the campaign will report why.
///
/// # Errors
/// An object that was made for it could not be torn down.
pub fn run(
    context: &RunContext<'_>,
    campaign: &str,
    range: &Range,
    progress: &dyn Watch,
) -> Result<Option<Amount>> {
    let mut trials = Trials::default();
    for round in 0..ROUNDS {
        let targets = targets(context.placed);
        let Some(&target) = targets.get(round % targets.len().max(1)) else { break };
        let sizes = trials.sizes(context.placed, range, ENOUGH_S, false);
        let amount = Amount { scale: range.first.scale, sizes };
        let context = RunContext { amount: &amount, ..*context };
        if try_target(&context, campaign, target, (round, progress), &mut trials)?
            == RunEnd::Stopped
        {
            return Ok(None);
        }
    }
    let aim_s = context.placed.plan.preset.aim_s();
    let sizes = trials.sizes(context.placed, range, aim_s, true);
    Ok(Some(Amount { scale: range.first.scale, sizes }))
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

fn try_target(
    context: &RunContext<'_>,
    campaign: &str,
    target: usize,
    (round, progress): (usize, &dyn Watch),
    trials: &mut Trials,
) -> Result<RunEnd> {
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
            guest::run_target(context, &**guest, campaign, (BLOCK, 0, target), None, &mut take)
                .map_or(RunEnd::Done, |ended| match ended {
                    lab::guest::GuestExit::Stopped => RunEnd::Stopped,
                    lab::guest::GuestExit::Exit(_) => RunEnd::Done,
                })
        }
        TargetPlace::Host | TargetPlace::Nowhere(_) => on_host(context, target, &mut take)?,
    };
    for ((test, procs), lengths) in seen {
        if let Some(size) = model::workload::size_of(&context.amount.sizes, &test, procs) {
            trials.add(TrialResult { size: size.clone(), seconds: lengths.seconds() });
        }
    }
    let stopped = context.stop.load(Ordering::Relaxed);
    Ok(if stopped { RunEnd::Stopped } else { ended })
}

fn on_host(
    context: &RunContext<'_>,
    target: usize,
    take: &mut dyn FnMut(u32, Event) -> Result<()>,
) -> Result<RunEnd> {
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
        if target_run::run(context, &[target_run], &mut |_, event| take(procs, event))?
            == RunEnd::Stopped
        {
            return Ok(RunEnd::Stopped);
        }
    }
    Ok(RunEnd::Done)
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

//! Runs blocks and targets in their order. A block is every target still in the race once, in orders that are
//! balanced over the blocks, each process count on a fresh instance. A target that failed in a block is retried in
//! it, until it has failed too often in a row.

mod outcome;
mod race;
mod visit;

use super::{
    bound::Bound,
    history::History,
    pace::{self, End, InterimDecision, Spent},
};
use crate::{
    evidence::contention,
    messages::{self, Ahead, Watch, refusal},
    run::{hosts::Hosts, retake::Retakes, run_end::RunEnd},
    stages::{Placed, Sized},
};
use anyhow::Result;
use lab::setup::Lab;
use model::result::{CampaignState, Fault, Note, TargetRecord, TargetState};
use stats::description::Settings;
use std::{
    collections::BTreeSet,
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};
use store::{Store, Try};

/// A campaign under way.
pub struct Schedule<'a> {
    /// What to do.
    pub sized: &'a Sized,
    /// Store of the samples.
    pub store: &'a mut Store,
    /// Its objects on this machine.
    pub lab: &'a Lab,
    /// Hosts of the workers.
    pub hosts: &'a dyn Hosts,
    /// Progress shown to the user.
    pub progress: &'a dyn Watch,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// Becomes true when a signal asks to stop, or the budget that the user gave is over.
    cut: Rc<AtomicBool>,
    /// Records of the targets, kept up to date in the store.
    pub records: Vec<TargetRecord>,
    /// Start of this run of the campaign; its time counts against the budget.
    pub since: Instant,
    /// When the budget is over, as far as there is one.
    over: Option<Instant>,
    /// Tries of each target in this run.
    histories: Vec<History>,
    /// Repeats of the cases of each target in this run.
    retakes: Rc<[Option<Retakes>]>,
    /// Time of the last failure of each target, if its last try failed.
    failed_at: Vec<Option<Instant>>,
    /// First fault in the current try of each target.
    faults: Vec<Option<Fault>>,
    /// Whether candidates run in turn instead of side by side, because others use the device of one.
    in_turn: bool,
    /// Blocks after which the campaign may end next.
    goal: u32,
    /// Cases of tries that repeat a failed one.
    repeated_cases: u64,
}

impl<'a> Schedule<'a> {
    /// Creates a schedule of the blocks that `store` does not have yet.
    pub fn new(
        sized: &'a Sized,
        store: &'a mut Store,
        (lab, hosts): (&'a Lab, &'a dyn Hosts),
        progress: &'a dyn Watch,
        (stop, since): (&'a AtomicBool, Instant),
    ) -> Result<Schedule<'a>> {
        let records = store.dataset(&sized.campaign().id)?.targets;
        let histories = vec![History::default(); records.len()];
        let retakes = records.iter().map(|_| Retakes::of(sized.plan.preset)).collect();
        let (failed_at, faults) = (vec![None; records.len()], vec![None; records.len()]);
        Ok(Schedule {
            sized,
            store,
            lab,
            hosts,
            progress,
            stop,
            cut: Rc::default(),
            records,
            since,
            over: None,
            histories,
            retakes,
            failed_at,
            faults,
            in_turn: false,
            goal: 0,
            repeated_cases: 0,
        })
    }

    /// Runs the missing blocks until the plan is fulfilled. Failed target runs are retried when their target works
    /// again, and at the latest when the campaign may end. A block that is under way when the time of a given budget is
    /// over is left out.
    ///
    /// # Errors
    /// No target is left, a disk is lost, something other than a target failed, or the budget ended before the first
    /// block did. Stored blocks stay, and a resumed campaign continues there.
    pub fn run(&mut self) -> Result<RunEnd> {
        let earlier_s = self.store.seconds_used(&self.sized.campaign().id)?;
        self.over = pace::over(&self.sized.plan, self.since, earlier_s);
        let budget_s = self.sized.plan.budget_s.map(|seconds| seconds as f64 - earlier_s);
        let limit = budget_s.map(|seconds| Duration::from_secs_f64(seconds.max(0.0)));
        let (bound, cut) = (Bound { since: self.since, limit }, Rc::clone(&self.cut));
        bound.hold(self.stop, &cut, || match self.walk(earlier_s)? {
            RunEnd::Stopped if !self.stop.load(Relaxed) => self.end_within_a_block(earlier_s),
            ended => Ok(ended),
        })
    }

    /// Ends a campaign whose budget is over while a block is under way.
    fn end_within_a_block(&mut self, earlier_s: f64) -> Result<RunEnd> {
        let id = &self.sized.campaign().id;
        let blocks = self.store.finished_blocks(id)?.len() as u32;
        let budget_s = self.sized.plan.budget_s.unwrap_or_default() as f64;
        let budget = messages::duration(budget_s);
        if blocks == 0 {
            return Err(refusal::lacking(format!(
                "the budget of {budget} ended within the first block, so there are no figures; use a longer --budget, \
                 or `--wait-quiet 10m` where other programs slow this machine down; `assay resume {id}` runs that block"
            )));
        }
        self.progress.remark(&format!(
            "left out: block {}, as the budget of {budget} ended within it",
            blocks + 1
        ));
        let used_s = earlier_s + self.since.elapsed().as_secs_f64();
        let spent =
            Spent { blocks, used_s, block_s: pace::block_s(&self.store.block_seconds(id)?) };
        let end = End::Budget(self.look()?);
        self.conclude(&end, &spent)
    }

    fn walk(&mut self, earlier_s: f64) -> Result<RunEnd> {
        self.leave_out()?;
        let id = &self.sized.campaign().id;
        let plan = &self.sized.plan;
        self.goal = self.store.finished_blocks(id)?.len() as u32;
        self.progress.done(self.cases_until(self.goal));
        loop {
            let finished = self.store.finished_blocks(id)?;
            let missing = self.missing()?;
            let incomplete: BTreeSet<u32> = missing.iter().map(|slot| slot.block).collect();
            let run = Spent {
                blocks: finished.len() as u32,
                used_s: earlier_s + self.since.elapsed().as_secs_f64(),
                block_s: pace::block_s(&self.store.block_seconds(id)?),
            };
            let may_end = pace::may_end(plan, &run);
            let works = |slot: &&Slot| may_end || self.histories[slot.target].is_well();
            if let Some(slot) = missing.iter().find(works) {
                if self.visit(&[*slot])? == RunEnd::Stopped {
                    return Ok(RunEnd::Stopped);
                }
                continue;
            }
            let spent = Spent { blocks: run.blocks - incomplete.len() as u32, ..run };
            if let Some(end) = pace::end(plan, &spent, || self.look())? {
                return self.conclude(&end, &spent);
            }
            if pace::is_look(plan, &spent) {
                self.race(spent.blocks)?;
            }
            self.goal = pace::goal(plan, run.blocks);
            self.expect();
            let next = (0..).find(|block| !finished.contains(block)).unwrap_or_default();
            if self.run_block(next)? == RunEnd::Stopped {
                return Ok(RunEnd::Stopped);
            }
        }
    }

    /// Stores the reasons why targets have no samples.
    fn leave_out(&mut self) -> Result<()> {
        for (record, entrant) in self.records.iter_mut().zip(&self.sized.entrants) {
            let Some(why) = entrant.place.nowhere() else { continue };
            self.progress.remark(&format!("left out: {}: {why}", record.label));
            record.state = TargetState::Failed(why.into());
            self.store.set_target(&self.sized.campaign().id, record)?;
        }
        Ok(())
    }

    /// Returns the targets that failed in a block, or were not tried in it, and are to be retried.
    fn missing(&self) -> Result<Vec<Slot>> {
        let unfinished = self.store.unfinished(&self.sized.campaign().id)?.into_iter();
        let slot = |target_run: store::Unfinished| {
            let target =
                self.running().find(|at| self.sized.entrants[*at].label == target_run.target)?;
            self.histories[target].may_try(target_run.block).then(|| Slot {
                block: target_run.block,
                attempt: target_run.attempt,
                nth: target_run.tries + 1,
                // Behind every target of the block: it shows that it ran later.
                position: self.records.len() as u32 + target_run.tries - 1,
                target,
                procs: 0,
            })
        };
        Ok(unfinished.filter_map(slot).collect())
    }

    fn look(&self) -> Result<InterimDecision> {
        let dataset = self.store.dataset(&self.sized.campaign().id)?;
        let settings = Settings::default();
        let ratios = stats::description::precision(&dataset, &settings)?;
        Ok(match self.sized.plan.seeks_a_verdict() {
            true => InterimDecision::Verdict(stats::verdict::look(&dataset, &settings)?, ratios),
            false => InterimDecision::Ratios(ratios),
        })
    }

    /// Reports and stores why the campaign ends, unless there is more to do.
    fn conclude(&mut self, end: &End, spent: &Spent) -> Result<RunEnd> {
        let id = &self.sized.campaign().id;
        for target_run in self.store.unfinished(id)? {
            let is_here =
                self.running().any(|at| self.sized.entrants[at].label == target_run.target);
            if is_here && self.store.has_worked(id, &target_run.target)? {
                return Ok(RunEnd::Gaps);
            }
        }
        let note = end.note(&self.sized.plan, spent, Settings::default().band);
        // A completed campaign has stored it before.
        if let Some(why) = note.filter(|_| self.sized.campaign().state == CampaignState::Open) {
            self.progress.noted(&why);
            self.store.add_note(id, &why)?;
        }
        Ok(RunEnd::Done)
    }

    /// Tells how many cases there are until the campaign may end, and how many at most.
    fn expect(&self) {
        let cases = |blocks| self.cases_until(blocks) + self.repeated_cases;
        let most = self.sized.plan.block_count().max(self.goal);
        self.progress.expect(Ahead { cases: cases(self.goal), most: cases(most), over: self.over });
    }

    fn run_block(&mut self, block: u32) -> Result<RunEnd> {
        self.turn()?;
        let start = Instant::now();
        let stays = |at: &usize| self.records[*at].left_after().is_none();
        let all = self.sized.available().filter(stays).collect();
        let order = balanced(all, self.sized.campaign().seed, block);
        let labels: Vec<String> =
            order.iter().map(|&t| self.sized.entrants[t].label.clone()).collect();
        let attempt = self.store.start_block(&self.sized.campaign().id, block, &labels)?;
        let slot = |(position, &target): (usize, &usize)| Slot {
            block,
            attempt,
            nth: 1,
            position: position as u32,
            target,
            procs: 0,
        };
        let slots: Vec<Slot> = order.iter().enumerate().map(slot).collect();
        for slots in self.together(&slots) {
            if self.visit(&slots)? == RunEnd::Stopped {
                return Ok(RunEnd::Stopped);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        self.store.finish_block(&self.sized.campaign().id, block, attempt, seconds)?;
        self.progress.block(&self.store.dataset(&self.sized.campaign().id)?);
        Ok(RunEnd::Done)
    }

    /// Makes candidates run in turn from here on if other programs use the device of a directory: its traffic is harder
    /// to attribute in slices.
    fn turn(&mut self) -> Result<()> {
        let directories: Vec<&str> = self.sized.directories().collect();
        if self.in_turn || directories.is_empty() || !self.sized.is_together(false) {
            return Ok(());
        }
        let dataset = self.store.dataset(&self.sized.campaign().id)?;
        let Some(sample) = contention::company(&dataset.samples, &directories) else {
            return Ok(());
        };
        self.in_turn = true;
        let why = Note::DeviceInUse { target: sample.case.target.clone() };
        self.progress.noted(&why);
        if !dataset.campaign.notes.contains(&why) {
            self.store.add_note(&self.sized.campaign().id, &why)?;
        }
        Ok(())
    }

    /// Groups the slots of a block that run at the same time, without dropped targets: each alone, or all of this
    /// machine together, and then all of guests.
    fn together(&self, slots: &[Slot]) -> Vec<Vec<Slot>> {
        let given_up = |slot: &&Slot| self.histories[slot.target].is_given_up();
        self.progress.done(self.sized.cases() * slots.iter().filter(given_up).count() as u64);
        let open = slots.iter().filter(|slot| !given_up(slot)).copied();
        let in_guest = |slot: &Slot| self.sized.entrants[slot.target].place.is_of(true);
        let (guests, here): (Vec<Slot>, Vec<Slot>) = open.partition(in_guest);
        let group = |mut slots: Vec<Slot>, in_guests| match self.sized.is_together(in_guests) {
            true if !slots.is_empty() && !self.in_turn => {
                // With the same numbers in every block, which balance their orders in the tests.
                slots.sort_by_key(|slot| slot.target);
                vec![slots]
            }
            _ => slots.into_iter().map(|slot| vec![slot]).collect(),
        };
        group(here, false).into_iter().chain(group(guests, true)).collect()
    }

    /// Tries targets in a block, at the same time, and stores the results.
    fn visit(&mut self, slots: &[Slot]) -> Result<RunEnd> {
        if !slots.iter().all(|slot| self.pause(slot.target)) {
            return Ok(RunEnd::Stopped);
        }
        let start = Instant::now();
        let sized = self.sized;
        let of = |slot: &Slot| Try {
            block: slot.block,
            attempt: slot.attempt,
            target: &sized.entrants[slot.target].label,
            nth: slot.nth,
        };
        let id = &self.sized.campaign().id;
        for slot in slots {
            if slot.nth > 1 {
                self.store.start_try(id, of(slot))?;
                // Those of the failed try count as done.
                self.repeated_cases += sized.cases();
                self.expect();
            }
            self.faults[slot.target] = None;
        }
        if self.run_targets(slots)? == RunEnd::Stopped {
            return Ok(RunEnd::Stopped);
        }
        let each_s = start.elapsed().as_secs_f64() / slots.len() as f64;
        for slot in slots {
            let fault = self.faults[slot.target].take();
            self.store.finish_try(id, of(slot), fault.as_ref(), each_s)?;
            match fault {
                None => self.target_worked(slot),
                Some(fault) => self.target_failed(slot, &fault),
            }?;
        }
        Ok(RunEnd::Done)
    }
}

/// Position of a try in the campaign.
#[derive(Clone, Copy)]
struct Slot {
    block: u32,
    attempt: u32,
    /// Number of the try, from 1.
    nth: u32,
    position: u32,
    target: usize,
    procs: u32,
}

/// Returns the order in `block` of the entrants that can be made: the same for the same seed, whenever it runs.
pub fn block_order(placed: &Placed, seed: u64, block: u32) -> Vec<usize> {
    balanced(placed.available().collect(), seed, block)
}

fn balanced(all: Vec<usize>, seed: u64, block: u32) -> Vec<usize> {
    model::random::balanced_order(seed, block, all.len())
        .into_iter()
        .map(|number| all[number])
        .collect()
}

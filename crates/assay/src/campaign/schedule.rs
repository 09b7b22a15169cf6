//! Blocks, targets, process counts and tests in their order. A block is every target once, shuffled
//! by the stored seed, each process count on a fresh instance; samples are stored one by one.

use super::{
    case::{self, Bench, Place},
    condition::{self, Condition},
    pace::{self, End, Spent},
    prepare::{self, Item, Prepared},
    upkeep,
};
use crate::terminal::Progress;
use anyhow::{Context, Result};
use lab::{Instance, Lab, Upkeep};
use model::{Bytes, Campaign, Job, Rng, Target, TargetRecord, TargetState};
use stats::{Precision, Settings};
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use store::Store;
use workers::Crew;

/// How a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All blocks are stored that the plan asks for.
    Done,
    /// A signal came.
    Stopped,
}

/// A campaign under way.
pub struct Schedule<'a> {
    /// What to do.
    pub prepared: &'a Prepared,
    /// Which campaign.
    pub campaign: &'a Campaign,
    /// Where samples go.
    pub store: &'a mut Store,
    /// Where targets are made.
    pub lab: &'a Lab,
    /// What the user sees.
    pub progress: &'a Progress,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// Records of the targets, kept up to date in the store.
    pub records: Vec<TargetRecord>,
    /// When this run of the campaign began; what it took counts against the budget.
    pub since: Instant,
}

impl Schedule<'_> {
    /// Runs blocks that the store does not have yet, until the plan is fulfilled.
    pub fn run(&mut self) -> Result<Ended> {
        let id = &self.campaign.id;
        let plan = &self.prepared.plan;
        let cases = self.prepared.cases_of_a_block();
        let earlier_s: f64 = self.store.block_seconds(id)?.iter().sum();
        self.progress.done(cases * self.store.finished_blocks(id)?.len() as u64);
        loop {
            let finished = self.store.finished_blocks(id)?;
            let spent = Spent {
                blocks: finished.len() as u32,
                used_s: earlier_s + self.since.elapsed().as_secs_f64(),
                longest_block_s: self.store.block_seconds(id)?.into_iter().fold(0.0, f64::max),
            };
            if let Some(end) = pace::end(plan, &spent, || self.precision())? {
                self.conclude(&end, &spent)?;
                return Ok(Ended::Done);
            }
            self.progress.expect(cases * u64::from(pace::goal(plan, spent.blocks)));
            let missing = (0..).find(|block| !finished.contains(block)).unwrap_or_default();
            if self.run_block(missing)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
        }
    }

    fn precision(&self) -> Result<Precision> {
        let dataset = self.store.dataset(&self.campaign.id)?;
        Ok(stats::precision(&dataset, &Settings::default())?)
    }

    /// Says why the campaign ends, and stores it.
    fn conclude(&mut self, end: &End, spent: &Spent) -> Result<()> {
        let band = Settings::default().band;
        let Some(why) = end.sentence(&self.prepared.plan, spent, band) else { return Ok(()) };
        self.progress.remark(&why);
        Ok(self.store.add_note(&self.campaign.id, &why)?)
    }

    fn run_block(&mut self, block: u32) -> Result<Ended> {
        let start = Instant::now();
        let order = block_order(self.prepared.labels.len(), self.campaign.seed, block);
        let labels: Vec<String> = order.iter().map(|&t| self.prepared.labels[t].clone()).collect();
        let attempt = self.store.start_block(&self.campaign.id, block, &labels)?;
        for (position, &target) in order.iter().enumerate() {
            for &procs in &self.prepared.counts {
                let turn = Turn { block, attempt, position: position as u32, target, procs };
                if self.run_turn(&turn)? == Ended::Stopped {
                    return Ok(Ended::Stopped);
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        self.store.finish_block(&self.campaign.id, block, attempt, seconds)?;
        Ok(Ended::Done)
    }

    /// One target at one process count, on a fresh instance.
    fn run_turn(&mut self, turn: &Turn) -> Result<Ended> {
        let label = self.prepared.labels[turn.target].clone();
        let blocks = pace::goal(&self.prepared.plan, turn.block);
        self.progress.step(&format!(
            "block {}/{blocks} · {label} · {} proc",
            turn.block + 1,
            turn.procs
        ));
        if self.stop.load(Ordering::Relaxed) {
            return Ok(Ended::Stopped);
        }
        let spec: &Target = &self.prepared.entrants[turn.target];
        let plan = &self.prepared.plan;
        self.progress.now(&format!("{label} · being made {}", plan.condition()));
        let made = self.lab.provision(spec, &label).map_err(anyhow::Error::from);
        let made = made.and_then(|instance| {
            let seed = (self.campaign.seed, turn.block);
            Ok((condition::bring_about(plan, seed, &instance, self.stop)?, instance))
        });
        let (condition, instance) = match made {
            Ok(made) => made,
            // A signal also reaches mkfs and mount; that is no failure of the target.
            Err(_) if self.stop.load(Ordering::Relaxed) => return Ok(Ended::Stopped),
            Err(error) => {
                self.target_failed(turn, &format!("{error:#}"))?;
                self.progress.done(self.prepared.items_at(turn.procs).count() as u64);
                return Ok(Ended::Done);
            }
        };
        upkeep::refresh(&mut self.records[turn.target], instance.facts());
        condition.describe(&mut self.records[turn.target].facts);
        self.store.set_target(&self.campaign.id, &self.records[turn.target])?;
        let ended = self.run_tests(turn, &label, &instance, &condition);
        // Checked once in a block, when the tests have left all that they leave.
        let last = self.prepared.counts.last() == Some(&turn.procs);
        let undone = instance.finish(last && matches!(ended, Ok(Ended::Done)));
        let ended = ended?;
        let cost = undone.with_context(|| format!("cannot undo {label}; run `assay cleanup`"))?;
        cost.map_or(Ok(()), |cost| self.note_cost(turn, &cost))?;
        Ok(ended)
    }

    fn note_cost(&mut self, turn: &Turn, cost: &Upkeep) -> Result<()> {
        let record = &mut self.records[turn.target];
        if let Some(damage) = upkeep::note(record, (turn.block, turn.procs), cost) {
            self.progress.remark(&format!("{}: its checker found damage: {damage}", record.label));
        }
        Ok(self.store.set_target(&self.campaign.id, record)?)
    }

    fn target_failed(&mut self, turn: &Turn, why: &str) -> Result<()> {
        let record = &mut self.records[turn.target];
        let why = format!("block {}, {} processes: {why}", turn.block + 1, turn.procs);
        self.progress.remark(&format!("{}: {why}", record.label));
        record.state = TargetState::Failed(why);
        Ok(self.store.set_target(&self.campaign.id, record)?)
    }

    fn run_tests(
        &mut self,
        turn: &Turn,
        label: &str,
        instance: &Instance<'_>,
        condition: &Condition,
    ) -> Result<Ended> {
        let memory = prepare::memory()?;
        let timeout = Duration::from_secs(self.prepared.plan.case_timeout_s);
        let crew =
            Crew::this_program(timeout).context("cannot find this program to start workers")?;
        let items: Vec<&Item> = self.prepared.items_at(turn.procs).collect();
        for (done, item) in items.iter().enumerate() {
            let info = &item.test.infos()[0];
            self.progress.now(&format!("{label} · {} proc · {}", turn.procs, info.name));
            let mut jobs = self.jobs(item, turn.procs, instance.root(), memory);
            let place =
                Place { block: turn.block, position: turn.position, label, suite: item.suite };
            let bench = Bench { instance, crew: &crew, stop: self.stop };
            let mut samples = match case::run(item.test, &mut jobs, &bench, &place) {
                Ok(Some(samples)) => samples,
                Ok(None) => return Ok(Ended::Stopped),
                Err(_) if self.stop.load(Ordering::Relaxed) => return Ok(Ended::Stopped),
                Err(error) => {
                    self.target_failed(turn, &format!("{}: {error:#}", info.id))?;
                    self.progress.done((items.len() - done) as u64);
                    return Ok(Ended::Done);
                }
            };
            condition.mark(&mut samples);
            for sample in &samples {
                self.store.append(&self.campaign.id, turn.attempt, sample)?;
            }
            self.progress.done(1);
        }
        Ok(Ended::Done)
    }

    fn jobs(&self, item: &Item, count: u32, root: &Path, memory: Bytes) -> Vec<Job> {
        let job = |worker: u32| Job {
            worker,
            dir: root.join(format!("w{worker}")),
            seed: self.campaign.seed,
            declaration: item.test.declaration(),
            ..self.prepared.job(item, count, self.campaign.scale, memory)
        };
        (0..item.workers(count).0).map(job).collect()
    }
}

/// One target at one process count in one block.
struct Turn {
    block: u32,
    attempt: u32,
    position: u32,
    target: usize,
    procs: u32,
}

/// The order of `targets` targets in `block`: the same for the same seed, whenever it is run.
pub fn block_order(targets: usize, seed: u64, block: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..targets).collect();
    Rng::new(seed ^ (u64::from(block) << 32 | 0xb10c)).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_differ_between_blocks_and_not_between_runs() {
        let orders: Vec<_> = (0..8).map(|block| block_order(4, 42, block)).collect();
        assert_eq!(orders[3], block_order(4, 42, 3));
        assert!(orders.iter().any(|order| *order != orders[0]));
    }
}

//! Blocks, targets, process counts and tests in their order. A block is every target once, shuffled
//! by the stored seed, each process count on a fresh instance; samples are stored one by one.

use super::{
    case::{self, Bench, Place},
    prepare::{self, Item, Prepared},
};
use crate::terminal::Progress;
use anyhow::{Context, Result};
use lab::{Instance, Lab};
use model::{Bytes, Campaign, Job, Rng, Target, TargetRecord, TargetState};
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use store::Store;
use workers::Crew;

/// How a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All blocks are stored.
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
}

impl Schedule<'_> {
    /// Runs every block that the store does not have yet.
    pub fn run(&mut self) -> Result<Ended> {
        let finished = self.store.finished_blocks(&self.campaign.id)?;
        for block in 0..self.prepared.plan.block_count() {
            if finished.contains(&block) {
                self.progress.done(self.cases_of_a_block());
            } else if self.run_block(block)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
        }
        Ok(Ended::Done)
    }

    fn cases_of_a_block(&self) -> u64 {
        self.prepared.labels.len() as u64 * self.prepared.cases()
    }

    fn run_block(&mut self, block: u32) -> Result<Ended> {
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
        self.store.finish_block(&self.campaign.id, block, attempt)?;
        Ok(Ended::Done)
    }

    /// One target at one process count, on a fresh instance.
    fn run_turn(&mut self, turn: &Turn) -> Result<Ended> {
        let label = self.prepared.labels[turn.target].clone();
        let blocks = self.prepared.plan.block_count();
        self.progress.step(&format!(
            "block {}/{blocks} · {label} · {} proc",
            turn.block + 1,
            turn.procs
        ));
        if self.stop.load(Ordering::Relaxed) {
            return Ok(Ended::Stopped);
        }
        let spec: &Target = &self.prepared.plan.targets[turn.target];
        let instance = match self.lab.provision(spec, &label) {
            Ok(instance) => instance,
            // A signal also reaches mkfs and mount; that is no failure of the target.
            Err(_) if self.stop.load(Ordering::Relaxed) => return Ok(Ended::Stopped),
            Err(error) => {
                self.target_failed(turn, &error.to_string())?;
                self.progress.done(self.prepared.items_at(turn.procs).count() as u64);
                return Ok(Ended::Done);
            }
        };
        self.records[turn.target].facts = instance.facts().clone();
        self.store.set_target(&self.campaign.id, &self.records[turn.target])?;
        let ended = self.run_tests(turn, &label, &instance);
        let undone = instance.teardown();
        let ended = ended?;
        undone.with_context(|| format!("cannot undo {label}; run `assay cleanup`"))?;
        Ok(ended)
    }

    fn target_failed(&mut self, turn: &Turn, why: &str) -> Result<()> {
        let record = &mut self.records[turn.target];
        let why = format!("block {}, {} processes: {why}", turn.block + 1, turn.procs);
        self.progress.remark(&format!("{}: {why}", record.label));
        record.state = TargetState::Failed(why);
        Ok(self.store.set_target(&self.campaign.id, record)?)
    }

    fn run_tests(&mut self, turn: &Turn, label: &str, instance: &Instance<'_>) -> Result<Ended> {
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
            let samples = match case::run(item.test, &mut jobs, &bench, &place) {
                Ok(Some(samples)) => samples,
                Ok(None) => return Ok(Ended::Stopped),
                Err(_) if self.stop.load(Ordering::Relaxed) => return Ok(Ended::Stopped),
                Err(error) => {
                    self.target_failed(turn, &format!("{}: {error:#}", info.id))?;
                    self.progress.done((items.len() - done) as u64);
                    return Ok(Ended::Done);
                }
            };
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

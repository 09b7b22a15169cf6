//! Blocks, targets and process counts in their order. A block is every target once, shuffled by the
//! stored seed, each process count on a fresh instance; what happens in a turn is stored as it comes.

use super::{
    guest::{self, Boot, Turns, Work},
    pace::{self, End, Spent},
    places::Place,
    prepare::Prepared,
    told::Asked,
    turn::{self, Event, Stage, Turn},
    upkeep,
};
use crate::terminal::Progress;
use anyhow::Result;
use lab::{Lab, LabError, Upkeep, guest::Guest};
use model::{BackingPlan, Campaign, Plan, Rng, TargetRecord, TargetState};
use stats::{Precision, Settings};
use std::{
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};
use store::Store;

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
    /// What is made on this machine for it.
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
        self.leave_out()?;
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

    /// Stores why targets stay without samples.
    fn leave_out(&mut self) -> Result<()> {
        for (record, place) in self.records.iter_mut().zip(&self.prepared.places) {
            let Some(why) = place.nowhere() else { continue };
            self.progress.remark(&format!("left out: {}: {why}", record.label));
            record.state = TargetState::Failed(why.into());
            self.store.set_target(&self.campaign.id, record)?;
        }
        Ok(())
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
        let order = block_order(self.prepared, self.campaign.seed, block);
        let labels: Vec<String> = order.iter().map(|&t| self.prepared.labels[t].clone()).collect();
        let attempt = self.store.start_block(&self.campaign.id, block, &labels)?;
        self.forget_failures(&order, block)?;
        for (position, &target) in order.iter().enumerate() {
            let seat = Seat { block, attempt, position: position as u32, target, procs: 0 };
            if self.run_target(&seat)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        self.store.finish_block(&self.campaign.id, block, attempt, seconds)?;
        Ok(Ended::Done)
    }

    /// What failed in an earlier attempt of `block`, or was left out then, has its chance again.
    fn forget_failures(&mut self, order: &[usize], block: u32) -> Result<()> {
        for &target in order {
            let record = &mut self.records[target];
            if let TargetState::Failed(why) = &record.state
                && failed_block(why).is_none_or(|failed| failed == block)
            {
                record.state = TargetState::Ok;
                self.store.set_target(&self.campaign.id, record)?;
            }
        }
        Ok(())
    }

    /// One target at every process count.
    fn run_target(&mut self, seat: &Seat) -> Result<Ended> {
        let prepared = self.prepared;
        match &prepared.places[seat.target] {
            Place::Guest(guest) => self.run_in_guest(&**guest, seat),
            Place::Host | Place::Nowhere(_) => {
                for &procs in &prepared.counts {
                    if self.run_turn(&Seat { procs, ..*seat })? == Ended::Stopped {
                        return Ok(Ended::Stopped);
                    }
                }
                Ok(Ended::Done)
            }
        }
    }

    fn step(&self, seat: &Seat, what: &str) {
        let blocks = pace::goal(&self.prepared.plan, seat.block);
        let label = &self.prepared.labels[seat.target];
        self.progress.step(&format!("block {}/{blocks} · {label} · {what}", seat.block + 1));
    }

    /// One target at one process count, on a fresh instance of this machine.
    fn run_turn(&mut self, seat: &Seat) -> Result<Ended> {
        let prepared = self.prepared;
        self.step(seat, &format!("{} proc", seat.procs));
        let Campaign { seed, scale, .. } = *self.campaign;
        let stage = Stage { prepared, lab: self.lab, seed, scale, stop: self.stop };
        let turn = Turn {
            block: seat.block,
            position: seat.position,
            label: &prepared.labels[seat.target],
            target: &prepared.entrants[seat.target],
            part: prepared.part(seed, seat.block, seat.target),
            procs: seat.procs,
            last: prepared.counts.last() == Some(&seat.procs),
        };
        turn::run(&stage, &turn, &mut |event| self.take(seat, event))
    }

    /// One target at every process count, in one boot of `guest`.
    fn run_in_guest(&mut self, guest: &dyn Guest, seat: &Seat) -> Result<Ended> {
        self.step(seat, &format!("booting {}", guest.venue()));
        let cases = self.prepared.cases();
        let case_s = self.prepared.plan.case_timeout_s;
        let (lab, stop) = (self.lab, self.stop);
        let timeout = Duration::from_secs(case_s.saturating_mul(cases + 1));
        let boot = Boot { guest, lab, images: lab.guest_images(), stop, timeout };
        let work = Work::Turns(Box::new(self.turns(seat)));
        let label = &self.prepared.labels[seat.target];
        let asked = Asked::of(self.prepared, label, seat.block, seat.position);
        let mut done = 0;
        let campaign = self.campaign.id.clone();
        let ended = guest::run(&boot, &campaign, work, &mut |told| {
            let strange = |why| {
                let (guest, said) = (guest.venue().to_string(), "nothing that is taken".into());
                LabError::Guest { guest, why, said }
            };
            let (procs, event) = asked.take(told).map_err(strange)?;
            if let Event::Done(cases) = &event {
                done += cases;
            }
            self.take(&Seat { procs, ..*seat }, event)
        });
        match ended {
            Ok(lab::guest::Ended::Exit(_)) => Ok(Ended::Done),
            Ok(lab::guest::Ended::Stopped) => Ok(Ended::Stopped),
            Err(error) if error.downcast_ref::<LabError>().is_some() => {
                self.progress.done(cases.saturating_sub(done));
                self.set_failed(seat.target, format!("block {}: {error:#}", seat.block + 1))?;
                Ok(Ended::Done)
            }
            Err(error) => Err(error),
        }
    }

    /// The work of a guest that makes this target in this block.
    fn turns(&self, seat: &Seat) -> Turns {
        let prepared = self.prepared;
        let plan = Plan {
            targets: vec![prepared.entrants[seat.target].clone()],
            sweeps: Vec::new(),
            aa: None,
            baseline: None,
            backing: BackingPlan::default(),
            ..prepared.plan.clone()
        };
        Turns {
            plan,
            label: prepared.labels[seat.target].clone(),
            block: seat.block,
            position: seat.position,
            seed: self.campaign.seed,
            scale: self.campaign.scale,
            counts: prepared.counts_by_test(),
        }
    }

    /// Shows and stores what happened.
    fn take(&mut self, seat: &Seat, event: Event) -> Result<()> {
        match event {
            Event::Now(what) => self.progress.now(&what),
            Event::Done(cases) => self.progress.done(cases),
            Event::Sample(mut sample) => {
                sample.lab = self.prepared.places[seat.target].kind();
                self.store.append(&self.campaign.id, seat.attempt, &sample)?;
            }
            Event::Facts(mut facts) => {
                let place = &self.prepared.places[seat.target];
                let record = &mut self.records[seat.target];
                record.lab = place.kind();
                facts.0.extend(place.facts().0);
                upkeep::refresh(record, seat.block, &facts);
                self.store.set_target(&self.campaign.id, record)?;
            }
            Event::Failed(why) => self.target_failed(seat, &why)?,
            Event::Cost(cost) => self.note_cost(seat, &cost)?,
        }
        Ok(())
    }

    fn note_cost(&mut self, seat: &Seat, cost: &Upkeep) -> Result<()> {
        let record = &mut self.records[seat.target];
        if let Some(damage) = upkeep::note(record, (seat.block, seat.procs), cost) {
            self.progress.remark(&format!("{}: its checker found damage: {damage}", record.label));
        }
        Ok(self.store.set_target(&self.campaign.id, record)?)
    }

    fn target_failed(&mut self, seat: &Seat, why: &str) -> Result<()> {
        let why = format!("block {}, {}: {why}", seat.block + 1, stats::processes(seat.procs));
        self.set_failed(seat.target, why)
    }

    fn set_failed(&mut self, target: usize, why: String) -> Result<()> {
        let record = &mut self.records[target];
        record.lab = self.prepared.places[target].kind();
        self.progress.remark(&format!("{}: {why}", record.label));
        record.state = TargetState::Failed(why);
        Ok(self.store.set_target(&self.campaign.id, record)?)
    }
}

/// The number of the block in which a target failed, as [`Schedule::set_failed`] is told it.
fn failed_block(why: &str) -> Option<u32> {
    let number = why.strip_prefix("block ")?.split(|c: char| !c.is_ascii_digit()).next()?;
    number.parse::<u32>().ok()?.checked_sub(1)
}

/// Where a turn stands in the campaign.
struct Seat {
    block: u32,
    attempt: u32,
    position: u32,
    target: usize,
    procs: u32,
}

/// The order in `block` of the entrants that can be made: the same for the same seed, whenever it is run.
pub fn block_order(prepared: &Prepared, seed: u64, block: u32) -> Vec<usize> {
    shuffled(prepared.available().collect(), seed, block)
}

fn shuffled(mut order: Vec<usize>, seed: u64, block: u32) -> Vec<usize> {
    Rng::new(seed ^ (u64::from(block) << 32 | 0xb10c)).shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_tells_its_block() {
        assert_eq!(failed_block("block 12, 4 processes: mkfs.xfs failed"), Some(11));
        assert_eq!(failed_block("block 1: QEMU ended without a result"), Some(0));
        assert_eq!(failed_block("f2fs cannot be used here"), None);
    }

    #[test]
    fn orders_differ_between_blocks_and_not_between_runs() {
        let orders: Vec<_> = (0..8).map(|block| shuffled(vec![0, 1, 2, 3], 42, block)).collect();
        assert_eq!(orders[3], shuffled(vec![0, 1, 2, 3], 42, 3));
        assert!(orders.iter().any(|order| *order != orders[0]));
    }
}

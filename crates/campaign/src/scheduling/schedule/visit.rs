//! Runs targets in one block, at every process count, on this machine or one in a guest. Events are stored as they
//! arrive.

use super::{Schedule, Slot};
use crate::{
    guests::guest,
    messages::with_causes,
    run::{
        context::{Event, RunContext, TargetRun, fault_kind},
        relay::{self, Step},
        run_end::RunEnd,
        target_run,
    },
    scheduling::{pace, upkeep},
    stages::place::TargetPlace,
};
use anyhow::Result;
use lab::{error::LabError, instance::Upkeep};
use model::result::{Fault, FaultKind};
use std::{collections::BTreeSet, rc::Rc, sync::atomic::AtomicBool};
use store::RecordingKey;

/// Takes events of a guest as they arrive, with the process count of the target run.
type GuestEvents<'t> = dyn FnMut((u32, Event)) -> Result<()> + 't;

/// Runs the target of `slot` at every process count, in one boot of its guest. A failure is reported.
fn run_in_guest(
    context: &RunContext<'_>,
    campaign: &str,
    slot: &Slot,
    place: Option<&relay::RelaySlot<'_>>,
    report: &mut GuestEvents<'_>,
) -> Result<RunEnd> {
    let TargetPlace::Guest(guest) = &context.placed.entrants[slot.target].place else {
        return Ok(RunEnd::Done);
    };
    if let Some(place) = place {
        place.wait(Step::default());
    }
    let mut done = 0;
    let of = (slot.block, slot.position, slot.target);
    let ended =
        guest::run_target(context, &**guest, campaign, of, (place, None), &mut |procs, event| {
            if let Event::Done(cases) = &event {
                done += cases;
            }
            report((procs, event))
        });
    match ended {
        Ok(lab::guest::GuestExit::Exit(_)) => Ok(RunEnd::Done),
        Ok(lab::guest::GuestExit::Stopped) => Ok(RunEnd::Stopped),
        Err(error) if error.downcast_ref::<LabError>().is_some() => {
            report((0, Event::Done(context.placed.cases().saturating_sub(done))))?;
            let (kind, reason) = (fault_kind(&error), with_causes(&error));
            report((0, Event::Failed(Fault { kind, reason })))?;
            Ok(RunEnd::Done)
        }
        Err(error) => Err(error),
    }
}

impl<'a> Schedule<'a> {
    /// Runs targets of this machine, or of guests, at every process count. Faults are stored in `self.faults`.
    pub(super) fn run_targets(&mut self, slots: &[Slot]) -> Result<RunEnd> {
        let sized = self.sized;
        if slots.iter().any(|slot| sized.entrants[slot.target].place.is_of(true)) {
            return self.run_in_guests(slots);
        }
        for &procs in &sized.counts {
            let slots: Vec<Slot> = slots.iter().map(|slot| Slot { procs, ..*slot }).collect();
            if self.run_targets_here(&slots)? == RunEnd::Stopped {
                return Ok(RunEnd::Stopped);
            }
            if self.faults.iter().flatten().any(|fault| fault.kind.ends_all()) {
                break;
            }
        }
        Ok(RunEnd::Done)
    }

    fn context<'c>(&self, cut: &'c AtomicBool) -> RunContext<'c>
    where
        'a: 'c,
    {
        let seeded = (self.sized.campaign().seed, self.sized.amount());
        self.sized.context((self.lab, self.hosts), seeded, cut)
    }

    fn step(&self, slots: &[Slot], what: &str) {
        let (block, again) = slots.first().map_or((0, false), |slot| (slot.block, slot.nth > 1));
        let blocks = pace::goal(&self.sized.plan, block);
        let labels: Vec<&str> =
            slots.iter().map(|slot| self.sized.entrants[slot.target].label.as_str()).collect();
        let (labels, again) = (labels.join(", "), if again { " · again" } else { "" });
        self.progress.step(&format!("block {}/{blocks} · {labels} · {what}{again}", block + 1));
    }

    /// Runs targets at one process count, each on a fresh instance of this machine.
    fn run_targets_here(&mut self, slots: &[Slot]) -> Result<RunEnd> {
        let sized = self.sized;
        let Some(first) = slots.first() else { return Ok(RunEnd::Done) };
        self.step(slots, &format!("{} proc", first.procs));
        let seed = sized.campaign().seed;
        let cut = Rc::clone(&self.cut);
        let context = self.context(&cut);
        let retakes = Rc::clone(&self.retakes);
        let target_run = |slot: &Slot| TargetRun {
            block: slot.block,
            position: slot.position,
            label: &sized.entrants[slot.target].label,
            target: &sized.entrants[slot.target].target,
            part: sized.part(seed, slot.block, slot.target),
            procs: slot.procs,
            last: sized.counts.last() == Some(&slot.procs),
            retakes: retakes[slot.target].as_ref(),
        };
        let target_runs: Vec<TargetRun<'_>> = slots.iter().map(target_run).collect();
        target_run::run(&context, &target_runs, &mut |number, event| {
            self.take(&slots[number], event)
        })
    }

    /// Runs targets at every process count, each in one boot of its guest.
    fn run_in_guests(&mut self, slots: &[Slot]) -> Result<RunEnd> {
        let (sized, seed) = (self.sized, self.sized.campaign().seed);
        let venue = |slot: &Slot| match &sized.entrants[slot.target].place {
            TargetPlace::Guest(guest) => Some(guest.venue().to_string()),
            _ => None,
        };
        let venues: BTreeSet<String> = slots.iter().filter_map(venue).collect();
        self.step(slots, &format!("booting {}", Vec::from_iter(venues).join(", ")));
        // A guest starts its workers itself.
        let cut = Rc::clone(&self.cut);
        let context = self.context(&cut);
        let campaign = self.sized.campaign().id.clone();
        let run = |member: usize, place: &relay::RelaySlot<'_>, report: &mut GuestEvents<'_>| {
            let place = (slots.len() > 1).then_some(place);
            run_in_guest(&context, &campaign, &slots[member], place, report)
        };
        let block = slots.first().map_or(0, |slot| slot.block);
        relay::side_by_side(slots.len(), (seed, block), run, &mut |member, (procs, event)| {
            self.take(&Slot { procs, ..slots[member] }, event)
        })
    }

    /// Shows and stores an event.
    fn take(&mut self, slot: &Slot, event: Event) -> Result<()> {
        match event {
            Event::Now(what) => self.progress.now(&what),
            Event::Done(cases) => self.progress.done(cases),
            Event::Sample(mut sample) => {
                sample.lab = self.sized.entrants[slot.target].place.kind();
                self.store.append(&self.sized.campaign().id, (slot.attempt, slot.nth), &sample)?;
                self.progress.measured(&sample);
            }
            Event::Recording { test, bytes } => {
                let target = self.sized.entrants[slot.target].label.clone();
                let key = RecordingKey { block: slot.block, target, test };
                if !self.store.keep_recording(&self.sized.campaign().id, &key, &bytes)? {
                    let (target, test) = (key.target, key.test);
                    self.progress.remark(&format!(
                        "{target}: no room in the store to keep the states of {test}"
                    ));
                }
            }
            Event::Facts(mut facts) => {
                let place = &self.sized.entrants[slot.target].place;
                let record = &mut self.records[slot.target];
                record.lab = place.kind();
                facts.0.extend(place.facts().0);
                upkeep::refresh(record, slot.block, &facts);
                self.store.set_target(&self.sized.campaign().id, record)?;
            }
            Event::Failed(Fault { kind, reason }) => {
                // A guest has disks of its own, so it cannot lose one of this machine.
                let is_guest =
                    matches!(self.sized.entrants[slot.target].place, TargetPlace::Guest(_));
                let is_theirs = is_guest && kind == FaultKind::Disk;
                let kind = if is_theirs { FaultKind::Guest } else { kind };
                let place = match slot.procs {
                    0 => format!("block {}", slot.block + 1),
                    procs => format!(
                        "block {}, {}",
                        slot.block + 1,
                        stats::description::processes(procs)
                    ),
                };
                let reason = format!("{place}: {reason}");
                // The first is the cause, or at least not an effect of another.
                self.faults[slot.target].get_or_insert(Fault { kind, reason });
            }
            Event::Cost(cost) => self.note_cost(slot, &cost)?,
        }
        Ok(())
    }

    fn note_cost(&mut self, slot: &Slot, cost: &Upkeep) -> Result<()> {
        let record = &mut self.records[slot.target];
        if let Some(damage) = upkeep::note(record, (slot.block, slot.procs), cost) {
            self.progress.remark(&format!(
                "{}: the file system check found damage: \
                                           {damage}",
                record.label
            ));
        }
        Ok(self.store.set_target(&self.sized.campaign().id, record)?)
    }
}

//! Targets in one block, at every process count: on this machine, or one in a guest. What happens is stored
//! as it comes.

use super::{Ended, Schedule, Seat};
use crate::{
    guest, pace,
    places::Place,
    relay::{self, Step},
    turn::{self, Event, Stage, Turn},
    upkeep,
};
use anyhow::Result;
use lab::{LabError, Upkeep};
use model::{Campaign, Fault, FaultKind};
use std::{collections::BTreeSet, rc::Rc};

/// Takes events of a guest as they come, with the process count of the turn.
type TellGuest<'t> = dyn FnMut((u32, Event)) -> Result<()> + 't;

/// The target of `seat` at every process count, in one boot of its guest. One that fails is told.
fn run_in_guest(
    stage: &Stage<'_>,
    campaign: &str,
    seat: &Seat,
    place: Option<&relay::Seat<'_>>,
    tell: &mut TellGuest<'_>,
) -> Result<Ended> {
    let Place::Guest(guest) = &stage.prepared.places[seat.target] else { return Ok(Ended::Done) };
    if let Some(place) = place {
        place.wait(Step::default());
    }
    let mut done = 0;
    let of = (seat.block, seat.position, seat.target);
    let ended = guest::turns(stage, &**guest, campaign, of, place, &mut |procs, event| {
        if let Event::Done(cases) = &event {
            done += cases;
        }
        tell((procs, event))
    });
    match ended {
        Ok(lab::guest::Ended::Exit(_)) => Ok(Ended::Done),
        Ok(lab::guest::Ended::Stopped) => Ok(Ended::Stopped),
        Err(error) if error.downcast_ref::<LabError>().is_some() => {
            tell((0, Event::Done(stage.prepared.cases().saturating_sub(done))))?;
            let (kind, reason) = (turn::fault_kind(&error), format!("{error:#}"));
            tell((0, Event::Failed(Fault { kind, reason })))?;
            Ok(Ended::Done)
        }
        Err(error) => Err(error),
    }
}

impl Schedule<'_> {
    /// Targets of this machine, or of guests, at every process count. What failed is left in `self.faults`.
    pub(super) fn run_targets(&mut self, seats: &[Seat]) -> Result<Ended> {
        let prepared = self.prepared;
        if seats.iter().any(|seat| prepared.places[seat.target].is_of(true)) {
            return self.run_in_guests(seats);
        }
        for &procs in &prepared.counts {
            let seats: Vec<Seat> = seats.iter().map(|seat| Seat { procs, ..*seat }).collect();
            if self.run_turns(&seats)? == Ended::Stopped {
                return Ok(Ended::Stopped);
            }
            if self.faults.iter().flatten().any(|fault| fault.kind == FaultKind::Disk) {
                break;
            }
        }
        Ok(Ended::Done)
    }

    fn step(&self, seats: &[Seat], what: &str) {
        let (block, again) = seats.first().map_or((0, false), |seat| (seat.block, seat.nth > 1));
        let blocks = pace::goal(&self.prepared.plan, block);
        let labels: Vec<&str> =
            seats.iter().map(|seat| self.prepared.labels[seat.target].as_str()).collect();
        let (labels, again) = (labels.join(", "), if again { " · again" } else { "" });
        self.progress.step(&format!("block {}/{blocks} · {labels} · {what}{again}", block + 1));
    }

    /// Targets at one process count, each on a fresh instance of this machine.
    fn run_turns(&mut self, seats: &[Seat]) -> Result<Ended> {
        let prepared = self.prepared;
        let Some(first) = seats.first() else { return Ok(Ended::Done) };
        self.step(seats, &format!("{} proc", first.procs));
        let Campaign { seed, scale, .. } = *self.campaign;
        let stage = Stage { prepared, lab: self.lab, seed, scale, stop: self.stop };
        let retakes = Rc::clone(&self.retakes);
        let turn = |seat: &Seat| Turn {
            block: seat.block,
            position: seat.position,
            label: &prepared.labels[seat.target],
            target: &prepared.entrants[seat.target],
            part: prepared.part(seed, seat.block, seat.target),
            procs: seat.procs,
            last: prepared.counts.last() == Some(&seat.procs),
            retakes: retakes[seat.target].as_ref(),
        };
        let turns: Vec<Turn<'_>> = seats.iter().map(turn).collect();
        turn::run(&stage, &turns, &mut |number, event| self.take(&seats[number], event))
    }

    /// Targets at every process count, each in one boot of its guest.
    fn run_in_guests(&mut self, seats: &[Seat]) -> Result<Ended> {
        let Campaign { seed, scale, .. } = *self.campaign;
        let (lab, stop, prepared) = (self.lab, self.stop, self.prepared);
        let venue = |seat: &Seat| match &prepared.places[seat.target] {
            Place::Guest(guest) => Some(guest.venue().to_string()),
            _ => None,
        };
        let venues: BTreeSet<String> = seats.iter().filter_map(venue).collect();
        self.step(seats, &format!("booting {}", Vec::from_iter(venues).join(", ")));
        let stage = Stage { prepared, lab, seed, scale, stop };
        let campaign = self.campaign.id.clone();
        let run = |member: usize, place: &relay::Seat<'_>, tell: &mut TellGuest<'_>| {
            let place = (seats.len() > 1).then_some(place);
            run_in_guest(&stage, &campaign, &seats[member], place, tell)
        };
        let block = seats.first().map_or(0, |seat| seat.block);
        relay::side_by_side(seats.len(), (seed, block), run, &mut |member, (procs, event)| {
            self.take(&Seat { procs, ..seats[member] }, event)
        })
    }

    /// Shows and stores what happened.
    fn take(&mut self, seat: &Seat, event: Event) -> Result<()> {
        match event {
            Event::Now(what) => self.progress.now(&what),
            Event::Done(cases) => self.progress.done(cases),
            Event::Sample(mut sample) => {
                sample.lab = self.prepared.places[seat.target].kind();
                self.store.append(&self.campaign.id, (seat.attempt, seat.nth), &sample)?;
            }
            Event::Facts(mut facts) => {
                let place = &self.prepared.places[seat.target];
                let record = &mut self.records[seat.target];
                record.lab = place.kind();
                facts.0.extend(place.facts().0);
                upkeep::refresh(record, seat.block, &facts);
                self.store.set_target(&self.campaign.id, record)?;
            }
            Event::Failed(Fault { kind, reason }) => {
                // A guest has disks of its own, and none of this machine's can be lost in it.
                let is_guest = matches!(self.prepared.places[seat.target], Place::Guest(_));
                let is_theirs = is_guest && kind == FaultKind::Disk;
                let kind = if is_theirs { FaultKind::Guest } else { kind };
                let place = match seat.procs {
                    0 => format!("block {}", seat.block + 1),
                    procs => format!("block {}, {}", seat.block + 1, stats::processes(procs)),
                };
                let reason = format!("{place}: {reason}");
                // The first is the cause, or at least not an effect of another.
                self.faults[seat.target].get_or_insert(Fault { kind, reason });
            }
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
}

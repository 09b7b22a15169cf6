//! Turns: a target at one process count in one block, made afresh, its tests run one after the other, and
//! undone. Of several, each test runs on all before the next one, side by side. What happens is told event by
//! event, so that a turn can run here or in a virtual machine.

use super::{
    case::{self, Bench, Place},
    condition::{self, Condition},
    ended::Ended,
    prepare::{self, Item, Prepared},
    processors,
    relay::{self, Relay, Runner, Seat},
    retake::Retakes,
};
use anyhow::{Context, Result};
use lab::{Instance, Lab, LabError, Upkeep};
use model::{Bytes, Environment, Fault, FaultKind, Job, Sample, Target};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use workers::Crew;

/// What every turn of a campaign needs.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    /// What to do.
    pub prepared: &'a Prepared,
    /// Where targets are made.
    pub lab: &'a Lab,
    /// Seed of the campaign.
    pub seed: u64,
    /// Factor on every size.
    pub scale: f64,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
}

/// One target at one process count in one block.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// Block number.
    pub block: u32,
    /// Position of the target in the block.
    pub position: u32,
    /// Label of the target.
    pub label: &'a str,
    /// The target.
    pub target: &'a Target,
    /// The part of split disks that it is made on, from 0.
    pub part: u32,
    /// Process count that is asked for.
    pub procs: u32,
    /// Whether it is the last of the target in the block: then its checker reads what all left.
    pub last: bool,
    /// How its cases fared before; `None` where each is measured once.
    pub retakes: Option<&'a Retakes>,
}

/// Something that happened in a turn.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// What is done now, for the user.
    Now(String),
    /// What the target is.
    Facts(Environment),
    /// A measurement.
    Sample(Box<Sample>),
    /// So many cases are over.
    Done(u64),
    /// The target cannot go on.
    Failed(Fault),
    /// What the target itself cost.
    Cost(Upkeep),
}

/// Takes events as they come.
type Tell<'t> = dyn FnMut(Event) -> Result<()> + 't;

/// Takes events as they come, with the number of the turn in which they happened.
pub type TellOf<'t> = dyn FnMut(usize, Event) -> Result<()> + 't;

/// Runs `turns`, which are at one process count: all their targets are made, then each test runs on all of
/// them, then all are undone. Where there are several, each has a thread of its own and they take turns on the
/// machine. A target that fails is told as an event, and the others go on; an error is about this machine, or
/// about what could not be undone.
pub fn run(stage: &Stage<'_>, turns: &[Turn<'_>], tell: &mut TellOf<'_>) -> Result<Ended> {
    let Some(first) = turns.first() else { return Ok(Ended::Done) };
    if let [turn] = turns {
        return run_one(stage, turn, &Relay::of(1, (0, 0)).seat(0), &mut |event| tell(0, event));
    }
    let run = |member: usize, seat: &Seat<'_>, tell: &mut Tell<'_>| {
        run_one(stage, &turns[member], seat, tell)
    };
    relay::side_by_side(turns.len(), (stage.seed, first.block), run, tell)
}

/// Makes the target of `turn`, runs its tests and undoes it, whatever happens, each when `seat` says so.
///
/// # Errors
/// As those of [`run`].
pub fn run_one(
    stage: &Stage<'_>,
    turn: &Turn<'_>,
    seat: &Seat<'_>,
    tell: &mut Tell<'_>,
) -> Result<Ended> {
    seat.at(turn.procs, 0).prepare();
    let mut standing = match Standing::make(stage, turn, tell)? {
        Made::Standing(one) => one,
        Made::Failed => return Ok(Ended::Done),
        Made::Stopped => return Ok(Ended::Stopped),
    };
    let ended = run_tests(stage, &mut standing, seat, tell);
    let done = matches!(ended, Ok(Ended::Done));
    if done {
        // Undoing one has the machine busy while others are measured.
        seat.at(turn.procs, u32::MAX).prepare();
    }
    let undone = standing.finish(done, tell);
    let ended = ended?;
    undone?;
    Ok(ended)
}

fn run_tests(
    stage: &Stage<'_>,
    standing: &mut Standing<'_>,
    seat: &Seat<'_>,
    tell: &mut Tell<'_>,
) -> Result<Ended> {
    for (item, number) in stage.prepared.items_at(standing.turn.procs).zip(1..) {
        if standing.run_test(item, seat.at(standing.turn.procs, number), tell)? == Ended::Stopped {
            return Ok(Ended::Stopped);
        }
    }
    Ok(Ended::Done)
}

/// A target that was made, with what its tests need.
struct Standing<'a> {
    stage: Stage<'a>,
    turn: Turn<'a>,
    /// Ends before the instance, on which its workers are.
    crew: Crew,
    instance: Instance<'a>,
    condition: Condition,
    memory: Bytes,
    /// Cases that are not over.
    left: u64,
}

/// What came of making a target.
enum Made<'a> {
    Standing(Box<Standing<'a>>),
    /// It was told.
    Failed,
    Stopped,
}

impl<'a> Standing<'a> {
    fn make(stage: &Stage<'a>, turn: &Turn<'a>, tell: &mut Tell<'_>) -> Result<Made<'a>> {
        let stopped = || stage.stop.load(Ordering::Relaxed);
        if stopped() {
            return Ok(Made::Stopped);
        }
        let (label, left) = (turn.label, stage.prepared.items_at(turn.procs).count() as u64);
        tell(Event::Now(format!("{label} · being made {}", stage.prepared.plan.condition())))?;
        let (condition, instance) = match make(stage, turn) {
            Ok(made) => made,
            // A signal also reaches mkfs and mount; that is no failure of the target.
            Err(_) if stopped() => return Ok(Made::Stopped),
            Err(error) => {
                tell(Event::Failed(fault(stage, error, "")))?;
                tell(Event::Done(left))?;
                return Ok(Made::Failed);
            }
        };
        let mut facts = instance.facts().clone();
        condition.describe(&mut facts);
        tell(Event::Facts(facts))?;
        let memory = prepare::memory()?;
        let timeout = Duration::from_secs(stage.prepared.plan.case_timeout_s);
        let crew =
            Crew::this_program(timeout).context("cannot find this program to start workers")?;
        let crew = crew.in_the_name_of(instance.user());
        let (stage, turn) = (*stage, *turn);
        Ok(Made::Standing(Box::new(Standing {
            stage,
            turn,
            instance,
            condition,
            crew,
            memory,
            left,
        })))
    }

    /// Runs one test, unless the target has failed.
    fn run_test(&mut self, item: &Item, runner: Runner<'_>, tell: &mut Tell<'_>) -> Result<Ended> {
        if self.left == 0 {
            return Ok(Ended::Done);
        }
        let (stage, turn, instance) = (&self.stage, &self.turn, &self.instance);
        let info = &item.test.infos()[0];
        tell(Event::Now(format!("{} · {} proc · {}", turn.label, turn.procs, info.name)))?;
        let mut jobs = jobs(stage, item, turn.procs, instance.root(), self.memory);
        processors::assign(item.test, &mut jobs, turn.block);
        let Turn { block, position, label, .. } = *turn;
        let place = Place { block, position, label, suite: item.suite };
        let least_s = stage.prepared.plan.preset.least_s();
        let bench = Bench { instance, crew: &self.crew, runner, least_s, stop: stage.stop };
        let mut once = |bench: &Bench<'_>| case::run(item.test, &mut jobs, bench, &place);
        let samples = match turn.retakes {
            Some(retakes) => retakes.run(bench, &mut once),
            None => once(&bench),
        };
        let mut samples = match samples {
            Ok(Some(samples)) => samples,
            Ok(None) => return Ok(Ended::Stopped),
            Err(_) if stage.stop.load(Ordering::Relaxed) => return Ok(Ended::Stopped),
            Err(error) => {
                let why = instance.loss().map_or(error, Into::into);
                return self.fail(why, &info.id, tell);
            }
        };
        self.condition.mark(&mut samples);
        samples.into_iter().try_for_each(|sample| tell(Event::Sample(Box::new(sample))))?;
        tell(Event::Done(1))?;
        self.left -= 1;
        // Workers that failed make samples invalid; when the target went away under them, it has failed.
        match self.instance.check() {
            Ok(()) => Ok(Ended::Done),
            Err(error) => self.fail(error.into(), &info.id, tell),
        }
    }

    /// Tells that the target failed by `error`, during the test `at`, and cannot go on.
    fn fail(&mut self, error: anyhow::Error, at: &str, tell: &mut Tell<'_>) -> Result<Ended> {
        tell(Event::Failed(fault(&self.stage, error, at)))?;
        tell(Event::Done(self.left))?;
        self.left = 0;
        Ok(Ended::Done)
    }

    /// Undoes it. When all its tests were run, `done`, its checker reads what they left.
    fn finish(self, done: bool, tell: &mut Tell<'_>) -> Result<()> {
        let label = self.turn.label;
        drop(self.crew);
        let undone = self.instance.finish(self.turn.last && done);
        let cost = undone.with_context(|| format!("cannot undo {label}; run `assay cleanup`"))?;
        cost.map_or(Ok(()), |cost| tell(Event::Cost(cost)))
    }
}

fn make<'a>(stage: &Stage<'a>, turn: &Turn<'_>) -> Result<(Condition, Instance<'a>)> {
    let instance = stage.lab.provision_on(turn.part, turn.target, turn.label)?;
    let seed = (stage.seed, turn.block);
    let condition = condition::bring_about(&stage.prepared.plan, seed, &instance, stage.stop)?;
    Ok((condition, instance))
}

/// The failure of a target by `error`, during the test `at`. A lost disk is the cause of all else.
fn fault(stage: &Stage<'_>, error: anyhow::Error, at: &str) -> Fault {
    let error = stage.lab.check_disks().err().map_or(error, Into::into);
    let colon = if at.is_empty() { "" } else { ": " };
    Fault { kind: fault_kind(&error), reason: format!("{at}{colon}{error:#}") }
}

/// What kind of failure of a target `error` is.
pub fn fault_kind(error: &anyhow::Error) -> FaultKind {
    let lab = error.chain().find_map(|cause| cause.downcast_ref::<LabError>());
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    match (lab, io) {
        (Some(error), _) => error.fault(),
        (None, Some(error)) => lab::io_fault(error),
        (None, None) => FaultKind::Other,
    }
}

fn jobs(stage: &Stage<'_>, item: &Item, count: u32, root: &Path, memory: Bytes) -> Vec<Job> {
    // What programs of others have touched is not worked on by this one.
    let dir = if item.test.runs_programs() { "p" } else { "w" };
    let job = |worker: u32| Job {
        worker,
        dir: root.join(format!("{dir}{worker}")),
        seed: stage.seed,
        declaration: item.test.declaration(),
        ..stage.prepared.job(item, count, stage.scale, memory)
    };
    (0..item.workers(count).0).map(job).collect()
}

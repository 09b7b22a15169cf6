//! One target at one process count in one block: made afresh, its tests run one after the other, and
//! undone. What happens is told event by event, so that a turn can run here or in a virtual machine.

use super::{
    case::{self, Bench, Place},
    condition::{self, Condition},
    prepare::{self, Item, Prepared},
    schedule::Ended,
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
pub type Tell<'t> = dyn FnMut(Event) -> Result<()> + 't;

/// Runs `turn`. A target that fails is told as an event; an error is about this machine, or about what
/// could not be undone.
pub fn run(stage: &Stage<'_>, turn: &Turn<'_>, tell: &mut Tell<'_>) -> Result<Ended> {
    let stopped = || stage.stop.load(Ordering::Relaxed);
    if stopped() {
        return Ok(Ended::Stopped);
    }
    let label = turn.label;
    tell(Event::Now(format!("{label} · being made {}", stage.prepared.plan.condition())))?;
    let (condition, instance) = match make(stage, turn) {
        Ok(made) => made,
        // A signal also reaches mkfs and mount; that is no failure of the target.
        Err(_) if stopped() => return Ok(Ended::Stopped),
        Err(error) => {
            tell(Event::Failed(fault(stage, error, "")))?;
            tell(Event::Done(stage.prepared.items_at(turn.procs).count() as u64))?;
            return Ok(Ended::Done);
        }
    };
    let mut facts = instance.facts().clone();
    condition.describe(&mut facts);
    tell(Event::Facts(facts))?;
    let ended = run_tests(stage, turn, &instance, &condition, tell);
    let undone = instance.finish(turn.last && matches!(ended, Ok(Ended::Done)));
    let ended = ended?;
    let cost = undone.with_context(|| format!("cannot undo {label}; run `assay cleanup`"))?;
    cost.map_or(Ok(()), |cost| tell(Event::Cost(cost)))?;
    Ok(ended)
}

fn make<'a>(stage: &Stage<'a>, turn: &Turn<'_>) -> Result<(Condition, Instance<'a>)> {
    let instance = stage.lab.provision_on(turn.part, turn.target, turn.label)?;
    let seed = (stage.seed, turn.block);
    let condition = condition::bring_about(&stage.prepared.plan, seed, &instance, stage.stop)?;
    Ok((condition, instance))
}

fn run_tests(
    stage: &Stage<'_>,
    turn: &Turn<'_>,
    instance: &Instance<'_>,
    condition: &Condition,
    tell: &mut Tell<'_>,
) -> Result<Ended> {
    let memory = prepare::memory()?;
    let timeout = Duration::from_secs(stage.prepared.plan.case_timeout_s);
    let crew = Crew::this_program(timeout).context("cannot find this program to start workers")?;
    let crew = crew.in_the_name_of(instance.user());
    let items: Vec<&Item> = stage.prepared.items_at(turn.procs).collect();
    for (done, item) in items.iter().enumerate() {
        let info = &item.test.infos()[0];
        tell(Event::Now(format!("{} · {} proc · {}", turn.label, turn.procs, info.name)))?;
        let mut jobs = jobs(stage, item, turn.procs, instance.root(), memory);
        let Turn { block, position, label, .. } = *turn;
        let place = Place { block, position, label, suite: item.suite };
        let bench = Bench { instance, crew: &crew, stop: stage.stop };
        let mut samples = match case::run(item.test, &mut jobs, &bench, &place) {
            Ok(Some(samples)) => samples,
            Ok(None) => return Ok(Ended::Stopped),
            Err(_) if stage.stop.load(Ordering::Relaxed) => return Ok(Ended::Stopped),
            Err(error) => {
                let why = instance.loss().map_or(error, Into::into);
                tell(Event::Failed(fault(stage, why, &info.id)))?;
                tell(Event::Done((items.len() - done) as u64))?;
                return Ok(Ended::Done);
            }
        };
        condition.mark(&mut samples);
        samples.into_iter().try_for_each(|sample| tell(Event::Sample(Box::new(sample))))?;
        tell(Event::Done(1))?;
        // Workers that failed make samples invalid; when the target went away under them, it has failed.
        if let Err(error) = instance.check() {
            tell(Event::Failed(fault(stage, error.into(), &info.id)))?;
            tell(Event::Done((items.len() - done - 1) as u64))?;
            return Ok(Ended::Done);
        }
    }
    Ok(Ended::Done)
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

//! Gives target runs what they need, and names what they report.

use super::{hosts::Hosts, retake::Retakes};
use crate::{
    messages::with_causes,
    stages::{Amount, Item, Ordered, Placed},
};
use anyhow::Result;
use fs::ResolvedTarget;
use lab::{error::LabError, instance::Upkeep, setup::Lab};
use model::{
    result::{Environment, Fault, FaultKind, Sample},
    text::Bytes,
    workload::Job,
};
use serde::{Deserialize, Serialize};
use std::{io, path::Path, sync::atomic::AtomicBool};
use workers::PoolError;

/// What every target run of a campaign needs; an [`Ordered`](crate::stages::Ordered) campaign gives it.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// What to do.
    pub(crate) placed: &'a Placed,
    /// Where targets are made.
    pub(crate) lab: &'a Lab,
    /// Seed of the campaign.
    pub(crate) seed: u64,
    /// How much each test does.
    pub(crate) amount: &'a Amount,
    /// Where workers come from.
    pub(crate) hosts: &'a dyn Hosts,
    /// Becomes true when a signal asks to stop.
    pub(crate) stop: &'a AtomicBool,
}

impl Ordered {
    /// What its target runs need.
    pub fn context<'a>(
        &'a self,
        (lab, hosts): (&'a Lab, &'a dyn Hosts),
        (seed, amount): (u64, &'a Amount),
        stop: &'a AtomicBool,
    ) -> RunContext<'a> {
        RunContext { placed: &self.placed, lab, seed, amount, hosts, stop }
    }
}

/// One target at one process count in one block.
#[derive(Clone, Copy)]
pub struct TargetRun<'a> {
    /// Block number.
    pub block: u32,
    /// Position of the target in the block.
    pub position: u32,
    /// Label of the target.
    pub label: &'a str,
    /// The target.
    pub target: &'a ResolvedTarget,
    /// The part of split disks that it is made on, from 0.
    pub part: u32,
    /// Process count that is asked for.
    pub procs: u32,
    /// Whether it is the last of the target in the block: then its checker reads what all left.
    pub last: bool,
    /// How its cases fared before; `None` where each is measured once.
    pub retakes: Option<&'a Retakes>,
}

/// Something that happened in a target run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// What is done now, for the user.
    Now(String),
    /// What the target is.
    Facts(Environment),
    /// A measurement.
    Sample(Box<Sample>),
    /// What the states with harm that this test found can be made again from.
    Recording {
        /// Stable test id; behind a blank the directory of the workload, where it has several.
        test: String,
        /// Packed.
        bytes: Vec<u8>,
    },
    /// Number of cases that are over.
    Done(u64),
    /// The target cannot continue.
    Failed(Fault),
    /// What the target itself cost.
    Cost(Upkeep),
}

/// Takes events as they come.
pub(super) type Events<'t> = dyn FnMut(Event) -> Result<()> + 't;

/// Takes events as they come, with the number of the target run in which they happened.
pub type EventsOf<'t> = dyn FnMut(usize, Event) -> Result<()> + 't;

/// The failure of a target by `error`, during the test `at`. A lost disk is the cause of all else.
pub(super) fn failure(context: &RunContext<'_>, error: anyhow::Error, at: &str) -> Fault {
    let error = context.lab.check_disks().err().map_or(error, Into::into);
    let colon = if at.is_empty() { "" } else { ": " };
    Fault { kind: fault_kind(&error), reason: format!("{at}{colon}{}", with_causes(&error)) }
}

/// What kind of failure of a target `error` is.
pub fn fault_kind(error: &anyhow::Error) -> FaultKind {
    let lab = error.chain().find_map(|cause| cause.downcast_ref::<LabError>());
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    let pool = error.chain().find_map(|cause| cause.downcast_ref::<PoolError>());
    match (lab, io) {
        _ if matches!(pool, Some(PoolError::Lost { .. })) => FaultKind::Host,
        (Some(error), _) => error.fault(),
        (None, Some(error)) => lab::error::io_fault(error),
        (None, None) => FaultKind::Other,
    }
}

pub(super) fn jobs(
    context: &RunContext<'_>,
    item: &Item,
    count: u32,
    root: &Path,
    memory: Bytes,
) -> Vec<Job> {
    // What programs of others have touched is not worked on by this one.
    let dir = if item.test.runs_programs() { "p" } else { "w" };
    let workers = item.workers(count).0;
    let shift = context.placed.plan.shift;
    let owners = shift.then(|| context.hosts.owners(workers)).flatten();
    let job = |worker: u32| Job {
        worker,
        owners: owners.as_ref().and_then(|owners| owners.get(worker as usize).copied()),
        dir: root.join(format!("{dir}{worker}")),
        seed: context.seed,
        declaration: item.test.declaration(),
        ..context.placed.job(item, count, context.amount, memory)
    };
    (0..workers).map(job).collect()
}

//! Runs a case that cuts the power: the target is made again on a recording disk, and what is left of a workload is
//! held against its contract.

use super::case::{self, Position};
use crate::faults::{Crash, FaultsError, Ground};
use ::faults::{contract::Contract, workload::named};
use anyhow::Result;
use fs::ResolvedTarget;
use lab::setup::Lab;
use model::{
    figure::{Better, Metric},
    result::{AfterFault, FaultOnDisk, Sample},
    workload::Job,
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use suites::{CrashWork, Test};

/// Each write takes this much longer while the workload runs: a disk as fast as memory hides orders of events that a
/// real one shows.
const SLOW_WRITES: Duration = Duration::from_micros(500);
/// What the disk writes whole or not at all, bytes.
const ATOMIC_BYTES: u64 = 512;

/// What is cut off, and where.
pub(super) struct CrashCase<'a> {
    pub(super) test: &'a dyn Test,
    pub(super) work: &'a CrashWork,
    pub(super) job: &'a Job,
    pub(super) lab: &'a Lab,
    pub(super) target: &'a ResolvedTarget,
    pub(super) stop: &'a AtomicBool,
}

/// Tries the states of `case`; `None` when it was stopped. A target that cannot be tried has an invalid sample.
///
/// # Errors
/// The lab or the file system failed before any fault.
pub(super) fn run(case: &CrashCase<'_>, place: &Position<'_>) -> Result<Option<Vec<Sample>>> {
    let CrashCase { test, work, job, .. } = *case;
    let id = &test.infos()[0].id;
    let start = Instant::now();
    let after = match tried(case, place) {
        Ok(after) => after,
        Err(error) => match error.downcast_ref() {
            Some(FaultsError::Target { .. }) => {
                return Ok(Some(vec![case::invalid(id, test, job, place, &error.to_string())]));
            }
            _ => return Err(error),
        },
    };
    if case.stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let mut sample = match &after.recovery {
        Some(recovery) => {
            let ms = recovery.median_ns as f64 / 1e6;
            let case = place.case(id, test, job, model::workload::CacheState::Any);
            let metric = Metric::new(&test.infos()[0].metric, ms, "ms", Better::Lower);
            Sample::bare(place.block, place.position, case, vec![metric])
        }
        None => {
            let why = format!("none of {} states of {} was mounted", after.tried, work.contract);
            case::invalid(id, test, job, place, &why)
        }
    };
    sample = sample.timed(0, after.tried, start.elapsed().as_secs_f64());
    sample.evidence.after_fault = Some(Box::new(after));
    Ok(Some(vec![sample]))
}

fn tried(case: &CrashCase<'_>, place: &Position<'_>) -> Result<AfterFault> {
    let CrashWork { contract, rounds, states, check_every } = case.work;
    let unknown = || anyhow::anyhow!("there is no contract `{contract}`");
    let workload = named(contract, *rounds).ok_or_else(unknown)?;
    let contract = Contract::new(workload)?;
    let asked = Crash {
        contract: &contract,
        seed: case.job.seed.wrapping_add(place.block.into()),
        states: usize::try_from(*states)?,
        atomic_bytes: ATOMIC_BYTES,
        slow_writes: SLOW_WRITES,
        fault: FaultOnDisk::Crash,
        check_every: *check_every,
    };
    Ok(Ground::make(case.lab, case.target)?.crash(&asked, case.stop)?)
}

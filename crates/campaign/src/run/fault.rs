//! Runs a case that injects a fault: the target is created again on a recording disk, and what is left after the fault
//! is kept as evidence.

mod full;
mod mirror;
mod scrubs;
mod snapshots;

use super::case::{self, CaseSlot};
use crate::faults::{self, Asked, Damage, FaultsError, Read, RecordedTarget, SeenBit, Tried, Work};
use ::faults::{contract::Contract, recording::Recording, sequences};
use anyhow::Result;
use fs::ResolvedTarget;
use lab::setup::Lab;
use model::{
    figure::{Better, Metric},
    result::{AfterFault, FailedWrites, FaultOnDisk, FileHistory, Reason, Sample, TurnedBits},
    workload::{CacheState, Job},
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use suites::{CrashWork, CutOff, FailedWriteWork, FaultWork, Test, TurnedBitWork};

/// Each write takes this much longer while the workload runs: a disk as fast as memory hides orders of events that a
/// real one shows.
const SLOW_WRITES: Duration = Duration::from_micros(500);

/// What is done, and where.
pub(super) struct FaultCase<'a> {
    pub(super) test: &'a dyn Test,
    pub(super) work: &'a FaultWork,
    pub(super) job: &'a Job,
    pub(super) lab: &'a Lab,
    pub(super) target: &'a ResolvedTarget,
    pub(super) stop: &'a AtomicBool,
}

/// Its result.
pub(super) struct Ran {
    pub(super) samples: Vec<Sample>,
    /// What its states with harm can be made again from, packed, each with the test and, of several workloads, the
    /// directory of one.
    pub(super) recordings: Vec<(String, Vec<u8>)>,
}

/// What was found, in how many tries.
struct Left {
    after: AfterFault,
    tries: u64,
    /// The time that ranks, if there is one.
    ms: Option<f64>,
    /// What states with harm can be made again from, each with the directory of its workload.
    recordings: Vec<(String, Recording)>,
    /// Workloads with an operation that the file system does not have.
    not_supported: u64,
    /// Figures besides that time.
    metrics: Vec<Metric>,
}

impl Left {
    /// The outcome without a recording.
    fn new(after: AfterFault, tries: u64, ms: Option<f64>) -> Left {
        let (recordings, metrics) = (Vec::new(), Vec::new());
        Left { after, tries, ms, recordings, not_supported: 0, metrics }
    }
}

/// Tries the faults of `case`; `None` when it was stopped. A target that cannot be tried, and one of which nothing was
/// seen, has an invalid sample.
///
/// # Errors
/// The lab or the file system failed before any fault.
pub(super) fn run(case: &FaultCase<'_>, slot: &CaseSlot<'_>) -> Result<Option<Ran>> {
    let FaultCase { test, job, .. } = *case;
    let id = &test.infos()[0].id;
    let start = Instant::now();
    let left = match tried(case, slot) {
        Ok(left) => left,
        Err(error) => {
            let Some(why) = error.downcast_ref().and_then(untried) else { return Err(error) };
            let samples = vec![case::invalid(id, test, job, slot, &why)];
            return Ok(Some(Ran { samples, recordings: Vec::new() }));
        }
    };
    if case.stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let mut sample = sample(case, slot, &left);
    sample = sample.timed(0, left.tries, start.elapsed().as_secs_f64());
    sample.evidence.after_fault = Some(Box::new(left.after));
    let pack = |(of, recording): &(String, _)| {
        let name = if of.is_empty() { id.clone() } else { format!("{id} {of}") };
        Some((name, faults::pack(recording)?))
    };
    let recordings = left.recordings.iter().filter_map(pack).collect();
    Ok(Some(Ran { samples: vec![sample], recordings }))
}

/// Why nothing was seen of the target, where that is no failure.
fn untried(error: &FaultsError) -> Option<Reason> {
    match error {
        FaultsError::NoMirror { why, .. } => {
            Some(Reason::NotSupported { what: format!("a fault of one leg ({why})") })
        }
        FaultsError::NoSnapshots { why, .. } => {
            Some(Reason::NotSupported { what: format!("a snapshot ({why})") })
        }
        FaultsError::Target { .. } | FaultsError::FaultNotTriggered { .. } => {
            Some(Reason::said(error.to_string()))
        }
        _ => None,
    }
}

fn sample(case: &FaultCase<'_>, slot: &CaseSlot<'_>, left: &Left) -> Sample {
    let FaultCase { test, job, .. } = *case;
    let info = &test.infos()[0];
    let Some(ms) = left.ms else {
        let why = format!("none of {} states was mounted", left.tries);
        return case::invalid(&info.id, test, job, slot, &Reason::said(why));
    };
    let mut metrics = vec![Metric::new(&info.metric, ms, "ms", Better::Lower)];
    if left.not_supported > 0 {
        let count = left.not_supported as f64;
        metrics.push(Metric::new("not_supported", count, "1", Better::Lower));
    }
    metrics.extend(left.metrics.iter().cloned());
    let case = slot.case(&info.id, test, job, CacheState::Any);
    Sample::bare(slot.block, slot.position, case, metrics)
}

fn tried(case: &FaultCase<'_>, slot: &CaseSlot<'_>) -> Result<Left> {
    match case.work {
        FaultWork::Crash(work) => {
            let Tried { after, recordings, not_supported } = crash(case, work, slot)?;
            let ms = after.recovery.as_ref().map(|recovery| recovery.median_ns as f64 / 1e6);
            let tries = after.tried;
            let after = AfterFault::Crash(after);
            Ok(Left { recordings, not_supported, ..Left::new(after, tries, ms) })
        }
        FaultWork::FailedWrite(work) => {
            let start = Instant::now();
            let writes = failed_writes(case, *work)?;
            let (tries, ms) = (writes.tries(), of_each(start, writes.tries()));
            Ok(Left::new(AfterFault::FailedWrite(writes), tries, ms))
        }
        FaultWork::TurnedBit(work) => {
            let start = Instant::now();
            let bits = turned_bits(case, *work, seed(case, slot))?;
            let (tries, ms) = (bits.tries, of_each(start, bits.tries));
            Ok(Left::new(AfterFault::TurnedBit(bits), tries, ms))
        }
        FaultWork::Full(work) => full::filled(case, *work, seed(case, slot)),
        FaultWork::Mirror(work) => {
            let start = Instant::now();
            let mirrors = mirror::tried(case, *work, seed(case, slot))?;
            let (tries, ms) = (mirrors.tries, of_each(start, mirrors.tries));
            Ok(Left::new(AfterFault::Mirror(mirrors), tries, ms))
        }
        FaultWork::Snapshots(work) => snapshots::tried(case, *work, seed(case, slot)),
    }
}

/// Time of each of `tries` since `start`, milliseconds. Where none is needed to know that the target has no such thing,
/// it is that of finding out.
fn of_each(start: Instant, tries: u64) -> Option<f64> {
    Some(start.elapsed().as_secs_f64() * 1e3 / tries.max(1) as f64)
}

fn seed(case: &FaultCase<'_>, slot: &CaseSlot<'_>) -> u64 {
    case.job.seed.wrapping_add(slot.block.into())
}

/// The numbers of `tries`, each with its seed, until the case is stopped.
fn seeds<'a>(
    case: &'a FaultCase<'_>,
    tries: u64,
    seed: u64,
) -> impl Iterator<Item = (u64, u64)> + 'a {
    // Blocks count up by one: tries of two blocks have nothing in common.
    let one = move |number| (number, seed.wrapping_mul(1_000_003).wrapping_add(number));
    (0..tries).map(one).take_while(|_| !case.stop.load(Ordering::Relaxed))
}

fn crash(case: &FaultCase<'_>, work: &CrashWork, slot: &CaseSlot<'_>) -> Result<Tried> {
    let CrashWork { contract, states, check_every, atomic_bytes, .. } = work;
    let asked = Asked {
        seed: seed(case, slot),
        states: usize::try_from(*states)?,
        atomic_bytes: *atomic_bytes,
        slow_writes: SLOW_WRITES,
        fault: FaultOnDisk::Crash,
        check_every: *check_every,
    };
    let mut recorded = RecordedTarget::make(case.lab, case.target)?;
    if let Some(workloads) = sequences::set(contract) {
        return Ok(recorded.crash_all(contract, workloads, &asked, case.stop)?);
    }
    let contract;
    let cut_off = case.test.cut_off(case.job, asked.seed)?;
    let work = match &cut_off {
        CutOff::Application(application) => Work::Application(application),
        CutOff::Workload(workload) => {
            contract = Contract::new(workload.clone())?;
            Work::Contract(&contract)
        }
    };
    let crashed = recorded.crash(work, &asked, case.stop)?;
    let recordings = crashed.recording.into_iter().map(|own| (String::new(), own));
    Ok(Tried { after: crashed.after, recordings: recordings.collect(), not_supported: 0 })
}

/// Tries both histories of the file: the same fault can have another answer.
fn failed_writes(case: &FaultCase<'_>, work: FailedWriteWork) -> Result<FailedWrites> {
    let FailedWriteWork { change, failing, tries } = work;
    let mut recorded = RecordedTarget::make_with(case.lab, case.target, 0)?;
    let mut writes = FailedWrites { change, failing, seen: Vec::new() };
    for history in FileHistory::ALL {
        for _ in 0..tries {
            if case.stop.load(Ordering::Relaxed) {
                return Ok(writes);
            }
            match recorded.fail_write(change, failing, history)? {
                Some(one) => writes.note(one),
                None => return Ok(writes),
            }
        }
    }
    Ok(writes)
}

fn turned_bits(case: &FaultCase<'_>, work: TurnedBitWork, seed: u64) -> Result<TurnedBits> {
    let TurnedBitWork { fault, place, tries } = work;
    let mut recorded = RecordedTarget::make_with(case.lab, case.target, 0)?;
    let mut bits = TurnedBits::new(fault, place, seed);
    let mut found = Vec::new();
    for (copy, seed) in seeds(case, tries, seed) {
        let Some(seen) = recorded.damage(Damage { fault, place, seed, copy })? else { break };
        note(&mut bits, &seen);
        found.extend(seen.scrubbed);
    }
    bits.scrub = scrubs::added(&found);
    Ok(bits)
}

/// Counts what one try saw.
fn note(bits: &mut TurnedBits, seen: &SeenBit) {
    bits.tries += 1;
    match seen.read {
        Read::Right if seen.is_repaired => bits.repaired += 1,
        Read::Right => bits.right += 1,
        Read::Wrong => bits.wrong += 1,
        Read::Failed(errno) => bits.note_error(errno, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::{DamagedPlace, SilentFault};

    #[test]
    fn each_try_is_counted_once() {
        let mut bits = TurnedBits::new(SilentFault::TurnedBit, DamagedPlace::Data, 1);
        let seen = |read, is_repaired| SeenBit { read, is_repaired, scrubbed: None };
        for one in [
            seen(Read::Right, true),
            seen(Read::Right, false),
            seen(Read::Wrong, false),
            seen(Read::Wrong, true),
            seen(Read::Failed(5), true),
        ] {
            note(&mut bits, &one);
        }
        assert_eq!((bits.tries, bits.right, bits.repaired, bits.wrong), (5, 1, 1, 2));
        assert_eq!(bits.failed(), 1);
    }
}

//! Tries several workloads, e.g. all short sequences, one after the other on one file system, and reports them as one.

use super::{Asked, Crashed, FaultsError, RecordedTarget, Work};
use ::faults::{contract::Contract, recording::Recording, workload::Workload};
use model::result::{CrashStates, Spread};
use std::{
    io,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// Recordings that are kept of the workloads with harm.
const KEPT_MAX: usize = 8;

/// What became of the workloads.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What was found in all of them.
    pub after: CrashStates,
    /// What states with harm can be made again from, each with the directory of its workload; without one where there
    /// is one workload.
    pub recordings: Vec<(String, Recording)>,
    /// Workloads with an operation that the file system does not have.
    pub not_supported: u64,
}

impl RecordedTarget<'_> {
    /// Performs each of `workloads`, which together are called `name`, and adds up what is found.
    ///
    /// # Errors
    /// As those of [`RecordedTarget::crash`]; none of them can be performed.
    pub fn crash_all(
        &mut self,
        name: &str,
        workloads: Vec<Workload>,
        asked: &Asked,
        stop: &AtomicBool,
    ) -> Result<Tried, FaultsError> {
        let mut sum: Option<Tried> = None;
        let mut spreads = Vec::new();
        let mut not_supported = 0;
        for workload in workloads {
            if stop.load(Relaxed) && sum.is_some() {
                break;
            }
            let contract = Contract::new(workload)?;
            let crashed = match self.crash(Work::Contract(&contract), asked, stop) {
                Err(FaultsError::Operation { error, .. })
                    if error.kind() == io::ErrorKind::Unsupported =>
                {
                    not_supported += 1;
                    continue;
                }
                crashed => crashed?,
            };
            spreads.extend(crashed.after.recovery);
            let crashed = named(crashed, &contract.workload().name);
            let tried = sum.get_or_insert_with(|| Tried {
                after: CrashStates::none(asked.fault, name, asked.seed),
                recordings: Vec::new(),
                not_supported: 0,
            });
            add(&mut tried.after, &crashed.after);
            let recording = crashed.recording.map(|own| (own.work.clone(), own));
            let room = KEPT_MAX.saturating_sub(tried.recordings.len());
            tried.recordings.extend(recording.into_iter().take(room));
        }
        let mut tried =
            sum.ok_or_else(|| FaultsError::Prepare(io::Error::from(io::ErrorKind::Unsupported)))?;
        tried.not_supported = not_supported;
        tried.after.is_complete &= not_supported == 0;
        tried.after.recovery = Spread::of_blocks(&spreads);
        Ok(tried)
    }
}

/// With the directory and the name of its workload before what is wrong in each example.
fn named(mut crashed: Crashed, name: &str) -> Crashed {
    if let Some(recording) = &crashed.recording {
        for found in crashed.after.found.values_mut() {
            found.detail = format!("{} ({name}): {}", recording.work, found.detail);
        }
    }
    crashed
}

/// Adds what was found in `more`. The example of a kind of harm is the first one.
fn add(sum: &mut CrashStates, more: &CrashStates) {
    sum.tried += more.tried;
    sum.harmed += more.harmed;
    sum.checked += more.checked;
    sum.is_complete &= more.is_complete;
    for (harm, found) in &more.found {
        match sum.found.get_mut(harm) {
            Some(own) => own.states += found.states,
            None => drop(sum.found.insert(*harm, found.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::{FaultOnDisk, Harm};

    #[test]
    fn what_is_found_adds_up_and_the_first_example_stays() {
        let none = || CrashStates::none(FaultOnDisk::Crash, "x", 1);
        let one = |tried, example, harms: &[Harm]| {
            let like = CrashStates { tried, ..none() };
            harms.iter().fold(like, |mut after, harm| {
                after.harmed += 1;
                after.note(*harm, example, || format!("at {example}"));
                after
            })
        };
        let mut sum = none();
        add(&mut sum, &one(5, 1, &[]));
        add(&mut sum, &one(7, 2, &[Harm::Lost]));
        add(&mut sum, &CrashStates { is_complete: false, ..one(9, 3, &[Harm::Lost, Harm::Old]) });
        assert_eq!((sum.tried, sum.harmed, sum.is_complete), (21, 3, false));
        assert_eq!((sum.count(Harm::Lost), sum.found[&Harm::Lost].example), (2, 2));
        assert_eq!(sum.found[&Harm::Old].detail, "at 3");
    }
}

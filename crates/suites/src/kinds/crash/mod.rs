//! The kind `crash`: a workload with a contract runs on a recording disk, and is checked in the states that a power
//! failure may leave on a disk with a volatile cache. The lab runs it; a declaration names the workload and the number
//! of states.

use super::{Kind, settings};
use crate::{
    CrashWork, CutOff, FaultWork, TestError,
    lab_test::{LabTest, lab_test},
    states,
};
use faults::{
    sequences::{self, SETS},
    workload::{CONTRACTS, named},
};
use model::target::Knob;
use serde::Deserialize;

pub(super) static KIND: Kind = Kind {
    name: "crash",
    about: "a workload cut off by a power failure; every state that its disk may be left in is \
            mounted and held against what was acknowledged.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(lab_test(
            head,
            LabTest {
                kind: &KIND,
                name: settings.name(),
                testtype: "crash",
                metric: states::METRIC,
                work: FaultWork::Crash(settings.work()),
                fixed_s: settings.fixed_s(),
                does: settings.does(),
                read_it: READ_IT,
                programs: &[],
                assets: Vec::new(),
                cut_off: Some(Box::new(move |_, _| settings.cut_off())),
            },
        ))
    },
};

static KNOBS: [Knob; 5] = [
    Knob::new("contract", "", "append", "the workload, and what must hold after it").one_of(&NAMES),
    Knob::new(
        "states",
        "",
        "400",
        "distinct states to try in each block (of short sequences: of each), from 1 to 100000, \
         whatever the scale",
    ),
    states::CHECK_EVERY,
    states::ATOMIC_BYTES,
    Knob::new("rounds", "", "40", "repetitions of the workload's pattern, from 1 to 1000"),
];

/// The names of the contracts, and of the sets of short sequences.
static NAMES: [&str; CONTRACTS.len() + SETS.len()] = {
    let mut names = [""; CONTRACTS.len() + SETS.len()];
    let mut nth = 0;
    while nth < names.len() {
        let own = if nth < CONTRACTS.len() { CONTRACTS[nth] } else { SETS[nth - CONTRACTS.len()] };
        names[nth] = own.0;
        nth += 1;
    }
    names
};

/// Seconds for a state, with mount and unmount, on a slow machine.
const STATE_S: f64 = 0.02;
/// Seconds to perform a short sequence, besides its states.
const SEQUENCE_S: f64 = 0.1;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    contract: String,
    states: u64,
    check_every: u64,
    atomic_bytes: u64,
    rounds: u64,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        if !NAMES.contains(&self.contract.as_str()) {
            let known = NAMES.join(", ");
            return Err(format!("unknown contract `{}`; expected one of {known}", self.contract));
        }
        states::check_states(self.states)?;
        states::check_atomic(self.atomic_bytes)?;
        states::check_rounds(self.rounds)
    }

    fn work(&self) -> CrashWork {
        let Settings { contract, states, check_every, atomic_bytes, rounds } = self;
        CrashWork {
            contract: contract.clone(),
            states: *states,
            check_every: *check_every,
            atomic_bytes: *atomic_bytes,
            rounds: *rounds,
        }
    }

    fn cut_off(&self) -> Result<CutOff, TestError> {
        let Settings { contract, rounds, .. } = self;
        let unknown = || TestError::Command(format!("there is no contract `{contract}`"));
        named(contract, *rounds).map(CutOff::Workload).ok_or_else(unknown)
    }

    fn name(&self) -> String {
        match sequences::count(&self.contract) {
            Some(count) => format!("crash: {count} short sequences"),
            None => format!("crash: {}", self.contract),
        }
    }

    /// How long it takes on a slow machine, seconds.
    fn fixed_s(&self) -> f64 {
        let workload_s = states::seconds(self.states, self.check_every, STATE_S);
        match sequences::count(&self.contract) {
            Some(count) => count as f64 * (workload_s + SEQUENCE_S),
            None => workload_s,
        }
    }
}

const READ_IT: &str = "How fast it recovers is shown and enters no score. What counts is in the \
                       section After faults: states with harm, of those tried. None of 400 means \
                       less than 0.75 % of such states, with 95 % probability; it does not mean \
                       none. A state of the disk is drawn with the same probability whether or \
                       not a real disk often ends in it, so the share of states with harm is not \
                       the probability of harm. The cache of the disk is modelled: what firmware \
                       does, and whether a disk honours a flush at all, cannot be seen here.";

impl Settings {
    /// The contract in words.
    fn contract(&self) -> &'static str {
        let own = CONTRACTS.iter().chain(SETS).find(|(name, _)| *name == self.contract);
        own.map_or("", |(_, words)| words)
    }

    /// What is performed, in words.
    fn performed(&self) -> String {
        let contract = self.contract();
        if sequences::count(&self.contract).is_some() {
            return format!(
                "On one file system these are performed one after the other, each in a directory of \
                 its own: {contract}. What has been synced, and what was never written, is known of \
                 each."
            );
        }
        let rounds = self.rounds;
        format!("{rounds} rounds of the workload are performed, with this contract: {contract}.")
    }

    fn does(&self) -> String {
        format!(
            "The file system is made with the target's options on a disk of 300 MiB (more where it \
             needs more) in memory, below whose loop device a layer records each request. {} Each \
             write takes 0.5 ms longer, as a disk as fast as memory hides orders of events that a \
             real one shows.\n\n\
             - The layer records every write, flush and discard, and when the workload was told \
             that something is done.\n- From the record {} distinct states are made: cut \
             at a flush, with any of the writes since the flush before, whole or torn at {} \
             bytes.\n- Each state is mounted, read whole, held against the contract, and unmounted, \
             on several disks at once where the file system can be mounted so. {}\n- A state has a \
             number, from which `assay remake` makes it again as an image: of what has harm the \
             record is kept.",
            self.performed(),
            self.states,
            self.atomic_bytes,
            states::checker(self.check_every)
        )
    }
}

#[cfg(test)]
mod tests;

//! The kind `crash`: a workload with a contract on a disk that records it, cut off in every state that a disk with a
//! volatile cache may be left in. The lab does it; what is declared here is which workload, and how many states.

use super::{Defaults, Head, Kind, settings};
use crate::{CrashWork, Estimate, Measured, Run, Stretch, Test, TestError, Workers, page};
use faults::workload::CONTRACTS;
use model::{
    figure::Better,
    target::Knob,
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use serde::Deserialize;
use std::path::PathBuf;

pub(super) static KIND: Kind = Kind {
    name: "crash",
    about: "a workload cut off by a power failure; every state that its disk may be left in is \
            mounted and held against what was acknowledged.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(Box::new(CrashTest { head, settings }))
    },
};

static KNOBS: [Knob; 4] = [
    Knob::new("contract", "", "append", "the workload, and what must hold after it").one_of(&NAMES),
    Knob::new(
        "states",
        "",
        "400",
        "distinct states to try in each block, from 1 to 100000, whatever the scale",
    ),
    Knob::new(
        "check_every",
        "",
        "10",
        "the file system's checker looks at one state in this many; 0: at none",
    ),
    Knob::new("rounds", "", "40", "repetitions of the workload's pattern, from 1 to 1000"),
];

/// The names of the contracts.
static NAMES: [&str; CONTRACTS.len()] = {
    let mut names = [""; CONTRACTS.len()];
    let mut nth = 0;
    while nth < names.len() {
        names[nth] = CONTRACTS[nth].0;
        nth += 1;
    }
    names
};

/// Metric by which the tables order; how long a mount takes that has to recover.
const METRIC: &str = "recovery_ms";
/// Seconds for a state, with mount and unmount, on a slow machine.
const STATE_S: f64 = 0.02;
/// Seconds for the checker.
const CHECK_S: f64 = 0.05;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    contract: String,
    states: u64,
    check_every: u64,
    rounds: u64,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        if !NAMES.contains(&self.contract.as_str()) {
            let known = NAMES.join(", ");
            return Err(format!("unknown contract `{}`; expected one of {known}", self.contract));
        }
        if !(1..=100_000).contains(&self.states) {
            return Err(format!("`states` must be from 1 to 100000, not {}", self.states));
        }
        if !(1..=1000).contains(&self.rounds) {
            return Err(format!("`rounds` must be from 1 to 1000, not {}", self.rounds));
        }
        Ok(())
    }
}

struct CrashTest {
    head: Head,
    settings: Settings,
}

impl CrashTest {
    fn info(&self) -> TestInfo {
        self.head.info(Defaults {
            name: format!("crash: {}", self.settings.contract),
            testtype: "crash",
            group: Group::AfterFaults,
            metric: METRIC,
            unit: "ms",
            better: Better::Lower,
            shape: Shape::default(),
        })
    }

    fn work(&self) -> CrashWork {
        let Settings { contract, states, check_every, rounds } = &self.settings;
        CrashWork {
            contract: contract.clone(),
            states: *states,
            check_every: *check_every,
            rounds: *rounds,
        }
    }
}

impl Test for CrashTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn workers(&self) -> Workers {
        Workers::Fixed(1)
    }

    /// What counts is the number of states, and not how long they take.
    fn stretch(&self) -> Stretch {
        Stretch::Given
    }

    fn is_clocked(&self) -> bool {
        false
    }

    fn threads(&self, _job: &Job) -> u32 {
        1
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    fn crash_work(&self, _job: &Job) -> Option<CrashWork> {
        Some(self.work())
    }

    fn fill(&self, _job: &Job) -> Result<(), TestError> {
        Ok(())
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, _job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        Err(TestError::OfTheLab(self.head.id.clone()))
    }

    fn estimate(&self, _job: &Job) -> Estimate {
        let CrashWork { states, check_every, .. } = self.work();
        let checked = states.checked_div(check_every).unwrap_or(0);
        Estimate {
            fixed_s: states as f64 * STATE_S + checked as f64 * CHECK_S,
            ..Estimate::default()
        }
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    /// The lab reports by itself.
    fn measure(&self, _job: &Job, _pool: &PoolReport) -> Vec<Measured> {
        Vec::new()
    }

    fn explain(&self, _id: &str) -> String {
        page::page(&self.head, &KIND, &self.info(), &self.does(), READ_IT)
    }
}

const READ_IT: &str = "How fast it recovers is shown and enters no score. What counts is in the \
                       section After faults: states with harm, of those tried. None of 400 means \
                       less than 0.75 % of such states, with 95 % probability; it does not mean \
                       none. A state of the disk is drawn with the same probability whether or \
                       not a real disk often ends in it, so the share of states with harm is not \
                       the probability of harm. The cache of the disk is modelled: what firmware \
                       does, and whether a disk honours a flush at all, cannot be seen here.";

impl CrashTest {
    /// The contract in words.
    fn contract(&self) -> &'static str {
        let own = CONTRACTS.iter().find(|(name, _)| *name == self.settings.contract);
        own.map_or("", |(_, words)| words)
    }

    fn does(&self) -> String {
        format!(
            "The file system is made with the target's options on a disk of 300 MiB (more where it \
             needs more) in memory, below whose loop device a layer records each request. {} rounds \
             of the workload are performed, with this contract: {}. Each write takes 0.5 ms longer, \
             as a disk as fast as memory hides orders of events that a real one shows.\n\n\
             - The layer records every write, flush and discard, and when the workload was told \
             that something is done.\n- From the record {} distinct states are made: cut \
             at a flush, with any of the writes since the flush before, whole or torn at 512 \
             bytes.\n- Each state is mounted, read whole, held against the contract, and unmounted. \
             {}\n- A state has a number, from which it can be made again.",
            self.settings.rounds,
            self.contract(),
            self.settings.states,
            match self.settings.check_every {
                0 => "No checker is run.".into(),
                1 => "The file system's checker looks at each.".to_string(),
                every => format!("The file system's checker looks at one in {every}."),
            }
        )
    }
}

#[cfg(test)]
mod tests;

//! The kind `promise`: an application runs on a recording disk, and is checked against its own guarantees in the states
//! that a power failure may leave on a disk with a volatile cache. The lab runs it; a declaration names the application
//! and the number of states.

use super::{Kind, settings};
use crate::{
    CrashWork, CutOff, FaultWork,
    applications::{self, APPLICATIONS, Known},
    lab_test::{LabTest, lab_test},
    states,
};
use model::target::Knob;
use serde::Deserialize;

pub(super) static KIND: Kind = Kind {
    name: "promise",
    about: "an application cut off by a power failure; every state that its disk may be left in \
            is mounted, the application recovers, and what is there is held against what it \
            promises.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        let known = settings.check()?;
        let does = settings.does(known);
        let Settings { states, check_every, atomic_bytes, rounds, .. } = settings;
        let contract = known.name.into();
        let work = CrashWork { contract, rounds, states, check_every, atomic_bytes };
        let make = move |_: &_, seed| Ok(CutOff::Application(known.make(rounds, seed)));
        Ok(lab_test(
            head,
            LabTest {
                kind: &KIND,
                name: format!("crash: {}", known.title),
                testtype: "crash",
                metric: states::METRIC,
                work: FaultWork::Crash(work),
                fixed_s: states::seconds(states, check_every, known.state_s),
                does,
                read_it: READ_IT,
                cut_off: Some(Box::new(make)),
                programs: known.programs,
                assets: Vec::new(),
            },
        ))
    },
};

static KNOBS: [Knob; 5] = [
    Knob::new(
        "application",
        "",
        "sqlite-wal",
        "the application, with the settings that decide what it promises",
    )
    .one_of(&NAMES),
    states::STATES,
    states::CHECK_EVERY,
    states::ATOMIC_BYTES,
    Knob::new("rounds", "", "30", "transactions, tables or commits, from 1 to 1000"),
];

/// The names of the applications.
static NAMES: [&str; APPLICATIONS.len()] = {
    let mut names = [""; APPLICATIONS.len()];
    let mut nth = 0;
    while nth < names.len() {
        names[nth] = APPLICATIONS[nth].name;
        nth += 1;
    }
    names
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    application: String,
    states: u64,
    check_every: u64,
    atomic_bytes: u64,
    rounds: u64,
}

impl Settings {
    fn check(&self) -> Result<&'static Known, String> {
        let known = applications::find(&self.application).ok_or_else(|| {
            let known = NAMES.join(", ");
            format!("unknown application `{}`; expected one of {known}", self.application)
        })?;
        states::check_states(self.states)?;
        states::check_atomic(self.atomic_bytes)?;
        states::check_rounds(self.rounds)?;
        Ok(known)
    }

    fn does(&self, known: &Known) -> String {
        let Settings { states, check_every, atomic_bytes, rounds, .. } = self;
        format!(
            "The file system is made with the target's options on a disk of 300 MiB (more where it \
             needs more) in memory, below whose loop device a layer records each request. The \
             application does {rounds} pieces of work, one after the other, and each that it has \
             acknowledged gets a mark in the record.{} What is held against it: {}.\n\n\
             - Each write takes 0.5 ms longer, as a disk as fast as memory hides orders of events \
             that a real one shows.\n\
             - From the record {states} distinct states are made: cut at a flush, with any of the \
             writes since the flush before, whole or torn at {atomic_bytes} bytes.\n\
             - Each state is mounted, the application recovers in it and looks at what is there, \
             and it is unmounted. What the application writes meanwhile is undone before the next \
             state. {}",
            match known.has_other_program {
                true =>
                    " After each another program writes a file of its own and syncs it, as \
                         this one alone brings nothing to the disk.",
                false => "",
            },
            known.promise,
            states::checker(*check_every)
        )
    }
}

const READ_IT: &str = "States with harm, of those tried, are in the section After faults. Where an \
                       application promises nothing, as with synchronous=off or core.fsync=none, \
                       harm is no fault of the file system: the row shows what it leaves to \
                       chance. Where it promises something and breaks it on one file system \
                       alone, it relies on more than that file system gives: the example names \
                       the transaction, file or commit. States are not equally probable on a \
                       real disk, so the share of states with harm is not the probability of \
                       harm. How fast the mount recovers is shown and enters no score.";

#[cfg(test)]
mod tests;

//! Implements `compare --rerun`: measures regressed cells again, alone, in as many new campaigns as B has. They were
//! picked because they looked bad, so only fresh samples count.

use super::allocation;
use crate::{
    begin,
    cli::{CompareArgs, PlanArgs},
    disks, drive,
    mark::Key,
    opened,
    others::{self, OtherPrograms},
    signals,
    terminal::{self, Shown},
};
use anyhow::Result;
use campaign::run::hosts::ThisHost;
use model::result::Dataset;
use stats::comparison::Gate;
use std::{collections::BTreeSet, path::Path};

/// A part of a campaign of B, to be measured again.
pub struct Again {
    /// The campaign.
    like: String,
    targets: BTreeSet<String>,
    /// All of its tests, when empty.
    tests: BTreeSet<String>,
    procs: BTreeSet<u32>,
    times: usize,
}

impl Again {
    /// What `gate` found worse in the campaigns `b`. Of a target that is worse in the mean alone all tests.
    pub fn of(gate: &Gate, b: &[Dataset]) -> Again {
        let target = |label: &str| {
            let bare = label.strip_prefix("B:").unwrap_or(label);
            let mut all = b.iter().flat_map(|b| &b.targets);
            all.find(|t| t.label == bare).map_or_else(|| bare.to_string(), |t| t.target.clone())
        };
        let (mut tests, mut procs) = (BTreeSet::new(), BTreeSet::new());
        for cell in gate.regressions.iter().filter_map(|r| r.cell.as_ref()) {
            tests.insert(cell.test.clone());
            procs.insert(cell.procs);
        }
        Again {
            like: b.first().map_or_else(String::new, |b| b.campaign.id.clone()),
            targets: gate.regressions.iter().map(|r| target(&r.target)).collect(),
            tests,
            procs,
            times: b.len(),
        }
    }

    /// What a campaign of A has of it.
    pub fn part(&self, mut dataset: Dataset) -> Dataset {
        let has = |test: &str| self.tests.is_empty() || self.tests.contains(test);
        dataset.tests.retain(|test| has(&test.id));
        dataset.samples.retain(|sample| {
            let case = &sample.case;
            has(&case.test) && (self.procs.is_empty() || self.procs.contains(&case.procs))
        });
        dataset
    }

    /// The command that measures it once.
    pub fn command(&self) -> String {
        let list = |flag: &str, all: Vec<String>| match all.is_empty() {
            true => String::new(),
            false => format!(" {flag} '{}'", all.join(",")),
        };
        format!(
            "`assay run --like {}{}{}{}`, {} times, each one campaign of B",
            self.like,
            list("--on", self.targets.iter().cloned().collect()),
            list("--tests", self.tests.iter().cloned().collect()),
            list("--procs", self.procs.iter().map(u32::to_string).collect()),
            self.times
        )
    }

    /// Measures it, and gives the ids of the new campaigns.
    pub fn measure(
        &self,
        args: &CompareArgs,
        store_path: &Path,
        state: &Path,
    ) -> Result<Vec<String>> {
        let plan = PlanArgs {
            like: Some(self.like.clone()),
            on: self.targets.iter().cloned().collect(),
            tests: self.tests.iter().cloned().collect(),
            procs: self.procs.iter().copied().collect(),
            no_aa: true,
            ..PlanArgs::default()
        };
        let stop = signals::stop_flag()?;
        let mut store = opened::store_to_run(store_path, &stop)?;
        let key = Key::of(&opened::state(state)?)?;
        let site = begin::site(state, &stop, args.programs.unconfined);
        let mut ids = Vec::new();
        for _ in 0..self.times {
            let resolved = allocation::resolved(&plan, (store_path, state), &ThisHost, &stop)?;
            let (ordered, consent) = disks::ordered(resolved, &site, &args.consent)?;
            if ids.is_empty() {
                others::before(&ordered, state, OtherPrograms::Named, &stop)?;
            }
            let campaign = begin::campaign(&ordered, state)?;
            ids.push(campaign.id.clone());
            let stored = begin::stored(ordered, campaign, &mut store, &key)?;
            let means = drive::Means {
                consent: &consent,
                state,
                key: &key,
                hosts: &ThisHost,
                progress: Shown::default(),
            };
            drive::drive(stored, &mut store, means, &stop)?;
        }
        terminal::note(&format!("measured again: {}", ids.join(", ")));
        Ok(ids)
    }
}

//! Every name of a plan found: targets with file systems, tests of the suites, process counts. A wrong name is an error
//! here, before anything is touched.

use super::{
    asked::Asked,
    fillable,
    tests_of_plan::{Item, all_counts, items},
};
use crate::messages::{Notes, refusal};
use anyhow::Result;
use fs::ResolvedTarget;
use model::{
    plan::{Plan, Scale},
    text::{Bytes, did_you_mean},
    workload::{Job, TestInfo, TestSize},
};
use rustix::fs::{Access, access};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};
use suites::Stretch;

/// A plan with every name found.
pub struct Resolved {
    /// The plan, with the full names of its options.
    pub plan: Plan,
    /// Its targets.
    pub targets: Vec<ResolvedTarget>,
    /// The tests to run, in order.
    pub items: Vec<Item>,
    /// Process counts at which any of them runs, ascending.
    pub counts: Vec<u32>,
}

/// How much each test does.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// Factor on every size of the original suite.
    pub scale: f64,
    /// Tests that have a size of their own instead.
    pub sizes: Vec<TestSize>,
}

impl Amount {
    /// The same factor for all tests.
    pub fn scaled(scale: f64) -> Amount {
        Amount { scale, sizes: Vec::new() }
    }

    fn of(&self, test: &str, procs: u32) -> Option<&TestSize> {
        model::workload::size_of(&self.sizes, test, procs)
    }
}

impl Resolved {
    /// Finds every name in the plan of `asked` and fills in its defaults; `notes` takes the tests that are left out.
    ///
    /// # Errors
    /// A name does not exist; a target cannot be made, or uses an option reserved for the command line.
    pub fn new(asked: Asked, notes: Notes<'_>) -> Result<Resolved> {
        Resolved::until(&AtomicBool::new(false), asked, notes)
    }

    /// Like [`Resolved::new`], for a program that has taken over its signals: assets may be long, and are read until
    /// `stop` becomes true.
    ///
    /// # Errors
    /// As of [`Resolved::new`]; a signal asked to stop.
    pub fn until(stop: &AtomicBool, mut asked: Asked, notes: Notes<'_>) -> Result<Resolved> {
        asked.plan.check().map_err(|e| refusal::usage(e.to_string()))?;
        let items = items(&mut asked.plan, stop, notes)?;
        let counts = all_counts(&items);
        let targets = asked.targets(notes)?;
        let plan = asked.plan;
        targets.iter().filter_map(ResolvedTarget::directory).try_for_each(check_directory)?;
        fillable::check(&plan, &targets)?;
        check_labels(&plan)?;
        if plan.backing.split && on_disks(&plan, &targets) < 2 {
            return Err(refusal::usage(
                "--split divides a disk among the candidates, and there is only one; add a candidate or drop --split",
            ));
        }
        Ok(Resolved { plan, targets, items, counts })
    }

    /// Takes the process counts of tests from the host that resolved the campaign first; a test without counts does not
    /// run.
    pub(crate) fn with_counts(mut self, counts: &BTreeMap<String, Vec<u32>>) -> Resolved {
        self.items.retain_mut(|item| match counts.get(&item.test.infos()[0].id) {
            Some(counts) => {
                item.counts.clone_from(counts);
                true
            }
            None => false,
        });
        self.counts = all_counts(&self.items);
        self
    }

    /// Returns the process counts of each test, by the first of its ids.
    pub fn counts_by_test(&self) -> BTreeMap<String, Vec<u32>> {
        let counts = |item: &Item| (item.test.infos()[0].id.clone(), item.counts.clone());
        self.items.iter().map(counts).collect()
    }

    /// Describes the numbers of worker processes.
    pub fn processes(&self) -> String {
        match self.counts.as_slice() {
            [1] => "1 process".into(),
            counts => {
                let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
                format!("{} processes", counts.join(", "))
            }
        }
    }

    /// Describes how much the tests do: `scale 0.2`, or that each has a size of its own.
    pub fn extent(&self, scale: f64) -> String {
        match self.fixed_scale() {
            Some(_) => format!("scale {scale}"),
            None => format!("each test sized for {} s", self.plan.preset.aim_s()),
        }
    }

    /// Returns the facts of the tests for the tables.
    pub fn infos(&self) -> Vec<TestInfo> {
        self.items.iter().flat_map(|item| item.test.infos()).collect()
    }

    /// Returns the tests that run at `count` processes.
    pub fn items_at(&self, count: u32) -> impl DoubleEndedIterator<Item = &Item> {
        self.items.iter().filter(move |item| item.counts.contains(&count))
    }

    /// Number of cases of one target in one block.
    pub fn cases(&self) -> u64 {
        self.items.iter().map(|item| item.counts.len() as u64).sum()
    }

    /// Returns the scale, if it is one factor on everything.
    pub fn fixed_scale(&self) -> Option<f64> {
        match self.plan.scale {
            Scale::Factor(scale) => Some(scale),
            Scale::Auto => None,
        }
    }

    /// Returns whether the sizes of tests are still open.
    pub fn needs_sizes(&self) -> bool {
        let can = |item: &Item| item.test.stretch() != Stretch::Given;
        self.plan.scale == Scale::Auto && self.plan.sizes.is_empty() && self.items.iter().any(can)
    }

    /// Returns how much each test does as far as the plan states it; the preset's scale is used for open sizes.
    pub fn amount(&self) -> Amount {
        let scale = self.fixed_scale().unwrap_or_else(|| self.plan.preset.large_scale());
        Amount { scale, sizes: self.plan.sizes.clone() }
    }

    /// Returns the job of worker 0 of `item` at `count` processes, without a directory, a declaration and external
    /// programs; for estimates.
    pub fn job(&self, item: &Item, count: u32, amount: &Amount, memory: Bytes) -> Job {
        let test = item.test.infos()[0].id.clone();
        let (scale, work) = match amount.of(&test, count) {
            Some(size) => (size.scale, size.work),
            None => (amount.scale, None),
        };
        Job {
            workers: item.workers(count).1,
            threads: self.plan.threads,
            scale,
            work,
            seed: self.plan.seed.unwrap_or_default(),
            data: self.plan.data.clone(),
            memory,
            knobs: self.plan.knobs.clone(),
            ..Job::of(test, PathBuf::new())
        }
    }
}

/// Refuses a baseline or a price that does not name a candidate.
fn check_labels(plan: &Plan) -> Result<()> {
    let candidates = plan.candidates();
    if let Some(baseline) = &plan.baseline
        && !candidates.contains(baseline)
    {
        let meant = did_you_mean(baseline, candidates.iter().map(String::as_str));
        return Err(refusal::usage(format!(
            "baseline `{baseline}` is not a target of this campaign{meant} (targets: {})",
            candidates.join(", ")
        )));
    }
    match plan.prices.keys().find(|label| !candidates.contains(label)) {
        None => Ok(()),
        Some(unknown) => Err(refusal::usage(format!(
            "--price: `{unknown}` is not a target of this campaign (targets: {})",
            candidates.join(", ")
        ))),
    }
}

/// Counts the entrants of `plan`, with the twin of an A/A pair, that are made on disks.
fn on_disks(plan: &Plan, targets: &[ResolvedTarget]) -> u32 {
    let entrants = plan.entrants();
    let is_on_disks = |entrant: &&model::target::Target| {
        targets.iter().any(|own| own.target() == *entrant && own.disks() > 0)
    };
    entrants.iter().filter(is_on_disks).count() as u32
}

fn check_directory(dir: &Path) -> Result<()> {
    let named = dir.display();
    if !dir.is_dir() {
        let is_list = named.to_string().contains(",dir:");
        let each = if is_list { "; give each directory its own --on" } else { "" };
        let what = format!("{named} is not a directory; choose an existing one{each}");
        return Err(refusal::usage(what));
    }
    access(dir, Access::WRITE_OK | Access::EXEC_OK).map_err(|why| {
        refusal::lacking(format!(
            "cannot write in {named}: {why}; choose another directory, or use sudo"
        ))
    })
}

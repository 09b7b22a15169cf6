//! Tests of a plan: which run, and at which process counts.

use crate::{
    inputs::{assets, catalogue},
    messages::{Notes, refusal},
};
use anyhow::Result;
use model::{plan::Plan, workload::Asset};
use std::{collections::HashSet, sync::atomic::AtomicBool, thread};
use suites::{Suite, Test, Workers};
use wildmatch::WildMatch;

/// A test and when it runs.
#[derive(Clone)]
pub struct Item {
    /// The test.
    pub test: &'static dyn Test,
    /// Name of its suite.
    pub suite: &'static str,
    /// Requested process counts.
    pub counts: Vec<u32>,
    /// Its user-supplied part that could do anything, if it runs programs.
    pub foreign: Option<String>,
    /// Assets that it needs.
    pub assets: Vec<Asset>,
}

impl Item {
    /// Returns the number of workers, and that of processes, for the requested `count`.
    pub fn workers(&self, count: u32) -> (u32, u32) {
        match self.test.workers() {
            Workers::Asked => (count, count),
            Workers::Fixed(n) => (n, n),
            Workers::Program => (1, count),
        }
    }
}

/// Every process count of `items`, ascending.
pub(super) fn all_counts(items: &[Item]) -> Vec<u32> {
    let mut counts: Vec<u32> = items.iter().flat_map(|item| item.counts.clone()).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The tests of all suites of `plan`, with the files that they are declared in read into it, and
/// their assets, which are read until `stop`.
pub(super) fn items(plan: &mut Plan, stop: &AtomicBool, notes: Notes<'_>) -> Result<Vec<Item>> {
    let (mut items, mut all_assets) = (Vec::new(), Vec::new());
    for name in plan.suites.clone() {
        let suite = catalogue::suite(&name, &plan.knobs, &mut plan.files)?;
        let counts = counts(plan, suite);
        let foreign = catalogue::foreign(&name, &plan.knobs, &plan.files);
        let (mut ready, mut lacking) = (Vec::new(), Vec::new());
        for test in select_tests(suite, plan)? {
            match test.missing() {
                None => ready.push(test),
                Some(missing) => lacking.push((test, missing)),
            }
        }
        for (test, missing) in &lacking {
            let (id, what, fix) = (&test.infos()[0].id, &missing.what, &missing.fix);
            let line = format!("{id} needs {what}, which is missing; {fix}");
            if ready.is_empty() {
                return Err(refusal::lacking(line));
            }
            notes(&format!("left out: {line}"));
        }
        let needed = ready.iter().flat_map(|test| test.assets()).collect();
        let text = plan.files.get(&name).map_or("", String::as_str);
        let found = assets::of_suite((&name, text), &needed, &plan.assets, stop)?;
        items.extend(ready.into_iter().map(|test| {
            let fixed = matches!(test.workers(), Workers::Fixed(_));
            let counts = if fixed { counts[..1].to_vec() } else { counts.clone() };
            let needed = test.assets();
            let own = found.iter().filter(|asset| needed.contains(&asset.name));
            let (foreign, assets) = (foreign.clone(), own.cloned().collect());
            Item { test, suite: &suite.name, counts, foreign, assets }
        }));
        all_assets.extend(found);
    }
    plan.assets = all_assets;
    check_ids(&items)?;
    Ok(items)
}

/// Samples are stored under the ids of tests; two suites with one id would mix them.
fn check_ids(items: &[Item]) -> Result<()> {
    let mut seen = HashSet::new();
    match items.iter().flat_map(|item| item.test.infos()).find(|info| !seen.insert(info.id.clone()))
    {
        None => Ok(()),
        Some(info) => Err(refusal::usage(format!(
            "two tests of these suites are named {}; run them in two campaigns, or rename one",
            info.id
        ))),
    }
}

/// The process counts of the plan, else of the suite, else one and enough to keep a device busy;
/// ascending.
fn counts(plan: &Plan, suite: &Suite) -> Vec<u32> {
    let mut counts = match (plan.procs.is_empty(), suite.procs.is_empty()) {
        (false, _) => plan.procs.clone(),
        (true, false) => suite.procs.clone(),
        (true, true) => default_procs(),
    };
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The tests that the plan names, else those of its preset.
fn select_tests(suite: &'static Suite, plan: &Plan) -> Result<Vec<&'static dyn Test>> {
    let matches = |test: &&'static dyn Test, glob: &str| {
        test.infos().iter().any(|info| WildMatch::new(glob).matches(&info.id))
    };
    let of_suite = |glob: &&str| suite.tests.iter().any(|test| matches(test, glob));
    let globs: Vec<&str> = match plan.tests.is_empty() {
        true => suite.presets.globs(plan.preset).iter().map(|glob| &**glob).collect(),
        // With several suites a glob need match in one of them only.
        false if plan.suites.len() > 1 => {
            plan.tests.iter().map(String::as_str).filter(of_suite).collect()
        }
        false => plan.tests.iter().map(String::as_str).collect(),
    };
    if let Some(glob) = globs.iter().find(|glob| !of_suite(glob)) {
        let meant = model::text::pattern_meant(glob, suite.ids());
        return Err(refusal::usage(format!(
            "no test of suite {} matches `{glob}`{meant}; `assay explain {0}` lists them",
            suite.name
        )));
    }
    let all = plan.tests.is_empty() && globs.is_empty();
    let wanted = |test: &&'static dyn Test| all || globs.iter().any(|glob| matches(test, glob));
    Ok(suite.tests.iter().copied().filter(wanted).collect())
}

/// One process, and four for each processor, at most 64.
fn default_procs() -> Vec<u32> {
    let cpus = thread::available_parallelism().map_or(1, |n| n.get() as u32);
    vec![1, (4 * cpus).min(64)]
}

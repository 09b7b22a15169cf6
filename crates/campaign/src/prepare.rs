//! From a plan to things that exist: targets with file systems, tests of the suite, process counts.
//! Every wrong name is found here, before anything is touched.

pub use super::machine::memory;

use super::{asked::Asked, condition, place::Place, shared_device::SharedDevice};
use crate::{catalogue, refusal, watch::Notes};
use anyhow::Result;
use lab::{Availability, Part, ResolvedTarget};
use model::{
    Job, JobMode, LabKind, Plan, Programs, Scale, Target, TargetRecord, TargetState, TestInfo,
    did_you_mean,
};
use rustix::fs::{Access, access};
use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    thread,
};
use suites::{Stretch, Suite, Test, Workers};
use wildmatch::WildMatch;

/// A plan whose every name has been found.
#[derive(Clone)]
pub struct Prepared {
    /// The plan with its defaults filled in.
    pub plan: Plan,
    /// Its targets.
    pub targets: Vec<ResolvedTarget>,
    /// What runs in a block: the candidates of the plan, then the twin of an A/A pair.
    pub entrants: Vec<ResolvedTarget>,
    /// Their labels, in order.
    pub labels: Vec<String>,
    /// Where each of them is made. One that can be made nowhere stays without samples, and the campaign
    /// goes on with the others.
    pub places: Vec<Place>,
    /// The tests to run, in order.
    pub items: Vec<Item>,
    /// Process counts at which any of them runs, ascending.
    pub counts: Vec<u32>,
    /// What programs of others may do, where a test runs any.
    pub programs: Programs,
    /// Why candidates that could be there at once go in turn all the same.
    pub shared_device: Option<SharedDevice>,
}

/// A test and when it runs.
#[derive(Clone)]
pub struct Item {
    /// The test.
    pub test: &'static dyn Test,
    /// Name of its suite.
    pub suite: &'static str,
    /// Process counts that are asked of it.
    pub counts: Vec<u32>,
    /// What in it was written by somebody else and could do anything, when it runs programs.
    pub foreign: Option<String>,
}

impl Item {
    /// How many workers do the work, and how many processes there are, when `count` is asked for.
    pub fn workers(&self, count: u32) -> (u32, u32) {
        match self.test.workers() {
            Workers::Asked => (count, count),
            Workers::Fixed(n) => (n, n),
            Workers::Program => (1, count),
        }
    }
}

impl Prepared {
    /// Finds everything that the plan of `asked` names and fills in its defaults; `notes` takes what is left out.
    ///
    /// # Errors
    /// A name does not exist, a target cannot be, or asks for what only the command line may.
    pub fn new(mut asked: Asked, notes: Notes<'_>) -> Result<Prepared> {
        asked.plan.check().map_err(|e| refusal::usage(e.to_string()))?;
        let items = items(&mut asked.plan, notes)?;
        let counts = all_counts(&items);
        let targets = asked.targets()?;
        let plan = asked.plan;
        let places = targets.iter().map(own_place).collect::<Result<Vec<_>>>()?;
        condition::check(&plan, &targets)?;
        let candidates = plan.candidates();
        if let Some(baseline) = &plan.baseline
            && !candidates.contains(baseline)
        {
            let meant = did_you_mean(baseline, candidates.iter().map(String::as_str));
            return Err(refusal::usage(format!(
                "baseline `{baseline}` is not a target of this campaign{meant}; use one of {}",
                candidates.join(", ")
            )));
        }
        if let Some(unknown) = plan.prices.keys().find(|label| !candidates.contains(label)) {
            return Err(refusal::usage(format!(
                "the price of `{unknown}` is of no target of this campaign; those are {}",
                candidates.join(", ")
            )));
        }
        let (entrants, labels) = (Vec::new(), Vec::new());
        let programs = Programs::Confined;
        let mut prepared = Prepared {
            plan,
            targets,
            entrants,
            labels,
            places: Vec::new(),
            items,
            counts,
            programs,
            shared_device: None,
        };
        prepared.arrange(places);
        if prepared.parts().is_some_and(|parts| parts < 2) {
            return Err(refusal::usage(
                "`--split` divides a disk between the candidates, and there is one; add another, or leave \
                 --split out",
            ));
        }
        Ok(prepared)
    }

    /// Takes for each target of the plan where it is made, and as the baseline the first that can be made,
    /// unless the plan names one.
    ///
    /// # Errors
    /// None can be made.
    pub fn settle(&mut self, places: Vec<Place>) -> Result<()> {
        let Some(first) = places.iter().position(|place| place.nowhere().is_none()) else {
            let reasons: Vec<&str> = places.iter().filter_map(Place::nowhere).collect();
            return Err(refusal::lacking(reasons.join("; ")));
        };
        if first > 0 && self.plan.baseline.is_none() {
            self.plan.baseline = self.plan.candidates().into_iter().nth(first);
        }
        self.arrange(places);
        Ok(())
    }

    /// Looks whether there is still something to compare.
    ///
    /// # Errors
    /// Several targets were asked for, and one alone can be made.
    pub fn check_comparison(&self) -> Result<()> {
        let Some(alone) = self.alone(self.available()) else { return Ok(()) };
        let left_out: Vec<String> = self.left_out().collect();
        Err(refusal::lacking(format!(
            "only {} can be made here, and a comparison needs two; {}; mend that, or measure it alone by `--on {}`",
            self.labels[alone],
            left_out.join("; "),
            self.entrants[alone]
        )))
    }

    /// The one target among the entrants `left`, where several were to be compared. An A/A pair is one target.
    pub fn alone(&self, left: impl Iterator<Item = usize>) -> Option<usize> {
        let is_one = |all: &[usize]| {
            let mut others = all.iter().map(|at| &self.entrants[*at]);
            others.next().is_some_and(|first| others.all(|other| other == first))
        };
        let (all, left): (Vec<usize>, Vec<usize>) =
            ((0..self.entrants.len()).collect(), left.collect());
        (!is_one(&all) && is_one(&left)).then(|| left[0])
    }

    /// Every entrant is made where the same target of the plan is.
    fn arrange(&mut self, places: Vec<Place>) {
        let entrants = self.plan.entrants();
        self.labels = model::label_targets(&entrants, &self.plan.names);
        // A target that a plan names twice has one place, and the twin that of the baseline.
        let at = |entrant: &Target| self.targets.iter().position(|own| own.target() == entrant);
        let at: Vec<usize> = entrants.iter().filter_map(at).collect();
        self.entrants = at.iter().map(|at| self.targets[*at].clone()).collect();
        self.places = at.iter().map(|at| places[*at].clone()).collect();
    }

    /// Positions of the entrants that can be made.
    pub fn available(&self) -> impl Iterator<Item = usize> {
        (0..self.entrants.len()).filter(|&at| self.places[at].nowhere().is_none())
    }

    /// Gives up the targets of this machine, or of guests, that need `disks` or more, which cannot be had
    /// because of `why`. False when none is left, or nothing to compare one with.
    pub fn give_up(&mut self, in_guests: bool, disks: usize, why: &str) -> bool {
        for (target, place) in self.entrants.iter().zip(&mut self.places) {
            if place.is_of(in_guests) && target.disks() >= disks {
                *place = Place::Nowhere(why.into());
            }
        }
        self.available().next().is_some() && self.check_comparison().is_ok()
    }

    /// A line for each entrant that cannot be made.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        let line =
            |(label, place): (&String, &Place)| Some(format!("{label}: {}", place.nowhere()?));
        self.labels.iter().zip(&self.places).filter_map(line)
    }

    /// Takes the process counts of tests from where the campaign was prepared; a test that is not among
    /// them does not run.
    pub fn set_counts(&mut self, counts: &BTreeMap<String, Vec<u32>>) {
        self.items.retain_mut(|item| match counts.get(&item.test.infos()[0].id) {
            Some(counts) => {
                item.counts.clone_from(counts);
                true
            }
            None => false,
        });
        self.counts = all_counts(&self.items);
    }

    /// The process counts of each test, by the first of its ids.
    pub fn counts_by_test(&self) -> BTreeMap<String, Vec<u32>> {
        let counts = |item: &Item| (item.test.infos()[0].id.clone(), item.counts.clone());
        self.items.iter().map(counts).collect()
    }

    /// The numbers of worker processes, in words.
    pub fn processes(&self) -> String {
        match self.counts.as_slice() {
            [1] => "1 process".into(),
            counts => {
                let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
                format!("{} processes", counts.join(", "))
            }
        }
    }

    /// How much the tests do, in words: `scale 0.2`, or that each has a size of its own.
    pub fn extent(&self, scale: f64) -> String {
        match self.fixed_scale() {
            Some(_) => format!("scale {scale}"),
            None => {
                let aim_s = self.plan.preset.aim_s();
                format!("each test sized for {aim_s} s")
            }
        }
    }

    /// What the tables need to know of the tests.
    pub fn infos(&self) -> Vec<TestInfo> {
        self.items.iter().flat_map(|item| item.test.infos()).collect()
    }

    /// The tests that run when `count` processes are asked for.
    pub fn items_at(&self, count: u32) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.counts.contains(&count))
    }

    /// Number of cases of one target in one block.
    pub fn cases(&self) -> u64 {
        self.items.iter().map(|item| item.counts.len() as u64).sum()
    }

    /// Records of the targets as a new campaign stores them.
    pub fn records(&self) -> Vec<TargetRecord> {
        let record = |(label, target): (&String, &ResolvedTarget)| TargetRecord {
            label: label.clone(),
            target: target.to_string(),
            lab: LabKind::Host,
            state: TargetState::Ok,
            facts: model::Environment::default(),
        };
        self.labels.iter().zip(&self.entrants).map(record).collect()
    }

    /// True when a target must be made on a loop image.
    pub fn needs_image(&self) -> bool {
        self.disks() > 0
    }

    /// Disks that the most demanding target is made on.
    pub fn disks(&self) -> usize {
        self.disks_of(false).max(self.disks_of(true))
    }

    /// Disks that the most demanding target of this machine, or of guests, is made on.
    pub fn disks_of(&self, in_guests: bool) -> usize {
        let placed = self.entrants.iter().zip(&self.places);
        let disks = placed.filter(|(_, place)| place.is_of(in_guests));
        disks.map(|(target, _)| target.disks()).max().unwrap_or(0)
    }

    /// Into how many parts each disk is divided, where the plan splits them: one for every entrant on
    /// disks, so that it follows from the plan alone, whatever can be made when a campaign is resumed.
    pub fn parts(&self) -> Option<u32> {
        self.plan.backing.split.then_some(self.on_disks())
    }

    fn on_disks(&self) -> u32 {
        self.entrants.iter().filter(|target| target.disks() > 0).count() as u32
    }

    /// The scale, where it is one factor on everything.
    pub fn fixed_scale(&self) -> Option<f64> {
        match self.plan.scale {
            Scale::Factor(scale) => Some(scale),
            Scale::Auto => None,
        }
    }

    /// Whether how much each test does has still to be found.
    pub fn needs_sizes(&self) -> bool {
        let can = |item: &Item| item.test.stretch() != Stretch::Given;
        self.plan.scale == Scale::Auto && self.plan.sizes.is_empty() && self.items.iter().any(can)
    }

    /// A job like the one that worker 0 of `item` gets when `count` processes are asked for, without
    /// directory and declaration; for estimates.
    pub fn job(&self, item: &Item, count: u32, scale: f64, memory: model::Bytes) -> Job {
        let test = item.test.infos()[0].id.clone();
        let (scale, work) = match self.plan.size(&test, count) {
            Some(size) => (size.scale, size.work),
            None => (scale, None),
        };
        Job {
            test,
            mode: JobMode::Run,
            dir: PathBuf::new(),
            worker: 0,
            workers: item.workers(count).1,
            threads: self.plan.threads,
            scale,
            work,
            seed: self.plan.seed.unwrap_or_default(),
            data: self.plan.data.clone(),
            memory,
            knobs: self.plan.knobs.clone(),
            programs: if item.test.runs_programs() { self.programs } else { Programs::None },
            cpu: None,
            declaration: None,
            owners: None,
            attempt: 0,
            reserve: model::Bytes(0),
        }
    }
}

/// Every process count of `items`, ascending.
fn all_counts(items: &[Item]) -> Vec<u32> {
    let mut counts: Vec<u32> = items.iter().flat_map(|item| item.counts.clone()).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The tests of all suites of `plan`, with the files that they are declared in read into it.
fn items(plan: &mut Plan, notes: Notes<'_>) -> Result<Vec<Item>> {
    let mut items = Vec::new();
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
        items.extend(ready.into_iter().map(|test| {
            let fixed = matches!(test.workers(), Workers::Fixed(_));
            let counts = if fixed { counts[..1].to_vec() } else { counts.clone() };
            Item { test, suite: &suite.name, counts, foreign: foreign.clone() }
        }));
    }
    check_ids(&items)?;
    Ok(items)
}

/// Samples are stored under the ids of tests; two suites with one id would mix theirs.
fn check_ids(items: &[Item]) -> Result<()> {
    let mut seen = HashSet::new();
    match items.iter().flat_map(|item| item.test.infos()).find(|info| !seen.insert(info.id.clone()))
    {
        None => Ok(()),
        Some(info) => Err(refusal::usage(format!(
            "two tests of these suites are called {}; run them in two campaigns, or rename one",
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
        let ids = suite.tests.iter().flat_map(|test| test.infos()).map(|info| info.id);
        let meant = model::pattern_meant(glob, ids);
        return Err(refusal::usage(format!(
            "no test of suite {} matches `{glob}`{meant}; `assay explain {0}` lists them",
            suite.name
        )));
    }
    let all = plan.tests.is_empty() && globs.is_empty();
    let wanted = |test: &&'static dyn Test| all || globs.iter().any(|glob| matches(test, glob));
    Ok(suite.tests.iter().copied().filter(wanted).collect())
}

/// Where `target` can be made as far as this machine knows by itself.
fn own_place(target: &ResolvedTarget) -> Result<Place> {
    match target.directory() {
        Some(dir) => check_directory(dir).map(|()| Place::Host),
        None => Ok(target.parts().iter().find_map(lacking).map_or(Place::Host, Place::Nowhere)),
    }
}

fn lacking(part: &Part) -> Option<String> {
    match lab::available(part.fs) {
        Availability::Ready => None,
        Availability::Missing { what, fix } => {
            Some(format!("{} cannot be used here, missing: {what}; {fix}", part.fs.about().name))
        }
    }
}

fn check_directory(dir: &Path) -> Result<()> {
    let named = dir.display();
    if !dir.is_dir() {
        return Err(refusal::usage(format!("{named} is not a directory; name one that exists")));
    }
    access(dir, Access::WRITE_OK | Access::EXEC_OK).map_err(|why| {
        refusal::lacking(format!(
            "cannot write in {named}: {why}; choose another directory, or use sudo"
        ))
    })
}

/// One process, and four for each processor, at most 64.
fn default_procs() -> Vec<u32> {
    let cpus = thread::available_parallelism().map_or(1, |n| n.get() as u32);
    vec![1, (4 * cpus).min(64)]
}

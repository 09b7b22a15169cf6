//! A plan is everything a campaign was asked to do. It is stored with the campaign, and a resumed
//! campaign runs from the stored plan alone.

use crate::plan::plan_error::{MAX_AGE, MAX_FULLNESS, MOST_PROCS};
use crate::{
    plan::{BackingPlan, LOOKS, LabChoice, Order, PlanError, Preset, Price, QUICK_LOOKS, Scale},
    target::{Options, Sweep, Swept, Target, TargetNames, label_targets, naming},
    workload::{Asset, DataKind, Numa, TestSize},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

/// Share of the space that stays occupied by what is left of an aged population.
pub const AGED_SHARE: f64 = 0.3;

/// A plan, as written in TOML or built from arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// Name of the campaign, in addition to its generated id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Labels to find it by, e.g. `firmware = "1.4"`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Candidates; empty means every file system that this machine supports.
    pub targets: Vec<Target>,
    /// Names of candidates in tables, if not their text.
    #[serde(skip_serializing_if = "TargetNames::is_empty")]
    pub names: TargetNames,
    /// File systems with several values of options to compare; their variants are candidates in addition to `targets`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sweeps: Vec<Sweep>,
    /// Suites to run, one after the other: a name, a file of declarations, or a tool with its job as
    /// `fio:JOB.fio`.
    pub suites: Vec<String>,
    /// Contents of the files named in `suites` when the plan was made, so that a campaign can be resumed and read
    /// without them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Data files that the tests need, as they were when the plan was made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assets: Vec<Asset>,
    /// Globs on test ids; empty means those of the preset.
    pub tests: Vec<String>,
    /// Process counts.
    pub procs: Vec<u32>,
    /// Threads in each worker.
    pub threads: u32,
    /// How much to measure.
    pub preset: Preset,
    /// Exact number of blocks, if not the preset's.
    pub blocks: Option<u32>,
    /// Time limit for all blocks together, seconds, if not the preset's. A block that would exceed it is not started,
    /// and one that does is discarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_s: Option<u64>,
    /// Numbers of blocks whose figures the user had seen before requesting more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub looked_at: Vec<u32>,
    /// Whether the baseline is measured twice, as an A/A check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aa: Option<bool>,
    /// Factor on sizes.
    pub scale: Scale,
    /// The size of each test, if a trial run determined it; empty if one scale factor applies to all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<TestSize>,
    /// Seed of order, offsets and data; drawn when not given.
    pub seed: Option<u64>,
    /// What the data looks like.
    pub data: DataKind,
    /// Cycles of churn that every fresh instance goes through first; none at all when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<u32>,
    /// Used share to which every fresh instance is filled first, per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fullness: Option<u32>,
    /// Target the others are compared with; the default is the first.
    pub baseline: Option<String>,
    /// Monthly cost of candidates by label, all in one currency.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
    /// The disks or images on which file systems are made.
    pub backing: BackingPlan,
    /// The order in which the tests of a block run on its candidates; in turn when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Whether workers read files that another host wrote.
    #[serde(skip_serializing_if = "is_default")]
    pub shift: bool,
    /// The NUMA nodes to which workers are pinned.
    #[serde(skip_serializing_if = "is_default")]
    pub numa: Numa,
    /// The kinds of machine on which they are made: this one, or a guest of it.
    #[serde(skip_serializing_if = "is_default")]
    pub lab: LabChoice,
    /// Kernel that a virtual machine boots; the newest installed one when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<PathBuf>,
    /// Suite knobs.
    pub knobs: Options,
    /// Longest time that one case may take, seconds.
    pub case_timeout_s: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            name: None,
            tags: BTreeMap::new(),
            targets: Vec::new(),
            names: TargetNames::new(),
            sweeps: Vec::new(),
            suites: vec!["columnar".into()],
            files: BTreeMap::new(),
            assets: Vec::new(),
            tests: Vec::new(),
            procs: Vec::new(),
            threads: 1,
            preset: Preset::default(),
            blocks: None,
            budget_s: None,
            looked_at: Vec::new(),
            aa: None,
            scale: Scale::Auto,
            sizes: Vec::new(),
            seed: None,
            data: DataKind::default(),
            age: None,
            fullness: None,
            baseline: None,
            prices: BTreeMap::new(),
            backing: BackingPlan::default(),
            order: None,
            shift: false,
            numa: Numa::default(),
            lab: LabChoice::default(),
            kernel: None,
            knobs: Options::new(),
            case_timeout_s: 3600,
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The second of an A/A pair: the baseline under another label. Any difference between the two is a false positive of
/// the method. It is not a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// Label of the candidate that it is the same as.
    pub of: String,
    /// Its own label.
    pub label: String,
}

impl Plan {
    /// Number of blocks that will run, the largest where it is adaptive.
    pub fn block_count(&self) -> u32 {
        self.looks().last().copied().unwrap_or_else(|| self.fixed_blocks())
    }

    fn fixed_blocks(&self) -> u32 {
        self.blocks.unwrap_or_else(|| self.preset.blocks())
    }

    /// Numbers of blocks after which the campaign may end because of its figures; none if the number of blocks is
    /// fixed.
    pub fn looks(&self) -> &'static [u32] {
        let looks = if self.preset == Preset::Quick { QUICK_LOOKS } else { LOOKS };
        let adaptive =
            self.blocks.is_none() && (self.preset.is_evidence() || self.budget().is_some());
        let first = looks.iter().position(|&look| look >= self.preset.blocks());
        first.filter(|_| adaptive).map_or(&[], |first| &looks[first..])
    }

    /// Time for all blocks together, seconds.
    pub fn budget(&self) -> Option<u64> {
        self.budget_s.or(self.preset.budget_s().filter(|_| self.blocks.is_none()))
    }

    /// Whether an adaptive campaign ends with its verdict, and not with the precision of all its ratios.
    pub fn seeks_a_verdict(&self) -> bool {
        self.preset == Preset::Quick && !self.looks().is_empty()
    }

    /// Whether the number of blocks depends on the figures of earlier blocks.
    pub fn is_looked_at(&self) -> bool {
        !self.looks().is_empty() || !self.looked_at.is_empty()
    }

    /// One line for lists: what runs on what.
    pub fn title(&self) -> String {
        let swept = |t: &&Target| self.sweeps.iter().any(|sweep| sweep.variants.contains(t));
        let plain: Vec<Target> = self.targets.iter().filter(|t| !swept(t)).cloned().collect();
        let plain = label_targets(&plain, &self.names);
        let sweeps = self.sweeps.iter().map(|sweep| format!("a sweep of {}", sweep.on));
        let on: Vec<String> = plain.into_iter().chain(sweeps).collect();
        format!("{} on {}", self.suites.join(", "), on.join(", "))
    }

    /// Labels of the candidates.
    pub fn candidates(&self) -> Vec<String> {
        label_targets(&self.targets, &self.names)
    }

    /// Everything that runs in a block: the candidates, then the twin.
    pub fn entrants(&self) -> Vec<Target> {
        let mut entrants = self.targets.clone();
        entrants.extend(self.twin_target().cloned());
        entrants
    }

    /// The twin, when the plan has an A/A pair.
    pub fn twin(&self) -> Option<Twin> {
        self.twin_target()?;
        let mut labels = label_targets(&self.entrants(), &self.names);
        let label = labels.pop()?;
        Some(Twin { of: labels.swap_remove(self.baseline_index()), label })
    }

    fn twin_target(&self) -> Option<&Target> {
        self.targets.get(self.baseline_index()).filter(|_| self.aa == Some(true))
    }

    /// Index of the candidate that the others are compared with.
    fn baseline_index(&self) -> usize {
        let named =
            |baseline: &String| self.candidates().iter().position(|label| label == baseline);
        self.baseline.as_ref().and_then(named).unwrap_or(0)
    }

    /// The state of an instance before its first test, in words: `fresh`, `aged by 300 cycles, 80 % full`.
    pub fn condition(&self) -> String {
        let age = self.age.map(|cycles| format!("aged by {cycles} cycles"));
        let full = self.fullness.map(|percent| format!("{percent} % full"));
        let parts: Vec<String> = age.into_iter().chain(full).collect();
        if parts.is_empty() { "fresh".into() } else { parts.join(", ") }
    }

    /// Share of the space that is occupied before the first test, 0 to 1, besides the metadata.
    pub fn occupied_share(&self) -> f64 {
        let aged = self.age.map_or(0.0, |_| AGED_SHARE);
        self.fullness.map_or(0.0, |percent| f64::from(percent) / 100.0).max(aged)
    }

    /// The size of `test` at `procs` processes; `None` if one scale factor applies to all.
    pub fn size(&self, test: &str, procs: u32) -> Option<&TestSize> {
        crate::workload::size_of(&self.sizes, test, procs)
    }

    /// Checks the numbers; names (targets, tests, knobs) are checked where they are known.
    pub fn check(&self) -> Result<(), PlanError> {
        // How many of them one machine starts is for who starts them to say: ranks of many hosts may be more.
        if let Some(&n) = self.procs.iter().find(|n| !(1..=MOST_PROCS).contains(*n)) {
            return Err(PlanError::Procs(n));
        }
        if !(1..=1024).contains(&self.threads) {
            return Err(PlanError::Threads(self.threads));
        }
        if !(1..=1000).contains(&self.fixed_blocks()) {
            return Err(PlanError::Blocks(self.fixed_blocks()));
        }
        if let Some(cycles) = self.age.filter(|&cycles| cycles > MAX_AGE) {
            return Err(PlanError::Age(cycles));
        }
        if let Some(percent) = self.fullness.filter(|percent| !(1..=MAX_FULLNESS).contains(percent))
        {
            return Err(PlanError::Fullness(percent));
        }
        if let Some(size) = self.sizes.iter().find(|size| !size.is_sound()) {
            return Err(PlanError::Size(size.test.clone()));
        }
        if self.blocks.is_some() && self.budget_s.is_some() {
            return Err(PlanError::BlocksAndBudget);
        }
        if self.kernel.is_some() && matches!(self.lab, LabChoice::Host | LabChoice::Uml) {
            return Err(PlanError::KernelWithoutMachine);
        }
        self.check_kernels()?;
        let campaign = naming::check_campaign(self.name.as_ref(), &self.tags);
        let targets = || naming::check_targets(&self.targets, &self.names);
        campaign.and_then(|()| targets()).map_err(PlanError::Naming)?;
        self.backing.contradiction().map_or(Ok(()), |why| Err(PlanError::Backing(why)))
    }

    /// Checks that targets which name a kernel can be measured in guests.
    fn check_kernels(&self) -> Result<(), PlanError> {
        let targets = self.targets.iter().filter(|target| target.kernel().is_some());
        let sweeps = self.sweeps.iter().map(|sweep| &sweep.on).filter(|on| on.kernel.is_some());
        let mut named = targets.map(Target::to_string).chain(sweeps.map(Swept::to_string));
        let conflicts = [
            (
                self.lab == LabChoice::Host,
                "and --lab host allows none; use --lab qemu or --lab uml",
            ),
            (!self.backing.devices.is_empty(), "which gets no disk of this machine; drop --device"),
            (self.kernel.is_some(), "and --kernel names another; drop one of them"),
        ];
        let conflict = conflicts.iter().find(|(is_there, _)| *is_there);
        match conflict.and_then(|(_, why)| Some((named.next()?, why))) {
            None => Ok(()),
            Some((target, why)) => Err(PlanError::KernelOf(target, why)),
        }
    }
}

#[cfg(test)]
mod tests;

//! A suite: a named list of tests, and the tests that each preset runs.

use crate::Test;
use model::{
    plan::Preset,
    target::Knob,
    workload::{AssetName, Job},
};
use serde::Deserialize;
use std::{borrow::Cow, collections::BTreeMap, path::PathBuf};

/// A named list of tests.
#[derive(Clone)]
pub struct Suite {
    /// Name, e.g. `columnar`.
    pub name: Cow<'static, str>,
    /// One sentence.
    pub about: Cow<'static, str>,
    /// Settings that every test of the suite reads from `Job::knobs`; the settings of a declared
    /// suite are those of the kinds of its tests.
    pub knobs: &'static [Knob],
    /// Tests in the order in which they run.
    pub tests: Cow<'static, [&'static dyn Test]>,
    /// Process counts when none are asked for; empty leaves it to the program.
    pub procs: Vec<u32>,
    /// The tests that a preset runs by default.
    pub presets: Presets,
    /// Tests whose pages stand also for those that differ only in a value of `for`; empty where
    /// every test has a page of its own.
    pub pages: Vec<String>,
    /// Files of data next to its own file that its tests need.
    pub assets: Vec<AssetName>,
    /// The declaration, TOML; `None` for a suite in code.
    pub text: Option<Cow<'static, str>>,
}

impl Suite {
    /// Ids of its tests, in the order in which they run.
    pub fn ids(&self) -> impl Iterator<Item = String> {
        self.tests.iter().flat_map(|test| test.infos()).map(|info| info.id)
    }
}

/// Globs on test ids.
pub(crate) type Globs = Cow<'static, [Cow<'static, str>]>;

/// Globs on test ids for each preset; empty means every test. A preset that has no time for all of them at
/// an honest size runs a core, which stands for every group and kind of test.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Presets {
    /// Tests of `smoke`.
    pub(crate) smoke: Globs,
    /// Tests of `quick`.
    pub(crate) quick: Globs,
    /// Tests of `standard`.
    pub(crate) standard: Globs,
    /// Tests of `publish`.
    pub(crate) publish: Globs,
}

impl Presets {
    /// Every test in every preset.
    pub const ALL: Presets = Presets::core(&[]);

    /// `core` in smoke and quick, every test in the others.
    pub const fn core(core: &'static [Cow<'static, str>]) -> Presets {
        Presets {
            smoke: Cow::Borrowed(core),
            quick: Cow::Borrowed(core),
            standard: Cow::Borrowed(&[]),
            publish: Cow::Borrowed(&[]),
        }
    }

    /// The globs of `preset`.
    pub fn globs(&self, preset: Preset) -> &[Cow<'static, str>] {
        match preset {
            Preset::Smoke => &self.smoke,
            Preset::Quick => &self.quick,
            Preset::Standard => &self.standard,
            Preset::Publish => &self.publish,
        }
    }
}

/// Bytes that one worker needs on disk for `tests` with their jobs: the files that they share, once,
/// and the most that any of them needs while it runs.
pub fn space_bytes(tests: &[(&dyn Test, Job)]) -> u64 {
    let mut files = BTreeMap::<PathBuf, u64>::new();
    for (path, bytes) in tests.iter().flat_map(|(test, job)| test.space(job)) {
        let largest = files.entry(path).or_default();
        *largest = bytes.max(*largest);
    }
    let scratch = tests.iter().map(|(test, job)| test.estimate(job).scratch_bytes).max();
    files.into_values().chain(scratch).fold(0, u64::saturating_add)
}

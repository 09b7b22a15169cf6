//! A plan is everything a campaign was asked to do. It is stored with the campaign, and a resumed
//! campaign runs from the stored plan alone.

use crate::{Bytes, DataKind, Options, Target};
use serde::{Deserialize, Deserializer, Serialize};
use std::{collections::BTreeMap, fmt, path::PathBuf, str::FromStr};

/// How much to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// One block of the smallest sizes: does it work?
    Smoke,
    /// Three blocks: a first look.
    #[default]
    Quick,
    /// Five blocks.
    Standard,
    /// Ten blocks.
    Publish,
}

impl Preset {
    /// Number of blocks.
    pub fn blocks(self) -> u32 {
        match self {
            Preset::Smoke => 1,
            Preset::Quick => 3,
            Preset::Standard => 5,
            Preset::Publish => 10,
        }
    }

    /// Time that one target may take in one block, all process counts together, seconds; it decides
    /// the automatic scale.
    pub fn target_block_s(self) -> f64 {
        match self {
            Preset::Smoke => 20.0,
            Preset::Quick => 45.0,
            Preset::Standard => 600.0,
            Preset::Publish => 2400.0,
        }
    }
}

/// The factor on the ancestor's sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Scale {
    /// The largest that fits free space and time, after a pilot.
    #[default]
    Auto,
    /// A given factor; 1 is full.
    Factor(f64),
}

impl FromStr for Scale {
    type Err = PlanError;
    fn from_str(text: &str) -> Result<Self, PlanError> {
        let factor = match text {
            "auto" => return Ok(Scale::Auto),
            "double" => 2.0,
            "full" => 1.0,
            "small" => 0.2,
            "tiny" => 0.05,
            "smoke" => 0.002,
            _ => text.parse().map_err(|_| PlanError::Scale(text.into()))?,
        };
        if (0.0005..=4.0).contains(&factor) {
            Ok(Scale::Factor(factor))
        } else {
            Err(PlanError::Scale(text.into()))
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scale::Auto => f.write_str("auto"),
            Scale::Factor(factor) => write!(f, "{factor}"),
        }
    }
}

impl TryFrom<String> for Scale {
    type Error = PlanError;
    fn try_from(text: String) -> Result<Self, PlanError> {
        text.parse()
    }
}

impl From<Scale> for String {
    fn from(scale: Scale) -> String {
        scale.to_string()
    }
}

/// Where made file systems lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BackingPlan {
    /// Directory for loop images; the default is assay's own state directory.
    pub dir: Option<PathBuf>,
    /// Size of the image; the default follows from the scale.
    pub size: Option<Bytes>,
}

/// A plan, as written in TOML or built from arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// Candidates; empty means every file system that this machine supports.
    pub targets: Vec<Target>,
    /// Suites to run, one after the other: a name, a file of declarations, or a tool with its job as
    /// `fio:JOB.fio`.
    #[serde(alias = "suite", deserialize_with = "one_or_many")]
    pub suites: Vec<String>,
    /// What the files that `suites` names held when the plan was made, so that a campaign can be
    /// resumed and read where they are not.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Globs on test ids; empty means those of the preset.
    pub tests: Vec<String>,
    /// Process counts.
    pub procs: Vec<u32>,
    /// Threads in each worker.
    pub threads: u32,
    /// How much to measure.
    pub preset: Preset,
    /// Number of blocks, when it is not the preset's.
    pub blocks: Option<u32>,
    /// Factor on sizes.
    pub scale: Scale,
    /// Seed of order, offsets and data; drawn when not given.
    pub seed: Option<u64>,
    /// What the data looks like.
    pub data: DataKind,
    /// Target the others are compared with; the default is the first.
    pub baseline: Option<String>,
    /// Where made file systems lie.
    pub backing: BackingPlan,
    /// Suite knobs.
    pub knobs: Options,
    /// Longest time that one case may take, seconds.
    pub case_timeout_s: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            targets: Vec::new(),
            suites: vec!["columnar".into()],
            files: BTreeMap::new(),
            tests: Vec::new(),
            procs: Vec::new(),
            threads: 1,
            preset: Preset::default(),
            blocks: None,
            scale: Scale::Auto,
            seed: None,
            data: DataKind::default(),
            baseline: None,
            backing: BackingPlan::default(),
            knobs: Options::new(),
            case_timeout_s: 3600,
        }
    }
}

/// `suite = "files"` as well as `suites = ["files", "oltp"]`.
fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(from)? {
        OneOrMany::One(name) => vec![name],
        OneOrMany::Many(names) => names,
    })
}

/// A plan that cannot be run.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanError {
    /// Not a scale.
    Scale(String),
    /// A process count outside 1 to 1024.
    Procs(u32),
    /// A thread count outside 1 to 1024.
    Threads(u32),
    /// A block count outside 1 to 1000.
    Blocks(u32),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Scale(text) => write!(
                f,
                "`{text}` is not a scale; use auto, full, small, tiny, smoke or a factor from 0.0005 to 4"
            ),
            PlanError::Procs(n) => write!(f, "{n} processes cannot be run; use --procs 1 to 1024"),
            PlanError::Threads(n) => {
                write!(f, "{n} threads cannot be run; use --threads 1 to 1024")
            }
            PlanError::Blocks(n) => write!(f, "{n} blocks cannot be run; use --blocks 1 to 1000"),
        }
    }
}

impl std::error::Error for PlanError {}

impl Plan {
    /// Number of blocks asked for.
    pub fn block_count(&self) -> u32 {
        self.blocks.unwrap_or_else(|| self.preset.blocks())
    }

    /// Checks the numbers; names (targets, tests, knobs) are checked by those who know them.
    pub fn check(&self) -> Result<(), PlanError> {
        let bad = |n: &u32| !(1..=1024).contains(n);
        if let Some(&n) = self.procs.iter().find(|n| bad(n)) {
            return Err(PlanError::Procs(n));
        }
        if bad(&self.threads) {
            return Err(PlanError::Threads(self.threads));
        }
        if !(1..=1000).contains(&self.block_count()) {
            return Err(PlanError::Blocks(self.block_count()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_have_names() {
        assert_eq!("small".parse(), Ok(Scale::Factor(0.2)));
        assert_eq!("auto".parse(), Ok(Scale::Auto));
        for text in ["0", "-1", "nan", "big"] {
            assert!(text.parse::<Scale>().is_err(), "{text}");
        }
    }

    #[test]
    fn impossible_counts_are_refused() {
        let plan = Plan { procs: vec![1, 0], ..Plan::default() };
        assert_eq!(plan.check(), Err(PlanError::Procs(0)));
    }
}

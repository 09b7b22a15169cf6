//! A profile describes a workload: the weights of its groups of tests, the features that it requires and those that it
//! prefers. It is a TOML file, because weights are opinions that a user may edit.

use crate::{figure::LatencyLimit, workload::CacheState};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

/// One workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What it is called and is for.
    pub profile: ProfileHead,
    /// Kinds of work with their weights; none where `ops` tell how often each is done.
    #[serde(rename = "group", default)]
    pub groups: Vec<WorkGroup>,
    /// Operations of a unit of work: targets are scored by the time for all of them.
    #[serde(rename = "op", default)]
    pub ops: Vec<MixOp>,
    /// How far behind the best a target may be in a test, whatever its score.
    #[serde(rename = "floor", default)]
    pub floors: Vec<Floor>,
    /// Features without which a target is ruled out.
    #[serde(rename = "require", default)]
    pub requires: Vec<Require>,
    /// Features that decide between targets that the figures cannot separate.
    #[serde(rename = "prefer", default)]
    pub prefers: Vec<Preference>,
}

/// The identity of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileHead {
    /// Name, as on the command line.
    pub name: String,
    /// One sentence: which work it stands for.
    pub intent: String,
    /// Devices it was written for, e.g. `ssd`.
    pub device_class: String,
    /// Tier of a tiered store that it stands for.
    #[serde(default)]
    pub tier: Option<Tier>,
}

/// Where data of some age lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Queried often, mostly from memory.
    Hot,
    /// Queried less often, mostly from the device.
    Mid,
    /// Kept, compressed and seldom read.
    Cold,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::Hot => "hot",
            Tier::Mid => "mid",
            Tier::Cold => "cold",
        })
    }
}

/// A kind of work: the tests that show it, and how much it counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkGroup {
    /// Unique in the profile.
    pub name: String,
    /// Its share; only the proportions matter.
    pub weight: f64,
    /// Globs over the ids of tests, all of which count the same inside the group.
    pub tests: Vec<String>,
    /// Only samples in this cache state, `cold` or `hot`; without it, all.
    #[serde(default)]
    pub cache: Option<CacheState>,
    /// Which numbers of processes.
    #[serde(default)]
    pub procs: Procs,
}

/// Numbers of processes, in words, because campaigns differ in how many they run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Procs {
    /// Whatever the campaign has.
    #[default]
    All,
    /// One.
    One,
    /// The most that the campaign has for a test.
    Most,
}

impl Procs {
    /// True when a test with `procs` processes belongs, of which the campaign has up to `most`.
    pub fn holds(self, procs: u32, most: u32) -> bool {
        match self {
            Procs::All => true,
            Procs::One => procs == 1,
            Procs::Most => procs == most,
        }
    }
}

/// A limit on being bad at something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// Glob over the ids of tests.
    pub test: String,
    /// How many times better the best may be.
    #[serde(default)]
    pub max_ratio_to_best: Option<f64>,
    /// The most that a quantile of its latencies may be.
    #[serde(default)]
    pub limit: Option<LatencyLimit>,
}

/// Operations of one kind in a unit of work, whose number is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixOp {
    /// Unique in the profile [default: `test`].
    #[serde(default)]
    pub name: Option<String>,
    /// Glob over the ids of tests; of several, an operation takes the mean of theirs.
    pub test: String,
    /// How many operations.
    pub count: f64,
    /// Only samples in this cache state, `cold` or `hot`; without it, all.
    #[serde(default)]
    pub cache: Option<CacheState>,
    /// Which numbers of processes.
    #[serde(default)]
    pub procs: Procs,
}

impl MixOp {
    /// The operations as a group with the weight `weight`.
    pub fn group(&self, weight: f64) -> WorkGroup {
        let name = self.name.as_ref().unwrap_or(&self.test).clone();
        let tests = vec![self.test.clone()];
        WorkGroup { name, weight, tests, cache: self.cache, procs: self.procs }
    }
}

/// A feature that must be there, as [`Requirement`](crate::target::Requirement) reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Require {
    /// `snapshots`, `max_file>=32TiB`, `supported_on=rhel-10`.
    pub feature: String,
}

/// A feature that would be nice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preference {
    /// As in a requirement.
    pub feature: String,
    /// What it is worth, in logarithms: 0.03 is a score 3 % better. All together never count for
    /// more than the practical band.
    pub worth: f64,
}

/// A profile that says nothing that can be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    profile: String,
    why: String,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "profile `{}`: {}", self.profile, self.why)
    }
}

impl std::error::Error for ProfileError {}

impl Profile {
    /// Checks what types cannot: names that are unique, weights and limits that make sense.
    pub fn check(&self) -> Result<(), ProfileError> {
        let fault = match self.ops.is_empty() {
            true => fault_of_groups(&self.groups),
            false => self.fault_of_ops(),
        };
        let fault = fault.or_else(|| self.fault_of_limits());
        let profile = self.profile.name.clone();
        fault.map_or(Ok(()), |why| Err(ProfileError { profile, why }))
    }

    fn fault_of_ops(&self) -> Option<String> {
        if !self.groups.is_empty() {
            return Some("it has both [[group]] and [[op]]; use one of them".into());
        }
        let uncounted = self.ops.iter().find(|op| !(op.count > 0.0 && op.count.is_finite()));
        match uncounted {
            Some(op) => Some(format!("the count of op `{}` must be above 0", op.test)),
            None => fault_of_groups(&self.ops.iter().map(|op| op.group(1.0)).collect::<Vec<_>>()),
        }
    }

    fn fault_of_limits(&self) -> Option<String> {
        let sane = |v: f64, least: f64| v > least && v.is_finite();
        let one = |f: &&Floor| f.max_ratio_to_best.is_some() == f.limit.is_some();
        let floor = self.floors.iter().find(|f| f.max_ratio_to_best.is_some_and(|r| !sane(r, 1.0)));
        let prefer = self.prefers.iter().find(|p| !sane(p.worth, 0.0));
        let require = self.requires.iter().map(|r| &r.feature);
        let mut features = require.chain(self.prefers.iter().map(|p| &p.feature));
        floor
            .map(|f| format!("max_ratio_to_best of floor `{}` must be above 1", f.test))
            .or_else(|| {
                let floor = self.floors.iter().find(one)?;
                Some(format!(
                    "floor `{}` needs exactly one of max_ratio_to_best and limit",
                    floor.test
                ))
            })
            .or_else(|| prefer.map(|p| format!("the worth of `{}` must be above 0", p.feature)))
            .or_else(|| {
                features
                    .find_map(|f| Some(f.parse::<crate::target::Requirement>().err()?.to_string()))
            })
    }
}

fn fault_of_groups(groups: &[WorkGroup]) -> Option<String> {
    if groups.is_empty() {
        return Some("it has no group of tests; add a [[group]], or [[op]] with counts".into());
    }
    let mut names = BTreeSet::new();
    groups.iter().find_map(|group| {
        let name = &group.name;
        if !names.insert(name) {
            return Some(format!("two groups or ops are named `{name}`; rename one"));
        }
        if !(group.weight > 0.0 && group.weight.is_finite()) {
            return Some(format!("the weight of group `{name}` must be above 0"));
        }
        if group.tests.is_empty() {
            return Some(format!("group `{name}` has no tests; add globs over test ids"));
        }
        let state = group.cache.filter(|c| !matches!(c, CacheState::Cold | CacheState::Hot))?;
        Some(format!("group `{name}` has cache `{state}`; use cold or hot, or omit it"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, weight: f64) -> WorkGroup {
        let tests = vec!["a.*".into()];
        WorkGroup { name: name.into(), weight, tests, cache: None, procs: Procs::All }
    }

    fn profile(groups: Vec<WorkGroup>) -> Profile {
        let head = ProfileHead {
            name: "p".into(),
            intent: "a test".into(),
            device_class: "ssd".into(),
            tier: None,
        };
        let (ops, floors, requires, prefers) = (vec![], vec![], vec![], vec![]);
        Profile { profile: head, groups, ops, floors, requires, prefers }
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        assert_eq!(profile(vec![group("a", 1.0)]).check(), Ok(()));
        let why = |profile: &Profile| profile.check().unwrap_err().to_string();
        assert!(why(&profile(vec![])).contains("no group"));
        assert!(
            why(&profile(vec![group("a", 1.0), group("a", 1.0)]))
                .contains("two groups or ops are named `a`")
        );
        assert!(why(&profile(vec![group("a", f64::NAN)])).contains("weight of group `a`"));
        let mut lukewarm = profile(vec![group("a", 1.0)]);
        lukewarm.groups[0].cache = Some(CacheState::Lukewarm);
        assert!(why(&lukewarm).contains("cold or hot"));
        let mut floor = profile(vec![group("a", 1.0)]);
        let of = |ratio, limit| vec![Floor { test: "a".into(), max_ratio_to_best: ratio, limit }];
        floor.floors = of(Some(0.5), None);
        assert!(why(&floor).contains("above 1"));
        floor.floors = of(Some(1.5), "p99 <= 5ms".parse().ok());
        assert!(why(&floor).contains("exactly one of"));
        floor.floors = of(None, None);
        assert!(why(&floor).contains("exactly one of"));
        floor.floors = of(None, "p99 <= 5ms".parse().ok());
        assert_eq!(floor.check(), Ok(()));
        let mut prefer = profile(vec![group("a", 1.0)]);
        prefer.prefers = vec![Preference { feature: "reflink".into(), worth: -0.1 }];
        assert!(why(&prefer).contains("worth of `reflink`"));
        let mut require = profile(vec![group("a", 1.0)]);
        require.requires = vec![Require { feature: "max_file>=many".into() }];
        assert!(why(&require).contains("many"));
    }

    #[test]
    fn operations_are_counted_or_weighed() {
        let op = |test: &str, count: f64| MixOp {
            name: None,
            test: test.into(),
            count,
            cache: None,
            procs: Procs::One,
        };
        let of = |groups, ops| Profile { ops, ..profile(groups) };
        assert_eq!(of(vec![], vec![op("a.*", 3.0), op("b", 0.5)]).check(), Ok(()));
        let why = |profile: &Profile| profile.check().unwrap_err().to_string();
        assert!(why(&of(vec![group("a", 1.0)], vec![op("a", 1.0)])).contains("use one of them"));
        assert!(why(&of(vec![], vec![op("a", 0.0)])).contains("count of op `a`"));
        assert!(why(&of(vec![], vec![op("a", 1.0), op("a", 2.0)])).contains("rename one"));
        let named = MixOp { name: Some("b".into()), procs: Procs::Most, ..op("a", 2.0) };
        assert_eq!(of(vec![], vec![op("a", 1.0), named]).check(), Ok(()));
    }

    #[test]
    fn process_counts_are_words() {
        let of = |procs| [Procs::All, Procs::One, Procs::Most].map(|p| p.holds(procs, 64));
        assert_eq!((of(1), of(64)), ([true, true, false], [true, false, true]));
        assert!(Procs::Most.holds(1, 1));
    }
}

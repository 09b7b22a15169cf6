//! Lists differences between two campaigns besides their samples: plan, machine, and facts of common targets.

use model::{
    plan::LabKind,
    result::{Campaign, Dataset, Environment, SUITES_ABOUT, is_cost},
    workload::Case,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A key with its values in two campaigns, of which one may not know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// What it is of: `settings`, `machine`, or `target LABEL`.
    pub of: String,
    /// The key.
    pub key: String,
    /// Value in A.
    pub a: Option<String>,
    /// Value in B.
    pub b: Option<String>,
}

/// Settings first, then the machine, then targets.
pub(super) fn changed(a: &Dataset, b: &Dataset) -> Vec<Changed> {
    let mut all = differing("settings", &settings(a), &settings(b));
    all.extend(differing("machine", &machine(a), &machine(b)));
    for target in &a.targets {
        if let Some(other) = b.targets.iter().find(|t| t.label == target.label) {
            let of = format!("target {}", target.label);
            let (facts, theirs) = (steady(&target.facts, a), steady(&other.facts, b));
            all.extend(differing(&of, &facts, &theirs));
        }
    }
    all
}

/// A key with its values in several campaigns, which are not all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// What it is of: `settings`, `machine`, or `target LABEL`.
    pub of: String,
    /// The key.
    pub key: String,
    /// The value in each campaign, where it knows one.
    pub values: Vec<Option<String>>,
}

/// What is not the same in all of `campaigns`: settings, the machine and facts of targets that two of them know at
/// least.
pub fn differing_facts(campaigns: &[&Dataset]) -> Vec<Differing> {
    let mut all: BTreeMap<(usize, String, String), Vec<Option<String>>> = BTreeMap::new();
    for (at, dataset) in campaigns.iter().enumerate() {
        let targets = dataset.targets.iter();
        let targets =
            targets.map(|own| (2, format!("target {}", own.label), steady(&own.facts, dataset)));
        let whole = [
            (0, "settings".to_string(), settings(dataset)),
            (1, "machine".to_string(), machine(dataset)),
        ];
        for (place, of, facts) in whole.into_iter().chain(targets) {
            for (key, value) in facts.0 {
                let values = all.entry((place, of.clone(), key));
                values.or_insert_with(|| vec![None; campaigns.len()])[at] = Some(value);
            }
        }
    }
    let is_other = |values: &[Option<String>]| {
        let known: Vec<&String> = values.iter().flatten().collect();
        known.len() > 1 && known.windows(2).any(|pair| pair[0] != pair[1])
    };
    let differing = all.into_iter().filter(|(_, values)| is_other(values));
    differing.map(|((_, of, key), values)| Differing { of, key, values }).collect()
}

fn differing(of: &str, a: &Environment, b: &Environment) -> Vec<Changed> {
    let keys: BTreeSet<&String> = a.0.keys().chain(b.0.keys()).collect();
    let values = |key: &&String| (a.0.get(*key).cloned(), b.0.get(*key).cloned());
    let changed = |key: &String, (a, b)| Changed { of: of.into(), key: key.clone(), a, b };
    keys.into_iter()
        .map(|key| (key, values(&key)))
        .filter(|(_, (a, b))| a != b)
        .map(|(key, values)| changed(key, values))
        .collect()
}

/// The facts of the machine. What the suites stand for follows from the settings.
fn machine(dataset: &Dataset) -> Environment {
    let mut facts = dataset.campaign.environment.clone();
    facts.0.remove(SUITES_ABOUT);
    facts
}

/// Facts without what every campaign gives anew: paths that hold its id, numbers of loop devices, and
/// costs, which were measured.
fn steady(facts: &Environment, dataset: &Dataset) -> Environment {
    let id = &dataset.campaign.id;
    let word = |word: &str| match word {
        w if w.starts_with('/') && !id.is_empty() && w.contains(id) => "<mount point>".into(),
        w if w.starts_with("/dev/loop") => "<loop device>".into(),
        w => w.to_string(),
    };
    let text = |value: &str| value.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let kept = facts.0.iter().filter(|(key, _)| !is_cost(key));
    Environment(kept.map(|(key, value)| (key.clone(), text(value))).collect())
}

/// What decides how a test runs. Presets and numbers of blocks do not: they decide how often.
fn settings(dataset: &Dataset) -> Environment {
    let Campaign { plan, scale, origin, assay_version, .. } = &dataset.campaign;
    let counts = |of: fn(&Case) -> u32| {
        let counts: BTreeSet<u32> = dataset.samples.iter().map(|s| of(&s.case)).collect();
        counts.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    };
    let labs: Vec<&str> = dataset.labs().into_iter().map(LabKind::as_str).collect();
    let mut settings: BTreeMap<String, String> = [
        ("assay", assay_version.clone()),
        ("condition", plan.condition()),
        ("data", plan.data.to_string()),
        ("lab", labs.join(", ")),
        ("numa", plan.numa.to_string()),
        ("origin", origin.to_string()),
        ("processes", counts(|case| case.procs)),
        ("scale", scale.to_string()),
        ("suites", dataset.suites()),
        ("threads", counts(|case| case.threads)),
    ]
    .map(|(key, value)| (key.to_string(), value))
    .into();
    settings.extend(plan.knobs.iter().map(|(key, value)| (format!("knob {key}"), value.clone())));
    let assets = plan.assets.iter();
    settings.extend(assets.map(|own| (format!("asset {}", own.name), own.sha256.to_string())));
    Environment(settings)
}

//! Evaluates several profiles on a campaign, in addition to the verdict without a profile.

use crate::{
    advice::{Workloads, workload},
    description::{Settings, StatsError, cell::select::select},
    evaluation::{Findings, findings::part},
};
use model::{
    result::Dataset,
    target::FactSheet,
    workload::{Group, Procs, Profile, ProfileHead, WorkGroup},
};

/// What `profiles`, and equal weights, make of the part of `dataset` that `findings` are about.
///
/// # Errors
/// A sample names what the campaign does not list, or a profile requires what no fact speaks of.
pub fn workloads(
    dataset: &Dataset,
    findings: &Findings,
    profiles: &[Profile],
    facts: &[FactSheet],
) -> Result<Workloads, StatsError> {
    let part = part(dataset, findings);
    let cells = select(&part, &findings.targets, findings.contention_limit_pct)?;
    let settings = Settings { band: findings.band, ..Settings::default() };
    let of = |profiles: &[Profile]| {
        workload::workloads(&part, (&findings.targets, &cells), profiles, facts, &settings)
    };
    Ok(Workloads { equal: of(&[equal(dataset, findings)])?.pop(), profiles: of(profiles)? })
}

/// The groups of the tables as a profile.
fn equal(dataset: &Dataset, findings: &Findings) -> Profile {
    let is_there = |group: &Group| findings.tables.iter().any(|table| table.group == *group);
    let ids = |group: Group| dataset.tests.iter().filter(move |test| test.group == group);
    let groups = Group::ALL.into_iter().filter(|group| group.is_scored()).filter(is_there);
    let weighed = |group: Group| WorkGroup {
        name: group.title().into(),
        weight: 1.0,
        tests: ids(group).map(|test| test.id.clone()).collect(),
        cache: None,
        procs: Procs::All,
    };
    let head = ProfileHead {
        name: "equal weights".into(),
        intent: "All groups of tests are weighted equally, as in the verdict.".into(),
        device_class: String::new(),
        tier: None,
    };
    Profile {
        profile: head,
        groups: groups.map(weighed).collect(),
        ops: Vec::new(),
        floors: Vec::new(),
        requires: Vec::new(),
        prefers: Vec::new(),
    }
}

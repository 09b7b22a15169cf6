//! Evaluates each profile on a campaign without a verdict: cells per group of work, targets ruled out, and how much the
//! first place depends on the weights. A page recomputes the scores of any profile from this.

#[cfg(test)]
pub(crate) mod tests;

use super::{Eligibility, Objection, Question, Share, field::Field, vetoes::Rules, work::Entry};
use crate::{
    description::{Lead, Settings, StatsError, cell::data::CellData},
    kernel::fit::order,
};
use model::{result::Dataset, target::FactSheet, workload::Profile};
use std::collections::BTreeSet;

/// What different weights make of a campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workloads {
    /// With each group of tests weighing the same, as in the verdict.
    pub equal: Option<Workload>,
    /// By each profile of which it shows something.
    pub profiles: Vec<Workload>,
}

/// A profile of which a campaign shows something.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Name of the profile.
    pub name: String,
    /// What it stands for.
    pub intent: String,
    /// Share of its weight that the campaign shows.
    pub covered: f64,
    /// Its groups in their order.
    pub groups: Vec<WorkCells>,
    /// Targets that it rules out, with the reasons.
    pub ruled_out: Vec<(String, Vec<Objection>)>,
    /// The first by score over the second, by the interval of their blocks alone; `None` of fewer than two.
    pub lead: Option<Lead>,
    /// Share of drawn weights under which each candidate is first; empty with fewer than two.
    pub acceptability: Vec<Share>,
}

/// The cells of one group of a profile.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkCells {
    /// Name of the group.
    pub name: String,
    /// Its weight; only the proportions matter.
    pub weight: f64,
    /// Place of the test among those of the [`BlockLogs`](crate::evaluation::BlockLogs), and processes.
    pub cells: Vec<(usize, u32)>,
}

/// What `profiles` that weigh kinds of work make of `dataset`, whose columns are `targets` of `cells`. Those of which
/// it shows nothing are left out, and those that count operations, whose score is a time.
pub(crate) fn workloads(
    dataset: &Dataset,
    (targets, cells): (&[String], &[CellData]),
    profiles: &[Profile],
    facts: &[FactSheet],
    settings: &Settings,
) -> Result<Vec<Workload>, StatsError> {
    let of = |profile: &Profile| {
        let question = Question { profile, facts, requirements: &[], block_s: None };
        let rules = Rules::of(&question, settings.band)?;
        let field = Field::new(dataset, (profile, None), &rules, (targets, cells), settings);
        Ok(workload(&field, cells))
    };
    let weighing = profiles.iter().filter(|profile| profile.ops.is_empty());
    let all: Vec<Option<Workload>> = weighing.map(of).collect::<Result<_, StatsError>>()?;
    Ok(all.into_iter().flatten().collect())
}

fn workload(field: &Field<'_>, cells: &[CellData]) -> Option<Workload> {
    let advice = field.blank();
    let candidates = field.candidates(&[], &[], None);
    let out = candidates.into_iter().filter(|own| own.standing == Eligibility::RuledOut);
    let lead = lead(field);
    let sensitivity = field.sensitivity(0);
    (!field.all.is_empty()).then(|| Workload {
        name: advice.profile,
        intent: advice.intent,
        covered: advice.covered,
        groups: groups(field, cells),
        ruled_out: out.map(|own| (own.target, own.objections)).collect(),
        acceptability: sensitivity
            .filter(|_| lead.is_some())
            .map_or_else(Vec::new, |own| own.acceptability),
        lead,
    })
}

fn lead(field: &Field<'_>) -> Option<Lead> {
    let order = order(&field.board(&field.columns, &field.used).means());
    let pair = (field.columns[*order.first()?], field.columns[*order.get(1)?]);
    field.over(pair, &field.used).map(|(lead, _)| lead)
}

fn groups(field: &Field<'_>, cells: &[CellData]) -> Vec<WorkCells> {
    let tests: BTreeSet<usize> = cells.iter().map(|cell| cell.test).collect();
    let tests: Vec<usize> = tests.into_iter().collect();
    let place = |entry: &Entry<'_>| {
        (tests.binary_search(&entry.cell.test).unwrap_or_default(), entry.cell.procs)
    };
    let all = field.profile.groups.iter().enumerate();
    all.map(|(at, group)| WorkCells {
        name: group.name.clone(),
        weight: group.weight,
        cells: field.all.iter().filter(|entry| entry.group == at).map(place).collect(),
    })
    .collect()
}

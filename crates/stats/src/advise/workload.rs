//! What each profile makes of a campaign without judging it: which cells show its groups of work, whom it rules out,
//! and how far the first by score hangs on the weights. Of this a page computes the scores by any profile again.

#[cfg(test)]
pub(crate) mod tests;

use super::{Eligibility, Objection, Question, Share, field::Field, sensitivity, work};
use crate::{Ratio, Settings, StatsError, bar::Bar, cell::CellData};
use model::{Dataset, FactSheet, Profile};
use std::collections::BTreeSet;

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
    /// The candidates with their scores over the first of them, best first.
    pub scores: Vec<(String, Ratio)>,
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
    /// Place of the test among those of the [`BlockLogs`](crate::BlockLogs), and processes.
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
        let field = Field::new(dataset, &question, None, targets, cells, settings)?;
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
    let scores = scores(field);
    let acceptability = sensitivity::sensitivity(
        field.profile,
        &field.used,
        (&field.columns, 0),
        field.targets,
        field.dataset.campaign.seed,
    );
    (!field.all.is_empty()).then(|| Workload {
        name: advice.profile,
        intent: advice.intent,
        covered: advice.covered,
        groups: groups(field, cells),
        ruled_out: out.map(|own| (own.target, own.objections)).collect(),
        acceptability: acceptability
            .filter(|_| scores.len() > 1)
            .map_or_else(Vec::new, |s| s.acceptability),
        scores,
    })
}

/// The candidates over the first of them, best first.
fn scores(field: &Field<'_>) -> Vec<(String, Ratio)> {
    let means = field.board(&field.columns, &field.used).means();
    let order = crate::decide::order(&means);
    let columns: Vec<usize> = order.iter().map(|&at| field.columns[at]).collect();
    let ratios = field.board(&columns, &field.used).ratios(Bar::of(&field.dataset.campaign));
    let label = |column: &usize| field.targets[*column].clone();
    columns.iter().map(label).zip(ratios).collect()
}

fn groups(field: &Field<'_>, cells: &[CellData]) -> Vec<WorkCells> {
    let tests: BTreeSet<usize> = cells.iter().map(|cell| cell.test).collect();
    let tests: Vec<usize> = tests.into_iter().collect();
    let place = |entry: &work::Entry<'_>| {
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

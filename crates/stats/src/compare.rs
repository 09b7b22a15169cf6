//! Two campaigns side by side: one dataset of the cells that both have, and what became better or
//! worse from the first to the second.
//!
//! Two campaigns share no block, so their ratios are not paired: whatever changed between them is
//! part of the ratio. That is why what changed is listed before any number.

mod changed;
mod differences;
mod join;
mod regression;

pub use changed::Changed;
pub use differences::{Difference, Pair};
pub use join::Unmatched;
pub use regression::Gate;

use crate::{
    Call, CallKind, CampaignFacts, Findings, Settings, StatsError, judged, select::CellData,
    sentence,
};
use model::Dataset;
use serde::Serialize;

/// What stands before the labels of the targets of either campaign.
const PREFIXES: [&str; 2] = ["A:", "B:"];

/// Two campaigns, A and B, and what lies between them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// A and B.
    pub sides: [CampaignFacts; 2],
    /// Settings, facts of the machine and facts of the targets that are not the same.
    pub changed: Vec<Changed>,
    /// Cells that only A, and that only B has, or that mean something else in the other.
    pub unmatched: [Vec<Unmatched>; 2],
    /// Targets that were set against each other.
    pub pairs: Vec<Pair>,
    /// Ratios of B over A whose interval excludes 1, the largest first.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// Blocks of the campaign that the target called `label` is of.
    pub(crate) fn blocks_of(&self, label: &str) -> usize {
        self.sides[usize::from(label.starts_with(PREFIXES[1]))].blocks
    }
}

/// The cells that `a` and `b` have in common as one dataset, with targets called `A:xfs` and `B:xfs`,
/// and its findings. Tests are the same when id, metric, unit and direction are, else when name,
/// type, metric, unit and direction are. A baseline may be named with or without the letter.
///
/// # Errors
/// The two are one campaign, have no cell in common, or the settings make no sense.
pub fn compare(
    a: &Dataset,
    b: &Dataset,
    settings: &Settings,
) -> Result<(Dataset, Findings), StatsError> {
    if a.campaign.id == b.campaign.id {
        return Err(StatsError::SameCampaign { campaign: a.campaign.id.clone() });
    }
    let joined = join::join(a, b)?;
    let settings = Settings { baseline: baseline(&joined.dataset, settings), ..settings.clone() };
    let (mut findings, cells) = judged(&joined.dataset, &settings)?;
    let judged = differences::judge_pairs(&joined.dataset, &findings.targets, &cells, &settings);
    findings.call = call(&judged, &cells);
    findings.comparison = Some(Comparison {
        sides: [0, 1].map(|side| facts([a, b][side], PREFIXES[side], &findings.targets, &cells)),
        changed: changed::changed(a, b),
        unmatched: joined.unmatched,
        pairs: judged.pairs,
        differences: judged.differences,
    });
    Ok((joined.dataset, findings))
}

/// The label asked for, with the letter of the first campaign that has it.
fn baseline(dataset: &Dataset, settings: &Settings) -> Option<String> {
    let asked = settings.baseline.as_ref()?;
    let known = |label: &String| dataset.targets.iter().any(|t| t.label == *label);
    let prefixed = PREFIXES.iter().map(|prefix| format!("{prefix}{asked}"));
    Some(prefixed.into_iter().find(known).filter(|_| !known(asked)).unwrap_or(asked.clone()))
}

fn facts(dataset: &Dataset, prefix: &str, targets: &[String], cells: &[CellData]) -> CampaignFacts {
    let own = |(i, _): &(usize, &String)| targets[*i].starts_with(prefix);
    let columns: Vec<usize> = targets.iter().enumerate().filter(own).map(|(i, _)| i).collect();
    CampaignFacts::of(dataset, cells, &columns)
}

/// A comparison recommends nothing: it says what is different.
fn call(judged: &differences::Judged, cells: &[CellData]) -> Call {
    Call {
        kind: CallKind::Insufficient,
        sentence: sentence::comparison(&judged.pairs),
        notes: Vec::new(),
        candidates: Vec::new(),
        lead: None,
        largest_loss: None,
        blocks: 0,
        cells: cells.len(),
        of_cells: cells.len(),
    }
}

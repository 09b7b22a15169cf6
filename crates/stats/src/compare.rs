//! Two campaigns side by side: one dataset of the cells that both have, and what became better or
//! worse from the first to the second.
//!
//! Two campaigns share no block, so their ratios are not paired: whatever changed between them is
//! part of the ratio. That is why what changed is listed before any number.

mod apart;
mod changed;
mod differences;
mod join;
mod regression;

pub use apart::{Apart, Beside, Placed};
pub use changed::Changed;
pub use differences::{Difference, Pair};
pub use join::Unmatched;
pub use regression::Gate;

use crate::{
    Call, CallKind, CampaignFacts, Findings, Settings, StatsError, classes::classes, judged,
    sentence, together,
};
use apart::Judged;
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
    /// Targets that were not, because they were measured in different labs, or because one keeps what was synced
    /// and the other may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<Apart>,
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
    let classes = classes(&joined.dataset, &settings)?;
    let classes: Vec<Judged> = classes.iter().map(judged).collect::<Result<_, _>>()?;
    let judged = differences::judge_pairs(&joined.dataset, &classes, &settings);
    let comparison = Comparison {
        sides: [0, 1].map(|side| facts([a, b][side], PREFIXES[side], &classes)),
        changed: changed::changed(a, b),
        unmatched: joined.unmatched,
        apart: apart::apart(&joined.dataset, &classes, &judged.pairs),
        pairs: judged.pairs,
        differences: judged.differences,
    };
    let findings = joint(classes, comparison);
    let findings =
        findings.ok_or_else(|| StatsError::NoTargets { campaign: a.campaign.id.clone() });
    Ok((joined.dataset, findings?))
}

/// The findings of all classes. The first tells of the comparison, the others of its sides alone.
fn joint(classes: Vec<Judged>, comparison: Comparison) -> Option<Findings> {
    let sides = Comparison {
        changed: Vec::new(),
        unmatched: [Vec::new(), Vec::new()],
        pairs: Vec::new(),
        differences: Vec::new(),
        apart: None,
        sides: comparison.sides.clone(),
    };
    let cells = classes.iter().map(|(_, cells)| cells.len()).sum();
    let call = call(&comparison, cells);
    let own = |(findings, _): Judged| Findings {
        call: call.clone(),
        next: None,
        leaders: None,
        comparison: Some(sides.clone()),
        ..findings
    };
    let findings = together(classes.into_iter().map(own).collect())?;
    Some(Findings { comparison: Some(comparison), ..findings })
}

/// The label asked for, with the letter of the first campaign that has it.
fn baseline(dataset: &Dataset, settings: &Settings) -> Option<String> {
    let asked = settings.baseline.as_ref()?;
    let known = |label: &String| dataset.targets.iter().any(|t| t.label == *label);
    let prefixed = PREFIXES.iter().map(|prefix| format!("{prefix}{asked}"));
    Some(prefixed.into_iter().find(known).filter(|_| !known(asked)).unwrap_or(asked.clone()))
}

/// The facts of the campaign whose labels have this prefix, with the most blocks of any lab.
fn facts(dataset: &Dataset, prefix: &str, classes: &[Judged]) -> CampaignFacts {
    let of_class = |(Findings { targets, .. }, cells): &Judged| {
        let own = |i: &usize| targets[*i].starts_with(prefix);
        let columns: Vec<usize> = (0..targets.len()).filter(own).collect();
        CampaignFacts::of(dataset, cells, &columns)
    };
    let of_classes = classes.iter().map(of_class);
    let none = || CampaignFacts::of(dataset, &[], &[]);
    of_classes.max_by_key(|facts| facts.blocks).unwrap_or_else(none)
}

/// A comparison recommends nothing: it says what is different.
fn call(comparison: &Comparison, cells: usize) -> Call {
    Call {
        kind: CallKind::Insufficient,
        sentence: sentence::comparison(&comparison.pairs, comparison.apart.as_ref()),
        notes: Vec::new(),
        candidates: Vec::new(),
        lead: None,
        largest_loss: None,
        blocks: 0,
        cells,
        of_cells: cells,
    }
}

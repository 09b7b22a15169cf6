//! Two sides of campaigns beside each other: one dataset of the cells that both have, and what became better or
//! worse from the first to the second.
//!
//! Two campaigns share no block, so their ratios are not paired: whatever changed between them is
//! part of the ratio. That is why what changed is listed before any number. What differs between two runs of
//! the same is seen between campaigns alone, so with several of them on a side a campaign is one value
//! (Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013).

mod alike;
mod apart;
mod changed;
mod differences;
mod join;
mod power;
mod regression;

pub use apart::{Apart, Beside, Placed};
pub use changed::Changed;
pub use differences::{Difference, Pair};
pub use join::Unmatched;
pub use regression::{AskedCell, Gate, Outcome, Regression};

use crate::{
    Call, CallKind, CampaignFacts, Findings, Settings, StatsError, classes::classes, judged,
    sentence, together,
};
use apart::Judged;
use model::Dataset;
use regression::Asked;
use serde::Serialize;
use std::collections::BTreeSet;

/// What stands before the labels of the targets of either campaign.
const PREFIXES: [&str; 2] = ["A:", "B:"];

/// Two sides, A and B, and what lies between them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The campaigns of A and those of B.
    pub sides: [Vec<CampaignFacts>; 2],
    /// Settings, facts of the machine and facts of the targets that are not the same in the first of A and
    /// the first of B.
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
    /// What a gate judges.
    #[serde(skip)]
    asked: Vec<Asked>,
}

impl Comparison {
    /// Values that a whole cell of the target called `label` has: campaigns of its side, or blocks of the only
    /// one.
    pub(crate) fn blocks_of(&self, label: &str) -> usize {
        let side = &self.sides[usize::from(label.starts_with(PREFIXES[1]))];
        if self.is_look() { side[0].blocks } else { side.len() }
    }

    /// Whether there is one campaign on each side, so that nothing is known of what differs between runs.
    pub fn is_look(&self) -> bool {
        join::is_look(self.sides[0].len(), self.sides[1].len())
    }
}

/// The cells that the campaigns of `a` and `b` have in common as one dataset, with targets called `A:xfs` and
/// `B:xfs`, and its findings. Tests are the same when id, metric, unit and direction are, else when name,
/// type, metric, unit and direction are. With several campaigns on a side each is one block of the dataset. A
/// baseline may be named with or without the letter.
///
/// # Errors
/// A campaign is named twice, has no cell in common with the first of `a` or did other work, a side is empty, or
/// the settings make no sense.
pub fn compare(
    a: &[Dataset],
    b: &[Dataset],
    settings: &Settings,
) -> Result<(Dataset, Findings), StatsError> {
    if a.is_empty() || b.is_empty() {
        return Err(StatsError::NoCampaign);
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = a.iter().chain(b).find(|d| !seen.insert(&d.campaign.id)) {
        return Err(StatsError::SameCampaign { campaign: twice.campaign.id.clone() });
    }
    let mut joined = join::join(a, b)?;
    joined.dataset.campaign.notes.extend(mixed("A", a).into_iter().chain(mixed("B", b)));
    let settings = Settings { baseline: baseline(&joined.dataset, settings), ..settings.clone() };
    let classes = classes(&joined.dataset, &settings)?;
    let classes: Vec<Judged> = classes.iter().map(judged).collect::<Result<_, _>>()?;
    let judged = differences::judge_pairs(&joined.dataset, &classes, &settings);
    let comparison = Comparison {
        sides: [a, b].map(|side| side.iter().map(facts).collect()),
        changed: changed::changed(&a[0], &b[0]),
        unmatched: joined.unmatched,
        apart: apart::apart(&joined.dataset, &classes, &judged.pairs),
        pairs: judged.pairs,
        differences: judged.differences,
        asked: judged.asked,
    };
    let findings = joint(classes, comparison);
    let findings =
        findings.ok_or_else(|| StatsError::NoTargets { campaign: a[0].campaign.id.clone() });
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
        asked: Vec::new(),
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

/// What is not the same of the campaigns of a side, whose difference is then taken for what runs vary by.
fn mixed(letter: &str, side: &[Dataset]) -> Option<String> {
    let differing = side[1..].iter().flat_map(|other| changed::changed(&side[0], other));
    let keys: BTreeSet<String> = differing.map(|c| format!("{} {}", c.of, c.key)).collect();
    let keys: Vec<String> = keys.into_iter().collect();
    (!keys.is_empty()).then(|| {
        format!(
            "The campaigns of {letter} are not of one kind: they differ in {}.",
            keys.join(", ")
        )
    })
}

/// The label asked for, with the letter of the first campaign that has it.
fn baseline(dataset: &Dataset, settings: &Settings) -> Option<String> {
    let asked = settings.baseline.as_ref()?;
    let known = |label: &String| dataset.targets.iter().any(|t| t.label == *label);
    let prefixed = PREFIXES.iter().map(|prefix| format!("{prefix}{asked}"));
    Some(prefixed.into_iter().find(known).filter(|_| !known(asked)).unwrap_or(asked.clone()))
}

/// The facts of a campaign, with its blocks that hold a valid sample.
fn facts(dataset: &Dataset) -> CampaignFacts {
    let valid = dataset.samples.iter().filter(|s| s.validity.is_valid());
    let blocks: BTreeSet<u32> = valid.map(|s| s.block).collect();
    CampaignFacts { blocks: blocks.len(), ..CampaignFacts::of(dataset, &[], &[]) }
}

/// A comparison recommends nothing: it says what is different.
fn call(comparison: &Comparison, cells: usize) -> Call {
    Call {
        kind: CallKind::Insufficient,
        sentence: sentence::comparison(&comparison.pairs, comparison.apart.as_ref()),
        notes: Vec::new(),
        candidates: Vec::new(),
        scored_over: String::new(),
        lead: None,
        largest_loss: None,
        blocks: 0,
        cells,
        of_cells: cells,
    }
}

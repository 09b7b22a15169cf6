//! Compares two sets of campaigns: one dataset of the cells that both have, and what became better or worse from the
//! first to the second.
//!
//! Two campaigns share no block, so their ratios are not paired: whatever changed between them is part of the ratio. So
//! the changes are listed before any number. Variation between runs of the same thing shows only between campaigns, so
//! with several campaigns on a side, each campaign is one value (Kalibera and Jones, "Rigorous benchmarking in
//! reasonable time", ISMM 2013).

use super::{
    asked::AskedPair,
    changed::{self, Changed},
    differences::{self, Difference, Pair},
    incomparable::{self, Incomparable},
    join::{self, Joined, Unmatched},
    side::{Columns, PREFIXES},
};
use crate::description::{CampaignFacts, Settings, StatsError};
use model::result::{Dataset, Note, Side};
use serde::Serialize;
use std::collections::BTreeSet;

/// Two sides, A and B, and what lies between them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CampaignComparison {
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
    #[serde(rename = "apart", skip_serializing_if = "Option::is_none")]
    pub incomparable: Option<Incomparable>,
    /// What a gate judges.
    #[serde(skip)]
    pub(super) asked: Vec<AskedPair>,
}

impl CampaignComparison {
    /// Its sides, and nothing between them.
    pub(crate) fn sides_alone(&self) -> CampaignComparison {
        CampaignComparison {
            changed: Vec::new(),
            unmatched: [Vec::new(), Vec::new()],
            pairs: Vec::new(),
            differences: Vec::new(),
            incomparable: None,
            asked: Vec::new(),
            sides: self.sides.clone(),
        }
    }

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

/// The cells that the campaigns of `a` and `b` have in common as one dataset, and those that they have not.
pub(crate) fn joined(a: &[Dataset], b: &[Dataset]) -> Result<Joined, StatsError> {
    if a.is_empty() || b.is_empty() {
        return Err(StatsError::NoCampaign);
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = a.iter().chain(b).find(|d| !seen.insert(&d.campaign.id)) {
        return Err(StatsError::SameCampaign { campaign: twice.campaign.id.clone() });
    }
    let mut joined = join::join(a, b)?;
    joined.dataset.campaign.notes.extend(mixed(Side::A, a).into_iter().chain(mixed(Side::B, b)));
    Ok(joined)
}

/// What lies between `a` and `b`, whose cells were joined to those of `classes`.
pub(crate) fn comparison(
    (a, b): (&[Dataset], &[Dataset]),
    joined: &Joined,
    classes: &[Columns<'_>],
    settings: &Settings,
) -> CampaignComparison {
    let judged = differences::judge_pairs(&joined.dataset, classes, settings);
    let paired: Vec<&str> = judged.pairs.iter().flat_map(|pair| [&*pair.a, &*pair.b]).collect();
    CampaignComparison {
        sides: [a, b].map(|side| side.iter().map(facts).collect()),
        changed: changed::changed(&a[0], &b[0]),
        unmatched: joined.unmatched.clone(),
        incomparable: incomparable::incomparable(&joined.dataset, classes, &paired),
        pairs: judged.pairs,
        differences: judged.differences,
        asked: judged.asked,
    }
}

/// What is not the same of the campaigns of a side, whose difference is then taken for what runs vary by.
fn mixed(side: Side, all: &[Dataset]) -> Option<Note> {
    let differing = all[1..].iter().flat_map(|other| changed::changed(&all[0], other));
    let keys: BTreeSet<String> = differing.map(|c| format!("{} {}", c.of, c.key)).collect();
    (!keys.is_empty()).then(|| Note::CampaignsDiffer { side, facts: keys.into_iter().collect() })
}

/// The label asked for, with the letter of the first campaign that has it.
pub(crate) fn baseline(dataset: &Dataset, settings: &Settings) -> Option<String> {
    let asked = settings.baseline.as_ref()?;
    let known = |label: &String| dataset.targets.iter().any(|t| t.label == *label);
    let prefixed = PREFIXES.iter().map(|prefix| format!("{prefix}{asked}"));
    Some(prefixed.into_iter().find(known).filter(|_| !known(asked)).unwrap_or(asked.clone()))
}

/// The facts of a campaign, with its blocks that hold a valid sample.
fn facts(dataset: &Dataset) -> CampaignFacts {
    let valid = dataset.samples.iter().filter(|s| s.evidence.validity.is_valid());
    let blocks: BTreeSet<u32> = valid.map(|s| s.block).collect();
    CampaignFacts { blocks: blocks.len(), ..CampaignFacts::of(dataset, &[], &[]) }
}

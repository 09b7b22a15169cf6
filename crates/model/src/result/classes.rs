//! A dataset by classes of comparable samples: one class for each kind of lab. A target that was measured in two labs
//! is in two classes.

use crate::{
    plan::LabKind,
    result::{Dataset, TargetRecord},
};
use std::{borrow::Cow, collections::BTreeSet};

/// What the facts of a target say of its lab begins like this.
const LAB_FACTS: &str = "lab.";

impl Dataset {
    /// The kinds of lab in which it was measured, the preferred first; never empty. Where nothing was
    /// measured it is the lab of the first target.
    pub fn labs(&self) -> Vec<LabKind> {
        let measured: BTreeSet<LabKind> = self.samples.iter().map(|s| s.lab).collect();
        if measured.is_empty() {
            return vec![self.targets.first().map_or(LabKind::Host, |t| t.lab)];
        }
        measured.into_iter().collect()
    }

    /// The samples that were measured in `lab`, with their targets. A target without any sample is in
    /// the class that its record names, or in the first where there is no such class. A baseline that
    /// is in another class is none here.
    pub fn of_lab(&self, lab: LabKind) -> Cow<'_, Dataset> {
        let labs = self.labs();
        if labs == [lab] {
            return Cow::Borrowed(self);
        }
        let mut campaign = self.campaign.clone();
        let targets: Vec<TargetRecord> = self
            .targets
            .iter()
            .filter(|target| self.stands_in(target, lab, &labs))
            .map(|target| in_lab(target, lab))
            .collect();
        let here = |label: &String| targets.iter().any(|t| t.label == *label);
        campaign.plan.baseline = campaign.plan.baseline.filter(here);
        let samples = self.samples.iter().filter(|s| s.lab == lab).cloned().collect();
        Cow::Owned(Dataset { campaign, targets, tests: self.tests.clone(), samples })
    }

    fn stands_in(&self, target: &TargetRecord, lab: LabKind, labs: &[LabKind]) -> bool {
        let mut own = self.samples.iter().filter(|s| s.case.target == target.label).peekable();
        if own.peek().is_some() {
            return own.any(|s| s.lab == lab);
        }
        let named = if labs.contains(&target.lab) { target.lab } else { labs[0] };
        named == lab
    }
}

/// The record without what it says of another lab.
fn in_lab(target: &TargetRecord, lab: LabKind) -> TargetRecord {
    let mut own = TargetRecord { lab, ..target.clone() };
    if target.lab != lab {
        own.facts.0.retain(|key, _| !key.starts_with(LAB_FACTS));
    }
    own
}

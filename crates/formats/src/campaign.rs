//! The parts of a campaign that was measured elsewhere, as importers share them.

use crate::ImportOptions;
use model::{
    Campaign, CampaignState, Environment, LabKind, Origin, Plan, Target, TargetRecord, TargetState,
};
use std::collections::HashSet;

/// A record for each label, in order of first appearance; nothing more is known of them.
pub(crate) fn records<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<TargetRecord> {
    let mut seen = HashSet::new();
    let record = |label: &str| TargetRecord {
        label: label.into(),
        target: label.into(),
        lab: LabKind::Host,
        state: TargetState::Ok,
        facts: Environment::default(),
    };
    labels.filter(|label| seen.insert(*label)).map(record).collect()
}

/// A finished campaign of which only id, targets and notes are known.
pub(crate) fn campaign(
    id: &str,
    title: &str,
    targets: &[TargetRecord],
    options: &ImportOptions,
    notes: &[&str],
) -> Campaign {
    Campaign {
        id: id.into(),
        created: options.created.clone(),
        title: title.into(),
        origin: Origin::Import,
        state: CampaignState::Done,
        assay_version: env!("CARGO_PKG_VERSION").into(),
        plan: Plan {
            // A label need not have the form of a target; then the plan is without it.
            targets: targets.iter().filter_map(|t| t.label.parse::<Target>().ok()).collect(),
            ..Plan::default()
        },
        scale: 1.0,
        seed: 0,
        environment: Environment::default(),
        notes: notes.iter().map(|note| note.to_string()).collect(),
    }
}

//! The parts of a campaign that was measured elsewhere, as importers share them.

use crate::{ImportOptions, columnar::slug, naming::campaign_id};
use model::{
    plan::{LabKind, Plan},
    result::{Campaign, CampaignState, Environment, Note, Origin, TargetRecord, TargetState},
    target::Target,
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

/// What is always to be known of a source: fixed remarks on a tool or a study.
pub(crate) fn remarks<'a>(remarks: impl IntoIterator<Item = &'a str>) -> Vec<Note> {
    remarks.into_iter().map(|remark| Note::Said(remark.into())).collect()
}

/// Targets that a title names.
const NAMED: usize = 12;

/// A finished campaign of what `tool` measured on `targets`, named by both.
pub(crate) fn of_tool(
    tool: &str,
    targets: &[TargetRecord],
    options: &ImportOptions,
    notes: Vec<Note>,
) -> Campaign {
    let labels: Vec<&str> = targets.iter().map(|target| target.label.as_str()).collect();
    let id = match (slug(tool), labels.join(" ")) {
        (tool, labels) if tool == slug(&labels) => tool,
        (tool, labels) => campaign_id(&tool, &labels),
    };
    let more = labels.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let title = format!("{tool}: {}{more}", labels[..labels.len().min(NAMED)].join(", "));
    campaign(&id, &title, targets, options, notes)
}

/// A finished campaign of which only id, targets and notes are known.
pub(crate) fn campaign(
    id: &str,
    title: &str,
    targets: &[TargetRecord],
    options: &ImportOptions,
    notes: Vec<Note>,
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
        notes,
    }
}

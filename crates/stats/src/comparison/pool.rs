//! Pools campaigns of identical machines: each becomes one block, because whatever differs between two machines is the
//! same in all blocks of each.

use super::{changed, join};
use crate::description::StatsError;
use model::{
    plan::Plan,
    result::{Campaign, CampaignState, Dataset, Environment, Note, Origin},
};
use std::collections::BTreeSet;

/// The cells that all of `all`, which are campaigns of equal machines, have in common as one campaign, of which each of
/// them is one block.
///
/// # Errors
/// There is none, one is named twice, or they are of other machines, have nothing in common or did other work.
pub fn pooled(all: &[Dataset]) -> Result<Dataset, StatsError> {
    let Some(first) = all.first() else { return Err(StatsError::NoCampaign) };
    let mut seen = BTreeSet::new();
    if let Some(twice) = all.iter().find(|d| !seen.insert(&d.campaign.id)) {
        return Err(StatsError::SameCampaign { campaign: twice.campaign.id.clone() });
    }
    if let Some(other) = all.iter().find(|d| class(d) != class(first)) {
        let changed = changed::changed(first, other).into_iter();
        let keys: Vec<String> = changed.map(|c| format!("{} {}", c.of, c.key)).collect();
        return Err(StatsError::OtherMachine {
            one: first.campaign.id.clone(),
            other: other.campaign.id.clone(),
            what: keys.join(", "),
        });
    }
    let members = join::in_common(all)?;
    let samples = members
        .iter()
        .zip(0..)
        .flat_map(|(member, number)| join::relabelled(member, &first.tests, "", move |_| number));
    let samples: Vec<_> = samples.collect();
    let measured: BTreeSet<&str> = samples.iter().map(|s| s.case.test.as_str()).collect();
    Ok(Dataset {
        tests: first.tests.iter().filter(|t| measured.contains(t.id.as_str())).cloned().collect(),
        targets: join::targets(&members, ""),
        campaign: campaign(all),
        samples,
    })
}

fn class(dataset: &Dataset) -> String {
    dataset.campaign.environment.class()
}

fn campaign(all: &[Dataset]) -> Campaign {
    let first = &all[0].campaign;
    let ids: Vec<&str> = all.iter().map(|dataset| dataset.campaign.id.as_str()).collect();
    let in_all = |holds: &dyn Fn(&Campaign) -> bool| all.iter().all(|d| holds(&d.campaign));
    let facts = first.environment.0.iter();
    let facts = facts.filter(|(key, value)| in_all(&|c| c.environment.0.get(*key) == Some(*value)));
    let notes = first.notes.iter().filter(|note| in_all(&|c| c.notes.contains(note)));
    let mut notes: Vec<Note> = notes.cloned().collect();
    notes.push(Note::Pooled { campaigns: all.len() });
    Campaign {
        id: ids.join(","),
        created: all.iter().map(|d| d.campaign.created.clone()).max().unwrap_or_default(),
        title: first.title.clone(),
        origin: Origin::Import,
        state: CampaignState::Done,
        assay_version: first.assay_version.clone(),
        plan: Plan {
            suites: first.plan.suites.clone(),
            baseline: first.plan.baseline.clone(),
            blocks: Some(all.len() as u32),
            ..Plan::default()
        },
        scale: first.scale,
        seed: first.seed,
        environment: Environment(facts.map(|(k, v)| (k.clone(), v.clone())).collect()),
        notes,
    }
}

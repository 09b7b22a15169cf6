//! What changed since the last campaign of the same name.

use crate::{
    comparison::CampaignComparison,
    description::{CampaignFacts, Settings, StatsError},
    evaluation::compare,
};
use model::result::Dataset;

/// The campaign before, and what lies between.
#[derive(Clone, Debug, PartialEq)]
pub struct Since {
    /// The name that both have.
    pub name: String,
    /// Id of the campaign before.
    pub id: String,
    /// When it was created, RFC 3339.
    pub created: String,
    /// What changed.
    pub change: Change,
}

/// What lies between two campaigns of one name.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Every cell that both have.
    Compared(Box<CampaignComparison>),
    /// They did different work: what differs.
    OtherWork(String),
    /// They cannot be compared for another reason.
    Incomparable(String),
}

/// What changed from `before` to `now`, which are campaigns of one name; `None` where they have none.
pub fn since(before: &Dataset, now: &Dataset, settings: &Settings) -> Option<Since> {
    let name = now.campaign.plan.name.clone()?;
    let settings = Settings { baseline: None, ..settings.clone() };
    let [a, b] = [before, now].map(std::slice::from_ref);
    let change = match compare(a, b, &settings) {
        Ok((_, findings)) => Change::Compared(Box::new(findings.comparison?)),
        Err(StatsError::Unlike { what, .. }) => Change::OtherWork(what),
        Err(error) => Change::Incomparable(error.to_string()),
    };
    let CampaignFacts { id, created, .. } = CampaignFacts::of(before, &[], &[]);
    Some(Since { name, id, created, change })
}

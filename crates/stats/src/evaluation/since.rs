//! The change since the last campaign of the same name.

use crate::comparison::CampaignComparison;

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

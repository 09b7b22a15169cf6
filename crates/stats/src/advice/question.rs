//! The question that advice answers: a workload, required features, facts.

use model::{
    target::{FactSheet, Requirement},
    workload::Profile,
};

/// What is asked of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The workload.
    pub profile: &'a Profile,
    /// What is known of file systems.
    pub facts: &'a [FactSheet],
    /// Features required beyond the profile's.
    pub requirements: &'a [Requirement],
    /// What a block took on the clock, seconds, where that is known: with provisioning, filling and
    /// waits.
    pub block_s: Option<f64>,
}

//! What each of several profiles makes of a campaign, beside what was concluded of it without any.

use crate::{
    Findings, Settings, StatsError, Workload, advise::workload, findings::part, select::select,
};
use model::{Dataset, FactSheet, Profile};

/// What `profiles` make of the part of `dataset` that `findings` are about.
///
/// # Errors
/// A sample names what the campaign does not list, or a profile requires what no fact speaks of.
pub fn workloads(
    dataset: &Dataset,
    findings: &Findings,
    profiles: &[Profile],
    facts: &[FactSheet],
) -> Result<Vec<Workload>, StatsError> {
    let part = part(dataset, findings);
    let cells = select(&part, &findings.targets, findings.contention_limit_pct)?;
    let settings = Settings { band: findings.band, ..Settings::default() };
    workload::workloads(&part, (&findings.targets, &cells), profiles, facts, &settings)
}

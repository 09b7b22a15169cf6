//! Takes the work of an earlier campaign for `--like`: its plan and the sizes that it found, so that both campaigns can
//! be compared.

use crate::{exit, source};
use anyhow::Result;
use campaign::stages::Resolved;
use model::plan::{Plan, Scale};
use std::path::Path;

/// The plan of the campaign `id`, for another one: with its sizes, and a seed of its own.
///
/// # Errors
/// As of [`source::begun_here`]: what this assay did not begin is not run.
pub fn plan(id: &str, store: &Path, state: &Path) -> Result<Plan> {
    let campaign = source::begun_here(id, store, state)?.campaign;
    // Where each test has a size the factor stands for what could not be tried.
    let scale = match campaign.plan.sizes.is_empty() {
        true => Scale::Factor(campaign.scale),
        false => campaign.plan.scale,
    };
    Ok(Plan { scale, seed: None, looked_at: Vec::new(), ..campaign.plan })
}

/// Fails where `resolved` holds what the campaign `id` has no size for, so that it would be another work.
pub fn check(resolved: &Resolved, id: &str) -> Result<()> {
    if resolved.plan.sizes.is_empty() {
        return Ok(());
    }
    let asked = resolved.items.iter().flat_map(|item| {
        let test = item.test.infos()[0].id.clone();
        item.counts.iter().map(move |&procs| (test.clone(), procs))
    });
    let unknown = |(test, procs): &(String, u32)| resolved.plan.size(test, *procs).is_none();
    match asked.into_iter().find(unknown) {
        None => Ok(()),
        Some((test, procs)) => Err(exit::usage(format!(
            "{id} did not run {test} at {}, so there is nothing to repeat; choose --tests and \
             --procs from what it ran",
            stats::description::processes(procs)
        ))),
    }
}

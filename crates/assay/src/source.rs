//! Where a campaign named on the command line is found: in the store, or among the published ones.

use anyhow::{Result, bail};
use model::{Dataset, Origin};
use std::path::Path;
use store::Store;

/// The dataset `id` names: a campaign of the store (its id, the start of it, or `last`), or a
/// published one.
pub fn dataset(id: &str, store: &Path) -> Result<Dataset> {
    if let Some(published) = published(id)? {
        return Ok(published);
    }
    if !store.exists() {
        bail!("there is no campaign yet in {}; `assay run` makes the first", store.display());
    }
    Ok(Store::open(store)?.dataset(id)?)
}

/// What the blocks of a campaign that was run here took on the clock, mean, seconds.
pub fn block_s(dataset: &Dataset, store: &Path) -> Result<Option<f64>> {
    if dataset.campaign.origin != Origin::Run || !store.exists() {
        return Ok(None);
    }
    let taken = Store::open(store)?.block_seconds(&dataset.campaign.id)?;
    Ok((!taken.is_empty()).then(|| taken.iter().sum::<f64>() / taken.len() as f64))
}

fn published(id: &str) -> Result<Option<Dataset>> {
    let mut all = formats::published()?;
    let exact = all.iter().position(|d| d.campaign.id == id);
    let starts = |d: &&Dataset| id.starts_with("published-") && d.campaign.id.starts_with(id);
    let matching = all.iter().filter(starts).count();
    match exact.or_else(|| all.iter().position(|d| starts(&d))) {
        Some(_) if exact.is_none() && matching > 1 => {
            bail!("`{id}` is the start of {matching} campaigns; write more of it")
        }
        at => Ok(at.map(|at| all.swap_remove(at))),
    }
}

/// Fails for a published campaign, which nothing may change.
pub fn writable(dataset: &Dataset) -> Result<()> {
    match dataset.campaign.origin {
        Origin::Run => Ok(()),
        Origin::Import => bail!("{} was imported; there is nothing to run", dataset.campaign.id),
        Origin::Published => bail!("{} is a published study, read-only", dataset.campaign.id),
    }
}

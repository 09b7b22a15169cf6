//! Finds a campaign named on the command line, in the store or among the published ones, and whether it may be run.

use crate::{exit, mark};
use anyhow::{Result, bail};
use model::result::{Dataset, Origin};
use stats::{
    description::{Settings, Timed},
    evaluation::Since,
};
use std::path::Path;
use store::{CampaignSummary, Store};

/// The dataset `id` names: a campaign of the store (its id, the start of it, or `last`), or a
/// published one.
pub fn dataset(id: &str, store: &Path) -> Result<Dataset> {
    if let Some(published) = published(id)? {
        return Ok(published);
    }
    if !store.exists() {
        bail!("no campaigns in {}; start one with `assay run`", store.display());
    }
    Ok(Store::open_read_only(store)?.dataset(id)?)
}

/// The dataset `id` names, to run what its campaign says.
///
/// # Errors
/// This assay, with this state, did not begin it, or it was changed since.
pub fn begun_here(id: &str, store: &Path, state: &Path) -> Result<Dataset> {
    let dataset = dataset(id, store)?;
    let id = &dataset.campaign.id;
    match dataset.campaign.origin {
        Origin::Import => Err(mark::not_ours(id, "was imported")),
        Origin::Published => {
            Err(exit::usage(format!("{id} is a published study; it can be read, but not run")))
        }
        Origin::Run => {
            let mark = Store::open_read_only(store)?.mark(id)?;
            mark::verify(&dataset, mark.as_deref(), state)?;
            Ok(dataset)
        }
    }
}

/// Where the time of the blocks of a campaign went that `store` has; `None` for one of elsewhere.
pub fn timed(dataset: &Dataset, store: &Store) -> Result<Option<Timed>> {
    if dataset.campaign.origin != Origin::Run {
        return Ok(None);
    }
    Ok(stats::description::timed(dataset, &store.block_times(&dataset.campaign.id)?))
}

/// As [`timed`], of the store at `path`.
pub fn timed_at(dataset: &Dataset, path: &Path) -> Result<Option<Timed>> {
    if dataset.campaign.origin != Origin::Run || !path.exists() {
        return Ok(None);
    }
    timed(dataset, &Store::open_read_only(path)?)
}

/// As [`since`], in the store at `path`.
pub fn since_at(dataset: &Dataset, path: &Path) -> Result<Option<Since>> {
    if dataset.campaign.plan.name.is_none() || !path.exists() {
        return Ok(None);
    }
    since(dataset, &Store::open_read_only(path)?)
}

/// What changed in `dataset` since the last campaign of the same name in `store`; `None` without one.
pub fn since(dataset: &Dataset, store: &Store) -> Result<Option<Since>> {
    let Some(name) = dataset.campaign.plan.name.as_deref() else { return Ok(None) };
    // One that cannot be read is none to compare with.
    let all: Vec<CampaignSummary> = store.list()?.into_iter().filter_map(Result::ok).collect();
    let before = all.iter().take_while(|own| own.id != dataset.campaign.id);
    let is_before = |own: &&CampaignSummary| own.name.as_deref() == Some(name) && own.blocks > 0;
    let Some(last) = before.filter(is_before).last() else { return Ok(None) };
    let settings = Settings::default();
    Ok(stats::evaluation::since(&store.dataset(&last.id)?, dataset, &settings))
}

/// What the blocks of a campaign that was run here took on the clock, mean, seconds.
pub fn block_s(dataset: &Dataset, store: &Path) -> Result<Option<f64>> {
    if dataset.campaign.origin != Origin::Run || !store.exists() {
        return Ok(None);
    }
    let taken = Store::open_read_only(store)?.block_seconds(&dataset.campaign.id)?;
    Ok((!taken.is_empty()).then(|| taken.iter().sum::<f64>() / taken.len() as f64))
}

fn published(id: &str) -> Result<Option<Dataset>> {
    // To read them all takes longer than most reports of one's own campaigns.
    if !id.starts_with("published-") {
        return Ok(None);
    }
    let mut all = formats::published()?;
    let exact = all.iter().position(|d| d.campaign.id == id);
    let starts = |d: &&Dataset| d.campaign.id.starts_with(id);
    let matching = all.iter().filter(starts).count();
    match exact.or_else(|| all.iter().position(|d| starts(&d))) {
        Some(_) if exact.is_none() && matching > 1 => {
            bail!("`{id}` matches {matching} campaigns; give more of the id")
        }
        at => Ok(at.map(|at| all.swap_remove(at))),
    }
}

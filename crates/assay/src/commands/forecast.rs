//! Forecasts the precision of a campaign: from an earlier one with the same suites and targets, which shows the noise
//! of every cell, else from a table by noise. Also forecasts the time of a block if the same work was done before.

use crate::terminal;
use anyhow::Result;
use campaign::{
    messages::with_causes,
    stages::{Entrant, Placed},
};
use model::{
    plan::{BackingPlan, Plan, Scale},
    result::{Dataset, Origin, TargetState},
};
use stats::description::{Forecast, Settings};
use std::{collections::BTreeSet, fmt::Write, path::Path};
use store::{CampaignSummary, Store};

/// Noise of one run for which the table is made, shares.
const NOISE: [f64; 4] = [0.02, 0.05, 0.10, 0.20];

/// What to expect after each number of `blocks`, as text; `store` is where earlier campaigns are.
pub fn text(placed: &Placed, blocks: &[u32], store: &Path) -> Result<String> {
    if blocks.iter().all(|&n| n < 2) {
        return Ok("\none block: no intervals, so every comparison will be unclear\n".into());
    }
    let mut text = String::from("\nexpected half-widths of a ratio's 95 % interval");
    let earlier = earlier(placed, store).unwrap_or_else(|error| {
        terminal::note(&format!(
            "cannot estimate from an earlier campaign: {}",
            with_causes(&error)
        ));
        None
    });
    if let Some(dataset) = earlier {
        let settings = Settings { baseline: placed.plan.baseline.clone(), ..Settings::default() };
        let forecasts = stats::description::forecast(&dataset, &settings, blocks)?;
        if !forecasts.is_empty() {
            writeln!(text, ", estimated from the spread of campaign {}", dataset.campaign.id)?;
            forecasts.iter().try_for_each(|f| writeln!(text, "  {}", line(f, settings.band)))?;
            let plan = &placed.plan;
            text += &end(&forecasts, !plan.looks().is_empty() && !plan.seeks_a_verdict());
            return Ok(text);
        }
    }
    writeln!(text, ", estimated from the noise of a typical run")?;
    write!(text, "  {:>9}", "noise")?;
    blocks.iter().try_for_each(|n| write!(text, "{:>11}", format!("{n} blocks")))?;
    for noise in NOISE {
        write!(text, "\n  {:>9}", percent(noise))?;
        for half in blocks.iter().map(|&n| stats::kernel::half_width(noise, n)) {
            write!(text, "{:>11}", half.map_or_else(|| "-".into(), percent))?;
        }
    }
    Ok(text + "\n")
}

/// A share; what is as wide as the ratio itself needs no digits.
fn percent(share: f64) -> String {
    if share > 1.0 { "> 100 %".into() } else { format!("{:.0} %", 100.0 * share) }
}

fn line(f: &Forecast, band: f64) -> String {
    format!(
        "{} blocks: median {}, widest {}; {} of {} ratios decided or known to {}",
        f.blocks,
        percent(f.median),
        percent(f.widest),
        f.resolved,
        f.ratios,
        percent(band)
    )
}

/// When an adaptive campaign will end, by the forecasts at its looks.
fn end(forecasts: &[Forecast], adaptive: bool) -> String {
    let enough = forecasts.iter().find(|f| f.resolved == f.ratios);
    match (enough.or(forecasts.last()), adaptive) {
        (Some(f), true) => format!("    expected to end after {} blocks\n", f.blocks),
        _ => String::new(),
    }
}

/// The newest measured campaign of the same suites and candidates with two blocks or more, reduced to
/// the tests and process counts of `placed`.
fn earlier(placed: &Placed, store: &Path) -> Result<Option<Dataset>> {
    if !store.exists() {
        return Ok(None);
    }
    let store = Store::open_read_only(store)?;
    let Some(found) = alike(placed, &store)?.into_iter().find(|c| c.blocks >= 2) else {
        return Ok(None);
    };
    let mut dataset = store.dataset(&found.id)?;
    let tests: BTreeSet<String> = placed.infos().into_iter().map(|info| info.id).collect();
    dataset
        .samples
        .retain(|s| tests.contains(&s.case.test) && placed.counts.contains(&s.case.procs));
    Ok((!dataset.samples.is_empty()).then_some(dataset))
}

/// Measured campaigns of the same suites and candidates, the newest first.
fn alike(placed: &Placed, store: &Store) -> Result<Vec<CampaignSummary>> {
    let title = placed.plan.title();
    let mut list: Vec<CampaignSummary> = store.list()?.into_iter().flatten().collect();
    list.retain(|c| c.title == title && c.origin == Origin::Run);
    list.reverse();
    Ok(list)
}

/// What a campaign took that did the very work which is asked for.
pub struct Experience {
    /// Its id.
    pub campaign: String,
    /// Mean time of its blocks, seconds.
    pub block_s: f64,
}

/// The newest campaign that did the work of `placed` at `scale`, with every target in the same kind of
/// lab and none that failed.
pub fn experience(placed: &Placed, scale: f64, store: &Path) -> Result<Option<Experience>> {
    if !store.exists() {
        return Ok(None);
    }
    let store = Store::open_read_only(store)?;
    for found in alike(placed, &store)?.into_iter().filter(|c| c.blocks > 0) {
        let dataset = store.dataset(&found.id)?;
        let campaign = &dataset.campaign;
        let same = campaign.scale == scale && work(&campaign.plan) == work(&placed.plan);
        if same && were_made(&dataset, placed) {
            let blocks = store.block_seconds(&found.id)?;
            let block_s = blocks.iter().sum::<f64>() / blocks.len() as f64;
            return Ok(Some(Experience { campaign: found.id, block_s }));
        }
    }
    Ok(None)
}

/// The parts of `plan` that determine the work of a block, apart from the scale.
fn work(plan: &Plan) -> Plan {
    Plan {
        blocks: None,
        budget_s: None,
        looked_at: Vec::new(),
        backing: BackingPlan { made: None, ..plan.backing.clone() },
        baseline: None,
        seed: None,
        scale: Scale::Auto,
        case_timeout_s: 0,
        ..plan.clone()
    }
}

/// Whether all that `placed` would make was made, where it would make it.
fn were_made(dataset: &Dataset, placed: &Placed) -> bool {
    let made = |entrant: &Entrant| {
        let record = dataset.targets.iter().find(|target| target.label == entrant.label);
        record.is_some_and(|t| t.state == TargetState::Ok && t.lab == entrant.place.kind())
    };
    placed.available().all(|at| made(&placed.entrants[at]))
}

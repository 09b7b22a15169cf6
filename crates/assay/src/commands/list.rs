//! `assay list`: the campaigns of the store, or the published ones.

use crate::{
    cli::{ListArgs, ListFormat},
    exit::Exit,
    terminal,
};
use anyhow::Result;
use model::{result::Dataset, text::printable_line};
use std::{fmt::Write, path::Path};
use store::{CampaignSummary, Store};

/// Lists campaigns, the newest last. An unreadable one is reported on stderr, and does not make the list of the others
/// a failure.
pub fn list(args: &ListArgs, store: &Path) -> Result<Exit> {
    let rows = if args.published {
        formats::published()?.iter().map(published).collect()
    } else if store.exists() {
        stored(args, store)?
    } else {
        terminal::note(&format!("no campaigns in {}; start one with `assay run`", store.display()));
        Vec::new()
    };
    match args.format {
        ListFormat::Json => terminal::out(&(serde_json::to_string_pretty(&rows)? + "\n"))?,
        ListFormat::Table if rows.is_empty() => {}
        ListFormat::Table => terminal::prose(&table(&rows)?)?,
    }
    Ok(Exit::Done)
}

fn stored(args: &ListArgs, store: &Path) -> Result<Vec<CampaignSummary>> {
    let mut rows = Vec::new();
    for row in Store::open_read_only(store)?.list()? {
        match row {
            Ok(c) if args.tag.iter().any(|(key, value)| c.tags.get(key) != Some(value)) => {}
            Ok(c) => rows.push(c),
            Err(error) => terminal::note(&format!("left out: {error}")),
        }
    }
    Ok(rows)
}

fn published(dataset: &Dataset) -> CampaignSummary {
    let campaign = &dataset.campaign;
    CampaignSummary {
        id: campaign.id.clone(),
        name: campaign.plan.name.clone(),
        tags: campaign.plan.tags.clone(),
        created: campaign.created.clone(),
        title: campaign.title.clone(),
        origin: campaign.origin,
        state: campaign.state,
        targets: dataset.targets.len() as u32,
        blocks: dataset.samples.iter().map(|sample| sample.block + 1).max().unwrap_or(0),
        samples: dataset.samples.len() as u32,
    }
}

/// A heading, and a line for each: id, origin, state and samples; then what it is called, what ran on what, and its
/// tags.
fn table(rows: &[CampaignSummary]) -> Result<String> {
    let width = rows.iter().map(|row| row.id.len()).chain([26]).max().unwrap_or(0);
    let mut text = String::new();
    writeln!(text, "{:<width$} {:<9} {:<6} {:>7}  CAMPAIGN", "ID", "ORIGIN", "STATE", "SAMPLES")?;
    for c in rows {
        let name = c.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
        let tags: String = c.tags.iter().map(|(key, value)| format!("  {key}={value}")).collect();
        let (id, origin, state) = (&c.id, c.origin.as_str(), c.state.as_str());
        let line = format!(
            "{id:<width$} {origin:<9} {state:<6} {:>7}  {name}{}{tags}",
            c.samples, c.title
        );
        writeln!(text, "{}", printable_line(&line))?;
    }
    Ok(text)
}

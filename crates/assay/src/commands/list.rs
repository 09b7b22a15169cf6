//! `assay list`: the campaigns of the store, or the published ones.

use crate::{cli::ListArgs, exit::Exit, terminal};
use anyhow::Result;
use model::text::printable_line;
use std::{fmt::Write, path::Path};
use store::{CampaignSummary, Store};

/// Prints one line for each campaign, the newest last. An unreadable one is reported on stderr, and does
/// not make the list of the others a failure.
pub fn list(args: &ListArgs, store: &Path) -> Result<Exit> {
    if args.published {
        let mut text = String::new();
        for dataset in formats::published()? {
            let (c, samples) = (&dataset.campaign, dataset.samples.len());
            writeln!(text, "{:<44} {samples:>5} samples  {}", c.id, c.title)?;
        }
        terminal::out(&text)?;
        return Ok(Exit::Done);
    }
    if !store.exists() {
        terminal::note(&format!("no campaigns in {}; start one with `assay run`", store.display()));
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for row in Store::open_read_only(store)?.list()? {
        match row {
            Ok(c) if args.tag.iter().any(|(key, value)| c.tags.get(key) != Some(value)) => {}
            Ok(c) => writeln!(text, "{}", printable_line(&line(&c)))?,
            Err(error) => terminal::note(&format!("left out: {error}")),
        }
    }
    if !text.is_empty() {
        terminal::out(&text)?;
    }
    Ok(Exit::Done)
}

/// Id, origin, state and samples; then what it is called, what ran on what, and its tags.
fn line(c: &CampaignSummary) -> String {
    let name = c.name.as_ref().map_or_else(String::new, |name| format!("{name}: "));
    let tags: String = c.tags.iter().map(|(key, value)| format!("  {key}={value}")).collect();
    let (id, origin, state, samples, title) = (&c.id, c.origin, c.state, c.samples, &c.title);
    format!("{id:<26} {origin:<6} {state:<6} {samples:>6} samples  {name}{title}{tags}")
}

//! `assay list`: the campaigns of the store, or the published ones.

use crate::{cli::ListArgs, exit::Exit, terminal};
use anyhow::Result;
use model::printable_line;
use std::{fmt::Write, path::Path};
use store::Store;

/// Prints one line for each campaign, the newest last. One that cannot be read is told on stderr, and does
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
        terminal::note(&format!(
            "no campaign yet in {}; `assay run` makes the first",
            store.display()
        ));
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for row in Store::open_read_only(store)?.list()? {
        match row {
            Ok(c) => {
                let line = format!(
                    "{:<26} {:<6} {:<6} {:>6} samples  {}",
                    c.id, c.origin, c.state, c.samples, c.title
                );
                writeln!(text, "{}", printable_line(&line))?;
            }
            Err(error) => terminal::note(&format!("left out: {error}")),
        }
    }
    if !text.is_empty() {
        terminal::out(&text)?;
    }
    Ok(Exit::Done)
}

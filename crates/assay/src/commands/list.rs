//! `assay list`: the campaigns of the store, or the published ones.

use crate::{cli::ListArgs, exit::Exit, terminal};
use anyhow::Result;
use model::printable_line;
use std::path::Path;
use store::Store;

/// Prints one line for each campaign, the newest last.
pub fn list(args: &ListArgs, store: &Path) -> Result<Exit> {
    if args.published {
        for dataset in formats::published()? {
            let c = &dataset.campaign;
            terminal::out(&format!(
                "{:<44} {:>5} samples  {}",
                c.id,
                dataset.samples.len(),
                c.title
            ));
        }
        return Ok(Exit::Done);
    }
    if !store.exists() {
        terminal::note(&format!(
            "no campaign yet in {}; `assay run` makes the first",
            store.display()
        ));
        return Ok(Exit::Done);
    }
    for c in Store::open(store)?.list()? {
        let line = format!(
            "{:<26} {:<6} {:<6} {:>6} samples  {}",
            c.id, c.origin, c.state, c.samples, c.title
        );
        terminal::out(&printable_line(&line));
    }
    Ok(Exit::Done)
}

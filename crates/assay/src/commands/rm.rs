//! `assay rm`: removes campaigns from the store. Their samples are then lost, unless they were exported.

use crate::{cli::RmArgs, exit::Exit, terminal};
use anyhow::{Result, bail};
use std::path::Path;
use store::Store;

/// Removes each that is named, once all of them were found, and says which.
pub fn rm(args: &RmArgs, store: &Path) -> Result<Exit> {
    if !store.exists() {
        bail!("no campaigns in {}", store.display());
    }
    let mut store = Store::open(store)?;
    let mut ids: Vec<String> = Vec::new();
    for id in &args.ids {
        let id = store.resolve(id)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    for id in ids {
        terminal::out(&format!("removed {}", store.remove(&id)?))?;
    }
    Ok(Exit::Done)
}

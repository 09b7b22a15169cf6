//! `assay cleanup`: undo what a killed run left behind, by its journal and by our mark on what it made.

use crate::{
    cli::CleanupArgs,
    exit::{self, Exit},
    terminal,
};
use anyhow::{Result, bail};
use campaign::{
    inputs::assets::{self, Unneeded},
    messages::with_causes,
};
use lab::cleanup::Cleanup;
use std::{collections::BTreeSet, path::Path};
use store::Store;

/// Undoes what every campaign left that no longer runs, or says what that would be.
pub fn cleanup(args: &CleanupArgs, store: &Path, state: &Path) -> Result<Exit> {
    if let Some(dir) = args.folders.iter().find(|dir| !dir.is_dir()) {
        return Err(exit::usage(format!(
            "folder {} does not exist; is its disk mounted?",
            dir.display()
        )));
    }
    let mut report =
        Cleanup { state, folders: &args.folders, images: args.images, dry_run: args.dry_run }
            .run()?;
    match clear_assets(store, state, args.dry_run) {
        Ok(lines) => report.done.extend(lines),
        Err(error) => {
            report.failed.push(format!("assets were not removed: {}", with_causes(&error)))
        }
    }
    for line in &report.done {
        terminal::out(line)?;
    }
    for campaign in &report.live {
        terminal::note(&format!("campaign {campaign} is running; nothing of it was removed"));
    }
    if report.done.is_empty() && report.failed.is_empty() {
        terminal::out("nothing to clean up")?;
    }
    for line in report.messages.iter().chain(&report.failed) {
        terminal::note(line);
    }
    Ok(if report.failed.is_empty() { Exit::Done } else { Exit::Failed })
}

/// Removes the copies of assets that no campaign of the store at `store` names; a line for each.
fn clear_assets(store: &Path, state: &Path, dry_run: bool) -> Result<Vec<String>> {
    if !store.exists() {
        return match assets::clear(state, &BTreeSet::new(), true)? {
            Unneeded::Removed(copies) if !copies.is_empty() => bail!(
                "store {} does not exist, so assay cannot tell which copies of assets are still needed; \
                 pass the campaigns' --store",
                store.display()
            ),
            _ => Ok(Vec::new()),
        };
    }
    let named = Store::open_read_only(store)?.assets()?;
    let needed = named.iter().map(|asset| asset.sha256).collect();
    let did = if dry_run { "would remove" } else { "removed" };
    Ok(match assets::clear(state, &needed, dry_run)? {
        Unneeded::Removed(paths) => {
            paths.iter().map(|path| format!("{did} {}", path.display())).collect()
        }
        Unneeded::InUse => Vec::new(),
    })
}

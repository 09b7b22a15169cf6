//! `assay cleanup`: undo what a killed run left behind, by its journal and by our mark on what it made.

use crate::{
    cli::CleanupArgs,
    exit::{self, Exit},
    terminal,
};
use anyhow::Result;
use lab::cleanup::Cleanup;
use std::path::Path;

/// Undoes what every campaign left that no longer runs, or says what that would be.
pub fn cleanup(args: &CleanupArgs, state: &Path) -> Result<Exit> {
    if let Some(dir) = args.beside.iter().find(|dir| !dir.is_dir()) {
        return Err(exit::usage(format!(
            "folder {} does not exist; is its disk mounted?",
            dir.display()
        )));
    }
    let report = Cleanup { state, beside: &args.beside, dry_run: args.dry_run }.run()?;
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

//! `assay cleanup`: undo what a killed run left behind, by its journal.

use crate::{exit::Exit, terminal};
use anyhow::Result;
use std::path::Path;

/// Undoes every journal whose campaign no longer runs.
pub fn cleanup(state: &Path) -> Result<Exit> {
    let report = lab::cleanup(state)?;
    for line in &report.done {
        terminal::out(line)?;
    }
    for campaign in &report.live {
        terminal::note(&format!("campaign {campaign} is running and was left alone"));
    }
    if report.done.is_empty() && report.failed.is_empty() {
        terminal::out("nothing to clean up")?;
    }
    for line in &report.failed {
        terminal::note(line);
    }
    Ok(if report.failed.is_empty() { Exit::Done } else { Exit::Failed })
}

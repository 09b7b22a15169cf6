//! Cleans up after kill -9, at `assay cleanup`: by the journals of dead campaigns, and then whatever they left that no
//! journal names. Nothing that a running campaign holds is touched. Such a campaign is recognized by its locks, even
//! when its journal is removed: on the journal, on the marker of its mount points, on the state folder, on its loop
//! devices.

// Public for the fuzzer alone.
#[doc(hidden)]
pub mod journal;
pub(crate) mod leftovers;
pub(crate) mod undoing;

pub use journal::CleanupReport;

use crate::{
    error::LabError,
    ownership::{State, mark::Mark, private_dir},
};
use leftovers::Leftovers;
use std::path::{Path, PathBuf};

/// A cleanup to run.
#[derive(Clone, Copy, Debug)]
pub struct Cleanup<'a> {
    /// The state folder; what belongs to another one is left alone.
    pub state: &'a Path,
    /// Further folders to search for private directories: folders of images and of `dir:` targets.
    pub beside: &'a [PathBuf],
    /// Only reports what would be done.
    pub dry_run: bool,
}

impl<'a> Cleanup<'a> {
    /// A cleanup of everything found by `state` alone.
    pub fn of(state: &'a Path) -> Cleanup<'a> {
        Cleanup { state, beside: &[], dry_run: false }
    }

    /// Does it. Campaigns that still run are skipped and named.
    ///
    /// # Errors
    /// The state folder is not to be obeyed, or the kernel's lists cannot be read; what cannot be torn down is in
    /// the report instead.
    pub fn run(&self) -> Result<CleanupReport, LabError> {
        let mut report = CleanupReport::default();
        let found = State::look(self.state)?;
        let state = match found {
            Some(_) if !self.dry_run => Some(State::open(self.state)?),
            found => found,
        };
        let is_alone = state.as_ref().is_none_or(State::is_alone);
        let mut named = Vec::new();
        if let Some(state) = &state {
            report.messages.extend_from_slice(state.messages());
            match journal::undo_dead(state, self.dry_run, &mut report) {
                Ok(left) => named = left,
                Err(error) => report.failed.push(error.to_string()),
            }
        }
        let path = state
            .as_ref()
            .map_or_else(|| crate::ownership::state::real(self.state), |s| Ok(s.path().into()))?;
        let Leftovers { entries, live } = leftovers::find(&path, self.beside)?;
        let unnamed = live.into_iter().filter(|campaign| !report.live.contains(campaign));
        report.live.extend(unnamed.collect::<Vec<_>>());
        for (mark, undo) in entries.into_iter().filter(|(_, undo)| !named.contains(undo)) {
            if !report.live.contains(&mark.campaign) && !is_alone && is_live(&mark) {
                report.live.push(mark.campaign.clone());
            }
            if report.live.contains(&mark.campaign) {
                continue;
            }
            report.add(if self.dry_run { undo.would(&mark) } else { undo.apply(&mark) });
        }
        Ok(report)
    }
}

/// Undoes what a dead process of the campaign of `mark` left that no journal names.
pub(crate) fn undo_marked(mark: &Mark, report: &mut CleanupReport) -> Result<(), LabError> {
    let left = leftovers::find(&mark.state, &[])?;
    for (own, undo) in left.entries.into_iter().filter(|(own, _)| own.is_of(mark)) {
        report.add(undo.apply(&own));
    }
    Ok(())
}

/// Returns true if the campaign of `mark` runs, as far as can be seen while another process works in the state
/// folder.
fn is_live(mark: &Mark) -> bool {
    let mounts = mark.mounts();
    private_dir::is_held(&mounts) || private_dir::mark_of(&mounts).is_none()
}

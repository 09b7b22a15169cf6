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
    ownership::{State, mark::Mark, private_dir, undo::Undo},
};
use leftovers::Leftovers;
use model::text::Bytes;
use std::path::{Path, PathBuf};

/// A cleanup to run.
#[derive(Clone, Copy, Debug)]
pub struct Cleanup<'a> {
    /// The state folder; what belongs to another one is left alone.
    pub state: &'a Path,
    /// Further folders to search for private directories: folders of images and of `dir:` targets.
    pub folders: &'a [PathBuf],
    /// Also removes the images that are kept for later campaigns.
    pub images: bool,
    /// Only reports what would be done.
    pub dry_run: bool,
}

impl<'a> Cleanup<'a> {
    /// A cleanup of everything found by `state` alone.
    pub fn of(state: &'a Path) -> Cleanup<'a> {
        Cleanup { state, folders: &[], images: false, dry_run: false }
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
        let Leftovers { entries, live } = leftovers::find(&path, self.folders)?;
        let unnamed = live.into_iter().filter(|campaign| !report.live.contains(campaign));
        report.live.extend(unnamed.collect::<Vec<_>>());
        let unnamed = entries.into_iter().filter(|(_, undo)| !named.contains(undo));
        let (kept, entries): (Vec<_>, Vec<_>) = unnamed.partition(|(mark, _)| mark.is_kept());
        for (mark, undo) in entries {
            if !report.live.contains(&mark.campaign) && !is_alone && is_live(&mark) {
                report.live.push(mark.campaign.clone());
            }
            if report.live.contains(&mark.campaign) {
                continue;
            }
            report.add(self.undo(&mark, &undo));
        }
        self.kept(kept, &mut report);
        Ok(report)
    }

    fn undo(&self, mark: &Mark, undo: &Undo) -> Result<Option<String>, LabError> {
        if self.dry_run { undo.would(mark) } else { undo.apply(mark) }
    }

    /// Frees the images that are kept of devices of dead campaigns, and removes those that no campaign uses, or tells
    /// of them.
    fn kept(&self, entries: Vec<(Mark, Undo)>, report: &mut CleanupReport) {
        let mut stay = Vec::new();
        for (mark, undo) in entries {
            match &undo {
                Undo::RemoveDir { path } if private_dir::is_held(path) => report
                    .messages
                    .push(format!("{} is in use by a running campaign", path.display())),
                Undo::RemoveDir { path } if !self.images => stay.push(path.clone()),
                _ => report.add(self.undo(&mark, &undo)),
            }
        }
        if let [first, ..] = &stay[..] {
            let bytes = stay.iter().filter_map(|dir| private_dir::used_bytes(dir).ok()).sum();
            let dir = first.parent().unwrap_or(first).display();
            report.messages.push(format!(
                "kept for later campaigns: {} of images in {dir} (`assay cleanup --images` removes them)",
                Bytes(bytes)
            ));
        }
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

//! Repeats as blocks: where the files of each target were named, the first run of a case on every target is
//! block 0, the second block 1, so that there are intervals.

use crate::ImportOptions;
use model::{
    figure::Shared,
    result::{Head, Note, Sample},
    workload::Case,
};
use std::collections::HashMap;

/// Puts repeats into blocks, where that was asked for.
pub(crate) struct Blocks {
    /// How often each case was there; `None` where blocks stay as they are.
    seen: Option<HashMap<Shared<Case>, u32>>,
}

impl Blocks {
    /// Blocks of assay's own files stay as they are.
    pub(crate) fn of(options: &ImportOptions, is_own: bool) -> Blocks {
        Blocks { seen: (options.repeats_are_blocks() && !is_own).then(HashMap::new) }
    }

    /// Gives a sample its block.
    pub(crate) fn place(&mut self, sample: &mut Sample) {
        if let Some(seen) = &mut self.seen {
            let times = seen.entry(sample.case.clone()).or_default();
            sample.block = *times;
            *times += 1;
        }
    }

    /// Says so, in the place of what importers say of repeats.
    pub(crate) fn note(&self, head: &mut Head) {
        if self.seen.is_some() {
            let notes = &mut head.campaign.notes;
            notes.retain(|note| !matches!(note, Note::CaseRepeats {} | Note::JobRepeats {}));
            notes.push(Note::RepeatsAreBlocks {});
        }
    }
}

//! Repeats as blocks: where the files of each target were named, the first run of a case on every target is
//! block 0, the second block 1, so that there are intervals.

use crate::ImportOptions;
use model::{
    result::{Head, Sample},
    workload::Case,
};
use std::collections::HashMap;

/// Said of such a campaign.
const NOTE: &str = "Repeats of a case are blocks, in the order of the files given for each \
                    target: intervals are valid if the runs were independent, each on a fresh \
                    instance.";

/// Said of repeats of a case that stay in one block.
pub(crate) const CASE_REPEATS: &str = "Several runs of a case are in one block: the files do not \
                                       say whether each used a fresh instance, so their spread is \
                                       not an interval.";

/// The same of jobs of fio.
pub(crate) const JOB_REPEATS: &str = "Several runs of one job are repeats on one instance, all in \
                                      block 0: they are not replicates on fresh file systems, and \
                                      their spread is smaller.";

/// Puts repeats into blocks, where that was asked for.
pub(crate) struct Blocks {
    /// How often each case was there; `None` where blocks stay as they are.
    seen: Option<HashMap<Case, u32>>,
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
            notes.retain(|note| ![CASE_REPEATS, JOB_REPEATS].contains(&note.as_str()));
            notes.push(NOTE.into());
        }
    }
}

//! One target against another in one cell.

use crate::{
    description::{
        Comparison, Settings,
        cell::data::{self, CellData},
        equivalence::judge_unless,
    },
    kernel::{Interval, Ratio, ratio::Estimate},
};

/// The comparison of two columns of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Versus {
    /// The one over the other.
    pub(crate) ratio: Ratio,
    /// The interval of the cell's own variance; `None` without replicates.
    pub(crate) alone: Option<Interval>,
    /// What it allows to say.
    pub(crate) comparison: Comparison,
    /// True when the machine was too busy with other work for any verdict.
    pub(crate) contended: bool,
}

/// Column `candidate` against column `base`; `None` when either has no valid sample.
pub(crate) fn versus(
    data: &CellData,
    candidate: usize,
    base: usize,
    settings: &Settings,
) -> Option<Versus> {
    let ratio = data.ratio(candidate, base)?;
    let plain = |estimate: Estimate| estimate.to_ratio_at(data.confidence).interval();
    let alone = data.compare_alone(candidate, base).and_then(plain);
    let contended = data::too_contended(&[data], &[candidate, base]);
    let comparison = judge_unless(contended, &ratio, settings.band);
    Some(Versus { ratio, alone, comparison, contended })
}

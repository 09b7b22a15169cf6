//! One target against another in one cell.

use crate::{
    Ratio, Settings, Verdict, contention, ratio::compare, select::CellData, verdict::judge,
};

/// The comparison of two columns of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Versus {
    /// The one over the other.
    pub(crate) ratio: Ratio,
    /// What it allows to say.
    pub(crate) verdict: Verdict,
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
    let (candidate, base) = (&data.series[candidate], &data.series[base]);
    let ratio = compare(&candidate.points, &base.points)?.to_ratio();
    let contended = contention::too_contended([candidate, base]);
    let verdict = if contended { Verdict::Unclear } else { judge(&ratio, settings.band) };
    Some(Versus { ratio, verdict, contended })
}

//! The comparisons of a regression gate, fixed before anything is judged: a target of B against one of A, in the mean
//! or in a cell.

use crate::kernel::detectable;
use crate::kernel::ratio::Estimate;

/// A cell that a gate asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedCell {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
}

/// A target of B against one of A, in the mean or in a cell, before anything is judged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AskedPair {
    pub(super) a: String,
    pub(super) b: String,
    /// `None` for the mean over all cells.
    pub(super) cell: Option<AskedCell>,
    /// B over A, where both have a value.
    pub(super) estimate: Option<Estimate>,
    /// Whether the machine was too busy with other work for any verdict.
    pub(super) contended: bool,
}

impl AskedPair {
    /// Probability of a mean as low as this or lower where nothing became worse.
    pub(super) fn p_of_loss(&self) -> Option<f64> {
        let estimate = self.estimate.filter(|_| !self.contended)?;
        estimate.error.map(|_| estimate.above_zero())
    }

    /// The loss that is found with 80 % power at `alpha`, logarithmic.
    pub(super) fn detectable(&self, alpha: f64) -> f64 {
        match self.estimate.filter(|_| !self.contended).and_then(|estimate| estimate.error) {
            None => f64::INFINITY,
            Some((0.0, _)) => 0.0,
            Some((se, df)) => se * detectable::detectable(df, alpha),
        }
    }
}

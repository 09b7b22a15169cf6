//! Finds regressions above a threshold, and whether they could have been detected: the CI gate.

use super::{
    asked::{AskedCell, AskedPair},
    campaigns::CampaignComparison,
    incomparable::Incomparable,
    join::Unmatched,
    side::PREFIXES,
};
use crate::kernel::{Ratio, holm::holm_at, ratio::Estimate};

/// Chance that a gate fails where nothing became worse. It is shared by the means and the cells.
const ALPHA: f64 = 0.05;

/// What a gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateOutcome {
    /// Nothing became worse by more than the limit, and what had would have been found.
    Passed,
    /// Something did.
    Regressed,
    /// Nothing is certain, and a loss of the limit would not have been found, or B has nothing to find it in.
    Blind,
}

/// What a gate found.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What it says.
    pub outcome: GateOutcome,
    /// Regressions beyond the limit, the largest first.
    pub regressions: Vec<Regression>,
    /// The loss that was asked about, a share.
    pub limit: f64,
    /// What was found, with the largest or the least sure of it.
    pub finding: Finding,
    /// What could have been found; `None` where nothing has an interval, and of a mere look.
    pub power: Option<Power>,
    /// Cells of A that B has none like.
    pub missing: usize,
    /// Targets that cannot be compared.
    pub incomparable: Option<Incomparable>,
}

/// What a gate found.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// One campaign on each side is no more than a look.
    Look,
    /// Something became worse by more than the limit.
    Regressed {
        /// The largest loss.
        largest: Loss,
        /// All that became worse by as much.
        all: usize,
    },
    /// Nothing is certain, and in some a loss of the limit would not have been found.
    NotFound {
        /// Where the least would have been.
        widest: Loss,
        /// Why not there.
        why: Blindness,
        /// In how many.
        blind: usize,
        /// Of how many.
        all: usize,
    },
    /// B has no row of what A has, so that nothing says what became of it.
    Lacking {
        /// The first such cell of A.
        cell: AskedCell,
        /// How many there are.
        all: usize,
    },
    /// Worse, by the limit or not.
    Doubtful(Loss),
    /// None of this many means and ratios is certainly worse by more than the limit.
    Passed {
        /// How many.
        all: usize,
    },
}

/// A target of B over one of A, in the mean or in a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// Label of the target of A.
    pub a: String,
    /// Label of the target of B.
    pub b: String,
    /// `None` for the mean over all cells.
    pub cell: Option<AskedCell>,
    /// B over A, where both have a value.
    pub ratio: Option<Ratio>,
}

/// Why a loss would not have been found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blindness {
    /// The machine was busy with other work.
    Contended,
    /// A side has no valid sample.
    NoSample,
    /// A side has a single value.
    OneValue,
    /// Only a loss as large as this would have been, logarithmic.
    Width(f64),
}

/// The losses that would have been found with 80 % power, logarithmic; infinite where none would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// In the mean of all tests, of the target for which it is largest; `None` without a mean.
    pub mean: Option<f64>,
    /// Number of cells.
    pub cells: usize,
    /// In half of the cells.
    pub half: f64,
    /// In the worst cell.
    pub worst: f64,
}

/// Something that became worse.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// Label of the target of B.
    pub target: String,
    /// The cell; `None` for the mean over all cells of the target.
    pub cell: Option<AskedCell>,
    /// B over A.
    pub ratio: Ratio,
}

/// One of them under its limits.
struct Judged<'a> {
    asked: &'a AskedPair,
    /// It is worse, by Holm's procedure.
    is_worse: bool,
    /// The loss that is found with 80 % power, logarithmic; infinite where none can be.
    width: f64,
}

impl Loss {
    fn of(asked: &AskedPair) -> Loss {
        let AskedPair { a, b, cell, estimate, .. } = asked;
        let ratio = estimate.map(Estimate::to_ratio);
        Loss { a: a.clone(), b: b.clone(), cell: cell.clone(), ratio }
    }
}

impl CampaignComparison {
    /// Judges B against the same targets of A: the mean of each target, and each of its cells. What is
    /// certainly worse by one-sided t tests under Holm's procedure, half of 5 % for the means and half for the
    /// cells, and by more than `limit`, a share, is a regression. Without any the gate has passed only if a
    /// loss of `limit` would have been found with 80 % power in all of them, B has all that A has, and none that is
    /// certain may be as large. One campaign on each side knows nothing of what differs between runs and decides
    /// nothing. `None` when A and B share no target.
    pub fn gate(&self, limit: f64) -> Option<Gate> {
        let judged = self.judged();
        if judged.is_empty() {
            return None;
        }
        let edge = limit.ln_1p();
        let worse = |j: &&Judged<'_>| j.is_worse && j.mean() < -edge;
        let mut regressions: Vec<&Judged<'_>> = judged.iter().filter(worse).collect();
        regressions.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
        let perhaps = judged.iter().find(|j| j.is_worse && j.low() < -edge);
        let blind: Vec<&Judged<'_>> = judged.iter().filter(|j| !j.is_found(edge)).collect();
        let (outcome, finding) = if self.is_look() {
            (GateOutcome::Blind, Finding::Look)
        } else if let Some(largest) = regressions.first() {
            (
                GateOutcome::Regressed,
                Finding::Regressed { largest: Loss::of(largest.asked), all: regressions.len() },
            )
        } else if let Some(cell) = self.unmatched[0].first() {
            let Unmatched { test, name, procs, .. } = cell.clone();
            let cell = AskedCell { test, name, procs };
            (GateOutcome::Blind, Finding::Lacking { cell, all: self.unmatched[0].len() })
        } else if let Some(widest) = blind.iter().max_by(|a, b| a.width.total_cmp(&b.width)) {
            (GateOutcome::Blind, widest.not_found(blind.len(), judged.len()))
        } else if let Some(one) = perhaps {
            (GateOutcome::Blind, Finding::Doubtful(Loss::of(one.asked)))
        } else {
            (GateOutcome::Passed, Finding::Passed { all: judged.len() })
        };
        let regressions = match outcome {
            GateOutcome::Regressed => regressions.iter().filter_map(|j| j.regression()).collect(),
            _ => Vec::new(),
        };
        Some(Gate {
            outcome,
            regressions,
            limit,
            finding,
            power: detectable(&judged).filter(|_| !self.is_look()),
            missing: self.unmatched[0].len(),
            incomparable: self.incomparable.clone(),
        })
    }

    /// The losses that would have been found with 80 % power; `None` where no ratio of a target over itself has an
    /// interval.
    pub fn power(&self) -> Option<Power> {
        detectable(&self.judged())
    }

    /// The same target in both, under the levels of the family.
    fn judged(&self) -> Vec<Judged<'_>> {
        let same = || self.asked.iter().filter(|asked| is_same(&asked.a, &asked.b));
        let (means, cells): (Vec<&AskedPair>, Vec<&AskedPair>) =
            same().partition(|a| a.cell.is_none());
        let level = if means.is_empty() { ALPHA } else { ALPHA / 2.0 };
        family(means, level).into_iter().chain(family(cells, level)).collect()
    }
}

fn family<'a>(all: Vec<&'a AskedPair>, level: f64) -> Vec<Judged<'a>> {
    let p_values: Vec<Option<f64>> = all.iter().map(|asked| asked.p_of_loss()).collect();
    let alpha = level / all.len().max(1) as f64;
    let marks = holm_at(level, &p_values);
    let judged = |(asked, is_worse): (&'a AskedPair, bool)| Judged {
        asked,
        is_worse,
        width: asked.detectable(alpha),
    };
    all.into_iter().zip(marks).map(judged).collect()
}

fn detectable(judged: &[Judged<'_>]) -> Option<Power> {
    let widths = |of_cells: bool| -> Vec<f64> {
        let own = judged.iter().filter(|j| j.asked.cell.is_some() == of_cells);
        let mut widths: Vec<f64> = own.map(|j| j.width).collect();
        widths.sort_by(f64::total_cmp);
        widths
    };
    let (means, cells) = (widths(false), widths(true));
    let worst = *cells.last()?;
    let is_any = cells.iter().any(|width| width.is_finite());
    is_any.then(|| Power {
        mean: means.last().copied(),
        cells: cells.len(),
        half: cells[cells.len() / 2],
        worst,
    })
}

impl Judged<'_> {
    fn mean(&self) -> f64 {
        self.asked.estimate.map_or(0.0, |estimate| estimate.mean)
    }

    /// Lower end of the 95 % interval.
    fn low(&self) -> f64 {
        let half = self.asked.estimate.and_then(|estimate| estimate.half_width());
        self.mean() - half.unwrap_or(f64::INFINITY)
    }

    fn is_found(&self, edge: f64) -> bool {
        self.width <= edge
    }

    fn regression(&self) -> Option<Regression> {
        Some(Regression {
            target: self.asked.b.clone(),
            cell: self.asked.cell.clone(),
            ratio: self.asked.estimate?.to_ratio(),
        })
    }

    /// Where the least would have been found, of `all`, of which this many are `blind`.
    fn not_found(&self, blind: usize, all: usize) -> Finding {
        let why = match (self.asked.contended, self.asked.estimate) {
            (true, _) => Blindness::Contended,
            (false, None) => Blindness::NoSample,
            (false, Some(estimate)) if estimate.error.is_none() => Blindness::OneValue,
            _ => Blindness::Width(self.width),
        };
        Finding::NotFound { widest: Loss::of(self.asked), why, blind, all }
    }
}

/// Whether the labels are of one target in either campaign.
fn is_same(a: &str, b: &str) -> bool {
    a.strip_prefix(PREFIXES[0]) == b.strip_prefix(PREFIXES[1])
}

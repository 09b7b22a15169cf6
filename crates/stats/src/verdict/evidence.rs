//! Checks that a verdict is supported: it must hold with and without samples disturbed by other work, and with missing
//! samples at their worst observed value.

use crate::{
    description::{
        Missing,
        cell::{data::CellData, dropouts, missing},
        looks,
        sample::run_order,
        score::board::{self, Board},
    },
    kernel::{
        fit::{Fit, order},
        ratio::Estimate,
        significance::CLEAR_LEAD,
    },
};
use model::{random::Rng, result::Dataset};

/// The data with which a conclusion is cross-checked.
pub(crate) struct CrossChecks<'a> {
    /// All cells that are asked about, each with its weight, also those that not every candidate has.
    pub(crate) wanted: Vec<(&'a CellData, f64)>,
    /// The board without what other work disturbed, where it disturbed anything.
    pub(crate) calm: Option<Board<'a>>,
}

impl<'a> CrossChecks<'a> {
    /// Of the cells that are scored, with the weights of a verdict.
    pub(crate) fn scored(
        dataset: &Dataset,
        cells: &'a [CellData],
        calm: Option<Board<'a>>,
    ) -> CrossChecks<'a> {
        let cells: Vec<&CellData> = cells.iter().filter(|cell| cell.is_scored).collect();
        let weights = board::weights(dataset, &cells);
        CrossChecks { wanted: cells.into_iter().zip(weights).collect(), calm }
    }
}

/// What can be said of the candidates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Judged {
    /// Nothing: other work disturbed these columns too much, or without what it disturbed something else were said.
    Contended(Vec<usize>),
    /// Nothing: one of the first two went before the other in every block.
    SamePlaces,
    /// Nothing: it would not hold with what is missing of these columns.
    Missing(Vec<(usize, Missing)>),
    /// This column is the best.
    Best(usize),
    /// These are the same within the band, the first among them.
    Same(Vec<usize>),
    /// The data does not decide.
    Open,
}

/// The obstacle to a verdict for a lead whose interval excludes 1: a verdict requires more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It is smaller than any that is called clear.
    Small,
    /// It is not significant among all of these, by Holm's procedure.
    Level {
        /// Candidates that the first is compared with.
        comparisons: usize,
        /// Whether the campaign could end at several looks, at each of which more is asked.
        has_looks: bool,
    },
    /// Another than the second, of this label, is not shown to be worse.
    Other(String),
    /// The probability that the first is the best is too low.
    Probability,
}

/// Which candidates count as the same.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Alike {
    /// Of a verdict: each that is near the first, and costs no more than the band.
    Near,
    /// Of a look: all that are not clearly worse, where the first is no more than the band ahead of any.
    Leaders,
}

/// What the judgement rests on.
pub(crate) struct Evidence<'a> {
    pub(crate) board: Board<'a>,
    pub(crate) fit: Fit,
    /// Position of the candidate with the highest score.
    pub(crate) first: usize,
    second: usize,
    /// Whether one of the first two went before the other in every block.
    same_places: bool,
    seed: u64,
    /// By position.
    missing: Vec<Missing>,
    wanted: Vec<(&'a CellData, f64)>,
    calm: Calm<'a>,
}

enum Calm<'a> {
    /// Nothing was disturbed.
    All,
    /// What is left without what was; `None` where that is too little.
    Without(Option<Box<Evidence<'a>>>),
}

/// What a verdict on `board` can rest on; `None` with fewer than two candidates or blocks.
pub(crate) fn evidence<'a>(
    dataset: &Dataset,
    targets: &[String],
    board: Board<'a>,
    checks: CrossChecks<'a>,
) -> Option<Evidence<'a>> {
    let means = board.means();
    let &[first, second, ..] = order(&means).as_slice() else { return None };
    let left = dropouts::left(dataset, targets, &board.columns, first);
    let fit = board.fit(&left, looks::bar(&dataset.campaign))?;
    let label = |at: usize| targets[board.columns[at]].as_str();
    let same_places = run_order::same_in_all(dataset, label(first), label(second));
    let CrossChecks { wanted, calm } = checks;
    let of = |column: &usize| Missing::of(wanted.iter().map(|(cell, _)| *cell), *column);
    let missing = board.columns.iter().map(of).collect();
    let none = CrossChecks { wanted: Vec::new(), calm: None };
    let calm = match calm {
        None => Calm::All,
        Some(calm) => Calm::Without(evidence(dataset, targets, calm, none).map(Box::new)),
    };
    let seed = dataset.campaign.seed;
    Some(Evidence { board, fit, first, second, same_places, seed, missing, wanted, calm })
}

impl Evidence<'_> {
    /// Noise of one run, a share.
    pub(crate) fn noise(&self) -> f64 {
        self.fit.noise(self.first, self.second).exp_m1()
    }

    /// Half-width of the interval between the first two, logarithmic.
    pub(crate) fn half_width(&self) -> Option<f64> {
        self.fit.half_width(self.first, self.second)
    }

    /// Further blocks after which a difference of `share` between the first two is found with 80 % probability.
    pub(crate) fn more_blocks(&self, share: f64, blocks: usize) -> Option<usize> {
        let needed = self.fit.blocks_needed(self.first, self.second, share.ln_1p())?;
        Some(needed.saturating_sub(blocks).max(1))
    }

    /// p-value of "no difference" between the first and column `column`.
    pub(crate) fn doubt(&self, column: usize) -> Option<f64> {
        let at = self.board.columns.iter().position(|&c| c == column)?;
        self.fit.difference(self.first, at).p_value()
    }

    /// What keeps the first from being the best where its interval over the second excludes 1; `None` where that does
    /// not. `targets` are the labels of the columns.
    pub(crate) fn obstacle(&self, targets: &[String]) -> Option<Obstacle> {
        let (first, second) = (self.first, self.second);
        self.fit.ratio(first, second).low.filter(|low| *low > 1.0)?;
        let is_other = |at: &usize| *at != first && self.fit.is_racing(*at);
        let others: Vec<usize> = (0..self.board.columns.len()).filter(is_other).collect();
        let is_near = |at: &usize| self.fit.difference(first, *at).mean < CLEAR_LEAD.ln();
        let rivals = self.fit.rivals(first);
        Some(match rivals.iter().find(|at| **at != second) {
            _ if others.iter().any(is_near) => Obstacle::Small,
            _ if rivals.contains(&second) => {
                Obstacle::Level { comparisons: others.len(), has_looks: self.fit.has_looks() }
            }
            Some(other) => Obstacle::Other(targets[self.board.columns[*other]].clone()),
            None => Obstacle::Probability,
        })
    }

    /// Columns of candidates that still run and while which ran the machine was too busy with other work. Each of
    /// them may be better than it looks.
    pub(crate) fn disturbed(&self) -> Vec<usize> {
        let all = self.board.disturbed().into_iter();
        all.filter(|at| self.fit.is_racing(*at)).map(|at| self.board.columns[at]).collect()
    }

    /// What can be said: the figures, where they may be judged.
    pub(crate) fn judge(&self, band: f64, alike: Alike) -> Judged {
        let disturbed = self.disturbed();
        if !disturbed.is_empty() {
            return Judged::Contended(disturbed);
        }
        let said = self.figures(band, alike);
        if said == Judged::SamePlaces {
            return said;
        }
        if self.missing[self.first].is_fatal() {
            return self.lacking();
        }
        if !self.is_said_without_the_disturbed(&said, band, alike) {
            return Judged::Contended(self.touched());
        }
        let holds = match &said {
            Judged::Best(_) => self.is_best_at_worst(),
            Judged::Same(columns) => self.are_same_at_worst(columns, band),
            _ => !self.missing[self.second].is_too_much(),
        };
        if holds { said } else { self.lacking() }
    }

    /// What the figures say.
    fn figures(&self, band: f64, alike: Alike) -> Judged {
        let column = |at: &usize| self.board.columns[*at];
        if self.same_places {
            return Judged::SamePlaces;
        }
        if self.fit.is_best(self.first, Rng::new(self.seed)) {
            return Judged::Best(column(&self.first));
        }
        let same = match alike {
            Alike::Near => self.fit.equivalent(self.first, band, Rng::new(self.seed)),
            Alike::Leaders => self.fit.same_within(self.first, band),
        };
        match same.is_empty() {
            true => Judged::Open,
            false => Judged::Same(same.iter().map(column).collect()),
        }
    }

    fn is_said_without_the_disturbed(&self, said: &Judged, band: f64, alike: Alike) -> bool {
        let calm = match &self.calm {
            Calm::All => return true,
            Calm::Without(calm) => calm.as_ref().map(|calm| calm.figures(band, alike)),
        };
        match (said, calm) {
            (Judged::Best(first), Some(Judged::Best(other))) => *first == other,
            (Judged::Same(all), Some(Judged::Same(same))) => all.iter().all(|at| same.contains(at)),
            (Judged::Best(_) | Judged::Same(_), _) => false,
            _ => true,
        }
    }

    /// Columns with a contended sample.
    fn touched(&self) -> Vec<usize> {
        let is_touched =
            |column: &usize| self.board.cells.iter().any(|c| c.series[*column].contended > 0);
        self.board.columns.iter().copied().filter(is_touched).collect()
    }

    /// The columns of which something is missing, those that lack most before the others.
    fn lacking(&self) -> Judged {
        let own = self.board.columns.iter().copied().zip(self.missing.iter().copied());
        let mut all: Vec<(usize, Missing)> = own.filter(|(_, own)| own.samples > 0).collect();
        all.sort_by(|(_, a), (_, b)| b.share().total_cmp(&a.share()));
        Judged::Missing(all)
    }

    /// The candidate at position `a` minus the one at `b`, at the worst for the first where either lacks anything, with
    /// the error that what is there shows.
    fn worst(&self, a: usize, b: usize) -> Option<Estimate> {
        let seen = self.fit.difference(a, b);
        if [a, b].iter().all(|at| self.missing[*at].samples == 0) {
            return Some(seen);
        }
        let mean = missing::worst(&self.wanted, self.board.columns[a], self.board.columns[b])?;
        Some(Estimate { mean, ..seen })
    }

    fn is_best_at_worst(&self) -> bool {
        self.missing.iter().all(|own| own.samples == 0)
            || self.fit.is_above(self.first, |other| self.worst(self.first, other))
    }

    fn are_same_at_worst(&self, columns: &[usize], band: f64) -> bool {
        let place = |column: &usize| self.board.columns.iter().position(|own| own == column);
        let is_within = |(a, b)| {
            let worst = self.worst(a, b)?;
            let half = worst.half_width_at(self.fit.confidence())?;
            Some(worst.mean - half >= -band.ln_1p())
        };
        let both_ways = |other| [(self.first, other), (other, self.first)].map(is_within);
        let others = columns.iter().filter_map(place).filter(|at| *at != self.first);
        let lacks = |column: &usize| place(column).is_some_and(|at| self.missing[at].is_fatal());
        self.missing.iter().all(|own| own.samples == 0)
            || !columns.iter().any(lacks)
                && others.flat_map(both_ways).all(|is_within| is_within == Some(true))
    }
}

//! The A/A pair: one candidate entered twice. Any difference that the tables find between the two is false, so it shows
//! how far their marks can be trusted.
//!
//! The cells of a block share its disturbances, so the number that differ by chance is not binomial. Its distribution
//! follows from the campaign itself: candidate and twin are identical, so in each block either could have had the
//! other's name. Exchanging them in a block turns the signs of all its differences (Fisher, "The Design of
//! Experiments", 1935; Good, "Permutation, Parametric and Bootstrap Tests of Hypotheses", 3rd edition, 2005).

mod signs;

use crate::{
    description::{
        Comparison, Settings,
        cell::{
            data::CellData,
            versus::{Versus, versus},
        },
        equivalence::judge,
        table::footer,
    },
    kernel::Ratio,
};
use model::plan::Twin;
use serde::Serialize;
use signs::Pair;

/// Chance of a mark in a cell without a difference: what the 95 % intervals leave.
const MARK_CHANCE: f64 = 0.05;

/// Share of campaigns whose pair stays within the limit when there is nothing between the two.
const LIMIT_SHARE: f64 = 0.95;

/// Fewest patterns of signs of which one can be rarer than [`MARK_CHANCE`]; six blocks have 32.
const LEAST_PATTERNS: usize = 20;

/// What the tables find between a candidate and itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AaCheck {
    /// Label of the candidate.
    pub of: String,
    /// Label of its twin.
    pub twin: String,
    /// Cells with an interval, those left out in which the machine was contended.
    pub cells: usize,
    /// Cells whose interval excludes 1.
    pub marked: usize,
    /// Most marked cells that chance explains: those of 95 % of the ways to turn the signs of blocks. With fewer
    /// than six blocks it is the most of any way, and no number of marks says anything.
    pub limit: usize,
    /// Ways to turn the signs of blocks that were counted, as many as there are or as were drawn.
    pub patterns: usize,
    /// Those in which as many cells differ and, of the same number, the mean over all cells is as far from 1; the
    /// measured one is among them.
    pub as_far: usize,
    /// The twin over the candidate, geometric mean over the cells.
    pub ratio: Option<Ratio>,
    /// What that ratio says.
    #[serde(rename = "verdict")]
    pub comparison: Option<Comparison>,
}

impl AaCheck {
    /// Whether the intervals can be believed: by the marks where there are enough blocks, else by the mean over
    /// all cells, which can show that they cannot and never that they can. `None` where nothing can be said.
    pub fn passes(&self) -> Option<bool> {
        match self.is_telling() {
            true => Some(self.as_far as f64 > MARK_CHANCE * self.patterns as f64),
            false => self.is_apart().then_some(false),
        }
    }

    /// Whether there are enough blocks for the number of marks to be informative.
    pub fn is_telling(&self) -> bool {
        self.patterns >= LEAST_PATTERNS
    }

    /// Whether the mean over all cells sets the two apart, by interval and band.
    fn is_apart(&self) -> bool {
        matches!(self.comparison, Some(Comparison::Better | Comparison::Worse))
    }
}

/// Compares column `twin` of `cells` with column `of`, of which it is the twin.
pub(crate) fn check(
    pair: Twin,
    (of, twin): (usize, usize),
    cells: &[CellData],
    seed: u64,
    settings: &Settings,
) -> AaCheck {
    let quiet = |v: &Versus| !v.contended && v.ratio.p.is_some();
    let judged: Vec<bool> =
        cells.iter().map(|c| versus(c, twin, of, settings).is_some_and(|v| quiet(&v))).collect();
    let ratio = footer::mean_ratio(&cells.iter().collect::<Vec<_>>(), twin, of);
    let signs = Pair::new(cells, (twin, of), &judged);
    let (measured, by_chance) = (signs.measured(), signs.by_chance(seed));
    AaCheck {
        of: pair.of,
        twin: pair.label,
        cells: signs.cells(),
        marked: measured.marked,
        limit: most_of_95_percent(by_chance.iter().map(|deviation| deviation.marked).collect()),
        as_far: by_chance.iter().filter(|deviation| deviation.reaches(&measured)).count(),
        patterns: by_chance.len(),
        ratio,
        comparison: ratio.filter(|r| r.low.is_some()).map(|ratio| judge(&ratio, settings.band)),
    }
}

/// The smallest of `counts` that at least 95 % of them do not exceed.
fn most_of_95_percent(mut counts: Vec<usize>) -> usize {
    counts.sort_unstable();
    let enough = (LIMIT_SHARE * counts.len() as f64).ceil() as usize;
    enough.checked_sub(1).map_or(0, |at| counts[at])
}

//! The A/A pair: one candidate entered twice. Whatever the tables find between the two is found where
//! there is nothing, so it shows how far their marks can be believed.

use crate::{
    Ratio, Settings, footer,
    select::CellData,
    versus::{Versus, versus},
};
use model::Twin;
use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};

/// Chance of a mark in a cell without a difference: what the 95 % intervals leave.
const MARK_CHANCE: f64 = 0.05;

/// Share of campaigns whose pair stays within the limit when the noise is as the intervals assume.
const LIMIT_SHARE: f64 = 0.95;

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
    /// Most marked cells that chance explains: the 95 % point of the binomial distribution.
    pub limit: usize,
    /// The twin over the candidate, geometric mean over the cells.
    pub ratio: Option<Ratio>,
}

impl AaCheck {
    /// Whether the intervals can be believed; `None` without an interval.
    pub fn passes(&self) -> Option<bool> {
        (self.cells > 0).then_some(self.marked <= self.limit)
    }
}

/// Compares column `twin` of `cells` with column `of`, of which it is the twin.
pub(crate) fn check(
    pair: Twin,
    (of, twin): (usize, usize),
    cells: &[CellData],
    settings: &Settings,
) -> AaCheck {
    let all: Vec<Versus> = cells.iter().filter_map(|c| versus(c, twin, of, settings)).collect();
    let chances: Vec<f64> = all.iter().filter(|v| !v.contended).filter_map(|v| v.ratio.p).collect();
    let ratio = footer::mean_ratio(&cells.iter().collect::<Vec<_>>(), twin, of);
    AaCheck {
        of: pair.of,
        twin: pair.label,
        cells: chances.len(),
        marked: chances.iter().filter(|p| **p < MARK_CHANCE).count(),
        limit: chance_limit(chances.len()),
        ratio,
    }
}

/// Most of `cells` without a difference whose 95 % interval excludes 1 by chance, in 95 of 100 campaigns: the
/// 95 % point of the binomial distribution.
pub fn chance_limit(cells: usize) -> usize {
    let Ok(binomial) = Binomial::new(MARK_CHANCE, cells as u64) else { return 0 };
    // Of one cell none may be marked, in exactly 95 of 100: rounding must not decide that.
    let enough = |&marked: &usize| binomial.cdf(marked as u64) > LIMIT_SHARE - 1e-9;
    (0..cells).find(enough).unwrap_or(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    // scipy 1.16: binom.ppf(.95, n, .05); R: qbinom(0.95, n, 0.05)
    #[test]
    fn the_limit_is_that_of_the_binomial_distribution() {
        let golden = [(0, 0), (1, 0), (2, 1), (4, 1), (10, 2), (12, 2), (60, 6), (100, 9)];
        for (cells, most) in golden.into_iter().chain([(240, 18), (1000, 62)]) {
            assert_eq!(chance_limit(cells), most, "{cells}");
        }
    }
}

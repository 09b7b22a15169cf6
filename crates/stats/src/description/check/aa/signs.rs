//! The differences of a pair over cells and blocks, and how many of its intervals exclude 1 when the signs of blocks
//! are flipped.

use super::MARK_CHANCE;
use crate::{
    description::cell::data::CellData,
    kernel::{
        point::{Point, logs, mean},
        prior::{Member, Prior},
        ratio::{Estimate, paired},
    },
};
use model::random::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// Most blocks of which all patterns are counted.
const MOST_BLOCKS: usize = 9;
/// Patterns that are drawn for more, in addition to the one that was measured.
const DRAWN: usize = 255;

/// A candidate and its twin.
pub(super) struct Pair {
    family: Vec<Member>,
    /// Which of the family are judged.
    judged: Vec<bool>,
    blocks: Vec<u32>,
}

/// How far a pair deviates: compared by its marks, then by its mean.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Deviation {
    /// Cells whose interval excludes 1.
    pub(super) marked: usize,
    /// Sum of the mean differences of all cells, logarithmic, without its sign.
    mean: f64,
}

impl Deviation {
    /// Whether it deviates no less than `other`, except for rounding.
    pub(super) fn reaches(&self, other: &Deviation) -> bool {
        Deviation { mean: self.mean * (1.0 + 1e-9), ..*self } >= *other
    }
}

/// -1 or 1 for each block.
type Signs = BTreeMap<u32, f64>;

impl Pair {
    /// Of two columns of `cells`, of which those are judged that are `judged` and share two blocks.
    pub(super) fn new(cells: &[CellData], (a, b): (usize, usize), judged: &[bool]) -> Pair {
        let member = |cell: &CellData| {
            let (a, b) = (&cell.series[a], &cell.series[b]);
            let both = a.ln_seconds.zip(b.ln_seconds);
            let covariate = both.map(|(a, b)| mean(&[a, b]));
            Member { points: paired(&a.points, &b.points), covariate }
        };
        let family: Vec<Member> = cells.iter().map(member).collect();
        let judged: Vec<bool> = family
            .iter()
            .zip(judged)
            .map(|(own, judged)| *judged && own.points.len() > 1)
            .collect();
        let of_judged = family.iter().zip(&judged).filter(|(_, judged)| **judged);
        let blocks: BTreeSet<u32> =
            of_judged.flat_map(|(own, _)| own.points.iter().map(|p| p.block)).collect();
        Pair { family, judged, blocks: blocks.into_iter().collect() }
    }

    /// Cells that are judged.
    pub(super) fn cells(&self) -> usize {
        self.judged.iter().filter(|judged| **judged).count()
    }

    /// What was measured.
    pub(super) fn measured(&self) -> Deviation {
        self.deviation_with(&Signs::new())
    }

    /// The same for each pattern of signs, the measured one among them: all of them for few blocks, else seeded
    /// draws. A pattern and its opposite have the same marks, so the first block keeps its sign.
    pub(super) fn by_chance(&self, seed: u64) -> Vec<Deviation> {
        let Some((_, others)) = self.blocks.split_first() else { return Vec::new() };
        let signs = |is_turned: &mut dyn FnMut(usize) -> bool| -> Signs {
            let sign =
                |(at, block): (usize, &u32)| (*block, if is_turned(at) { -1.0 } else { 1.0 });
            others.iter().enumerate().map(sign).collect()
        };
        if self.blocks.len() <= MOST_BLOCKS {
            let all = 0..1_usize << others.len();
            return all
                .map(|bits| self.deviation_with(&signs(&mut |at| bits >> at & 1 == 1)))
                .collect();
        }
        let mut rng = Rng::new(seed);
        let drawn = (0..DRAWN).map(|_| self.deviation_with(&signs(&mut |_| rng.unit() < 0.5)));
        let drawn: Vec<Deviation> = drawn.collect();
        std::iter::once(self.measured()).chain(drawn).collect()
    }

    /// How far the two deviate when the differences of each block have these signs.
    fn deviation_with(&self, signs: &Signs) -> Deviation {
        let sign = |p: &Point| signs.get(&p.block).copied().unwrap_or(1.0);
        let turned = |own: &Member| Member {
            points: own.points.iter().map(|p| Point { log: sign(p) * p.log, ..*p }).collect(),
            covariate: own.covariate,
        };
        let family: Vec<Member> = self.family.iter().map(turned).collect();
        let prior = Prior::fit(&family);
        let is_marked = |own: &Member| {
            let expected = prior.as_ref().and_then(|prior| prior.at(own.covariate));
            let estimate = Estimate::moderated(&logs(&own.points), expected);
            estimate.and_then(|e| e.p_value()).is_some_and(|p| p < MARK_CHANCE)
        };
        let judged = || family.iter().zip(&self.judged).filter(|(_, judged)| **judged);
        let means: f64 = judged().map(|(own, _)| mean(&logs(&own.points))).sum();
        Deviation { marked: judged().filter(|(own, _)| is_marked(own)).count(), mean: means.abs() }
    }
}

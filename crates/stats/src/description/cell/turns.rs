//! Removes turn effects: which target was measured first in a test, and which had which image. Such an effect shifts a
//! figure (here the third of three cold reads by 16 processes is 1.6 times as fast as the first). All candidates have
//! every turn equally often, so it does not move a ratio, but it adds noise from block to block. It is estimated and
//! removed: the analysis of a Latin square (Cochran and Cox, "Experimental Designs", 1957, chapter 4), which costs
//! degrees of freedom.

use crate::{
    description::cell::data::Series,
    kernel::{point::mean, ratio::quantile},
};
use model::result::{Sample, known};
use std::collections::{BTreeMap, BTreeSet};

#[cfg(test)]
mod tests;

/// What moves a figure by its level and is no candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factor {
    /// The order in which targets were measured in a test.
    Order,
    /// The image that each target had.
    Part,
}

impl Factor {
    const ALL: [Factor; 2] = [Factor::Order, Factor::Part];

    fn level(self, sample: &Sample) -> Option<u32> {
        match self {
            Factor::Order => sample.get(known::RUN_ORDER),
            Factor::Part => sample.get(known::BACKING_PART),
        }
    }
}

/// Makes `sample` tell the level of no factor.
pub(crate) fn forget(sample: &mut Sample) {
    sample.set(known::RUN_ORDER, None);
    sample.set(known::BACKING_PART, None);
}

/// Rounds, as many blocks each as there are candidates, from which on it is done: with fewer blocks the degrees of
/// freedom cost more than the factors bring. A rule of the design alone: one that looked at the figures would
/// choose what makes intervals narrow.
const LEAST_ROUNDS: usize = 3;
/// Most sweeps of the fit, and the change that ends it. In whole rounds the second sweep changes nothing.
const MOST_SWEEPS: usize = 200;
const STILL: f64 = 1e-12;

/// Which level of a factor a candidate had in a block. After a candidate left, a first place is another first place,
/// so that their number is a part of it.
type Level = (u32, usize);

/// The levels of a factor by column and block.
type Levels = Vec<BTreeMap<u32, Level>>;

/// A cell whose candidates have the same blocks: `[column][block]`.
struct Square {
    columns: Vec<usize>,
    blocks: Vec<u32>,
    logs: Vec<Vec<f64>>,
}

/// What was fitted: the effect of each level of each factor, and what is left of each value.
struct Fitted {
    effects: Vec<BTreeMap<Level, f64>>,
    rests: Vec<Vec<f64>>,
}

/// Takes the factors that `samples` tell out of the values of `series`, column by column. Where the design is not
/// balanced enough to tell a factor from a candidate that factor stays in. Gives what was taken out for the order: the
/// logarithm of the last place over the first; `None` where it stays in.
pub(crate) fn adjust(series: &mut [Series], samples: &[Vec<&Sample>]) -> Option<f64> {
    let square = Square::of(series)?;
    let all = Factor::ALL.into_iter().map(|factor| (factor, levels(factor, samples)));
    let known = all.filter(|(_, levels)| square.is_balanced(levels));
    let (kinds, factors): (Vec<Factor>, Vec<Levels>) = known.unzip();
    if factors.is_empty() {
        return None;
    }
    let fitted = square.fit(&factors);
    let enlarged = enlargement(square.blocks.len(), factors.len());
    for (column, one) in series.iter_mut().enumerate() {
        for point in &mut one.points {
            let of = |(levels, effects): (&Levels, &BTreeMap<Level, f64>)| {
                levels[column].get(&point.block).and_then(|level| effects.get(level)).copied()
            };
            point.log -= factors.iter().zip(&fitted.effects).filter_map(of).sum::<f64>();
            if let Some(rest) = square.rest(&fitted, column, point.block) {
                point.log += (enlarged - 1.0) * rest;
            }
        }
    }
    let order = kinds.iter().position(|kind| *kind == Factor::Order)?;
    last_over_first(&fitted.effects[order])
}

/// Of the blocks with the most candidates.
fn last_over_first(effects: &BTreeMap<Level, f64>) -> Option<f64> {
    let most = effects.keys().map(|(_, count)| *count).max()?;
    let mut own =
        effects.iter().filter(|((_, count), _)| *count == most).map(|(_, effect)| *effect);
    let first = own.next()?;
    Some(own.next_back()? - first)
}

/// By how much what is left is enlarged, so that an interval by all blocks is as wide as one by the degrees of freedom
/// that are left: of a ratio every factor takes one.
fn enlargement(blocks: usize, factors: usize) -> f64 {
    let before = blocks as f64 - 1.0;
    let left = before - factors as f64;
    (before / left).sqrt() * quantile(left, 0.975) / quantile(before, 0.975)
}

/// The level of `factor` by column and block, where all samples of a block agree.
fn levels(factor: Factor, samples: &[Vec<&Sample>]) -> Levels {
    let mut present: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (column, own) in samples.iter().enumerate() {
        for sample in own {
            present.entry(sample.block).or_default().insert(column);
        }
    }
    let of_column = |own: &Vec<&Sample>| {
        let mut found: BTreeMap<u32, Option<Level>> = BTreeMap::new();
        for sample in own.iter().filter(|sample| sample.evidence.validity.is_valid()) {
            let count = present.get(&sample.block).map_or(0, BTreeSet::len);
            let level = factor.level(sample).map(|level| (level, count));
            found
                .entry(sample.block)
                .and_modify(|known| *known = known.filter(|k| level == Some(*k)))
                .or_insert(level);
        }
        found.into_iter().filter_map(|(block, level)| Some((block, level?))).collect()
    };
    samples.iter().map(of_column).collect()
}

impl Square {
    /// The blocks that all candidates have which have the most; `None` where these are too few.
    fn of(series: &[Series]) -> Option<Square> {
        let most = series.iter().map(|one| one.points.len()).max()?;
        // One that left, or failed again and again, would leave few blocks to the others.
        let stays = |column: &usize| 5 * series[*column].points.len() >= 4 * most;
        let columns: Vec<usize> = (0..series.len()).filter(stays).collect();
        let of_column = |column: usize| -> BTreeMap<u32, f64> {
            series[column].points.iter().map(|point| (point.block, point.log)).collect()
        };
        let by_block: Vec<BTreeMap<u32, f64>> = columns.iter().map(|at| of_column(*at)).collect();
        let first = by_block.first()?;
        let in_all = |block: &&u32| by_block.iter().all(|own| own.contains_key(block));
        let blocks: Vec<u32> = first.keys().filter(in_all).copied().collect();
        let is_enough = columns.len() > 1 && blocks.len() >= LEAST_ROUNDS * columns.len();
        let of_blocks = |own: &BTreeMap<u32, f64>| blocks.iter().map(|block| own[block]).collect();
        let logs = by_block.iter().map(of_blocks).collect();
        is_enough.then_some(Square { logs, columns, blocks })
    }

    /// Whether every candidate had every level, each of them in all but one of its rounds at least.
    fn is_balanced(&self, levels: &Levels) -> bool {
        let mut counts: BTreeMap<Level, Vec<usize>> = BTreeMap::new();
        for (nth, &column) in self.columns.iter().enumerate() {
            for block in &self.blocks {
                let Some(level) = levels[column].get(block) else { return false };
                counts.entry(*level).or_insert_with(|| vec![0; self.columns.len()])[nth] += 1;
            }
        }
        counts.len() > 1 && counts.values().flatten().all(|count| *count + 1 >= LEAST_ROUNDS)
    }

    /// Least squares of value = candidate + block + one level of each factor, by taking out the means of one after
    /// the other until none is left.
    fn fit(&self, factors: &[Levels]) -> Fitted {
        let mut rests = self.logs.clone();
        let mut effects: Vec<BTreeMap<Level, f64>> = vec![BTreeMap::new(); factors.len()];
        for _ in 0..MOST_SWEEPS {
            let mut largest = take_out_means(&mut rests);
            for (levels, effects) in factors.iter().zip(&mut effects) {
                for (level, change) in self.means(&rests, levels) {
                    *effects.entry(level).or_default() += change;
                    largest = largest.max(change.abs());
                    self.take_out(&mut rests, levels, level, change);
                }
            }
            if largest < STILL {
                break;
            }
        }
        for (levels, effects) in factors.iter().zip(&mut effects) {
            self.centre(levels, effects);
        }
        Fitted { effects, rests }
    }

    /// The mean of what is left at each level.
    fn means(&self, rests: &[Vec<f64>], levels: &Levels) -> Vec<(Level, f64)> {
        let mut all: BTreeMap<Level, Vec<f64>> = BTreeMap::new();
        for (nth, column) in self.columns.iter().enumerate() {
            for (block, rest) in self.blocks.iter().zip(&rests[nth]) {
                all.entry(levels[*column][block]).or_default().push(*rest);
            }
        }
        all.into_iter().map(|(level, rests)| (level, mean(&rests))).collect()
    }

    fn take_out(&self, rests: &mut [Vec<f64>], levels: &Levels, level: Level, change: f64) {
        for (nth, column) in self.columns.iter().enumerate() {
            let at_level = |(block, _): &(&u32, &mut f64)| levels[*column][*block] == level;
            let own = self.blocks.iter().zip(rests[nth].iter_mut()).filter(at_level);
            own.for_each(|(_, rest)| *rest -= change);
        }
    }

    /// Moves no figure on average.
    fn centre(&self, levels: &Levels, effects: &mut BTreeMap<Level, f64>) {
        let every = self.columns.iter().flat_map(|column| {
            self.blocks.iter().map(|block| levels[*column][block]).collect::<Vec<_>>()
        });
        let all: Vec<f64> = every.map(|level| effects[&level]).collect();
        let centre = mean(&all);
        effects.values_mut().for_each(|effect| *effect -= centre);
    }

    /// What is left of the value of a column in a block; `None` where it is not of the square.
    fn rest(&self, fitted: &Fitted, column: usize, block: u32) -> Option<f64> {
        let nth = self.columns.iter().position(|of| *of == column)?;
        let at = self.blocks.binary_search(&block).ok()?;
        Some(fitted.rests[nth][at])
    }
}

/// Takes the means of the columns and of the blocks out of `rests`; the largest of them.
fn take_out_means(rests: &mut [Vec<f64>]) -> f64 {
    let mut largest = 0.0_f64;
    for own in rests.iter_mut() {
        let centre = mean(own);
        own.iter_mut().for_each(|rest| *rest -= centre);
    }
    for block in 0..rests.first().map_or(0, Vec::len) {
        let centre = mean(&rests.iter().map(|own| own[block]).collect::<Vec<_>>());
        rests.iter_mut().for_each(|own| own[block] -= centre);
        largest = largest.max(centre.abs());
    }
    largest
}

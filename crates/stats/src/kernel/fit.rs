//! Tests the differences of scores, and computes the probability that each target is the best.
//!
//! Differences are paired: two targets, over the blocks that both have, with the noise of their own difference.
//! One variance for all of them would be steadier and wrong where one target is noisier than the others: of six
//! targets, one of which has twice the noise, its intervals would cover 87 %. P(best) alone comes from a model
//! of all, in which each has its own: see [`crate::kernel::posterior`].
//!
//! The model is of the targets that are in every block. One that got no more blocks after a look, because it
//! was decidedly behind, is compared with each other over the blocks that both have, and that look decided
//! that it is not the best.

use crate::kernel::{
    Ratio,
    block_score::common,
    draw::Uniform,
    holm::holm_at,
    point::{Point, mean},
    posterior::{Levels, Outlook},
    power::Noise,
    ratio::{Estimate, paired, quantile},
    significance::{Bar, CLEAR_LEAD, LEADS_P},
};
use std::{cmp::Ordering, collections::BTreeSet};

/// What is known of K targets before they are judged.
pub(crate) struct Scores {
    /// Level of each target, which with incomplete data is not the mean of its scores.
    pub(crate) means: Vec<f64>,
    /// The score of each target in the blocks that it has.
    pub(crate) points: Vec<Vec<Point>>,
    /// `pairs[a][b]` with b < a: target a minus target b, with the error that their blocks give.
    pub(crate) pairs: Vec<Vec<Estimate>>,
}

/// Scores of K targets.
pub(crate) struct Fit {
    bar: Bar,
    scores: Scores,
    /// Targets of the model, which are all but those that left.
    racing: Vec<usize>,
    /// What their scores say of them.
    levels: Levels,
}

impl Fit {
    /// Fits `scores`; `left` says of each target whether it left the race. `None` below two blocks that all
    /// others share.
    pub(crate) fn new(scores: Scores, left: &[bool], bar: Bar) -> Option<Fit> {
        let racing = racing(left);
        let of_racing: Vec<Vec<Point>> = racing.iter().map(|&i| scores.points[i].clone()).collect();
        if common(&of_racing).0.len() < 2 {
            return None;
        }
        let levels = levels(&scores, &racing)?;
        Some(Fit { bar, scores, racing, levels })
    }

    /// Level of each target.
    #[cfg(test)]
    pub(crate) fn means(&self) -> &[f64] {
        &self.scores.means
    }

    pub(crate) fn is_racing(&self, target: usize) -> bool {
        self.racing.contains(&target)
    }

    /// Target `a` minus target `b`.
    pub(crate) fn difference(&self, a: usize, b: usize) -> Estimate {
        match a.cmp(&b) {
            Ordering::Greater => self.scores.pairs[a][b],
            Ordering::Less => self.scores.pairs[b][a].reversed(),
            Ordering::Equal => Estimate { mean: 0.0, error: None },
        }
    }

    /// Blocks that two targets share.
    pub(crate) fn shared(&self, a: usize, b: usize) -> usize {
        paired(&self.scores.points[a], &self.scores.points[b]).len()
    }

    /// Target `a` over target `b`, with the interval that the bar asks for: the one that every page shows of
    /// these two.
    pub(crate) fn ratio(&self, a: usize, b: usize) -> Ratio {
        self.difference(a, b).to_ratio_at(self.bar.confidence)
    }

    /// The same of `first` over another that was picked for being next to it: of those that are compared, one is likely
    /// to be so near by chance, so the truth may be further above than of a given pair. The upper end is that of all
    /// these differences together (Dunnett, JASA 1955).
    pub(crate) fn lead(&self, first: usize, other: usize) -> Ratio {
        let high = self.most(first, other).map(f64::exp);
        Ratio { high, ..self.ratio(first, other) }
    }

    /// Upper end of that, logarithmic.
    fn most(&self, first: usize, other: usize) -> Option<f64> {
        let difference = self.difference(first, other);
        let (se, _) = difference.error?;
        let half = self.half_width(first, other)?;
        let at = self.racing.iter().position(|own| *own == first);
        let together = |at| self.levels.reach(at, 0.5 + self.bar.confidence / 2.0) * se;
        Some(difference.mean + at.map_or(half, together).max(half))
    }

    /// Half-width of that interval, logarithmic.
    pub(crate) fn half_width(&self, a: usize, b: usize) -> Option<f64> {
        self.difference(a, b).half_width_at(self.bar.confidence)
    }

    /// Whether `first` is the best: without a rival in the race, and so above those that left it behind the best, and
    /// with a P(best) that says the same.
    pub(crate) fn is_best(&self, first: usize, draws: impl Uniform) -> bool {
        self.is_racing(first)
            && self.rivals(first).is_empty()
            && self.best(draws)[first].p_best >= LEADS_P
    }

    /// Whether `first` is certainly above every other target of the race by these differences, by Holm's procedure.
    pub(crate) fn is_above(
        &self,
        first: usize,
        difference: impl Fn(usize) -> Option<Estimate>,
    ) -> bool {
        let others = self.racing.iter().copied().filter(|&other| other != first);
        let all: Option<Vec<Estimate>> = others.map(difference).collect();
        all.is_some_and(|all| {
            let doubts: Vec<Option<f64>> = all.iter().map(Estimate::p_value).collect();
            let marks = holm_at(self.bar.alpha, &doubts).into_iter();
            all.iter().zip(marks).all(|(difference, mark)| mark && difference.mean > 0.0)
        })
    }

    /// Whether the campaign could end at several looks, so that each of them asks for more.
    pub(crate) fn has_looks(&self) -> bool {
        self.bar != Bar::ONCE
    }

    /// Confidence of the intervals of scores.
    pub(crate) fn confidence(&self) -> f64 {
        self.bar.confidence
    }

    /// Targets of the race that are certainly worse than `first`, by Holm's procedure over all that it is
    /// compared with. That it was picked for being the first makes no more errors: to be called best wrongly, it
    /// must be above every other, the true best among them, and of two equals each is so in half of alpha.
    fn certainly_behind(&self, first: usize) -> Vec<usize> {
        let others: Vec<usize> =
            self.racing.iter().copied().filter(|&other| other != first).collect();
        let doubts: Vec<Option<f64>> =
            others.iter().map(|&other| self.difference(first, other).p_value()).collect();
        let marks = holm_at(self.bar.alpha, &doubts).into_iter();
        let behind = others.into_iter().zip(marks).filter(|&(other, mark)| {
            mark && self.is_racing(first) && self.difference(first, other).mean > 0.0
        });
        behind.map(|(other, _)| other).collect()
    }

    /// Targets of the race that `first` is not clearly better than, without itself: not certainly, or by less than
    /// [`CLEAR_LEAD`].
    pub(crate) fn rivals(&self, first: usize) -> Vec<usize> {
        let behind = self.certainly_behind(first);
        let is_far = |other: usize| self.difference(first, other).mean >= CLEAR_LEAD.ln();
        let others = self.racing.iter().copied().filter(|&other| other != first);
        others.filter(|&other| !(behind.contains(&other) && is_far(other))).collect()
    }

    /// `first` and its rivals, where it is no more than `band` better than any of them; empty where it is, and without
    /// a rival.
    pub(crate) fn same_within(&self, first: usize, band: f64) -> Vec<usize> {
        let rivals = self.rivals(first);
        let near = |other: &usize| self.is_near(first, *other, band);
        match !rivals.is_empty() && rivals.iter().all(near) {
            true => std::iter::once(first).chain(rivals).collect(),
            false => Vec::new(),
        }
    }

    /// Whether `first` is no more than `band` ahead of `other`, by the upper end of its lead.
    fn is_near(&self, first: usize, other: usize, band: f64) -> bool {
        // What the plain interval leaves open is open.
        let plain =
            self.half_width(first, other).map(|half| self.difference(first, other).mean + half);
        let is_within = |most: Option<f64>| most.is_some_and(|most| most <= band.ln_1p());
        is_within(plain) && is_within(self.most(first, other))
    }

    /// `first` and the targets that are the same within `band`: the whole interval of what lies between them is
    /// inside it, and, whichever of all is the best, none of them costs more than that with 95 % probability. Empty
    /// below two.
    pub(crate) fn equivalent(&self, first: usize, band: f64, draws: impl Uniform) -> Vec<usize> {
        let standings = self.best(draws);
        let is_near = |other: usize| {
            let high = self.difference(other, first).mean
                + self.half_width(first, other).unwrap_or(f64::INFINITY);
            high <= band.ln_1p() && self.is_near(first, other, band)
        };
        let is_cheap = |at: usize| 1.0 - (-standings[at].regret_95).exp() <= band;
        let all = 0..standings.len();
        let same: Vec<usize> =
            all.filter(|&at| is_cheap(at) && (at == first || is_near(at))).collect();
        if same.len() > 1 && same.contains(&first) { same } else { Vec::new() }
    }

    /// Noise of one run of one target, logarithmic, as the difference of `a` and `b` shows it.
    pub(crate) fn noise(&self, a: usize, b: usize) -> f64 {
        let se = self.difference(a, b).error.map_or(0.0, |(se, _)| se);
        se * (self.shared(a, b) as f64 / 2.0).sqrt()
    }

    /// Blocks after which a difference of `distance`, logarithmic, between `a` and `b` is found with a
    /// probability of [`crate::kernel::power::POWER`], by the noise seen so far; `None` above 1 000.
    pub(crate) fn blocks_needed(&self, a: usize, b: usize, distance: f64) -> Option<usize> {
        let noise = Noise::of(&self.difference(a, b), self.shared(a, b))?;
        noise.blocks(distance, self.bar.confidence)
    }

    /// Best and worst rank of each target: 1 plus the number that is certainly better, and K minus the number
    /// that is certainly worse, by Holm over all pairs, and for those behind the first of the race over its
    /// own pairs, as the verdict has it. One that left is not the first.
    pub(crate) fn ranks(&self) -> Vec<(usize, usize)> {
        let k = self.scores.means.len();
        let mut ranks = vec![(1, k); k];
        for (better, worse) in self.certain_pairs() {
            ranks[worse].0 += 1;
            ranks[better].1 -= 1;
        }
        for (target, rank) in ranks.iter_mut().enumerate() {
            rank.0 = rank.0.max(if self.is_racing(target) { 1 } else { 2 });
        }
        ranks
    }

    /// The pairs of which the one is certainly better than the other: by Holm's procedure in the race, and
    /// for itself where one of them left it, which costs the others no certainty.
    fn certain_pairs(&self) -> BTreeSet<(usize, usize)> {
        let k = self.scores.means.len();
        let all = || (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
        let in_race = |&(a, b): &(usize, usize)| self.is_racing(a) && self.is_racing(b);
        let here: Vec<(usize, usize)> = all().filter(in_race).collect();
        let beside: Vec<(usize, usize)> = all().filter(|pair| !in_race(pair)).collect();
        let each = beside.len() as f64;
        let beside = beside.into_iter().filter(|&(a, b)| {
            self.difference(a, b).p_value().is_some_and(|p| p <= self.bar.alpha / each)
        });
        let p: Vec<Option<f64>> =
            here.iter().map(|&(a, b)| self.difference(a, b).p_value()).collect();
        let marks = holm_at(self.bar.alpha, &p);
        let here =
            here.into_iter().zip(marks).filter_map(|(pair, certain)| certain.then_some(pair));
        let ordered = |(a, b): (usize, usize)| {
            if self.difference(a, b).mean > 0.0 { (a, b) } else { (b, a) }
        };
        let level = |&a: &usize, &b: &usize| self.scores.means[a].total_cmp(&self.scores.means[b]);
        let first = self.racing.iter().copied().max_by(level);
        let of_first = first
            .into_iter()
            .flat_map(|first| self.certainly_behind(first).into_iter().map(move |o| (first, o)));
        here.chain(beside).map(ordered).chain(of_first).collect()
    }

    /// P(best) of each target and its regrets. P is no larger than the pairs allow, whose intervals are next to it; of
    /// one that left it is what they allow.
    pub(crate) fn best(&self, draws: impl Uniform) -> Vec<Outlook> {
        let mut outlooks: Vec<Outlook> =
            (0..self.scores.means.len()).map(|target| self.of_pairs(target)).collect();
        for (&target, drawn) in self.racing.iter().zip(self.levels.outlooks(draws)) {
            let p_best = drawn.p_best.min(outlooks[target].p_best);
            outlooks[target] = Outlook { p_best, ..drawn };
        }
        outlooks
    }

    /// The least probability of being above one of the others, by their own noise.
    fn least_above(&self, target: usize) -> f64 {
        let others = (0..self.scores.means.len()).filter(|&other| other != target);
        others.map(|other| self.difference(target, other).above_zero()).fold(1.0, f64::min)
    }

    fn of_pairs(&self, target: usize) -> Outlook {
        let others = (0..self.scores.means.len()).filter(|other| *other != target);
        let behind = |other| {
            let d = self.difference(other, target);
            d.mean + d.error.map_or(0.0, |(se, df)| quantile(df, 0.95) * se)
        };
        Outlook {
            p_best: self.least_above(target),
            regret_95: others.map(behind).fold(0.0, f64::max),
            regret_mean: None,
        }
    }
}

/// What the scores say of the levels of the targets `racing`; `None` where two of them share fewer than two blocks.
fn levels(scores: &Scores, racing: &[usize]) -> Option<Levels> {
    let mut errors = vec![vec![(0.0, 0.0); racing.len()]; racing.len()];
    for (a, b) in (0..racing.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
        let error = scores.pairs[racing[a]][racing[b]].error?;
        (errors[a][b], errors[b][a]) = (error, error);
    }
    let means = racing.iter().map(|at| scores.means[*at]).collect();
    let of_pairs = errors.iter().flatten().map(|(_, df)| *df).filter(|df| *df > 0.0);
    let df = of_pairs.fold(f64::INFINITY, f64::min);
    Some(Levels::of(means, |a, b| errors[a][b].0.powi(2), df))
}

/// Positions of those that did not leave; of all, where fewer than two did not.
fn racing(left: &[bool]) -> Vec<usize> {
    let here: Vec<usize> = (0..left.len()).filter(|&i| !left[i]).collect();
    if here.len() < 2 { (0..left.len()).collect() } else { here }
}

/// The mean over targets of `rows[target][block]` in each block.
pub(crate) fn block_means(rows: &[Vec<f64>]) -> Vec<f64> {
    let blocks = rows.first().map_or(0, Vec::len);
    (0..blocks).map(|b| mean(&rows.iter().map(|row| row[b]).collect::<Vec<_>>())).collect()
}

/// `rows[target][block]` without the means of targets and blocks, in one list.
pub(crate) fn residuals(rows: &[Vec<f64>]) -> Vec<f64> {
    let of_block = block_means(rows);
    let grand = mean(&of_block);
    let residual = |row: &Vec<f64>| -> Vec<f64> {
        let own = mean(row);
        row.iter().zip(&of_block).map(|(v, block)| v - own - block + grand).collect()
    };
    rows.iter().flat_map(residual).collect()
}

/// Positions from the highest mean to the lowest.
pub(crate) fn order(means: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
    order
}

//! How sure the difference of two scores is, and how probable it is that each target is the best.
//!
//! Differences are paired: two targets, over the blocks that both have, with the noise of their own difference.
//! One variance for all of them would be steadier and wrong where one target is noisier than the others: of six
//! targets, one of which has twice the noise, its intervals would cover 87 %. P(best) alone comes from a model
//! of all, score[target, block] = target + block + noise.
//!
//! The model is of the targets that are in every block. One that got no more blocks after a look, because it
//! was decidedly behind, is compared with each other over the blocks that both have, and that look decided
//! that it is not the best.

use crate::{
    Ratio,
    bar::{Bar, CLEAR_LEAD, LEADS_P},
    blocks::common,
    draw::{chi_square, normal},
    holm::holm_at,
    point::{Point, mean, variance},
    power::Noise,
    ratio::{Estimate, paired, quantile},
};
use model::Rng;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};
use std::{cmp::Ordering, collections::BTreeSet};

/// Draws from the posterior.
const DRAWS: usize = 20_000;

/// Ratio of the variances of two paired differences that shows one target to have three times the
/// noise of the others: (1 + 3^2) / (1 + 1). Above it one pooled variance misstates them.
const UNEQUAL_VARIANCE: f64 = 5.0;

/// Chance, over all pairs, of taking equal noise for unequal.
const UNEQUAL_ALPHA: f64 = 0.05;

/// How a target stands among the others. Regrets are logarithms by which it is behind the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// Probability of being the best.
    pub(crate) p_best: f64,
    /// Regret that is not exceeded with 95 % probability: one-sided, of this target by itself.
    pub(crate) regret_95: f64,
    /// Expected regret; `None` when the targets are compared pair by pair.
    pub(crate) regret_mean: Option<f64>,
}

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
    /// Blocks that all of these have, n >= 2.
    blocks: usize,
    /// Standard deviation and degrees of freedom pooled over them; `None` when their noise differs too
    /// much.
    pooled: Option<(f64, f64)>,
}

impl Fit {
    /// Fits `scores`; `left` says of each target whether it left the race. `None` below two blocks that all
    /// others share.
    pub(crate) fn new(scores: Scores, left: &[bool], bar: Bar) -> Option<Fit> {
        let racing = racing(left);
        let of_racing: Vec<Vec<Point>> = racing.iter().map(|&i| scores.points[i].clone()).collect();
        let (blocks, rows) = common(&of_racing);
        if blocks.len() < 2 {
            return None;
        }
        let df = (racing.len() as f64 - 1.0) * (blocks.len() as f64 - 1.0);
        let squares: f64 = residuals(&rows).iter().map(|r| r.powi(2)).sum();
        let pooled = (!unequal_noise(&rows)).then_some(((squares / df).sqrt(), df));
        Some(Fit { bar, scores, racing, blocks: blocks.len(), pooled })
    }

    /// True when P(best) is a bound from the pairs, because the noise of the targets differs too much for one
    /// variance.
    pub(crate) fn is_pairwise(&self) -> bool {
        self.pooled.is_none()
    }

    /// Level of each target.
    #[cfg(test)]
    pub(crate) fn means(&self) -> &[f64] {
        &self.scores.means
    }

    fn blocks(&self) -> f64 {
        self.blocks as f64
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

    /// Half-width of that interval, logarithmic.
    pub(crate) fn half_width(&self, a: usize, b: usize) -> Option<f64> {
        self.difference(a, b).half_width_at(self.bar.confidence)
    }

    /// Whether `first` is the best: certainly better than every other target of the race, and so than those
    /// that left it behind the best, with a lead of [`CLEAR_LEAD`] or more over each, and a P(best) that says the
    /// same.
    pub(crate) fn is_best(&self, first: usize, seed: u64) -> bool {
        let others = self.racing.iter().filter(|&&other| other != first);
        let far = |&&other: &&usize| self.difference(first, other).mean >= CLEAR_LEAD.ln();
        let (count, far) = (others.clone().count(), others.clone().all(|other| far(&other)));
        self.is_racing(first)
            && far
            && self.certainly_behind(first).len() == count
            && self.best(seed)[first].p_best >= LEADS_P
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

    /// Targets of the race that are not certainly worse than `first`, without itself.
    pub(crate) fn rivals(&self, first: usize) -> Vec<usize> {
        let behind = self.certainly_behind(first);
        let others = self.racing.iter().copied().filter(|&other| other != first);
        others.filter(|other| !behind.contains(other)).collect()
    }

    /// `first` and its rivals, where it is no more than `band` better than any of them; empty where it is, and without
    /// a rival.
    pub(crate) fn same_within(&self, first: usize, band: f64) -> Vec<usize> {
        let rivals = self.rivals(first);
        let most = |other: usize| {
            let half = self.half_width(first, other)?;
            Some(self.difference(first, other).mean + half)
        };
        let near = |other: &usize| most(*other).is_some_and(|most| most <= band.ln_1p());
        match !rivals.is_empty() && rivals.iter().all(near) {
            true => std::iter::once(first).chain(rivals).collect(),
            false => Vec::new(),
        }
    }

    /// `first` and the targets that are the same within `band`: the whole interval of what lies between them is
    /// inside it, and, whichever of all is the best, none of them costs more than that with 95 % probability. Empty
    /// below two.
    pub(crate) fn equivalent(&self, first: usize, band: f64, seed: u64) -> Vec<usize> {
        let standings = self.best(seed);
        let is_near = |other: usize| {
            let half = self.half_width(first, other);
            half.is_some_and(|half| self.difference(first, other).mean.abs() + half <= band.ln_1p())
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
    /// probability of [`crate::power::POWER`], by the noise seen so far; `None` above 1 000.
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

    /// P(best) of each target and its regrets. With one pooled variance they come from draws, and P is no larger
    /// than the pairs allow, whose intervals stand beside it; else P is a lower bound from the pairs (Bonferroni),
    /// and of one that left an upper one.
    pub(crate) fn best(&self, seed: u64) -> Vec<Outlook> {
        let mut standings: Vec<Outlook> =
            (0..self.scores.means.len()).map(|target| self.bound(target)).collect();
        if let Some((sd, df)) = self.pooled {
            for (&target, drawn) in self.racing.iter().zip(self.draw(sd, df, seed)) {
                let pairs = self.least_above(target);
                standings[target] = Outlook { p_best: drawn.p_best.min(pairs), ..drawn };
            }
        }
        standings
    }

    fn draw(&self, sd: f64, df: f64, seed: u64) -> Vec<Outlook> {
        let mut rng = Rng::new(seed);
        let means: Vec<f64> = self.racing.iter().map(|&target| self.scores.means[target]).collect();
        let k = means.len();
        let mut wins = vec![0.0; k];
        let mut regrets = vec![Vec::with_capacity(DRAWS); k];
        for _ in 0..DRAWS {
            let se = sd * (df / chi_square(&mut rng, df)).sqrt() / self.blocks().sqrt();
            let drawn: Vec<f64> = means.iter().map(|m| m + se * normal(&mut rng)).collect();
            let best = drawn.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let ties = drawn.iter().filter(|d| **d == best).count() as f64;
            for (target, value) in drawn.iter().enumerate() {
                wins[target] += if *value == best { 1.0 / ties } else { 0.0 };
                regrets[target].push(best - value);
            }
        }
        let standing = |(wins, regrets): (f64, Vec<f64>)| Outlook {
            p_best: wins / DRAWS as f64,
            regret_mean: Some(mean(&regrets)),
            regret_95: percentile_95(regrets),
        };
        wins.into_iter().zip(regrets).map(standing).collect()
    }

    /// The least probability of being above one of the others, by their own noise.
    fn least_above(&self, target: usize) -> f64 {
        let others = (0..self.scores.means.len()).filter(|&other| other != target);
        others.map(|other| self.difference(target, other).above_zero()).fold(1.0, f64::min)
    }

    fn bound(&self, target: usize) -> Outlook {
        let others = || (0..self.scores.means.len()).filter(move |&o| o != target);
        let above = |o| self.difference(target, o).above_zero();
        let doubt: f64 = others().map(|o| 1.0 - above(o)).sum();
        let behind = |o| {
            let d = self.difference(o, target);
            d.mean + d.error.map_or(0.0, |(se, df)| quantile(df, 0.95) * se)
        };
        Outlook {
            p_best: match self.is_racing(target) {
                true => (1.0 - doubt).max(0.0),
                false => self.least_above(target),
            },
            regret_95: others().map(behind).fold(0.0, f64::max),
            regret_mean: None,
        }
    }
}

/// Positions of those that did not leave; of all, where fewer than two did not.
fn racing(left: &[bool]) -> Vec<usize> {
    let here: Vec<usize> = (0..left.len()).filter(|&i| !left[i]).collect();
    if here.len() < 2 { (0..left.len()).collect() } else { here }
}

fn percentile_95(mut values: Vec<f64>) -> f64 {
    let index = values.len() * 95 / 100;
    *values.select_nth_unstable_by(index, f64::total_cmp).1
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

fn differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// True when some pairs scatter more than others by more than [`UNEQUAL_VARIANCE`] and by more than
/// chance explains. Residuals cannot tell: with three targets the noise of one shows in all.
fn unequal_noise(scores: &[Vec<f64>]) -> bool {
    let mut variances = Vec::new();
    for (i, a) in scores.iter().enumerate() {
        variances.extend(scores[i + 1..].iter().map(|b| variance(&differences(a, b))));
    }
    let high = variances.iter().copied().fold(0.0, f64::max);
    let low = variances.iter().copied().fold(f64::INFINITY, f64::min);
    if high <= UNEQUAL_VARIANCE * low {
        return false;
    }
    let df = scores[0].len() as f64 - 1.0;
    let chances = (variances.len() * (variances.len() - 1)) as f64;
    FisherSnedecor::new(df, df).is_ok_and(|f| f.sf(high / low) * chances < UNEQUAL_ALPHA)
}

//! The two-way model of scores: score[target, block] = target + block + noise. It says how sure the
//! difference of two targets is, and how probable it is that each is the best.
//!
//! The model is of the targets that are in every block. One that got no more blocks after a look, because it
//! was decidedly behind, is compared with each other over the blocks that both have, and that look decided
//! that it is not the best.

use crate::{
    Ratio,
    bar::Bar,
    blocks::common,
    draw::{chi_square, normal},
    holm::holm_at,
    ratio::{Estimate, logs, paired, quantile, variance},
    select::{Point, mean},
};
use model::Rng;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// Draws from the posterior.
const DRAWS: usize = 20_000;

/// Ratio of the variances of two paired differences that shows one target to have three times the
/// noise of the others: (1 + 3^2) / (1 + 1). Above it one pooled variance misstates them.
const UNEQUAL_VARIANCE: f64 = 5.0;

/// Chance, over all pairs, of taking equal noise for unequal.
const UNEQUAL_ALPHA: f64 = 0.05;

/// How a target stands among the others. Regrets are logarithms by which it is behind the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    /// Probability of being the best.
    pub(crate) p_best: f64,
    /// Regret that is not exceeded with 95 % probability.
    pub(crate) regret_95: f64,
    /// Expected regret; `None` when the targets are compared pair by pair.
    pub(crate) regret_mean: Option<f64>,
}

/// Scores of K targets.
pub(crate) struct Fit {
    bar: Bar,
    /// Mean of each target.
    means: Vec<f64>,
    /// The score of each target in the blocks that it has.
    scores: Vec<Vec<Point>>,
    /// Targets of the model, which are all but those that left.
    racing: Vec<usize>,
    /// Blocks that all of these have, n >= 2.
    blocks: usize,
    /// Standard deviation and degrees of freedom pooled over them; `None` when their noise differs too
    /// much.
    pooled: Option<(f64, f64)>,
}

impl Fit {
    /// Fits the `scores` of each target. `means` are the targets' levels, which with incomplete data are not
    /// the means of the scores; `left` says of each whether it left the race. `None` below two blocks that
    /// all others share.
    pub(crate) fn new(
        means: Vec<f64>,
        scores: Vec<Vec<Point>>,
        left: &[bool],
        bar: Bar,
    ) -> Option<Fit> {
        let racing = racing(left);
        let of_racing: Vec<Vec<Point>> = racing.iter().map(|&i| scores[i].clone()).collect();
        let (blocks, rows) = common(&of_racing);
        if blocks.len() < 2 {
            return None;
        }
        let df = (racing.len() as f64 - 1.0) * (blocks.len() as f64 - 1.0);
        let squares: f64 = residuals(&rows).iter().map(|r| r.powi(2)).sum();
        let pooled = (!unequal_noise(&rows)).then_some(((squares / df).sqrt(), df));
        Some(Fit { bar, means, scores, racing, blocks: blocks.len(), pooled })
    }

    /// True when the targets are compared pair by pair because their noise differs too much.
    pub(crate) fn is_pairwise(&self) -> bool {
        self.pooled.is_none()
    }

    fn blocks(&self) -> f64 {
        self.blocks as f64
    }

    fn is_racing(&self, target: usize) -> bool {
        self.racing.contains(&target)
    }

    /// Target `a` minus target `b`.
    pub(crate) fn difference(&self, a: usize, b: usize) -> Estimate {
        let both = paired(&self.scores[a], &self.scores[b]);
        if !(self.is_racing(a) && self.is_racing(b)) {
            let apart = Estimate { mean: self.means[a] - self.means[b], error: None };
            return Estimate::of_sample(&logs(&both)).unwrap_or(apart);
        }
        let error = match self.pooled {
            Some((sd, df)) => Some((sd * (2.0 / self.blocks()).sqrt(), df)),
            None => Estimate::of_sample(&logs(&both)).and_then(|e| e.error),
        };
        Estimate { mean: self.means[a] - self.means[b], error }
    }

    /// Blocks that two targets share.
    pub(crate) fn shared(&self, a: usize, b: usize) -> usize {
        match self.is_racing(a) && self.is_racing(b) {
            true => self.blocks,
            false => paired(&self.scores[a], &self.scores[b]).len(),
        }
    }

    /// The first over the second of these targets, with the interval that the bar asks for.
    pub(crate) fn lead(&self, first: usize, second: usize) -> Ratio {
        self.difference(first, second).to_ratio_at(self.bar.confidence)
    }

    /// Half-width of that interval, logarithmic.
    pub(crate) fn half_width(&self, a: usize, b: usize) -> Option<f64> {
        self.difference(a, b).half_width_at(self.bar.confidence)
    }

    /// Whether `first` is certainly better than every other target of the race, and so than those that left
    /// it behind the best.
    pub(crate) fn is_certain(&self, first: usize) -> bool {
        let others = self.racing.iter().filter(|&&other| other != first).count();
        let worse = self
            .certain_pairs()
            .into_iter()
            .filter(|(better, worse)| *better == first && self.is_racing(*worse));
        self.is_racing(first) && worse.count() == others
    }

    /// Targets of the race that are not certainly worse than `first`, without itself.
    pub(crate) fn rivals(&self, first: usize) -> Vec<usize> {
        let certain = self.certain_pairs();
        let others = self.racing.iter().copied().filter(|&other| other != first);
        others.filter(|&other| !certain.contains(&(first, other))).collect()
    }

    /// Noise of one run of one target, logarithmic, as the difference of `a` and `b` shows it.
    pub(crate) fn noise(&self, a: usize, b: usize) -> f64 {
        let se = self.difference(a, b).error.map_or(0.0, |(se, _)| se);
        se * (self.shared(a, b) as f64 / 2.0).sqrt()
    }

    /// Blocks after which the half-width between `a` and `b` would be at most `half`, by the noise
    /// seen so far; `None` above 1 000.
    pub(crate) fn blocks_needed(&self, a: usize, b: usize, half: f64) -> Option<usize> {
        let noise = self.noise(a, b);
        let factor = if self.is_pairwise() { 1.0 } else { self.racing.len() as f64 - 1.0 };
        (2..=1000).find(|&n| {
            let n = n as f64;
            quantile(factor * (n - 1.0), 0.975) * noise * (2.0 / n).sqrt() <= half
        })
    }

    /// Best and worst rank of each target by Holm over the pairs: 1 plus the number that is certainly
    /// better, and K minus the number that is certainly worse. One that left is not the first.
    pub(crate) fn ranks(&self) -> Vec<(usize, usize)> {
        let k = self.means.len();
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
    fn certain_pairs(&self) -> Vec<(usize, usize)> {
        let k = self.means.len();
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
        here.chain(beside).map(ordered).collect()
    }

    /// P(best) of each target and its regrets. With one pooled variance they come from draws; pair by
    /// pair P is a lower bound (Bonferroni), and of one that left an upper one.
    pub(crate) fn best(&self, seed: u64) -> Vec<Standing> {
        let mut standings: Vec<Standing> =
            (0..self.means.len()).map(|target| self.bound(target)).collect();
        if let Some((sd, df)) = self.pooled {
            for (&target, standing) in self.racing.iter().zip(self.draw(sd, df, seed)) {
                standings[target] = standing;
            }
        }
        standings
    }

    fn draw(&self, sd: f64, df: f64, seed: u64) -> Vec<Standing> {
        let mut rng = Rng::new(seed);
        let means: Vec<f64> = self.racing.iter().map(|&target| self.means[target]).collect();
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
        let standing = |(wins, regrets): (f64, Vec<f64>)| Standing {
            p_best: wins / DRAWS as f64,
            regret_mean: Some(mean(&regrets)),
            regret_95: percentile_95(regrets),
        };
        wins.into_iter().zip(regrets).map(standing).collect()
    }

    fn bound(&self, target: usize) -> Standing {
        let others = || (0..self.means.len()).filter(move |&o| o != target);
        let above = |o| self.difference(target, o).above_zero();
        let doubt: f64 = others().map(|o| 1.0 - above(o)).sum();
        let behind = |o| {
            let d = self.difference(o, target);
            d.mean + d.error.map_or(0.0, |(se, df)| quantile(df, 0.95) * se)
        };
        Standing {
            p_best: match self.is_racing(target) {
                true => (1.0 - doubt).max(0.0),
                false => others().map(above).fold(1.0, f64::min),
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

//! The two-way model of scores: score[target, block] = target + block + noise. It says how sure the
//! difference of two targets is, and how probable it is that each is the best.

use crate::{
    draw::{chi_square, normal},
    holm::holm,
    ratio::{Estimate, quantile, variance},
    select::mean,
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

/// Scores of K targets in n blocks, n >= 2.
pub(crate) struct Fit {
    /// Mean of each target.
    means: Vec<f64>,
    /// `scores[target][block]`.
    scores: Vec<Vec<f64>>,
    /// Standard deviation and degrees of freedom pooled over targets; `None` when their noise
    /// differs too much.
    pooled: Option<(f64, f64)>,
}

impl Fit {
    /// Fits `scores[target][block]`, of which every target has the same n >= 2 blocks. `means` are
    /// the targets' levels, which with incomplete data are not the means of the scores.
    pub(crate) fn new(means: Vec<f64>, scores: Vec<Vec<f64>>) -> Fit {
        let (targets, blocks) = (scores.len() as f64, scores[0].len() as f64);
        let df = (targets - 1.0) * (blocks - 1.0);
        let squares: f64 = residuals(&scores).iter().map(|r| r.powi(2)).sum();
        let sd = (squares / df).sqrt();
        let pooled = (!unequal_noise(&scores)).then_some((sd, df));
        Fit { means, scores, pooled }
    }

    /// True when the targets are compared pair by pair because their noise differs too much.
    pub(crate) fn is_pairwise(&self) -> bool {
        self.pooled.is_none()
    }

    fn blocks(&self) -> f64 {
        self.scores[0].len() as f64
    }

    /// Target `a` minus target `b`.
    pub(crate) fn difference(&self, a: usize, b: usize) -> Estimate {
        let error = match self.pooled {
            Some((sd, df)) => (sd * (2.0 / self.blocks()).sqrt(), df),
            None => {
                let d = differences(&self.scores[a], &self.scores[b]);
                ((variance(&d) / self.blocks()).sqrt(), self.blocks() - 1.0)
            }
        };
        Estimate { mean: self.means[a] - self.means[b], error: Some(error) }
    }

    /// Noise of one run of one target, logarithmic, as the difference of `a` and `b` shows it.
    pub(crate) fn noise(&self, a: usize, b: usize) -> f64 {
        let se = self.difference(a, b).error.map_or(0.0, |(se, _)| se);
        se * (self.blocks() / 2.0).sqrt()
    }

    /// Blocks after which the half-width between `a` and `b` would be at most `half`, by the noise
    /// seen so far; `None` above 1 000.
    pub(crate) fn blocks_needed(&self, a: usize, b: usize, half: f64) -> Option<usize> {
        let noise = self.noise(a, b);
        let factor = if self.is_pairwise() { 1.0 } else { self.means.len() as f64 - 1.0 };
        (2..=1000).find(|&n| {
            let n = n as f64;
            quantile(factor * (n - 1.0), 0.975) * noise * (2.0 / n).sqrt() <= half
        })
    }

    /// Best and worst rank of each target by Holm over all pairs: 1 plus the number that is certainly
    /// better, and K minus the number that is certainly worse.
    pub(crate) fn ranks(&self) -> Vec<(usize, usize)> {
        let k = self.means.len();
        let pairs: Vec<(usize, usize)> =
            (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).collect();
        let p: Vec<Option<f64>> =
            pairs.iter().map(|&(a, b)| self.difference(a, b).p_value()).collect();
        let mut ranks = vec![(1, k); k];
        for (&(a, b), _) in pairs.iter().zip(holm(&p)).filter(|(_, certain)| *certain) {
            let (better, worse) = if self.means[a] > self.means[b] { (a, b) } else { (b, a) };
            ranks[worse].0 += 1;
            ranks[better].1 -= 1;
        }
        ranks
    }

    /// P(best) of each target and its regrets. With one pooled variance they come from draws; pair by
    /// pair P is a lower bound (Bonferroni).
    pub(crate) fn best(&self, seed: u64) -> Vec<Standing> {
        match self.pooled {
            Some((sd, df)) => self.draw(sd, df, seed),
            None => (0..self.means.len()).map(|target| self.bound(target)).collect(),
        }
    }

    fn draw(&self, sd: f64, df: f64, seed: u64) -> Vec<Standing> {
        let mut rng = Rng::new(seed);
        let k = self.means.len();
        let mut wins = vec![0.0; k];
        let mut regrets = vec![Vec::with_capacity(DRAWS); k];
        for _ in 0..DRAWS {
            let se = sd * (df / chi_square(&mut rng, df)).sqrt() / self.blocks().sqrt();
            let drawn: Vec<f64> = self.means.iter().map(|m| m + se * normal(&mut rng)).collect();
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
        let doubt: f64 = others().map(|o| 1.0 - self.difference(target, o).above_zero()).sum();
        let behind = |o| {
            let d = self.difference(o, target);
            d.mean + d.error.map_or(0.0, |(se, df)| quantile(df, 0.95) * se)
        };
        Standing {
            p_best: (1.0 - doubt).max(0.0),
            regret_95: others().map(behind).fold(0.0, f64::max),
            regret_mean: None,
        }
    }
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

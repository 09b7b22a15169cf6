//! Computes the posterior of the candidates' levels from their scores: the probability of each being best, what
//! choosing it may cost, and the interval of a selected lead.
//!
//! The noise of each candidate is its own, as far as the pairs tell it. Of three or more, levels vary around a common
//! one by an amount that the scores tell as well: one that is noisy is first by chance more often than a quiet one, and
//! by a flat prior of each level 0.94 would be right in 85 %.

use crate::kernel::{
    draw::{Uniform, normal},
    point::mean,
    ratio::quantile,
};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

/// Draws from the posterior: values of the scale of the noise, equally probable, times draws for each.
const SCALES: usize = 200;
const DRAWS_OF_SCALE: usize = 100;
/// Values of what levels vary by, equally far apart on a logarithmic scale, and the least and the most of them, in
/// units of what the means vary by.
const SPREADS: usize = 120;
const LEAST_SPREAD: f64 = 0.01;
const MOST_SPREAD: f64 = 10.0;
/// Least variance of a candidate, a share of the largest: what pairs tell of one may be below zero.
const LEAST_SHARE: f64 = 0.05;
/// Midpoints of equal probability over which a tail is averaged.
const PARTS: usize = 48;
/// The search for a reach ends when the probability is this near, or after as many steps.
const NO_STEP: f64 = 1e-11;
const MOST_STEPS: usize = 60;

/// How a target compares with the others. Regrets are logarithms by which it is behind the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outlook {
    /// Probability of being the best.
    pub(crate) p_best: f64,
    /// Regret that is not exceeded with 95 % probability: one-sided, of this target alone.
    pub(crate) regret_95: f64,
    /// Expected regret; `None` of one that left the race.
    pub(crate) regret_mean: Option<f64>,
}

/// Means of two or more candidates with the variance of each, which is known with this many degrees of freedom.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    means: Vec<f64>,
    variances: Vec<f64>,
    df: f64,
}

impl Levels {
    /// Of candidates with these means, where `variance(a, b)` is that of the difference of two. What is the candidate's
    /// own of it is found by least squares: the sum of its pairs less that of all over K-2.
    pub(crate) fn of(means: Vec<f64>, variance: impl Fn(usize, usize) -> f64, df: f64) -> Levels {
        let k = means.len();
        let of_pairs = |a: usize| (0..k).filter(|b| *b != a).map(|b| variance(a, b)).sum::<f64>();
        let sums: Vec<f64> = (0..k).map(of_pairs).collect();
        let all = sums.iter().sum::<f64>() / (2.0 * (k as f64 - 1.0));
        let own: Vec<f64> = match k {
            2 => vec![sums[0] / 2.0; 2],
            _ => sums.iter().map(|sum| (sum - all) / (k as f64 - 2.0)).collect(),
        };
        let least = LEAST_SHARE * own.iter().copied().fold(0.0, f64::max);
        Levels { means, variances: own.into_iter().map(|v| v.max(least)).collect(), df }
    }

    /// How each of them stands.
    pub(crate) fn outlooks(&self, mut rng: impl Uniform) -> Vec<Outlook> {
        let k = self.means.len();
        let (mut wins, mut regrets) = (vec![0.0; k], vec![Vec::new(); k]);
        for part in 0..SCALES {
            let scale = self.scale((part as f64 + 0.5) / SCALES as f64);
            let variances: Vec<f64> = self.variances.iter().map(|v| v * scale).collect();
            let spreads = Spreads::of(&self.means, &variances);
            for nth in 0..DRAWS_OF_SCALE {
                let at = (nth as f64 + rng.unit()) / DRAWS_OF_SCALE as f64;
                let drawn =
                    self.draw(&variances, spreads.as_ref().map(|s| s.quantile(at)), &mut rng);
                let best = drawn.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let ties = drawn.iter().filter(|d| **d == best).count() as f64;
                for (target, value) in drawn.iter().enumerate() {
                    wins[target] += if *value == best { 1.0 / ties } else { 0.0 };
                    regrets[target].push(best - value);
                }
            }
        }
        let draws = (SCALES * DRAWS_OF_SCALE) as f64;
        let outlook = |(wins, regrets): (f64, Vec<f64>)| Outlook {
            p_best: wins / draws,
            regret_mean: Some(mean(&regrets)),
            regret_95: percentile_95(regrets),
        };
        wins.into_iter().zip(regrets).map(outlook).collect()
    }

    /// Factor on the variances, of which `share` are below: degrees of freedom over chi-square.
    fn scale(&self, share: f64) -> f64 {
        ChiSquared::new(self.df).map_or(1.0, |chi| self.df / chi.inverse_cdf(1.0 - share))
    }

    /// Levels given what they vary by; around nothing where that is not known.
    fn draw(&self, variances: &[f64], spread: Option<f64>, rng: &mut impl Uniform) -> Vec<f64> {
        let pairs = self.means.iter().zip(variances);
        let Some(spread) = spread.map(|spread| spread * spread) else {
            return pairs.map(|(mean, v)| mean + v.sqrt() * normal(rng)).collect();
        };
        let precisions = variances.iter().map(|v| 1.0 / (v + spread));
        let total: f64 = precisions.clone().sum();
        let centre = self.means.iter().zip(precisions).map(|(m, p)| m * p).sum::<f64>() / total;
        let centre = centre + normal(rng) / total.sqrt();
        let level = |(mean, v): (&f64, &f64)| {
            let own = spread / (spread + v);
            centre + own * (mean - centre) + (own * v).sqrt() * normal(rng)
        };
        pairs.map(level).collect()
    }

    /// By how many standard errors the differences between `first` and each other may be above what was seen, all of
    /// them together, with a probability of `share`: of two the quantile of t.
    pub(crate) fn reach(&self, first: usize, share: f64) -> f64 {
        let plain = quantile(self.df, share);
        if self.means.len() == 2 || self.variances[first] <= 0.0 {
            return plain;
        }
        let (Ok(chi), Ok(unit)) = (ChiSquared::new(self.df), Normal::new(0.0, 1.0)) else {
            return plain;
        };
        let at = |part: usize| (part as f64 + 0.5) / PARTS as f64;
        let scales: Vec<f64> =
            (0..PARTS).map(|part| (chi.inverse_cdf(at(part)) / self.df).sqrt()).collect();
        let units: Vec<f64> = (0..PARTS).map(|part| unit.inverse_cdf(at(part))).collect();
        let own = self.variances[first];
        let others: Vec<f64> =
            (0..self.means.len()).filter(|at| *at != first).map(|at| self.variances[at]).collect();
        let inside = |reach: f64| {
            let each = scales.iter().flat_map(|scale| units.iter().map(move |z| (scale, z)));
            let within = |(scale, z): (&f64, &f64)| {
                let below = |v: &f64| {
                    unit.cdf((reach * scale * (own + v).sqrt() - own.sqrt() * z) / v.sqrt())
                };
                others.iter().map(below).product::<f64>()
            };
            each.map(within).sum::<f64>() / (PARTS * PARTS) as f64
        };
        let most = quantile(self.df, 1.0 - (1.0 - share) / others.len() as f64);
        root(|reach| inside(reach) - share, plain, most)
    }
}

/// What levels vary by, given the noise: the posterior under a flat prior of their standard deviation (Gelman, Bayesian
/// Analysis 1(3), 2006).
struct Spreads {
    /// Ascending, with the probability of being at most that.
    below: Vec<(f64, f64)>,
}

impl Spreads {
    /// `None` of fewer than three candidates, which tell nothing of it, and without noise.
    fn of(means: &[f64], variances: &[f64]) -> Option<Spreads> {
        let noise = mean(variances).sqrt();
        if means.len() < 3 || noise <= 0.0 {
            return None;
        }
        let ends = means
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), m| (low.min(*m), high.max(*m)));
        let unit = ends.1 - ends.0 + noise;
        let step = (MOST_SPREAD / LEAST_SPREAD).ln() / (SPREADS - 1) as f64;
        let spreads: Vec<f64> =
            (0..SPREADS).map(|at| unit * LEAST_SPREAD * (step * at as f64).exp()).collect();
        let logs: Vec<f64> =
            spreads.iter().map(|s| likelihood(means, variances, s * s) + s.ln()).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = logs.iter().map(|log| (log - most).exp());
        let total: f64 = weights.clone().sum();
        let mut sum = 0.0;
        let add = |(spread, weight): (f64, f64)| {
            sum += weight / total;
            (spread, sum)
        };
        Some(Spreads { below: spreads.into_iter().zip(weights).map(add).collect() })
    }

    fn quantile(&self, share: f64) -> f64 {
        let at = self.below.partition_point(|(_, below)| *below < share);
        self.below[at.min(self.below.len() - 1)].0
    }
}

/// Logarithm of the likelihood of the means where levels have the variance `spread` around one that is not known.
fn likelihood(means: &[f64], variances: &[f64], spread: f64) -> f64 {
    let all = || means.iter().zip(variances).map(|(m, v)| (m, v + spread));
    let total: f64 = all().map(|(_, v)| 1.0 / v).sum();
    let centre = all().map(|(m, v)| m / v).sum::<f64>() / total;
    let each = all().map(|(m, v)| v.ln() + (m - centre).powi(2) / v);
    -0.5 * (each.sum::<f64>() + total.ln())
}

/// Where `f`, which rises, is 0 between two values: false position in the Illinois form (Dowell and Jarratt, BIT 11,
/// 1971), which needs a fifth of bisection's calls. The nearest end where it is 0 nowhere between them.
fn root(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = ((low, f(low)), (high, f(high)));
    if low.1 >= 0.0 || high.1 <= 0.0 {
        return if low.1 >= 0.0 { low.0 } else { high.0 };
    }
    let mut was_below = None;
    for _ in 0..MOST_STEPS {
        let at = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        let value = f(at);
        if value.abs() < NO_STEP {
            return at;
        }
        let is_below = value < 0.0;
        let (moved, stays) = if is_below { (&mut low, &mut high) } else { (&mut high, &mut low) };
        *moved = (at, value);
        // An end that stays a second time counts half, so that it does not stay for ever.
        if was_below.replace(is_below) == Some(is_below) {
            stays.1 /= 2.0;
        }
    }
    f64::midpoint(low.0, high.0)
}

fn percentile_95(mut values: Vec<f64>) -> f64 {
    let index = values.len() * 95 / 100;
    *values.select_nth_unstable_by(index, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::ratio::cdf;
    use model::random::Rng;

    fn levels(means: &[f64], variances: &[f64], df: f64) -> Levels {
        Levels::of(means.to_vec(), |a, b| variances[a] + variances[b], df)
    }

    #[test]
    fn the_noise_of_each_is_found_from_the_pairs() {
        let found = levels(&[0.0; 4], &[1.0, 2.0, 3.0, 9.0], 4.0).variances;
        for (found, own) in found.iter().zip([1.0, 2.0, 3.0, 9.0]) {
            assert!((found - own).abs() < 1e-9, "{found} is not {own}");
        }
        // No less than a twentieth of the largest.
        assert_eq!(levels(&[0.0; 3], &[0.0, 1.0, 1.0], 4.0).variances[0], LEAST_SHARE);
    }

    #[test]
    fn two_stand_as_the_t_of_their_difference_says() {
        for df in [1.0, 2.0, 6.0] {
            let two = levels(&[0.2, 0.0], &[0.01, 0.01], df).outlooks(Rng::new(3));
            let want = cdf(df, 0.2 / 0.02_f64.sqrt());
            assert!((two[0].p_best - want).abs() < 0.012, "{df}: {two:?} is not {want}");
            let bound = quantile(df, 0.95) * 0.02_f64.sqrt() + 0.2;
            assert!((two[1].regret_95 / bound - 1.0).abs() < 0.05, "{df}: {two:?}, {bound}");
        }
    }

    /// Quantiles of the one-sided Dunnett test, of equal variances: Dunnett, JASA 1955, table 1a, of a probability of
    /// 0.95.
    #[test]
    fn the_reach_over_several_is_that_of_dunnett() {
        for (others, df, want) in [(2, 5.0, 2.44), (5, 5.0, 2.98), (3, 10.0, 2.34), (5, 20.0, 2.39)]
        {
            let all = vec![1.0; others + 1];
            let found = levels(&vec![0.0; others + 1], &all, df).reach(0, 0.95);
            assert!((found - want).abs() < 0.04, "{others}, {df}: {found} is not {want}");
        }
        let two = levels(&[0.0; 2], &[1.0; 2], 5.0).reach(0, 0.975);
        assert!((two - quantile(5.0, 0.975)).abs() < 1e-12);
    }

    #[test]
    fn a_root_is_found_from_both_sides() {
        let found = |at: f64| root(|x| x.powi(3) - at, 0.0, 2.0);
        assert!((found(1.331) - 1.1).abs() < 1e-9 && (found(6.859) - 1.9).abs() < 1e-9);
        assert_eq!([found(-1.0), found(9.0)], [0.0, 2.0]);
        let calls = std::cell::Cell::new(0);
        let counted = |x: f64| {
            calls.set(calls.get() + 1);
            cdf(5.0, x) - 0.975
        };
        assert!((root(counted, 1.0, 5.0) - quantile(5.0, 0.975)).abs() < 1e-8);
        assert!(calls.get() < 20, "{} calls", calls.get());
    }

    /// Where the noisy one leads by what its noise brings about, it is less probably the best.
    #[test]
    fn a_noisy_leader_is_doubted() {
        let p_first = |noise: f64| {
            levels(&[0.1, 0.0, 0.01, -0.01], &[noise, 4e-4, 4e-4, 4e-4], 4.0).outlooks(Rng::new(5))
                [0]
            .p_best
        };
        assert!(
            p_first(4e-4) > 0.9 && p_first(36e-4) < 0.65,
            "{} {}",
            p_first(4e-4),
            p_first(36e-4)
        );
    }

    #[test]
    fn without_noise_the_first_is_the_best() {
        let none = levels(&[0.1, 0.1, 0.0], &[0.0; 3], 4.0).outlooks(Rng::new(5));
        assert_eq!([none[0].p_best, none[1].p_best, none[2].p_best], [0.5, 0.5, 0.0]);
    }
}

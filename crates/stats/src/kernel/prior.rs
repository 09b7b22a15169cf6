//! Estimates the variance of a ratio's interval from the noise of many similar series: moderated variances.
//!
//! Three blocks estimate the variance of a ratio with two degrees of freedom, which makes its interval twice as wide as
//! a known variance would. A campaign has many such variances, and together they inform each of them (Smyth, "Linear
//! models and empirical Bayes methods for assessing differential expression in microarray experiments", Statistical
//! Applications in Genetics and Molecular Biology 3(1), 2004). Departures from the paper, each in the conservative
//! direction, are explained at the constants and functions below; they were validated by the simulation in
//! `prior/tests.rs`.

#[cfg(test)]
mod tests;

use crate::kernel::point::{Point, logs, mean, variance};
use statrs::function::gamma::digamma;
use std::collections::BTreeMap;

/// Fewest series from which anything is learnt: with eight, intervals cover 93 to 94 %.
const LEAST_SERIES: usize = 10;
/// Fewest degrees of freedom of a series from which something is learnt: with one (two blocks) it cannot be
/// seen whether the series share their noise.
const LEAST_DF: f64 = 2.0;
/// A logarithmic variance below this is the rounding of numbers that are equal, not noise.
const ROUNDING: f64 = 1e-18;
/// Spread of the covariate, logarithmic, below which there is no trend to fit.
const LEAST_SPREAD: f64 = 0.05;

/// One series of a family: logarithms by block, with what its noise may depend on.
pub(crate) struct Member {
    /// Its value in each block.
    pub(crate) points: Vec<Point>,
    /// Logarithm of what the noise may depend on, as of the seconds of the timed part.
    pub(crate) covariate: Option<f64>,
}

/// What is known of a variance before the series is looked at: as much as a sample with `df` degrees of
/// freedom would tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expected {
    /// s0^2.
    pub(crate) variance: f64,
    /// d0.
    pub(crate) df: f64,
}

impl Expected {
    /// The variance of a series that has `own` with `df` degrees of freedom, and the degrees of freedom
    /// that it then has: (d0 s0^2 + d s^2) / (d0 + d) and d0 + d. A series that is noisier than expected keeps
    /// its own variance: else the noisiest fifth of a campaign would be covered in 84 to 87 %.
    pub(crate) fn moderate(self, own: f64, df: f64) -> (f64, f64) {
        let all = self.df + df;
        (own.max((self.df * self.variance + df * own) / all), all)
    }
}

/// The distribution of the variances of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    /// ln s0^2 over the covariate.
    trend: Line,
    /// d0.
    df: f64,
}

impl Prior {
    /// Learns from a family; `None` where it is too small, or its members share their noise so much
    /// that they tell no more than one of them.
    pub(crate) fn fit(family: &[Member]) -> Option<Prior> {
        let noisy: Vec<Noisy<'_>> = family.iter().filter_map(Noisy::of).collect();
        if noisy.len() < LEAST_SERIES {
            return None;
        }
        let of_one = mean(&noisy.iter().map(|n| n.df).collect::<Vec<_>>());
        let trend = Line::fit(&noisy);
        let spread =
            trend.spread(&noisy) - mean(&noisy.iter().map(Noisy::sampling).collect::<Vec<_>>());
        let fitted = if spread > 0.0 { 2.0 * trigamma_inverse(spread) } else { f64::INFINITY };
        let df = fitted.min(df_together(&noisy, of_one) - of_one);
        // E ln(chi-square / df), which is 0 in the limit.
        let bias =
            if fitted.is_finite() { digamma(fitted / 2.0) - (fitted / 2.0).ln() } else { 0.0 };
        (df > 0.0).then_some(Prior { trend: Line { level: trend.level + bias, ..trend }, df })
    }

    /// What it was fitted to be: covariate at the centre, ln s0^2 there, its slope over the covariate, d0.
    pub(crate) fn parameters(&self) -> (f64, f64, Option<f64>, f64) {
        (self.trend.centre, self.trend.level, self.trend.slope, self.df)
    }

    /// What to expect of a series with this covariate; `None` where the trend needs one and there is none.
    pub(crate) fn at(&self, covariate: Option<f64>) -> Option<Expected> {
        Some(Expected { variance: self.trend.at(covariate)?.exp(), df: self.df })
    }
}

/// A member that has noise to learn from.
struct Noisy<'a> {
    member: &'a Member,
    df: f64,
    /// ln s^2 without its bias as an estimate of ln sigma^2.
    log: f64,
}

impl<'a> Noisy<'a> {
    fn of(member: &'a Member) -> Option<Noisy<'a>> {
        let df = member.points.len() as f64 - 1.0;
        if df < LEAST_DF {
            return None;
        }
        let own = variance(&logs(&member.points));
        let log = own.ln() - digamma(df / 2.0) + (df / 2.0).ln();
        (own > ROUNDING).then_some(Noisy { member, df, log })
    }

    /// Variance of `log` around the truth, by sampling alone.
    fn sampling(&self) -> f64 {
        trigamma(self.df / 2.0)
    }

    /// Its deviations from its mean, of length 1, in the places of `blocks`.
    fn direction(&self, blocks: &BTreeMap<u32, usize>) -> Vec<f64> {
        let all = logs(&self.member.points);
        let (centre, length) = (mean(&all), (variance(&all) * self.df).sqrt());
        let mut direction = vec![0.0; blocks.len()];
        for point in &self.member.points {
            direction[blocks[&point.block]] = (point.log - centre) / length;
        }
        direction
    }
}

/// A straight line over the covariate; a level where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    centre: f64,
    level: f64,
    slope: Option<f64>,
}

impl Line {
    /// By least squares, as the trend of limma (Law et al., "voom", Genome Biology 15:R29, 2014), a line in
    /// place of a spline: a campaign has tens of cells, not thousands.
    fn fit(noisy: &[Noisy<'_>]) -> Line {
        let logs: Vec<f64> = noisy.iter().map(|n| n.log).collect();
        let level = mean(&logs);
        let places: Option<Vec<f64>> = noisy.iter().map(|n| n.member.covariate).collect();
        let Some(places) = places.filter(|p| variance(p).sqrt() > LEAST_SPREAD) else {
            return Line { centre: 0.0, level, slope: None };
        };
        let centre = mean(&places);
        let along: f64 = places.iter().zip(&logs).map(|(x, y)| (x - centre) * (y - level)).sum();
        let across: f64 = places.iter().map(|x| (x - centre).powi(2)).sum();
        Line { centre, level, slope: Some(along / across) }
    }

    fn at(&self, covariate: Option<f64>) -> Option<f64> {
        match self.slope {
            Some(slope) => Some(self.level + slope * (covariate? - self.centre)),
            None => Some(self.level),
        }
    }

    /// Variance of the logarithms around the line, one standard error on the safe side: it is itself
    /// estimated, and what is too small makes d0 too large.
    fn spread(&self, noisy: &[Noisy<'_>]) -> f64 {
        let off = |n: &Noisy<'_>| Some(n.log - self.at(n.member.covariate)?);
        let squares: f64 = noisy.iter().filter_map(off).map(|r| r.powi(2)).sum();
        let df = noisy.len() as f64 - if self.slope.is_some() { 2.0 } else { 1.0 };
        squares / df * (1.0 + (2.0 / df).sqrt())
    }
}

/// Degrees of freedom that the variances have when they are pooled. Series whose blocks share their noise
/// are high and low together: with a correlation r between the values of two of m series with d degrees of
/// freedom each, the mean of their variances has d / (1/m + (1 - 1/m) mean(r^2)), and of one shared noise
/// d and no more.
fn df_together(noisy: &[Noisy<'_>], of_one: f64) -> f64 {
    let m = noisy.len() as f64;
    let seen = (squared_products(noisy) - m) / (m * (m - 1.0));
    // Squared correlations of series without any are 1/d in the mean, and those of r^2 larger by
    // (1 - 1/d) d/(d + 2) r^2 to the first order, by more for large r.
    let by_chance = 1.0 / of_one;
    let shared = (seen - by_chance) / (1.0 - by_chance) * (of_one + 2.0) / of_one;
    of_one / (1.0 / m + (1.0 - 1.0 / m) * shared.clamp(0.0, 1.0))
}

/// Sum of the squared products of all directions with each other and themselves.
fn squared_products(noisy: &[Noisy<'_>]) -> f64 {
    let all = noisy.iter().flat_map(|n| n.member.points.iter().map(|p| p.block));
    let mut blocks: BTreeMap<u32, usize> = all.map(|block| (block, 0)).collect();
    blocks.values_mut().enumerate().for_each(|(place, own)| *own = place);
    let mut rows: Vec<Vec<f64>> = noisy.iter().map(|n| n.direction(&blocks)).collect();
    // The sum is the same over rows and over columns: the squared norm of either product.
    if rows.len() > blocks.len() {
        rows = (0..blocks.len()).map(|b| rows.iter().map(|row| row[b]).collect()).collect();
    }
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    rows.iter().flat_map(|a| rows.iter().map(move |b| product(a, b).powi(2))).sum()
}

/// The derivative of the digamma function at `x` > 0, by its recurrence up to where four terms of the
/// asymptotic series give 10^-11 (Schneider, algorithm AS 121, Applied Statistics 27(1), 1978).
fn trigamma(x: f64) -> f64 {
    let (mut sum, mut x) = (0.0, x);
    while x < 20.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let tail = y * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y / 30.0)));
    sum + (1.0 + tail) / x + y / 2.0
}

/// Where the trigamma function has this value above 0: Newton's method on its reciprocal, which is convex
/// and nearly straight, so that it converges from the left (Smyth 2004, appendix).
fn trigamma_inverse(value: f64) -> f64 {
    let mut at = 0.5 + 1.0 / value;
    for _ in 0..50 {
        let (here, step) = (trigamma(at), 1e-4 * at);
        let slope = (trigamma(at + step) - trigamma(at - step)) / (2.0 * step);
        let forward = here * (1.0 - here / value) / slope;
        at += forward;
        if forward.abs() < 1e-9 * at {
            break;
        }
    }
    at
}

//! Computes a ratio and its interval, on the logarithmic scale: paired by block if blocks are shared, else Welch.
//!
//! Percentile bootstrap is not used: below 20 replicates its 95 % intervals cover 82 to 93 %.

use crate::kernel::{
    point::{Point, logs, mean, variance},
    prior::Expected,
};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Confidence of an interval that no look depends on.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Upper over lower end above which an interval carries no information.
const VERY_WIDE: f64 = 1e4;

/// How much better a candidate is than what it is compared with: above 1 is always better, also
/// for metrics of which less is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Best estimate.
    pub point: f64,
    /// Lower end of the 95 % interval; `None` with a single block.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub high: Option<f64>,
    /// Two-sided p-value of "the ratio is 1".
    pub p: Option<f64>,
}

impl Ratio {
    /// Something compared with itself.
    pub(crate) const ONE: Ratio = Ratio { point: 1.0, low: None, high: None, p: None };

    /// The same, known without an error.
    pub(crate) const EXACT: Ratio = Ratio { point: 1.0, low: Some(1.0), high: Some(1.0), p: None };

    /// Its interval; `None` without one.
    pub(crate) fn interval(&self) -> Option<Interval> {
        self.low.zip(self.high).map(|(low, high)| Interval { low, high })
    }

    /// The interval, `1.31-1.54`, its ends as `end` writes them; `very wide` where they lie four orders of
    /// magnitude apart, as those of two noisy blocks do. `None` without an interval.
    pub fn span(&self, end: impl Fn(f64) -> String) -> Option<String> {
        let (low, high) = self.low.zip(self.high)?;
        let very_wide = high > VERY_WIDE * low;
        Some(if very_wide { "very wide".into() } else { format!("{}-{}", end(low), end(high)) })
    }

    /// The same with [`decimals`].
    pub fn span_of_decimals(&self) -> Option<String> {
        self.span(decimals)
    }
}

/// Decimals beyond which a ratio is 1 to any reader.
const MOST_DECIMALS: usize = 5;

/// A ratio with two decimals, or with as many more as show on which side of 1 it is, because a verdict depends on that.
pub fn decimals(ratio: f64) -> String {
    let text = format!("{ratio:.2}");
    if text != "1.00" {
        return text;
    }
    let finer = (3..=MOST_DECIMALS)
        .map(|digits| (format!("{ratio:.digits$}"), format!("{:.digits$}", 1.0)));
    finer.filter(|(own, one)| own != one).map(|(own, _)| own).next().unwrap_or(text)
}

/// The ends of a 95 % interval of a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What is known of the noise of two series before they are looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoisePriors {
    /// Of their differences, block by block.
    pub(crate) pair: Option<Expected>,
    /// Of each series alone.
    pub(crate) own: [Option<Expected>; 2],
}

/// A mean of logarithms with its t distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// Mean of the logarithms.
    pub(crate) mean: f64,
    /// Standard error and degrees of freedom; `None` when nothing was replicated.
    pub(crate) error: Option<(f64, f64)>,
}

impl Estimate {
    /// From values that are each one replicate; `None` without any.
    pub(crate) fn of_sample(values: &[f64]) -> Option<Estimate> {
        Estimate::moderated(values, None)
    }

    /// The same with a variance that was `expected`.
    pub(crate) fn moderated(values: &[f64], expected: Option<Expected>) -> Option<Estimate> {
        if values.is_empty() {
            return None;
        }
        let error = (values.len() > 1).then(|| {
            let (variance, df) = variance_of(values, expected);
            ((variance / values.len() as f64).sqrt(), df)
        });
        Some(Estimate { mean: mean(values), error })
    }

    /// Half-width of the 95 % interval, logarithmic.
    pub(crate) fn half_width(&self) -> Option<f64> {
        self.half_width_at(CONFIDENCE)
    }

    /// The same at another confidence.
    pub(crate) fn half_width_at(&self, confidence: f64) -> Option<f64> {
        self.error.map(|(se, df)| quantile(df, 0.5 + confidence / 2.0) * se)
    }

    /// Probability, under the t posterior, that the mean is above zero; 1/2 without replicates.
    pub(crate) fn above_zero(&self) -> f64 {
        match self.error {
            Some((0.0, _)) => {
                if self.mean > 0.0 {
                    1.0
                } else {
                    f64::from(u8::from(self.mean == 0.0)) / 2.0
                }
            }
            Some((se, df)) => cdf(df, self.mean / se),
            None => 0.5,
        }
    }

    /// Two-sided p-value of "the mean is zero".
    pub(crate) fn p_value(&self) -> Option<f64> {
        self.error.map(|_| {
            let above = self.above_zero();
            (2.0 * above.min(1.0 - above)).min(1.0)
        })
    }

    /// Of the same difference taken the other way round, second minus first.
    pub(crate) fn reversed(self) -> Estimate {
        Estimate { mean: -self.mean, ..self }
    }

    /// The same on the scale of ratios.
    pub(crate) fn to_ratio(self) -> Ratio {
        self.to_ratio_at(CONFIDENCE)
    }

    /// The same with an interval of another confidence.
    pub(crate) fn to_ratio_at(self, confidence: f64) -> Ratio {
        let half = self.half_width_at(confidence);
        Ratio {
            point: self.mean.exp(),
            low: half.map(|h| (self.mean - h).exp()),
            high: half.map(|h| (self.mean + h).exp()),
            p: self.p_value(),
        }
    }
}

/// Oriented logarithms of `candidate` minus those of `base`, block by block, with the block number.
pub(crate) fn paired(candidate: &[Point], base: &[Point]) -> Vec<Point> {
    let mut pairs = Vec::new();
    let mut rest = base.iter().peekable();
    for point in candidate {
        while rest.next_if(|b| b.block < point.block).is_some() {}
        if let Some(b) = rest.next_if(|b| b.block == point.block) {
            pairs.push(Point { block: point.block, log: point.log - b.log });
        }
    }
    pairs
}

/// Candidate over base. Paired t with n-1 degrees of freedom over the blocks that both have; Welch
/// when fewer than two are shared but each side has two; the point alone otherwise.
pub(crate) fn compare(candidate: &[Point], base: &[Point]) -> Option<Estimate> {
    compare_given(candidate, base, NoisePriors::default())
}

/// The same with variances moderated by what was learnt.
pub(crate) fn compare_given(
    candidate: &[Point],
    base: &[Point],
    learnt: NoisePriors,
) -> Option<Estimate> {
    let differences = logs(&paired(candidate, base));
    if differences.len() >= 2 {
        return Estimate::moderated(&differences, learnt.pair);
    }
    if candidate.len() >= 2 && base.len() >= 2 {
        return Some(welch_knowing([&logs(candidate), &logs(base)], learnt.own));
    }
    Estimate::of_sample(&differences).or_else(|| {
        let apart = || Estimate { mean: mean(&logs(candidate)) - mean(&logs(base)), error: None };
        (!candidate.is_empty() && !base.is_empty()).then(apart)
    })
}

/// The ratio of two lists of positive values, `candidate[i]` and `base[i]` being of the same block.
/// More is better. `None` when either is empty.
pub fn log_ratio(candidate: &[f64], base: &[f64]) -> Option<Ratio> {
    let points = |values: &[f64]| -> Vec<Point> {
        values.iter().zip(0..).map(|(value, block)| Point { block, log: value.ln() }).collect()
    };
    compare(&points(candidate), &points(base)).map(Estimate::to_ratio)
}

/// Expected half-width of the 95 % interval of a ratio, a share, when each arm varies by
/// `noise` (a share, as 0.05) from block to block: t * noise * sqrt(2 / n). `None` below two blocks.
pub fn half_width(noise: f64, blocks: u32) -> Option<f64> {
    let n = f64::from(blocks);
    let log_noise = noise.ln_1p();
    (blocks >= 2).then(|| (quantile(n - 1.0, 0.975) * log_noise * (2.0 / n).sqrt()).exp_m1())
}

/// Welch (1947): unequal variances, degrees of freedom by Satterthwaite.
pub(crate) fn welch(a: &[f64], b: &[f64]) -> Estimate {
    welch_knowing([a, b], [None, None])
}

fn welch_knowing([a, b]: [&[f64]; 2], expected: [Option<Expected>; 2]) -> Estimate {
    let share = |x: &[f64], expected| {
        let (variance, df) = variance_of(x, expected);
        (variance / x.len() as f64, df)
    };
    let ((va, da), (vb, db)) = (share(a, expected[0]), share(b, expected[1]));
    let spread = va * va / da + vb * vb / db;
    let df = if spread > 0.0 { (va + vb).powi(2) / spread } else { da + db };
    Estimate { mean: mean(a) - mean(b), error: Some(((va + vb).sqrt(), df)) }
}

/// Variance of at least two values with its degrees of freedom, with a part of what was `expected`.
fn variance_of(values: &[f64], expected: Option<Expected>) -> (f64, f64) {
    let (own, df) = (variance(values), values.len() as f64 - 1.0);
    expected.map_or((own, df), |expected| expected.moderate(own, df))
}

/// Quantile `p` of Student's t.
pub(crate) fn quantile(df: f64, p: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(f64::INFINITY, |t| t.inverse_cdf(p))
}

/// Share of Student's t below `x`.
pub(crate) fn cdf(df: f64, x: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(0.5, |t| t.cdf(x))
}

#[cfg(test)]
mod tests;

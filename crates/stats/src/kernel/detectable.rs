//! Computes the smallest loss that a comparison would have detected, to be stated when it finds nothing.

use crate::kernel::ratio::quantile;
use statrs::distribution::{ContinuousCDF, Normal};

/// Share of true losses that are to be found.
const POWER: f64 = 0.8;
/// Points at which the distribution of a standard error is looked at.
const POINTS: u32 = 64;
/// Standard deviations of it to either side of 1 that are looked at.
const REACH: f64 = 5.0;
/// Halvings of the interval in which the loss lies.
const HALVINGS: u32 = 30;

/// The loss, in standard errors, that a one-sided t test at `alpha` with `df` degrees of freedom finds with 80 %
/// power: where the noncentral t distribution exceeds the critical value with that probability. The standard
/// error of the test varies by its chi-square, which with four degrees of freedom and a tenth of a per cent
/// makes the loss a tenth larger than the sum of both quantiles of t.
pub(crate) fn detectable(df: f64, alpha: f64) -> f64 {
    let critical = quantile(df, 1.0 - alpha);
    let Ok(normal) = Normal::new(0.0, 1.0) else { return f64::INFINITY };
    let errors = errors(df);
    let found = |loss: f64| -> f64 {
        errors.iter().map(|(error, share)| share * normal.cdf(loss - critical * error)).sum()
    };
    let (mut low, mut high) = (0.0, 10.0 * critical + 10.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if found(middle) < POWER { low = middle } else { high = middle }
    }
    high
}

/// Estimated standard errors over the true one, with the share of each: the square root of a chi-square over
/// its degrees of freedom.
fn errors(df: f64) -> Vec<(f64, f64)> {
    let reach = REACH / (2.0 * df).sqrt();
    let (low, high) = ((1.0 - reach).max(0.0), 1.0 + reach);
    let at = |i: u32| low + (high - low) * (f64::from(i) + 0.5) / f64::from(POINTS);
    // The logarithm of the density, 0 at 1, as a power of a hundred degrees of freedom has no place in a number.
    let density = |s: f64| ((df - 1.0) * s.ln() - 0.5 * df * (s * s - 1.0)).exp();
    let all: Vec<(f64, f64)> = (0..POINTS).map(|i| (at(i), density(at(i)))).collect();
    let whole: f64 = all.iter().map(|(_, density)| density).sum();
    all.into_iter().map(|(error, density)| (error, density / whole)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the noncentral t distribution is above its critical value with 80 %, by Simpson's rule on the
    /// density of the standard error in another program: df, alpha, standard errors.
    const GOLDEN: [(f64, f64, f64); 5] = [
        (2.0, 0.025, 5.65349),
        (4.0, 0.025, 3.76106),
        (4.0, 0.0005, 10.67387),
        (20.0, 0.0005, 4.78403),
        (100.0, 0.05, 2.50347),
    ];

    #[test]
    fn it_is_where_the_noncentral_t_says() {
        for (df, alpha, expected) in GOLDEN {
            let found = detectable(df, alpha);
            assert!((found / expected - 1.0).abs() < 0.01, "{df}, {alpha}: {found}, {expected}");
        }
    }
}

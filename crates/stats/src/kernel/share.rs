//! Bounds a share of a population from random draws.

use statrs::distribution::{Beta, ContinuousCDF};

/// Probability with which the share is below [`upper_bound`].
const CONFIDENCE: f64 = 0.95;

/// The share that `found` of `tried` draws leave possible, with 95 % probability at most: the upper bound of Clopper
/// and Pearson (Biometrika 26, 1934), one-sided. 0 of 400 leaves 0.75 %. With no draw everything is possible, 1.
pub fn upper_bound(found: u64, tried: u64) -> f64 {
    if found >= tried {
        return 1.0;
    }
    let (found, tried) = (found as f64, tried as f64);
    Beta::new(found + 1.0, tried - found).map_or(1.0, |beta| beta.inverse_cdf(CONFIDENCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_of_many_leaves_a_share_of_three_in_as_many() {
        for tried in [1_u64, 10, 400, 2000] {
            let exact = 1.0 - 0.05_f64.powf(1.0 / tried as f64);
            assert!((upper_bound(0, tried) - exact).abs() < 1e-6, "{tried}");
        }
        assert!((upper_bound(0, 400) - 0.00746).abs() < 1e-5);
    }

    #[test]
    fn bounds_of_few_draws_are_those_of_the_tables() {
        // Clopper and Pearson, 90 % two-sided, so 95 % on each side: 1 of 10, 5 of 10, 10 of 100.
        for (found, tried, bound) in [(1, 10, 0.3942), (5, 10, 0.7776), (10, 100, 0.1637)] {
            assert!((upper_bound(found, tried) - bound).abs() < 1e-3, "{found} of {tried}");
        }
        assert_eq!(upper_bound(0, 0), 1.0);
        assert_eq!(upper_bound(7, 7), 1.0);
    }
}

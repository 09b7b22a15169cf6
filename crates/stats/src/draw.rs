//! Random draws for the posterior, from the seeded generator of the campaign, so that a report made
//! again shows the same probabilities.

use model::Rng;

/// Standard normal: Marsaglia's polar method (1964), without keeping the second value.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * rng.unit() - 1.0, 2.0 * rng.unit() - 1.0);
        let s = x * x + y * y;
        if s > 0.0 && s < 1.0 {
            return x * (-2.0 * s.ln() / s).sqrt();
        }
    }
}

/// Chi-square with `df` >= 1 degrees of freedom, as twice a gamma variate: Marsaglia and Tsang (2000).
/// Their method needs a shape of at least 1, so one below is drawn one higher and scaled back.
pub(crate) fn chi_square(rng: &mut Rng, df: f64) -> f64 {
    let shape = df / 2.0;
    if shape < 1.0 {
        return 2.0 * gamma(rng, shape + 1.0) * rng.unit().powf(1.0 / shape);
    }
    2.0 * gamma(rng, shape)
}

fn gamma(rng: &mut Rng, shape: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - rng.unit()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ratio::variance, select::mean};

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut rng = Rng::new(5);
        let z: Vec<f64> = (0..100_000).map(|_| normal(&mut rng)).collect();
        assert!(mean(&z).abs() < 0.02 && (variance(&z) - 1.0).abs() < 0.02);
        for df in [1.0, 2.0, 8.0] {
            let c: Vec<f64> = (0..100_000).map(|_| chi_square(&mut rng, df)).collect();
            assert!((mean(&c) / df - 1.0).abs() < 0.03, "{df}");
            assert!((variance(&c) / (2.0 * df) - 1.0).abs() < 0.08, "{df}");
        }
    }
}

//! Random draws for the posterior, from a source of uniform ones.

/// A source of draws, each uniform in `[0, 1)`.
pub(crate) trait Uniform {
    /// The next draw.
    fn unit(&mut self) -> f64;
}

/// Standard normal: Marsaglia's polar method (1964), without keeping the second value.
pub(crate) fn normal(rng: &mut impl Uniform) -> f64 {
    loop {
        let (x, y) = (2.0 * rng.unit() - 1.0, 2.0 * rng.unit() - 1.0);
        let s = x * x + y * y;
        if s > 0.0 && s < 1.0 {
            return x * (-2.0 * s.ln() / s).sqrt();
        }
    }
}

/// Chi-square with `df` > 0 degrees of freedom, as twice a gamma variate: Marsaglia and Tsang (2000).
/// Their method needs a shape of at least 1, so one below is drawn one higher and scaled back.
pub(crate) fn chi_square(rng: &mut impl Uniform, df: f64) -> f64 {
    let shape = df / 2.0;
    if shape < 1.0 {
        return 2.0 * gamma(rng, shape + 1.0) * rng.unit().powf(1.0 / shape);
    }
    2.0 * gamma(rng, shape)
}

/// Shares that sum to 1: Dirichlet with these concentrations, as gamma variates over their sum
/// (Devroye, "Non-Uniform Random Variate Generation", 1986, chapter XI.4).
pub(crate) fn dirichlet(rng: &mut impl Uniform, concentrations: &[f64]) -> Vec<f64> {
    let drawn: Vec<f64> = concentrations.iter().map(|c| chi_square(rng, 2.0 * c) / 2.0).collect();
    let sum: f64 = drawn.iter().sum();
    drawn.into_iter().map(|d| d / sum).collect()
}

fn gamma(rng: &mut impl Uniform, shape: f64) -> f64 {
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
    use crate::kernel::point::{mean, variance};
    use model::random::Rng;

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

    #[test]
    fn shares_have_the_moments_of_dirichlet() {
        let mut rng = Rng::new(6);
        let concentrations = [0.4, 15.0, 34.6];
        let drawn: Vec<Vec<f64>> =
            (0..20_000).map(|_| dirichlet(&mut rng, &concentrations)).collect();
        for (i, c) in concentrations.iter().enumerate() {
            let own: Vec<f64> = drawn.iter().map(|d| d[i]).collect();
            let share = c / 50.0;
            assert!((mean(&own) - share).abs() < 0.003, "{c}");
            // Variance of a beta: share (1 - share) / (sum + 1).
            let expected = share * (1.0 - share) / 51.0;
            assert!((variance(&own) / expected - 1.0).abs() < 0.1, "{c}: {}", variance(&own));
        }
    }
}

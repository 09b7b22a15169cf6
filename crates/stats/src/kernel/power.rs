//! Computes how many blocks show a difference with a given probability.
//!
//! If the half-width of an interval equals the difference, only half of the campaigns find it. And the noise estimated
//! from few blocks is itself uncertain: if the noise of three blocks were taken as exact, 80 % would really be 65 to 79
//! %.

use crate::kernel::ratio::{Estimate, cdf, quantile};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Probability with which the blocks that are asked for are enough.
pub(crate) const POWER: f64 = 0.8;
/// Most blocks that a campaign can have.
pub(crate) const MOST: usize = 1000;
/// Parts of equal probability into which what is known of the noise is divided.
const PARTS: usize = 32;

/// What the blocks so far tell of the noise of a difference.
#[derive(Clone, Debug)]
pub(crate) struct Noise {
    /// Standard deviations of one block, logarithmic, each as probable as the others.
    of_one: Vec<f64>,
}

impl Noise {
    /// Of an estimate over `blocks`; `None` without replicates. Given its standard error and degrees of freedom
    /// the variance is s^2 f / chi-square(f), as in the posterior of P(best); the parts are the midpoints.
    pub(crate) fn of(estimate: &Estimate, blocks: usize) -> Option<Noise> {
        let (se, df) = estimate.error?;
        let chi_square = ChiSquared::new(df).ok()?;
        let sd = se * (blocks as f64).sqrt();
        let at = |part: usize| (part as f64 + 0.5) / PARTS as f64;
        let of_one = |part| sd * (df / chi_square.inverse_cdf(at(part))).sqrt();
        Some(Noise { of_one: (0..PARTS).map(of_one).collect() })
    }

    /// Probability that the t interval of `blocks` blocks ends before something that lies `distance` away: the
    /// t distribution moved by the distance in standard errors, for the noncentral one.
    fn power(&self, distance: f64, confidence: f64, blocks: usize) -> f64 {
        let df = blocks as f64 - 1.0;
        let edge = quantile(df, 0.5 + confidence / 2.0);
        let reach = |sd: &f64| {
            let se = sd / (blocks as f64).sqrt();
            if se > 0.0 {
                cdf(df, distance / se - edge)
            } else {
                f64::from(u8::from(distance > 0.0))
            }
        };
        self.of_one.iter().map(reach).sum::<f64>() / self.of_one.len() as f64
    }

    /// Blocks, two at least, after which that probability is [`POWER`]; `None` above [`MOST`].
    pub(crate) fn blocks(&self, distance: f64, confidence: f64) -> Option<usize> {
        let enough = |n: usize| self.power(distance, confidence, n) >= POWER;
        if distance <= 0.0 || !enough(MOST) {
            return None;
        }
        let (mut few, mut many) = (1, MOST);
        while many - few > 1 {
            let middle = few.midpoint(many);
            *(if enough(middle) { &mut many } else { &mut few }) = middle;
        }
        Some(many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::draw::normal;
    use model::random::Rng;

    // scipy 1.17: chi2 = stats.chi2.ppf((arange(32) + .5) / 32, 4); sd = .1 * sqrt(4 / chi2);
    // mean(t.cdf(log(1.1) / sd * sqrt(n) - t.ppf(.975, n - 1), n - 1))
    #[test]
    fn the_power_agrees_with_scipy() {
        let noise = Noise::of(&Estimate { mean: 0.0, error: Some((0.1 / 5_f64.sqrt(), 4.0)) }, 5);
        for (blocks, want) in [(5, 0.281829882538), (12, 0.713514033496), (40, 0.954906988122)] {
            let got = noise.as_ref().map(|n| n.power(1.1_f64.ln(), 0.95, blocks));
            assert!(got.is_some_and(|got| (got - want).abs() < 1e-9), "{blocks}: {got:?}");
        }
    }

    /// Campaigns of `seen` blocks that ask how many would show 10 %, get them, and look again.
    fn found(seen: usize, sd: f64) -> f64 {
        let (campaigns, distance) = (400, 1.1_f64.ln());
        let mut found = 0;
        for seed in 0..campaigns {
            let mut rng = Rng::new(seed * 31 + seen as u64);
            let mut draw = || distance + sd * normal(&mut rng);
            let mut values: Vec<f64> = (0..seen).map(|_| draw()).collect();
            let estimate = Estimate::of_sample(&values).unwrap();
            let blocks = Noise::of(&estimate, seen).and_then(|n| n.blocks(distance, 0.95));
            let more = blocks.map_or(MOST, |n| n.max(seen + 1)) - seen;
            values.extend((0..more).map(|_| draw()));
            let estimate = Estimate::of_sample(&values).unwrap();
            found += usize::from(estimate.mean > estimate.half_width().unwrap());
        }
        found as f64 / campaigns as f64
    }

    #[test]
    fn the_blocks_that_are_asked_for_show_it_in_four_of_five_campaigns() {
        for (seen, sd) in [(3, 0.15), (3, 0.2), (5, 0.15), (5, 0.2), (8, 0.2)] {
            let found = found(seen, sd);
            assert!((0.75..=0.92).contains(&found), "{seen} blocks, {sd}: {found}");
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        let noise = |sd| Noise::of(&Estimate { mean: 0.0, error: Some((sd, 2.0)) }, 3).unwrap();
        assert_eq!(noise(0.1).blocks(0.0, 0.95), None);
        assert_eq!(noise(40.0).blocks(0.1, 0.95), None);
        assert_eq!(noise(0.0).blocks(0.1, 0.95), Some(2));
    }
}

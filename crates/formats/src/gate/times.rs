//! The times of operations as a source gives them: least, mean, greatest and percentiles.

use model::result::Contradiction;

/// How far a percentile that was read off bins may lie outside of what was measured exactly.
pub(crate) const BINS: f64 = 0.05;

/// Times of one kind of operation, all in one unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Times {
    pub(crate) min: Option<f64>,
    pub(crate) mean: Option<f64>,
    pub(crate) max: Option<f64>,
    /// Percent and time.
    pub(crate) percentiles: Vec<(f64, f64)>,
    /// What one step of the last digit is worth.
    pub(crate) step: f64,
    /// Share by which figures may be off for other reasons, such as [`BINS`].
    pub(crate) loose: f64,
}

impl Times {
    /// Whether least, percentiles in their order, and greatest ascend, with the mean between.
    pub(super) fn judge(&self, what: &str) -> Result<(), Contradiction> {
        let named = |name: &str, value: Option<f64>| Some((format!("{what} {name}"), value?));
        let (min, max) = (named("min", self.min), named("max", self.max));
        let mean = named("mean", self.mean);
        let mut percentiles = self.percentiles.clone();
        percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
        let percentiles =
            percentiles.into_iter().map(|(percent, time)| (format!("{what} p{percent}"), time));
        let ascending: Vec<(String, f64)> =
            min.clone().into_iter().chain(percentiles).chain(max.clone()).collect();
        let pairs = ascending.windows(2).map(|pair| (&pair[0], &pair[1]));
        let around =
            min.as_ref().zip(mean.as_ref()).into_iter().chain(mean.as_ref().zip(max.as_ref()));
        for (low, high) in pairs.chain(around) {
            let is_none = high.1 == 0.0 && low.1 > self.step;
            if is_none || low.1 > high.1 * (1.0 + self.loose) + 2.0 * self.step {
                return Err(Contradiction::Order {
                    low: low.0.clone(),
                    low_value: low.1.into(),
                    high: high.0.clone(),
                    high_value: high.1.into(),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times() -> Times {
        Times {
            min: Some(10.0),
            mean: Some(50.0),
            max: Some(900.0),
            percentiles: vec![(99.0, 300.0), (50.0, 40.0)],
            step: 1.0,
            loose: BINS,
        }
    }

    #[test]
    fn times_ascend_from_least_to_greatest() {
        assert_eq!(times().judge("read"), Ok(()));
        let order = |(low, low_value): (&str, f64), (high, high_value): (&str, f64)| {
            let (low, high) = (format!("read {low}"), format!("read {high}"));
            let (low_value, high_value) = (low_value.into(), high_value.into());
            Err(Contradiction::Order { low, low_value, high, high_value })
        };
        let wrong = |times: Times| times.judge("read");
        let zero = Times { percentiles: vec![(50.0, 0.0), (99.0, 300.0)], ..times() };
        assert_eq!(wrong(zero), order(("min", 10.0), ("p50", 0.0)));
        let falling = Times { percentiles: vec![(50.0, 400.0), (99.0, 300.0)], ..times() };
        assert_eq!(wrong(falling), order(("p50", 400.0), ("p99", 300.0)));
        let mean = |mean| wrong(Times { mean: Some(mean), ..times() });
        assert_eq!(mean(5.0), order(("min", 10.0), ("mean", 5.0)));
        assert_eq!(mean(5000.0), order(("mean", 5000.0), ("max", 900.0)));
    }

    #[test]
    fn percentiles_of_bins_may_lie_a_bin_outside() {
        let binned = Times { percentiles: vec![(99.99, 920.0)], ..times() };
        assert_eq!(binned.judge("read"), Ok(()));
    }
}

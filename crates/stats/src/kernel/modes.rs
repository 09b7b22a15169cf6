//! Detects cells whose samples form two separate groups, e.g. of a disk that sometimes runs at half speed: no sample is
//! near their mean, and more blocks do not change that.

use crate::kernel::point::mean;
use serde::Serialize;

/// Samples from which on two groups are looked for: of twelve from one normal distribution fewer than one in a
/// hundred is taken for two groups, of ten one in forty (simulated).
const LEAST_SAMPLES: usize = 12;
/// Least distance of the means of the groups, a difference of logarithms: smaller distances do not matter.
const LEAST_DISTANCE: f64 = 0.2;

/// One of two groups of samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mode {
    /// Geometric mean, in the unit of the cell.
    pub value: f64,
    /// Samples.
    pub samples: usize,
}

/// The logarithms of the two groups, the smaller ones first. A quarter of the samples is in each, and the gap between
/// them is wider than either.
pub(crate) fn groups(logs: &[f64]) -> Option<[Vec<f64>; 2]> {
    if logs.len() < LEAST_SAMPLES {
        return None;
    }
    let mut sorted = logs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let least = sorted.len().div_ceil(4);
    let mut cuts = least..=sorted.len() - least;
    let is_apart = |at: &usize| {
        let (low, high) = sorted.split_at(*at);
        let width = |own: &[f64]| own[own.len() - 1] - own[0];
        let gap = high[0] - low[low.len() - 1];
        gap > width(low).max(width(high)) && mean(high) - mean(low) >= LEAST_DISTANCE
    };
    let at = cuts.find(is_apart)?;
    let high = sorted.split_off(at);
    Some([sorted, high])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::draw::normal;
    use model::random::Rng;

    fn of(centres: &[f64], spread: f64, rng: &mut Rng) -> Vec<f64> {
        centres.iter().map(|centre| centre + spread * normal(rng)).collect()
    }

    #[test]
    fn a_disk_at_half_its_speed_now_and_then_has_two() {
        let logs = [0.0, 0.7, 0.05, 0.72, 0.01, 0.02, 0.69, 0.7, 0.03, 0.0, 0.71, 0.02];
        let [low, high] = groups(&logs).unwrap();
        assert_eq!((low.len(), high.len()), (7, 5));
        assert!(mean(&low) < 0.03 && mean(&high) > 0.69);
    }

    #[test]
    fn outliers_near_values_and_few_samples_are_no_group() {
        let two_off = [0.0, 0.01, 0.02, 0.0, 0.01, 0.03, 0.0, 0.02, 0.01, 0.0, 0.9, 0.91];
        assert_eq!(groups(&two_off), None);
        let near: Vec<f64> = (0..12).map(|at| f64::from(at % 2) * 0.1).collect();
        assert_eq!(groups(&near), None);
        let few: Vec<f64> = (0..11).map(|at| f64::from(at % 2)).collect();
        assert_eq!(groups(&few), None);
        assert_eq!(groups(&[]), None);
        assert_eq!(groups(&[0.0; 12]), None);
    }

    #[test]
    fn of_one_normal_distribution_fewer_than_one_in_fifty_is_taken_for_two() {
        let mut rng = Rng::new(1);
        let found = |n: usize, rng: &mut Rng| {
            let all = 2000;
            let found = (0..all).filter(|_| groups(&of(&vec![0.0; n], 0.3, rng)).is_some()).count();
            found as f64 / f64::from(all)
        };
        for n in [12, 16, 20] {
            let share = found(n, &mut rng);
            assert!(share < 0.02, "{n}: {share}");
        }
    }

    #[test]
    fn of_two_speeds_a_factor_apart_most_are_found() {
        let mut rng = Rng::new(2);
        let centres: Vec<f64> = (0..12).map(|at| f64::from(at % 2) * 2_f64.ln()).collect();
        let found = (0..500).filter(|_| groups(&of(&centres, 0.06, &mut rng)).is_some()).count();
        assert!(found > 450, "{found}");
    }
}

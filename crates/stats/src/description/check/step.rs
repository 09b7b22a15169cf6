//! Finds a step in the speed of the machine: a volume whose burst credits are used up is slow from one block to the
//! next and stays slow, and one that is loaded from a snapshot at first use becomes fast.

use crate::kernel::point::mean;
use serde::Serialize;

/// Blocks below which a step is not told from noise.
const LEAST_BLOCKS: usize = 7;
/// Blocks on each side, at least.
const LEAST_SIDE: usize = 2;
/// A smaller change is drift: the logarithm of 0.8.
const LEAST_CHANGE: f64 = 0.223;
/// What a step leaves of the squares around the mean, at most. Of a straight line it leaves a quarter.
const MOST_LEFT: f64 = 0.1;

/// A change of speed between two blocks, of all candidates together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpeedStep {
    /// The first block after it, from 0.
    pub block: u32,
    /// The mean speed of the blocks after it over that of those before.
    pub ratio: f64,
}

/// The step in `levels`, logarithms of the speed in each of `blocks` in order; `None` where there is none. Its place is
/// that which leaves the fewest squares around the means of both sides.
pub(crate) fn step(blocks: &[u32], levels: &[f64]) -> Option<SpeedStep> {
    if levels.len() < LEAST_BLOCKS {
        return None;
    }
    let (before, left) = best_split(levels);
    let change = mean(&levels[before..]) - mean(&levels[..before]);
    let is_step = change.abs() >= LEAST_CHANGE && left <= MOST_LEFT * squares(levels);
    is_step.then(|| SpeedStep { block: blocks[before], ratio: change.exp() })
}

/// Into which two parts `levels` fall best, and the squares that are left around their means.
fn best_split(levels: &[f64]) -> (usize, f64) {
    let left = |at: usize| squares(&levels[..at]) + squares(&levels[at..]);
    let places = LEAST_SIDE..=levels.len() - LEAST_SIDE;
    let best = places.map(|at| (at, left(at))).min_by(|a, b| a.1.total_cmp(&b.1));
    best.unwrap_or((0, f64::INFINITY))
}

fn squares(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|value| (value - centre).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::draw::normal;
    use model::random::Rng;

    /// Of blocks without a gap.
    fn step(levels: &[f64]) -> Option<SpeedStep> {
        super::step(&(0..levels.len() as u32).collect::<Vec<_>>(), levels)
    }

    /// Levels around these logarithms, with noise of this standard deviation.
    fn levels(around: &[f64], noise: f64, seed: u64) -> Vec<f64> {
        let mut rng = Rng::new(seed);
        around.iter().map(|level| level + noise * normal(&mut rng)).collect()
    }

    #[test]
    fn burst_that_ends_is_found_where_it_ends() {
        let around = [0.0, 0.0, 0.0, 0.0, -0.9, -0.9, -0.9, -0.9, -0.9];
        for seed in 0..50 {
            let found = step(&levels(&around, 0.05, seed)).unwrap();
            assert_eq!(found.block, 4);
            assert!((found.ratio - 0.407).abs() < 0.05, "{found:?}");
        }
        let rises: Vec<f64> = around.iter().rev().copied().collect();
        assert!(step(&levels(&rises, 0.05, 1)).unwrap().ratio > 2.0);
    }

    #[test]
    fn a_line_one_odd_block_and_a_small_change_are_no_step() {
        let line: Vec<f64> = (0..12).map(|at| -0.1 * f64::from(at)).collect();
        let odd = [0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let small = [0.0, 0.0, 0.0, 0.0, -0.15, -0.15, -0.15, -0.15, -0.15];
        for seed in 0..50 {
            for around in [&line[..], &odd, &small] {
                assert_eq!(step(&levels(around, 0.02, seed)), None, "{around:?}");
            }
        }
        assert_eq!(step(&[0.0, 0.0, 0.0, -0.9, -0.9, -0.9]), None, "six blocks are too few");
        assert_eq!(step(&[0.5; 9]), None);
    }

    /// Of noise alone, as large as it may be.
    #[test]
    fn noise_has_a_step_in_at_most_one_of_a_hundred_campaigns() {
        for blocks in [7, 10, 20] {
            let is_found = |seed: &u64| step(&levels(&vec![0.0; blocks], 0.5, *seed)).is_some();
            let found = (0..2000).filter(is_found).count();
            assert!(found <= 20, "{found} of 2000 campaigns of {blocks} blocks");
        }
    }
}

//! Did the machine change while the campaign ran, and does a target's position in its block matter? Pairing by block
//! and balanced orders keep both out of the ratios; a figure that is far from 1 still shows that the machine was not
//! stable.

use super::step::{SpeedStep, step};
use crate::{
    description::{
        cell::{data::CellData, dropouts::has_left},
        score::board::{Board, weights},
    },
    kernel::{
        Ratio,
        block_score::{self, Part},
        fit::{block_means, residuals},
        point::{Point, mean},
        ratio::Estimate,
    },
};
use model::result::Dataset;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// `[target][block]`
type Matrix = Vec<Vec<f64>>;

/// What time and place did to the figures of all targets. Above 1 is better.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drift {
    /// Blocks that every target has, but those that left early because they were behind.
    pub blocks: usize,
    /// The last block over the first, all targets and cells together.
    pub last_over_first: f64,
    /// The same by a straight line through all blocks; an interval from three blocks.
    pub trend: Ratio,
    /// Where the speed changed at once and stayed; `None` where it did not.
    pub step: Option<SpeedStep>,
    /// The last place in a block over the first; `None` where no target changed its place.
    pub position: Option<Ratio>,
}

/// The level of each target that did not leave early, in each block that all of them have.
struct Levels {
    blocks: Vec<u32>,
    columns: Vec<usize>,
    logs: Matrix,
}

/// Looks at every column of `cells`, whose labels are `targets`; `None` below two blocks.
pub(crate) fn drift(dataset: &Dataset, targets: &[String], cells: &[CellData]) -> Option<Drift> {
    let levels = Levels::new(dataset, targets, cells);
    let of_block = block_means(&levels.logs);
    let (first, last) = (of_block.first()?, of_block.last()?);
    let trend = trend(&of_block)?.to_ratio();
    let position =
        levels.places(dataset, targets).and_then(|(places, logs)| effect(&places, &logs));
    Some(Drift {
        blocks: levels.blocks.len(),
        last_over_first: (last - first).exp(),
        trend,
        step: step(&levels.blocks, &of_block),
        position: position.map(Estimate::to_ratio),
    })
}

impl Levels {
    fn new(dataset: &Dataset, targets: &[String], cells: &[CellData]) -> Levels {
        let runs = |column: &usize| !has_left(dataset, &targets[*column]);
        let board = Board::of_columns(dataset, (0..targets.len()).filter(runs), cells);
        let weights = weights(dataset, &board.cells);
        let scores = |&column: &usize| {
            let own = |(cell, weight): (&&CellData, &f64)| {
                Part::of(*weight, cell.series[column].points.clone())
            };
            block_score::scores(&board.cells.iter().zip(&weights).map(own).collect::<Vec<_>>())
        };
        let all: Vec<Vec<Point>> = board.columns.iter().map(scores).collect();
        let (blocks, logs) = block_score::common(&all);
        Levels { blocks, columns: board.columns, logs }
    }

    /// `places[target][block]`: the place of a target in a block, from 0, and the levels there; `None`
    /// where one is not known. A block in which a target was run again after it has no order.
    fn places(&self, dataset: &Dataset, targets: &[String]) -> Option<(Matrix, Matrix)> {
        let samples = || dataset.samples.iter();
        let known: HashMap<(&str, u32), u32> =
            samples().map(|s| ((s.case.target.as_str(), s.block), s.position)).collect();
        let without_order: HashSet<u32> =
            samples().filter(|s| dataset.is_run_again(s)).map(|s| s.block).collect();
        let ordered = |values: &[f64]| -> Vec<f64> {
            let both = self.blocks.iter().zip(values);
            both.filter(|(block, _)| !without_order.contains(block)).map(|(_, v)| *v).collect()
        };
        let place = |column: usize, block: u32| {
            known.get(&(targets[column].as_str(), block)).map(|place| f64::from(*place))
        };
        let row = |&column: &usize| {
            let places = self.blocks.iter().map(|&block| place(column, block));
            places.collect::<Option<Vec<f64>>>().map(|places| ordered(&places))
        };
        let places = self.columns.iter().map(row).collect::<Option<Matrix>>()?;
        Some((places, self.logs.iter().map(|logs| ordered(logs)).collect()))
    }
}

/// Least squares through `levels`, block by block: the change from the first to the last, with the t
/// distribution of its n-2 degrees of freedom. `None` below two blocks.
fn trend(levels: &[f64]) -> Option<Estimate> {
    let n = levels.len() as f64;
    let centred = |values: &[f64]| -> Vec<f64> {
        let centre = mean(values);
        values.iter().map(|v| v - centre).collect()
    };
    let x: Vec<f64> = (0..levels.len()).map(|i| i as f64).collect();
    if levels.len() < 2 {
        return None;
    }
    Some(fit(&centred(&x), &centred(levels), n - 2.0)?.times(n - 1.0))
}

/// The model level = target + block + slope x place. By Frisch and Waugh (1933) the slope is that of
/// the residuals of both sides, after targets and blocks were taken out of them.
fn effect(places: &[Vec<f64>], logs: &[Vec<f64>]) -> Option<Estimate> {
    let (targets, blocks) = (logs.len() as f64, logs.first()?.len() as f64);
    let all = || places.iter().flatten().copied();
    let span = all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min);
    let df = (targets - 1.0) * (blocks - 1.0) - 1.0;
    Some(fit(&residuals(places), &residuals(logs), df)?.times(span))
}

/// The slope of `y` over `x`, both centred; an error when `df` are left. `None` where `x` does not
/// vary.
fn fit(x: &[f64], y: &[f64], df: f64) -> Option<Estimate> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let squares = dot(x, x);
    if squares < 1e-9 {
        return None;
    }
    let slope = dot(x, y) / squares;
    let rest: f64 = x.iter().zip(y).map(|(x, y)| (y - slope * x).powi(2)).sum();
    let error = (df >= 1.0).then(|| ((rest / df / squares).sqrt(), df));
    Some(Estimate { mean: slope, error })
}

impl Estimate {
    /// The same for a multiple of the unit.
    fn times(self, factor: f64) -> Estimate {
        Estimate {
            mean: self.mean * factor,
            error: self.error.map(|(se, df)| (se * factor.abs(), df)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::draw::normal;

    // By hand: slope 0.025; squared residuals 0.00147 over 3 degrees of freedom and a spread of 10.
    #[test]
    fn the_trend_is_a_line_by_least_squares() {
        let trend = trend(&[0.10, 0.13, 0.11, 0.18, 0.20]).unwrap();
        assert!((trend.mean - 0.1).abs() < 1e-12);
        let (se, df) = trend.error.unwrap();
        assert!((se - 0.028).abs() < 1e-12 && df == 3.0, "{se}");
        assert_eq!(super::trend(&[0.0, 1.0]).unwrap(), Estimate { mean: 1.0, error: None });
        assert_eq!(super::trend(&[0.0]), None);
    }

    #[test]
    fn place_is_distinguished_from_target_and_block() {
        let places = [vec![0.0, 2.0, 1.0], vec![1.0, 0.0, 2.0], vec![2.0, 1.0, 0.0]];
        let (targets, blocks) = ([3.0, 5.0, 9.0], [0.0, 0.4, -0.2]);
        let logs: Vec<Vec<f64>> = (0..3)
            .map(|t| (0..3).map(|b| targets[t] + blocks[b] + 0.05 * places[t][b]).collect())
            .collect();
        let effect = effect(&places, &logs).unwrap();
        assert!((effect.mean - 0.1).abs() < 1e-12, "{effect:?}");
        assert!(effect.error.unwrap().0 < 1e-9);
    }

    #[test]
    fn a_place_that_never_changes_tells_nothing() {
        let places = [vec![0.0, 0.0], vec![1.0, 1.0]];
        assert_eq!(effect(&places, &[vec![1.0, 2.0], vec![3.0, 5.0]]), None);
    }

    /// Share of campaigns without any effect whose interval holds it; in some no place changes.
    fn coverage(of: impl Fn(&mut model::random::Rng) -> Option<Estimate>) -> f64 {
        let holds = |seed: u64| {
            let estimate = of(&mut model::random::Rng::new(seed))?;
            estimate.half_width().map(|half| estimate.mean.abs() <= half)
        };
        let told: Vec<bool> = (0..2_000).filter_map(holds).collect();
        told.iter().filter(|holds| **holds).count() as f64 / told.len() as f64
    }

    #[test]
    fn intervals_cover_when_nothing_drifts() {
        let line =
            |rng: &mut model::random::Rng| trend(&(0..5).map(|_| normal(rng)).collect::<Vec<_>>());
        let place = |rng: &mut model::random::Rng| {
            let mut places = vec![Vec::new(); 3];
            for _ in 0..5 {
                let mut order = [0.0, 1.0, 2.0];
                rng.shuffle(&mut order);
                places.iter_mut().zip(order).for_each(|(row, place)| row.push(place));
            }
            let logs: Vec<Vec<f64>> =
                (0..3).map(|_| (0..5).map(|_| normal(rng)).collect()).collect();
            effect(&places, &logs)
        };
        for share in [coverage(line), coverage(place)] {
            assert!((0.93..=0.97).contains(&share), "{share}");
        }
    }
}

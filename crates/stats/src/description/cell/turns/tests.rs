//! Factors of the design on campaigns of known truth: what intervals cover, and what stays as it is.

use super::*;
use crate::kernel::point::Point;
use crate::kernel::{draw::normal, ratio::compare};
use model::{
    figure::{Better, Metric},
    random::{Rng, balanced_order, part_in_block},
    workload::{CacheState, Case},
};

/// For a number of candidates and blocks: what each measured by noise, by the orders of a campaign, and by the effect
/// of each place and part.
struct World {
    candidates: usize,
    blocks: u32,
    places: Vec<f64>,
    parts: Vec<f64>,
}

impl World {
    fn of(candidates: usize, blocks: u32) -> World {
        World { candidates, blocks, places: Vec::new(), parts: Vec::new() }
    }

    /// The samples and series of one campaign, all candidates being equal.
    fn campaign(&self, seed: u64) -> (Vec<Vec<Sample>>, Vec<Series>) {
        let mut rng = Rng::new(seed);
        let mut samples = vec![Vec::new(); self.candidates];
        for block in 0..self.blocks {
            let shared = 0.1 * normal(&mut rng);
            let order = balanced_order(seed, block, self.candidates);
            for (place, &candidate) in order.iter().enumerate() {
                let part = part_in_block(seed, block, candidate as u32, self.candidates as u32);
                let effect = |of: &[f64], at: usize| of.get(at).copied().unwrap_or(0.0);
                let log = shared
                    + 0.05 * normal(&mut rng)
                    + effect(&self.places, place)
                    + effect(&self.parts, part as usize);
                samples[candidate].push(sample(block, log, place, part as usize));
            }
        }
        let series = samples.iter().map(|own| series(own)).collect();
        (samples, series)
    }

    /// The share of intervals of the first over the second that include 1 in this many campaigns, and their mean
    /// half-width.
    fn intervals(&self, campaigns: u64, is_adjusted: bool) -> (f64, f64) {
        let (mut held, mut width) = (0, 0.0);
        for seed in 0..campaigns {
            let (samples, mut series) = self.campaign(seed * 77 + 5);
            if is_adjusted {
                adjust(&mut series, &borrowed(&samples));
            }
            let estimate = compare(&series[0].points, &series[1].points).unwrap();
            let half = estimate.half_width().unwrap();
            held += u64::from(estimate.mean.abs() <= half);
            width += half / campaigns as f64;
        }
        (held as f64 / campaigns as f64, width)
    }
}

fn sample(block: u32, log: f64, place: usize, part: usize) -> Sample {
    let case = Case {
        target: String::new(),
        suite: String::new(),
        test: String::new(),
        procs: 1,
        threads: 1,
        cache: CacheState::Any,
    };
    let value = Metric::new(Metric::RATE, log.exp(), "MB/s", Better::Higher);
    let mut sample = Sample::bare(block, 0, case, vec![value]);
    sample.set(known::RUN_ORDER, place as u32 + 1);
    sample.set(known::BACKING_PART, part as u32 + 1);
    sample
}

fn series(samples: &[Sample]) -> Series {
    let point =
        |sample: &Sample| Point { block: sample.block, log: sample.figures.metrics[0].value.ln() };
    Series { points: samples.iter().map(point).collect(), ..Series::default() }
}

fn borrowed(samples: &[Vec<Sample>]) -> Vec<Vec<&Sample>> {
    samples.iter().map(|own| own.iter().collect()).collect()
}

fn points(series: &[Series]) -> Vec<Vec<Point>> {
    series.iter().map(|one| one.points.clone()).collect()
}

#[test]
fn the_effects_of_place_and_part_are_taken_out() {
    let places = vec![-0.2, 0.0, 0.3];
    let parts = vec![0.1, -0.1, 0.0];
    let world = World { places, parts, ..World::of(3, 15) };
    let (_, with_effects) = world.intervals(400, false);
    let (covered, without) = world.intervals(400, true);
    assert!(without < 0.25 * with_effects, "{without} of {with_effects}");
    // Two degrees of freedom of 14 are paid for: 2.179 / 2.145 by the tables of t.
    let (_, quiet) = World::of(3, 15).intervals(400, false);
    assert!((1.0..1.03).contains(&(without / quiet)), "{without} of {quiet}");
    assert!((0.92..=0.98).contains(&covered), "{covered}");
}

#[test]
fn intervals_cover_whether_there_are_effects_or_none_and_whether_rounds_are_whole() {
    for (candidates, blocks) in [(2, 6), (2, 9), (3, 9), (3, 14), (4, 13)] {
        for places in [vec![], vec![0.4, 0.0, -0.1, -0.2]] {
            let world = World { places, ..World::of(candidates, blocks) };
            let (covered, _) = world.intervals(2000, true);
            assert!((0.935..=0.965).contains(&covered), "{candidates} in {blocks}: {covered}");
        }
    }
}

#[test]
fn removed_order_effects_are_reported() {
    let told = |blocks| {
        let world = World { places: vec![-0.2, 0.0, 0.3], ..World::of(3, blocks) };
        let (samples, mut series) = world.campaign(3);
        adjust(&mut series, &borrowed(&samples))
    };
    // Twelve of each place, of noise 0.05: a standard error of 0.02.
    let order = told(12).unwrap();
    assert!((order - 0.5).abs() < 0.08, "{order}");
    assert_eq!(told(6), None, "too few blocks to take it out");
}

#[test]
fn whole_rounds_keep_the_ratio_that_they_have() {
    let world = World { places: vec![-0.2, 0.0, 0.3], ..World::of(3, 12) };
    let (samples, mut series) = world.campaign(3);
    let mean_of = |series: &[Series]| compare(&series[2].points, &series[0].points).unwrap().mean;
    let before = mean_of(&series);
    adjust(&mut series, &borrowed(&samples));
    assert!((mean_of(&series) - before).abs() < 1e-9);
}

#[test]
fn few_blocks_stay_as_they_are() {
    let (samples, mut series) = World::of(3, 8).campaign(1);
    let before = points(&series);
    adjust(&mut series, &borrowed(&samples));
    assert_eq!(points(&series), before);
}

#[test]
fn an_order_that_never_changed_tells_nothing_and_stays() {
    let (mut samples, _) = World::of(2, 20).campaign(1);
    for (place, own) in samples.iter_mut().enumerate() {
        for sample in own {
            sample.set(known::RUN_ORDER, place as u32 + 1);
            sample.set(known::BACKING_PART, None);
        }
    }
    let mut series: Vec<Series> = samples.iter().map(|own| series(own)).collect();
    let before = points(&series);
    adjust(&mut series, &borrowed(&samples));
    assert_eq!(points(&series), before);
}

#[test]
fn what_does_not_tell_its_place_stays() {
    let (mut samples, mut series) = World::of(3, 15).campaign(1);
    samples[1].iter_mut().for_each(forget);
    let before = points(&series);
    adjust(&mut series, &borrowed(&samples));
    assert_eq!(points(&series), before);
}

#[test]
fn one_that_left_does_not_keep_the_others_from_it() {
    let world = World { places: vec![-0.2, 0.0, 0.3], ..World::of(3, 18) };
    let (mut samples, _) = world.campaign(4);
    samples[2].retain(|sample| sample.block < 6);
    let mut series: Vec<Series> = samples.iter().map(|own| series(own)).collect();
    let spread = |series: &[Series]| {
        compare(&series[1].points, &series[0].points).unwrap().half_width().unwrap()
    };
    let before = spread(&series);
    adjust(&mut series, &borrowed(&samples));
    assert!(spread(&series) < 0.5 * before);
}

//! The time for a mix whose operations are counted: for each target and block the sum over the kinds of operations of
//! count times time for one. It is a real time, so it replaces the mean of ratios as the score. The time for one
//! operation is the timed part divided by its operations, syncs included.

use super::work::{self, Entry};
use crate::{
    description::{
        cell::data::{CellData, Series},
        looks,
    },
    kernel::point::{Point, mean},
};
use model::{
    figure::Better,
    result::{Dataset, Sample},
    workload::{CacheState, MixOp, Profile},
};
use std::{collections::BTreeMap, rc::Rc};

/// Metric that only operations at a fixed rate have.
const SCHEDULED: &str = "latency_mean_us";

/// Mean time for one operation by block, seconds.
type Times = BTreeMap<u32, f64>;

/// The mix of a profile on each target.
pub(super) struct Mix {
    /// The profile with the kinds of operations as groups, weighed by their share of the time.
    pub(super) profile: Profile,
    /// The time as a cell: one point for each block in which a target did every kind.
    pub(super) cell: CellData,
}

impl Mix {
    /// Of a profile that counts operations; `None` of one that does not.
    pub(super) fn of(
        dataset: &Dataset,
        profile: &Profile,
        targets: &[String],
        cells: &[CellData],
    ) -> Option<Mix> {
        let ops = &profile.ops;
        if ops.is_empty() {
            return None;
        }
        let groups = ops.iter().map(|op| op.group(1.0)).collect();
        let mut profile = Profile { groups, ..profile.clone() };
        let entries = work::matched(dataset, &profile, cells);
        let parts: Vec<Vec<Times>> = targets
            .iter()
            .map(|target| {
                (0..ops.len()).map(|g| part(dataset, target, &ops[g], g, &entries)).collect()
            })
            .collect();
        for (g, share) in shares(&parts, ops.len()).into_iter().enumerate() {
            profile.groups[g].weight = share;
        }
        let series = parts.iter().map(|parts| of_times(&total(parts))).collect();
        let cell = CellData {
            test: entries.first().map_or(0, |e| e.cell.test),
            procs: 0,
            is_scored: true,
            basis: "mix_s".into(),
            unit: "s".into(),
            cache: CacheState::Any,
            better: Better::Lower,
            order: None,
            series,
            noise: Rc::default(),
            confidence: looks::bar(&dataset.campaign).confidence,
        };
        Some(Mix { profile, cell })
    }
}

/// Time for the operations `op`, group `group`, by block; of several cells the mean.
fn part(dataset: &Dataset, target: &str, op: &MixOp, group: usize, entries: &[Entry<'_>]) -> Times {
    let own = entries.iter().filter(|e| e.group == group);
    let cells: Vec<Times> = own.map(|e| times(dataset, target, e.cell)).collect();
    let Some(first) = cells.first() else { return Times::new() };
    let blocks = first.keys().filter(|block| cells.iter().all(|cell| cell.contains_key(block)));
    let of_block = |block: &u32| {
        let each: Vec<f64> = cells.iter().map(|cell| cell[block]).collect();
        (*block, op.count * mean(&each))
    };
    blocks.map(of_block).collect()
}

/// Time for one operation of a cell on `target`, from its valid samples.
fn times(dataset: &Dataset, target: &str, cell: &CellData) -> Times {
    // At a fixed rate the time is that of the schedule, whatever the target can do.
    let is_timed =
        |s: &&Sample| s.figures.ops > 0 && s.figures.seconds > 0.0 && s.metric(SCHEDULED).is_none();
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in cell.valid_samples(dataset, target).filter(is_timed) {
        blocks
            .entry(sample.block)
            .or_default()
            .push(sample.figures.seconds / sample.figures.ops as f64);
    }
    blocks.into_iter().map(|(block, each)| (block, mean(&each))).collect()
}

/// The sum over the kinds, of the blocks that have all of them.
fn total(parts: &[Times]) -> Times {
    let Some(first) = parts.first() else { return Times::new() };
    let whole = first.keys().filter(|block| parts.iter().all(|part| part.contains_key(block)));
    whole.map(|block| (*block, parts.iter().map(|part| part[block]).sum())).collect()
}

/// Share of each kind in the time, the mean over the targets that did all; equal when none did.
fn shares(parts: &[Vec<Times>], kinds: usize) -> Vec<f64> {
    let mut sums = vec![0.0; kinds];
    for parts in parts {
        for (block, whole_s) in total(parts) {
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part[&block] / whole_s);
        }
    }
    let all: f64 = sums.iter().sum();
    sums.iter().map(|sum| if all > 0.0 { sum / all } else { 1.0 / kinds as f64 }).collect()
}

fn of_times(times: &Times) -> Series {
    let points = times.iter().map(|(&block, s)| Point { block, log: -s.ln() });
    Series { points: points.collect(), samples: times.len(), ..Series::default() }
}

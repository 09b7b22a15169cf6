//! Computes a cell's ratio, starting at [`CellData::ratio`]: at what confidence, and with the variance learnt from
//! other cells. A cell is one test at one process count, with one series per target.

use crate::{
    description::sample::{amount::Moved, contention},
    kernel::{
        Bound, bound,
        noise::{Noise, Values},
        point::{Point, logs, mean},
        ratio::{Estimate, Interval, NoisePriors, Ratio, compare, compare_given, paired},
    },
};
use model::{
    figure::Better,
    result::{Dataset, Reason, Sample},
    workload::CacheState,
};
use std::{collections::BTreeMap, rc::Rc};

/// What one target measured in a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    /// One point for each block with a valid sample, ascending by block.
    pub(crate) points: Vec<Point>,
    /// Valid samples.
    pub(crate) samples: usize,
    /// Valid samples during which others used the processors.
    pub(crate) contended: usize,
    /// Reasons of invalid samples by kind: the first of each, and their number.
    pub(crate) invalid: BTreeMap<Reason, (Reason, usize)>,
    /// Samples that were asked cold and were not.
    pub(crate) lukewarm: usize,
    /// Samples without a value that can be used, of each block that has any.
    pub(crate) missing: BTreeMap<u32, usize>,
    /// Those of them in which nothing was done: their value is zero.
    pub(crate) zeros: usize,
    /// Valid samples of a sustained run that had not settled.
    pub(crate) unsteady: usize,
    /// Valid samples that synced and of which durability is not proven.
    pub(crate) unproven: usize,
    /// Whether its usual timed part is below the floor of its preset.
    pub(crate) short: bool,
    /// Of the valid samples that are cold, read ahead: the mean share of their hits, percent.
    pub(crate) read_ahead_pct: Option<f64>,
    /// What the device moved for each byte of its valid samples.
    pub(crate) moved: Moved,
    /// The logarithm of each valid sample, ascending by block, as `points` are before anything is taken out of them.
    pub(crate) logs: Vec<Point>,
    /// The two groups in which the logarithms of its valid samples lie, as they are oriented; `None` where they are
    /// one.
    pub(crate) modes: Option<[Vec<f64>; 2]>,
    /// Mean logarithm of the seconds of the timed part, where every valid sample tells them.
    pub(crate) ln_seconds: Option<f64>,
    /// The least that its value may be, an oriented logarithm, where its source printed a bound.
    pub(crate) least: Option<f64>,
}

/// One test at one process count.
#[derive(Clone, Debug)]
pub(crate) struct CellData {
    /// Index into `Dataset::tests`.
    pub(crate) test: usize,
    /// Worker processes.
    pub(crate) procs: u32,
    /// Whether it enters means, scores and the verdict.
    pub(crate) is_scored: bool,
    /// Metric that the values come from.
    pub(crate) basis: String,
    /// Unit of that metric.
    pub(crate) unit: String,
    /// State of the page cache in which it was measured: that of its valid samples, which all have the same.
    pub(crate) cache: CacheState,
    /// Its direction.
    pub(crate) better: Better,
    /// What was taken out of the values for the order in which candidates were measured: the logarithm of the last
    /// place over the first, above 0 where the last had the better value; `None` where nothing was.
    pub(crate) order: Option<f64>,
    /// One series for each target, in the order of the columns.
    pub(crate) series: Vec<Series>,
    /// What it and the others that were selected with it tell of noise.
    pub(crate) noise: Rc<Noise>,
    /// Nominal confidence of the intervals of its ratios.
    pub(crate) confidence: f64,
}

impl CellData {
    /// Returns the samples of it that are valid on `target`, in the order of `dataset`, of which it is a cell.
    pub(crate) fn valid_samples<'a>(
        &'a self,
        dataset: &'a Dataset,
        target: &'a str,
    ) -> impl Iterator<Item = &'a Sample> {
        let test = &dataset.tests[self.test].id;
        dataset.samples.iter().filter(move |sample| {
            let case = &sample.case;
            sample.evidence.validity.is_valid()
                && case.target == target
                && case.test == *test
                && case.procs == self.procs
        })
    }

    /// Blocks in which a column has a sample, of use or not.
    pub(crate) fn tried(&self, column: usize) -> impl Iterator<Item = u32> {
        let Series { points, missing, .. } = &self.series[column];
        points.iter().map(|point| point.block).chain(missing.keys().copied())
    }

    /// True when every target of `targets` (column indices) has a valid sample.
    pub(crate) fn valid_for(&self, targets: impl IntoIterator<Item = usize>) -> bool {
        targets.into_iter().all(|t| !self.series[t].points.is_empty())
    }

    /// True when the usual timed part of a target is below the floor of its preset.
    pub(crate) fn is_short(&self) -> bool {
        self.series.iter().any(|series| series.short)
    }

    /// Column `candidate` over column `base`, with a variance moderated by those of the other cells.
    pub(crate) fn compare(&self, candidate: usize, base: usize) -> Option<Estimate> {
        let (own, other) = (&self.series[candidate].points, &self.series[base].points);
        let learnt = match paired(own, other).len() {
            0 | 1 => {
                let of = |column: usize| self.noise.of_column(column, self.length(column));
                NoisePriors { own: [of(candidate), of(base)], ..NoisePriors::default() }
            }
            _ => {
                let lengths = [candidate, base].map(|column| self.length(column));
                NoisePriors {
                    pair: self.noise.of_pair(candidate, base, lengths),
                    ..NoisePriors::default()
                }
            }
        };
        compare_given(own, other, learnt)
    }

    /// Mean logarithm of the seconds of the timed part of a column.
    fn length(&self, column: usize) -> Option<f64> {
        self.series[column].ln_seconds
    }

    /// Its values by column, of which noise is learnt.
    pub(crate) fn values(&self) -> Vec<Values> {
        let values = |s: &Series| Values { points: s.points.clone(), ln_seconds: s.ln_seconds };
        self.series.iter().map(values).collect()
    }

    /// The same as a ratio: the one that every page shows of these two in this cell.
    pub(crate) fn ratio(&self, candidate: usize, base: usize) -> Option<Ratio> {
        let ratio = self.compare(candidate, base)?.to_ratio_at(self.confidence);
        match self.bound(candidate, base) {
            None => Some(ratio),
            Some(Bound::AtLeast(end) | Bound::AtMost(end)) => {
                Some(Ratio { point: end, ..Ratio::ONE })
            }
            Some(Bound::Unknown) => None,
        }
    }

    /// What is known of that ratio where either value is a bound.
    pub(crate) fn bound(&self, candidate: usize, base: usize) -> Option<Bound> {
        let value = |column: usize| {
            let least = self.series[column].least;
            self.valid_for([column]).then(|| bound::Value { level: self.level(column), least })
        };
        if candidate == base { None } else { Bound::of(value(candidate)?, value(base)?) }
    }

    /// The least that the value of a column is, in the unit of the cell, where it is a bound.
    pub(crate) fn at_least(&self, column: usize) -> Option<f64> {
        self.series[column].least.map(|log| self.value(log))
    }

    /// The same by this cell alone.
    pub(crate) fn compare_alone(&self, candidate: usize, base: usize) -> Option<Estimate> {
        compare(&self.series[candidate].points, &self.series[base].points)
    }

    /// Geometric mean over the blocks of a column, in the unit of the cell; `None` without any.
    pub(crate) fn mean_value(&self, column: usize) -> Option<f64> {
        self.valid_for([column]).then(|| self.value(self.level(column)))
    }

    /// The 95 % interval of that mean, from the variation between the blocks; `None` below two.
    pub(crate) fn value_interval(&self, column: usize) -> Option<Interval> {
        let estimate = Estimate::of_sample(&logs(&self.series[column].points))?;
        let half = estimate.half_width()?;
        let [a, b] = [-half, half].map(|by| self.value(estimate.mean + by));
        Some(Interval { low: a.min(b), high: a.max(b) })
    }

    /// Mean over the blocks of a column that has any, an oriented logarithm.
    pub(crate) fn level(&self, column: usize) -> f64 {
        mean(&logs(&self.series[column].points))
    }

    /// A value in the unit of the cell from an oriented logarithm.
    pub(crate) fn value(&self, log: f64) -> f64 {
        orient(log, self.better).exp()
    }
}

/// The logarithm of a value with the sign that makes more of it better. Its own inverse.
pub(crate) fn orient(log: f64, better: Better) -> f64 {
    match better {
        Better::Higher => log,
        Better::Lower => -log,
    }
}

/// Whether more than a fifth of the valid samples of one of `columns` in `cells` were contended: each alone, because
/// one that was never disturbed does not make up for one that was.
pub(crate) fn too_contended(cells: &[&CellData], columns: &[usize]) -> bool {
    columns.iter().any(|&column| {
        let own = cells.iter().map(|cell| &cell.series[column]);
        let (contended, samples) =
            own.fold((0, 0), |(few, all), s| (few + s.contended, all + s.samples));
        contention::is_too_much(contended, samples)
    })
}

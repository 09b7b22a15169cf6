//! Is a campaign precise enough to end, and how precise will it be after more blocks?
//!
//! Ending as soon as a difference appears would find differences where there are none. So a campaign has only a few
//! looks, and ends on precision, or on a difference that is significant after correction for all looks.

use crate::{
    description::{
        Settings, StatsError,
        cell::{data::CellData, dropouts, select::select},
        class::{
            baseline::target_order,
            classes::{Class, classes},
        },
    },
    kernel::ratio::{CONFIDENCE, Estimate, paired},
};
use model::{plan::LOOKS, result::Dataset};
use std::{cmp::Ordering, collections::BTreeMap};

/// A difference counts as decided below this p-value: 0.05 shared among the looks.
const DECIDED_P: f64 = 0.05 / LOOKS.len() as f64;

/// How many ratios of a campaign are resolved: precise to the band, or decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    /// Ratios of a candidate over the baseline.
    pub ratios: usize,
    /// Those that more blocks need not resolve.
    pub resolved: usize,
    /// The widest of the others.
    pub widest: Option<Wide>,
    /// Half-width of the 95 % interval of the median ratio, a share, at the process count where that is largest.
    /// Infinite where that ratio has no interval, and 0 without ratios.
    pub median: f64,
}

/// A ratio that is not resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Wide {
    /// Display name of its test.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
    /// Label of the candidate.
    pub target: String,
    /// Half-width of its 95 % interval, a share; `None` without an interval.
    pub half_width: Option<f64>,
}

impl Precision {
    /// True when more blocks would resolve nothing.
    pub fn is_enough(&self) -> bool {
        self.resolved == self.ratios
    }
}

/// What to expect after a number of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Number of blocks.
    pub blocks: u32,
    /// Reported ratios.
    pub ratios: usize,
    /// Those expected to be resolved.
    pub resolved: usize,
    /// Half-width of the 95 % interval of the median ratio, a share.
    pub median: f64,
    /// That of the widest.
    pub widest: f64,
}

/// The ratio of a candidate over the baseline in one cell.
struct Pair<'a> {
    cell: &'a CellData,
    column: usize,
    estimate: Estimate,
}

/// The precision of every ratio over the baseline in `dataset`.
///
/// # Errors
/// The baseline is unknown, or a sample names what the campaign does not list.
pub fn precision(dataset: &Dataset, settings: &Settings) -> Result<Precision, StatsError> {
    let mut all = Precision { ratios: 0, resolved: 0, widest: None, median: 0.0 };
    for class in classes(dataset, settings)? {
        let own = precision_of(&class)?;
        all.ratios += own.ratios;
        all.resolved += own.resolved;
        all.median = all.median.max(own.median);
        all.widest = all.widest.into_iter().chain(own.widest).max_by(wider);
    }
    Ok(all)
}

/// A ratio without an interval is the widest.
fn wider(a: &Wide, b: &Wide) -> Ordering {
    let width = |wide: &Wide| wide.half_width.unwrap_or(f64::INFINITY);
    width(a).total_cmp(&width(b))
}

fn precision_of(class: &Class<'_>) -> Result<Precision, StatsError> {
    let (targets, cells) = columns(class)?;
    let mut all = pairs(&cells, targets.len());
    all.retain(|pair| !dropouts::has_left(&class.dataset, &targets[pair.column]));
    let open = || all.iter().filter(|p| !p.is_resolved(class.settings.band));
    let wide = |p: &Pair<'_>| Wide {
        name: class.dataset.tests[p.cell.test].name.clone(),
        procs: p.cell.procs,
        target: targets[p.column].clone(),
        half_width: p.half_width(),
    };
    let widest = open().map(wide).max_by(wider);
    let (resolved, median) = (all.len() - open().count(), largest_median(&all));
    Ok(Precision { ratios: all.len(), resolved, widest, median })
}

/// The largest, over the process counts, of the median half-widths of `pairs`.
fn largest_median(pairs: &[Pair<'_>]) -> f64 {
    let mut widths = BTreeMap::<u32, Vec<f64>>::new();
    for pair in pairs {
        let width = pair.half_width().unwrap_or(f64::INFINITY);
        widths.entry(pair.cell.procs).or_default().push(width);
    }
    let median = |mut widths: Vec<f64>| {
        widths.sort_by(f64::total_cmp);
        widths[widths.len() / 2]
    };
    widths.into_values().map(median).fold(0.0, f64::max)
}

/// The labels of a class and its cells.
fn columns(class: &Class<'_>) -> Result<(Vec<String>, Vec<CellData>), StatsError> {
    let targets = target_order(&class.dataset, &class.settings)?;
    let cells = select(&class.dataset, &targets, class.settings.contention_limit_pct)?;
    Ok((targets, cells))
}

/// What the ratios of `dataset` would be after each number of `blocks`, when they vary from block to
/// block as they did. Empty when no ratio has two blocks.
///
/// # Errors
/// As [`precision`].
pub fn forecast(
    dataset: &Dataset,
    settings: &Settings,
    blocks: &[u32],
) -> Result<Vec<Forecast>, StatsError> {
    let mut spreads: Vec<Spread> = Vec::new();
    for class in classes(dataset, settings)? {
        let (targets, cells) = columns(&class)?;
        spreads.extend(pairs(&cells, targets.len()).iter().filter_map(Spread::of));
    }
    let after = |&blocks: &u32| {
        let later: Vec<Estimate> = spreads.iter().map(|s| s.after(blocks)).collect();
        let mut widths: Vec<f64> = later.iter().filter_map(Estimate::half_width).collect();
        widths.sort_by(f64::total_cmp);
        Some(Forecast {
            blocks,
            ratios: later.len(),
            resolved: later.iter().filter(|e| is_resolved(e, CONFIDENCE, settings.band)).count(),
            median: widths.get(widths.len() / 2)?.exp_m1(),
            widest: widths.last()?.exp_m1(),
        })
    };
    Ok(blocks.iter().filter_map(after).collect())
}

/// Every ratio over the first column.
fn pairs(cells: &[CellData], targets: usize) -> Vec<Pair<'_>> {
    let scored = cells.iter().filter(|cell| cell.is_scored);
    let all = scored.flat_map(|cell| (1..targets).map(move |column| (cell, column)));
    all.filter_map(|(cell, column)| Some(Pair { cell, column, estimate: cell.compare(column, 0)? }))
        .collect()
}

impl Pair<'_> {
    /// Half-width of its interval, a share; `None` without one.
    fn half_width(&self) -> Option<f64> {
        self.estimate.half_width_at(self.cell.confidence).map(f64::exp_m1)
    }

    fn is_resolved(&self, band: f64) -> bool {
        is_resolved(&self.estimate, self.cell.confidence, band)
    }
}

fn is_resolved(estimate: &Estimate, confidence: f64, band: f64) -> bool {
    estimate.half_width_at(confidence).is_some_and(|half| half <= band.ln_1p())
        || estimate.p_value().is_some_and(|p| p <= DECIDED_P)
}

/// How a ratio varies from block to block, logarithmic.
struct Spread {
    mean: f64,
    sd: f64,
    /// Degrees of freedom that the other cells lend it.
    lent: f64,
}

impl Spread {
    fn of(pair: &Pair<'_>) -> Option<Spread> {
        let series = &pair.cell.series;
        let shared = paired(&series[pair.column].points, &series[0].points).len();
        let (se, df) = pair.estimate.error.filter(|_| shared >= 2)?;
        let n = shared as f64;
        Some(Spread { mean: pair.estimate.mean, sd: se * n.sqrt(), lent: df - (n - 1.0) })
    }

    /// The estimate after `blocks` blocks.
    fn after(&self, blocks: u32) -> Estimate {
        let n = f64::from(blocks);
        let error = (blocks >= 2).then(|| (self.sd / n.sqrt(), n - 1.0 + self.lent));
        Estimate { mean: self.mean, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::draw::normal;
    use model::random::Rng;

    /// Share of campaigns without a difference in which one look or another has a p-value below
    /// `limit`.
    fn false_differences(limit: f64) -> f64 {
        let found = |seed: &u64| {
            let mut rng = Rng::new(*seed);
            let values: Vec<f64> = (0..LOOKS[3]).map(|_| normal(&mut rng)).collect();
            LOOKS.iter().any(|&look| {
                let estimate = Estimate::of_sample(&values[..look as usize]);
                estimate.and_then(|e| e.p_value()).is_some_and(|p| p <= limit)
            })
        };
        (0..4_000_u64).filter(found).count() as f64 / 4_000.0
    }

    // reference: four uncorrected looks find a difference in 13 %, with a quarter of alpha each 3.8 %.
    #[test]
    fn four_looks_find_what_is_not_there_in_less_than_5_percent() {
        let (uncorrected, shared) = (false_differences(0.05), false_differences(DECIDED_P));
        assert!((0.115..=0.145).contains(&uncorrected), "{uncorrected}");
        assert!((0.030..=0.046).contains(&shared), "{shared}");
    }

    #[test]
    fn what_is_expected_follows_from_t() {
        // t(0.975, 4) = 2.776445105; 2.776445105 x 0.05 / sqrt(5) = 0.062083201
        let half = |lent, blocks| Spread { mean: 0.2, sd: 0.05, lent }.after(blocks).half_width();
        let five = half(0.0, 5);
        assert!(five.is_some_and(|h| (h - 0.062_083_2).abs() < 1e-6), "{five:?}");
        assert_eq!(half(0.0, 1), None);
        // Two degrees of freedom lent by other cells do what two blocks would.
        let lent = half(2.0, 3);
        assert!(lent.is_some_and(|h| (h - 0.080_149_1).abs() < 1e-6), "{lent:?}");
    }
}

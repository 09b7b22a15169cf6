//! Computes the cost of speed: CPU time, device bytes, space, memory, and upkeep of the file system; and which targets
//! are dominated by another that is as fast and cheaper.
//!
//! All figures of a target are over the cells (a test at a process count) that are valid for every
//! target, so that all of them paid for the same work.

use crate::{
    description::{
        Settings, StatsError,
        cell::{
            data::{CellData, Series},
            select::{self, Grouped},
        },
        sample::{
            amount::{read_per_byte, written_per_byte},
            too_short,
        },
        score::board::Board,
    },
    kernel::{
        Ratio,
        point::{Point, mean},
        significance::Bar,
    },
    verdict::Verdict,
};
use model::{
    figure::Better,
    plan::Price,
    result::{Dataset, Environment, Known, Readings, Sample, known},
    workload::{CacheState, TestInfo},
};
use serde::Serialize;
use std::{collections::BTreeMap, rc::Rc};

/// A test that moves at least this many bytes with an operation pays for bytes, another for
/// operations.
const BULK_BYTES: u64 = 64 << 10;

/// Processor time of the workers below which the ticks of the machine are too coarse.
const LEAST_CPU_S: f64 = 1.0;

/// Figures of CPU for each operation, by name of their cells.
const PER_OP: &str = "cpu_ns_per_op";
/// The same for each byte.
const PER_BYTE: &str = "cpu_ns_per_byte";

/// What one target costs. A figure that was not measured is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Label.
    pub target: String,
    /// Its score over the baseline, as in the verdict.
    pub speed: Option<Ratio>,
    /// Processor time of the baseline over its own, for the same work and weighted as the score:
    /// above 1 it needs less.
    pub cpu: Option<Ratio>,
    /// Processor time of the workers for each operation, nanoseconds: geometric mean over the tests
    /// that are paid by operation.
    pub cpu_ns_per_op: Option<f64>,
    /// The same for each byte, over the tests that move bulk data, nanoseconds.
    pub cpu_ns_per_byte: Option<f64>,
    /// System time of the machine outside of the workers, as a share of the workers' processor time:
    /// at most this much more was used by kernel threads.
    pub kernel_share: Option<f64>,
    /// Bytes that the device wrote for each logical byte of the tests that only write.
    pub written_per_byte: Option<f64>,
    /// Bytes that the device read for each logical byte of the cold tests.
    pub read_per_byte: Option<f64>,
    /// Space that the files took for each byte of their sizes.
    pub taken_per_byte: Option<f64>,
    /// Kernel objects of the machine at the end of a test, mean, bytes.
    pub slab_bytes: Option<f64>,
    /// Page cache of the machine at the end of a test, mean, bytes.
    pub page_cache_bytes: Option<f64>,
    /// Making it, mean over instances, milliseconds.
    pub mkfs_ms: Option<f64>,
    /// Mounting it fresh.
    pub mount_ms: Option<f64>,
    /// Unmounting it with nothing left to write back.
    pub unmount_ms: Option<f64>,
    /// Checking it after the tests, read-only.
    pub check_ms: Option<f64>,
    /// A target that is at least as fast and needs no more processor time, and is better in one of the
    /// two by more than the band.
    pub dominated_by: Option<String>,
    /// Whether that holds for all that the intervals leave open of the better of the two.
    pub certain: bool,
    /// What it costs in a month, where its user said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Priced>,
}

/// A target that has a price.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Priced {
    /// The price.
    pub price: Price,
    /// All of it, for a month.
    pub month: f64,
    /// Cost of the baseline for the same work over its own: above 1 the same money does more work. `None` where
    /// the baseline has no price, or one of them no speed.
    pub work_per_money: Option<Ratio>,
    /// A target that is at least as fast and costs no more, and is better in one of the two by more than the band.
    pub dominated_by: Option<String>,
    /// Whether that holds for all that the intervals leave open.
    pub certain: bool,
}

impl Cost {
    fn is_known(&self) -> bool {
        self.cpu.is_some()
            || self.mkfs_ms.is_some()
            || self.written_per_byte.is_some()
            || self.price.is_some()
    }
}

/// One for each of `targets`, in their order; empty when nothing of the kind was measured.
pub(crate) fn costs(
    dataset: &Dataset,
    targets: &[String],
    verdict: &Verdict,
    settings: &Settings,
) -> Result<Vec<Cost>, StatsError> {
    let groups = select::group(dataset, targets)?;
    let cells = cpu_cells(dataset, &groups);
    let board = Board::new(dataset, targets.len(), &cells);
    let mut costs: Vec<Cost> = targets.iter().map(|label| upkeep(dataset, label)).collect();
    // Without the baseline the ratios would be over another target, which nothing says.
    let has_baseline = board.columns.first() == Some(&0);
    for (&column, ratio) in board.columns.iter().zip(board.ratios(Bar::ONCE)) {
        costs[column].cpu = has_baseline.then_some(ratio);
        costs[column].cpu_ns_per_op = figure(&board, column, PER_OP);
        costs[column].cpu_ns_per_byte = figure(&board, column, PER_BYTE);
    }
    for (column, cost) in costs.iter_mut().enumerate() {
        let own = verdict.candidates.iter().find(|c| c.target == cost.target);
        cost.speed = own.filter(|_| verdict.scored_over == targets[0]).map(|c| c.ratio);
        let own = |cell: &&CellData| groups[&(cell.test, cell.procs)][column].iter().copied();
        let samples: Vec<(&TestInfo, &Sample)> = board
            .cells
            .iter()
            .flat_map(|cell| own(cell).map(|sample| (&dataset.tests[cell.test], sample)))
            .filter(|(_, sample)| sample.evidence.validity.is_valid())
            .collect();
        spend(cost, &samples);
    }
    dominate(&mut costs, settings.band);
    let mut prices = dataset.campaign.plan.prices.clone();
    prices.extend(settings.prices.clone());
    charge(&mut costs, &prices, settings.band);
    Ok(if costs.iter().any(Cost::is_known) { costs } else { Vec::new() })
}

/// A cell for each test and process count whose values are processor time for each unit of its work.
fn cpu_cells(dataset: &Dataset, groups: &Grouped<'_>) -> Vec<CellData> {
    let cell = |(&(test, procs), by_target): (&(usize, u32), &Vec<Vec<&Sample>>)| {
        let total = |of: fn(&Sample) -> u64| by_target.iter().flatten().map(|s| of(s)).sum::<u64>();
        let (bytes, ops) = (total(|s| s.figures.bytes), total(|s| s.figures.ops));
        let bulk = bytes >= ops.saturating_mul(BULK_BYTES);
        let work: fn(&Sample) -> u64 = if bulk { |s| s.figures.bytes } else { |s| s.figures.ops };
        CellData {
            test,
            procs,
            is_scored: dataset.tests[test].group.is_scored()
                && !by_target.iter().any(|samples| too_short::is_short(samples)),
            basis: if bulk { PER_BYTE } else { PER_OP }.into(),
            unit: "ns".into(),
            cache: CacheState::Any,
            better: Better::Lower,
            order: None,
            series: by_target.iter().map(|samples| cpu_series(samples, work)).collect(),
            noise: Rc::default(),
            confidence: Bar::ONCE.confidence,
        }
    };
    groups.iter().map(cell).collect()
}

fn cpu_series(samples: &[&Sample], work: fn(&Sample) -> u64) -> Series {
    let mut blocks: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in samples.iter().filter(|s| s.evidence.validity.is_valid()) {
        let cpu_ns = 1e9 * (sample.covariates.cpu_user_s + sample.covariates.cpu_sys_s);
        if cpu_ns > 0.0 && work(sample) > 0 {
            let log = (cpu_ns / work(sample) as f64).ln();
            blocks.entry(sample.block).or_default().push(-log);
        }
    }
    let point = |(block, logs): (u32, Vec<f64>)| Point { block, log: mean(&logs) };
    Series { points: blocks.into_iter().map(point).collect(), ..Series::default() }
}

/// Geometric mean over the cells of `basis`.
fn figure(board: &Board<'_>, column: usize, basis: &str) -> Option<f64> {
    let own = board.cells.iter().filter(|cell| cell.basis == basis);
    let logs: Vec<f64> = own.filter_map(|cell| cell.mean_value(column)).map(f64::ln).collect();
    (!logs.is_empty()).then(|| mean(&logs).exp())
}

/// The figures that are kept among the facts of the target.
fn upkeep(dataset: &Dataset, label: &str) -> Cost {
    let nothing = Environment::default();
    let record = dataset.targets.iter().find(|t| t.label == label);
    let facts = record.map_or(&nothing, |record| &record.facts);
    let reading = |name: &str| Readings::of(facts, name).mean();
    let taken = reading("taken_bytes").zip(reading("logical_bytes"));
    Cost {
        target: label.into(),
        taken_per_byte: taken.filter(|(_, bytes)| *bytes > 0.0).map(|(taken, bytes)| taken / bytes),
        mkfs_ms: reading("mkfs_ms"),
        mount_ms: reading("mount_ms"),
        unmount_ms: reading("unmount_ms"),
        check_ms: reading("check_ms"),
        ..Cost::default()
    }
}

/// Fills in what the samples of a target tell.
fn spend(cost: &mut Cost, samples: &[(&TestInfo, &Sample)]) {
    let of = |keep: fn(&TestInfo, &Sample) -> bool| {
        samples.iter().filter(move |(test, sample)| keep(test, sample)).map(|(_, sample)| *sample)
    };
    cost.written_per_byte = written_per_byte(of(|test, _| test.shape().only_writes));
    cost.read_per_byte = read_per_byte(of(|_, s| s.case.cache == CacheState::Cold));
    let mean_of = |bytes: Known<u64>| {
        let all = samples.iter().filter_map(|(_, s)| s.get(bytes));
        let values: Vec<f64> = all.map(|bytes| bytes as f64).collect();
        (!values.is_empty()).then(|| mean(&values))
    };
    cost.slab_bytes = mean_of(known::SLAB_BYTES);
    cost.page_cache_bytes = mean_of(known::PAGE_CACHE_BYTES);
    cost.kernel_share = kernel_share(samples);
}

/// The kernel counts the machine's time in ticks, so that only a sum over many samples tells.
fn kernel_share(samples: &[(&TestInfo, &Sample)]) -> Option<f64> {
    let own = samples.iter().filter_map(|(_, s)| Some((s.get(known::MACHINE_SYS_S)?, *s)));
    let (mut outside_s, mut workers_s) = (0.0, 0.0);
    for (machine_s, sample) in own {
        outside_s += machine_s - sample.covariates.cpu_sys_s;
        workers_s += sample.covariates.cpu_user_s + sample.covariates.cpu_sys_s;
    }
    (workers_s >= LEAST_CPU_S).then(|| (outside_s / workers_s).max(0.0))
}

fn dominate(costs: &mut [Cost], band: f64) {
    let points: Vec<Option<(Ratio, Ratio)>> = costs.iter().map(|c| c.speed.zip(c.cpu)).collect();
    let labels: Vec<String> = costs.iter().map(|c| c.target.clone()).collect();
    for (cost, by) in costs.iter_mut().zip(dominated(&points, band)) {
        cost.certain = by.is_some_and(|(_, certain)| certain);
        cost.dominated_by = by.map(|(j, _)| labels[j].clone());
    }
}

/// Gives `costs` their prices, and what the same money does.
fn charge(costs: &mut [Cost], prices: &BTreeMap<String, Price>, band: f64) {
    let labels: Vec<String> = costs.iter().map(|c| c.target.clone()).collect();
    let base = labels.first().and_then(|label| prices.get(label)).map(Price::month);
    let saved = |cost: &Cost| Some(base? / prices.get(&cost.target)?.month());
    let points: Vec<Option<(Ratio, Ratio)>> = costs
        .iter()
        .map(|cost| cost.speed.zip(saved(cost).map(|saved| times(Ratio::EXACT, saved))))
        .collect();
    for (own, by) in (0..).zip(dominated(&points, band)) {
        let cost: &mut Cost = &mut costs[own];
        cost.price = prices.get(&cost.target).map(|price| Priced {
            price: *price,
            month: price.month(),
            work_per_money: points[own].map(|(speed, saved)| times(speed, saved.point)),
            dominated_by: by.map(|(j, _)| labels[j].clone()),
            certain: by.is_some_and(|(_, certain)| certain),
        });
    }
}

/// A ratio with another that is exactly known.
fn times(ratio: Ratio, factor: f64) -> Ratio {
    let end = |end: Option<f64>| end.map(|end| end * factor);
    Ratio { point: ratio.point * factor, low: end(ratio.low), high: end(ratio.high), p: None }
}

/// Pareto's order on two ratios, by the points: both at least as good, and one of them better by more than the
/// band. It is certain when the intervals of one that is better lie apart. For each who beats it.
fn dominated(points: &[Option<(Ratio, Ratio)>], band: f64) -> Vec<Option<(usize, bool)>> {
    let beats = |a: (Ratio, Ratio), b: (Ratio, Ratio)| {
        let (speed, cpu) = (a.0.point / b.0.point, a.1.point / b.1.point);
        speed >= 1.0 && cpu >= 1.0 && speed.max(cpu) > 1.0 + band
    };
    let by = |own: &Option<(Ratio, Ratio)>| {
        let own = (*own)?;
        let others = points.iter().enumerate().filter_map(|(j, other)| Some((j, (*other)?)));
        // Of several the fastest, which no other beats in speed.
        let fastest = others
            .filter(|(_, other)| beats(*other, own))
            .max_by(|a, b| a.1.0.point.total_cmp(&b.1.0.point));
        fastest.map(|(j, by)| (j, apart(by.0, own.0) || apart(by.1, own.1)))
    };
    points.iter().map(by).collect()
}

/// Whether `a` is above `b` whatever the intervals leave open; a baseline is exactly 1.
fn apart(a: Ratio, b: Ratio) -> bool {
    let exact = |r: Ratio| (r == Ratio::ONE).then_some(1.0);
    let ends = a.low.or(exact(a)).zip(b.high.or(exact(b)));
    ends.is_some_and(|(low, high)| low > high)
}

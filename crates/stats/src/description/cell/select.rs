//! Groups samples into cells: one test at one process count, with one series for each target.
//!
//! Only valid samples enter a series. The others leave their reason, because a cell must be able to
//! say why it is empty.

use crate::{
    description::{
        StatsError,
        cell::{
            data::{CellData, Series, orient},
            turns,
        },
        looks,
        sample::{
            amount::Moved,
            contention::{self, Contention},
            proof, steady, too_short,
        },
    },
    kernel::{
        modes,
        noise::Noise,
        point::{Point, logs, mean},
        ratio::CONFIDENCE,
    },
};
use model::{
    figure::Metric,
    result::{Dataset, Reason, Sample, Validity},
    workload::CacheState,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    rc::Rc,
};

/// All cells, by test in the order of the suite, then by processes. Samples of targets that the
/// campaign lists and `targets` does not are left out.
pub(crate) fn select(
    dataset: &Dataset,
    targets: &[String],
    contention_limit_pct: f64,
) -> Result<Vec<CellData>, StatsError> {
    let contention = Contention::of(dataset, contention_limit_pct);
    let mut cells = Vec::new();
    for ((test, procs), by_target) in group(dataset, targets)? {
        let mut cell = empty_cell(dataset, test, procs, &by_target);
        for samples in &by_target {
            cell.series.push(series(samples, &cell, &contention));
        }
        cell.order = turns::adjust(&mut cell.series, &by_target);
        cell.series.iter_mut().for_each(find_modes);
        cell.is_scored &= !cell.is_short();
        cells.push(cell);
    }
    let noise = Rc::new(Noise::of(cells.iter().map(CellData::values).collect()));
    cells.iter_mut().for_each(|cell| cell.noise = Rc::clone(&noise));
    // The only cell is the score, on which it hangs when a campaign ends.
    if let [only] = cells.as_mut_slice() {
        only.confidence = looks::bar(&dataset.campaign).confidence;
    }
    Ok(cells)
}

/// The same without the samples that were contended; `None` where none of `cells` has any.
pub(crate) fn undisturbed(
    dataset: &Dataset,
    targets: &[String],
    contention_limit_pct: f64,
    cells: &[CellData],
) -> Result<Option<Vec<CellData>>, StatsError> {
    if cells.iter().flat_map(|cell| &cell.series).all(|series| series.contended == 0) {
        return Ok(None);
    }
    let calm = contention::without(dataset, contention_limit_pct);
    select(&calm, targets, contention_limit_pct).map(Some)
}

/// Samples of each test at each process count, by column.
pub(crate) type Grouped<'a> = BTreeMap<(usize, u32), Vec<Vec<&'a Sample>>>;

/// The samples of `targets`.
pub(crate) fn group<'a>(
    dataset: &'a Dataset,
    targets: &[String],
) -> Result<Grouped<'a>, StatsError> {
    let columns: HashMap<&str, usize> =
        targets.iter().enumerate().map(|(i, label)| (label.as_str(), i)).collect();
    let tests: HashMap<&str, usize> =
        dataset.tests.iter().enumerate().map(|(i, test)| (test.id.as_str(), i)).collect();
    let unlisted = |what, name: &str| StatsError::Unlisted {
        what,
        name: name.into(),
        campaign: dataset.campaign.id.clone(),
    };
    let mut groups = Grouped::new();
    let left_out: HashSet<&str> = dataset
        .targets
        .iter()
        .map(|t| t.label.as_str())
        .filter(|l| !columns.contains_key(l))
        .collect();
    for sample in &dataset.samples {
        let case = &sample.case;
        if left_out.contains(case.target.as_str()) {
            continue;
        }
        let column =
            columns.get(case.target.as_str()).ok_or_else(|| unlisted("target", &case.target))?;
        let test = tests.get(case.test.as_str()).ok_or_else(|| unlisted("test", &case.test))?;
        let by_target =
            groups.entry((*test, case.procs)).or_insert_with(|| vec![Vec::new(); targets.len()]);
        by_target[*column].push(sample);
    }
    Ok(groups)
}

/// The cell without its series: which metric it is based on.
fn empty_cell(dataset: &Dataset, test: usize, procs: u32, samples: &[Vec<&Sample>]) -> CellData {
    let info = &dataset.tests[test];
    let valid = || samples.iter().flatten().filter(|s| s.evidence.validity.is_valid());
    let overlapped = info.metric == Metric::RATE
        && valid().next().is_some()
        && valid().all(|s| s.metric(Metric::OVERLAP_RATE).is_some());
    let basis = if overlapped { Metric::OVERLAP_RATE } else { &info.metric };
    CellData {
        test,
        procs,
        is_scored: info.group.is_scored(),
        basis: basis.to_string(),
        unit: info.unit.clone(),
        cache: valid().next().map_or(CacheState::Any, |sample| sample.case.cache),
        better: info.better,
        order: None,
        series: Vec::with_capacity(samples.len()),
        noise: Rc::default(),
        confidence: CONFIDENCE,
    }
}

fn series<'a>(samples: &[&'a Sample], cell: &CellData, contention: &Contention<'a>) -> Series {
    let mut series = Series::default();
    let (mut lengths, mut read_ahead) = (Vec::new(), Vec::new());
    for sample in samples {
        match usable_log(sample, cell) {
            Ok(log) => {
                series.logs.push(Point { block: sample.block, log });
                lengths.push(sample.figures.seconds.ln());
                series.samples += 1;
                series.contended += usize::from(contention.during(sample));
                series.unsteady += usize::from(steady::is_unsteady(sample));
                read_ahead.extend(sample.read_ahead_pct());
                series.unproven += usize::from(proof::is_unproven(sample));
                let least = sample.metric(Metric::AT_LEAST).filter(|least| *least > 0.0);
                series.least = least.map(|least| orient(least.ln(), cell.better)).or(series.least);
            }
            // The one that was taken instead is there.
            Err(Unusable::Disturbed) => {}
            Err(unusable) => {
                *series.missing.entry(sample.block).or_default() += 1;
                series.zeros += usize::from(is_zero(sample, cell));
                match unusable {
                    Unusable::Invalid(why) => {
                        series.invalid.entry(why.kind()).or_insert((why, 0)).1 += 1;
                    }
                    _ => series.lukewarm += 1,
                }
            }
        }
    }
    // Several samples of one instance are repeats, not replicates: they are averaged first.
    series.logs.sort_by_key(|own| own.block);
    let point = |own: &[Point]| Point { block: own[0].block, log: mean(&logs(own)) };
    series.points = blocks(&series.logs).map(point).collect();
    series.moved = Moved::of(samples.iter().copied().filter(|s| s.evidence.validity.is_valid()));
    // What was left to sync has the length that it has, and scores nothing anyway.
    series.short = cell.is_scored && too_short::is_short(samples);
    series.read_ahead_pct = (!read_ahead.is_empty()).then(|| mean(&read_ahead));
    // Of what other tools measured the length may not be known.
    let known = !lengths.is_empty() && lengths.iter().all(|ln| ln.is_finite());
    series.ln_seconds = known.then(|| mean(&lengths));
    series
}

/// Whether the samples lie in two groups, without what was taken out of their blocks: who is first in a test may be
/// slower, and takes turns.
fn find_modes(series: &mut Series) {
    // Both are ascending by block, and of the same.
    let of_block = |(point, own): (&Point, &[Point])| {
        let mut own = logs(own);
        let taken = point.log - mean(&own);
        own.iter_mut().for_each(|log| *log += taken);
        own
    };
    let all: Vec<f64> = series.points.iter().zip(blocks(&series.logs)).flat_map(of_block).collect();
    series.modes = modes::groups(&all);
}

/// The values of each block, of those that are ascending by it.
fn blocks(all: &[Point]) -> impl Iterator<Item = &[Point]> {
    all.chunk_by(|one, next| one.block == next.block)
}

/// Whether nothing was done in `sample`, which is valid otherwise.
fn is_zero(sample: &Sample, cell: &CellData) -> bool {
    sample.evidence.validity.is_valid() && sample.metric(&cell.basis) == Some(0.0)
}

enum Unusable {
    Lukewarm,
    Disturbed,
    Invalid(Reason),
}

fn usable_log(sample: &Sample, cell: &CellData) -> Result<f64, Unusable> {
    match &*sample.evidence.validity {
        Validity::Lukewarm(_) => return Err(Unusable::Lukewarm),
        Validity::Disturbed(_) => return Err(Unusable::Disturbed),
        Validity::Invalid(why) => return Err(Unusable::Invalid(why.clone())),
        Validity::Valid => {}
    }
    let value = usable(sample, &cell.basis).map_err(Unusable::Invalid)?;
    Ok(orient(value.ln(), cell.better))
}

/// The value of `metric`, which is above zero; else why it cannot be used.
fn usable(sample: &Sample, metric: &str) -> Result<f64, Reason> {
    match sample.metric(metric) {
        Some(value) if value > 0.0 && value.is_finite() => Ok(value),
        Some(value) => Err(Reason::NotAboveZero { metric: metric.into(), value: value.into() }),
        None => Err(Reason::MetricMissing { metric: metric.into() }),
    }
}

/// `dataset` with each valid sample whose value cannot be used, as it is zero, invalid for that reason: so that what
/// lists samples lists all that are in no mean.
pub fn with_reasons(dataset: &Dataset) -> Cow<'_, Dataset> {
    let metrics: HashMap<&str, &str> =
        dataset.tests.iter().map(|test| (test.id.as_str(), test.metric.as_str())).collect();
    let why = |sample: &Sample| {
        let metric = metrics.get(sample.case.test.as_str())?;
        usable(sample, metric).err().filter(|_| sample.evidence.validity.is_valid())
    };
    if dataset.samples.iter().all(|sample| why(sample).is_none()) {
        return Cow::Borrowed(dataset);
    }
    let mut named = dataset.clone();
    for sample in &mut named.samples {
        if let Some(why) = why(sample) {
            *sample.evidence.validity = Validity::Invalid(why);
        }
    }
    Cow::Owned(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occasional_lead_is_not_two_modes() {
        let logs: Vec<(u32, f64)> =
            (0..12).map(|block| (block, if block % 3 == 0 { 0.0 } else { 0.5 })).collect();
        let with_points = |log: fn(f64) -> f64| {
            let points = logs.iter().map(|(block, own)| Point { block: *block, log: log(*own) });
            let samples = logs.iter().map(|(block, own)| Point { block: *block, log: *own });
            let mut series =
                Series { points: points.collect(), logs: samples.collect(), ..Series::default() };
            find_modes(&mut series);
            series.modes
        };
        let [worse, better] = with_points(|log| log).unwrap();
        assert_eq!((worse.len(), better.len()), (4, 8));
        assert_eq!(with_points(|_| 0.3), None, "what was taken out of the points made the groups");
    }
}

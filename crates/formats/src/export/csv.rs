//! `samples.csv`, `tests.csv`, `campaign.json` and, where there is something for them, `histograms.csv`,
//! `percentiles.csv` and `series.csv`: everything of a campaign, for any other program, and back again without loss.
//! Texts that a spreadsheet would compute follow an apostrophe ([`model::text::cell`]).

mod percentiles;

use super::{Exporter, json_bytes};
use crate::{FormatError, NamedBytes};
use csv::Writer;
use model::{
    figure::Metric,
    result::{Campaign, Dataset, Sample, TargetRecord},
    text::cell::guarded,
    workload::{Shape, TestInfo},
};
use serde::{Deserialize, Serialize};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "csv",
    help: "samples.csv, tests.csv and campaign.json, for `assay import`",
    files: |dataset, _| csv(dataset),
};

/// Columns of `samples.csv`; one row for each metric of a sample.
pub(crate) const SAMPLES_HEADER: &str = "campaign,block,position,target,suite,test,procs,threads,\
    cache,metric,value,unit,better,bytes,ops,seconds,skew_ms,overlap,device_read_bytes,\
    device_write_bytes,cpu_user_s,cpu_sys_s,limiter,validity,lab,durability,after_fault";

/// Columns of `tests.csv`. The last four are what a test is; they are empty where that is not known, and the last three
/// where it has no place in a grid.
pub(crate) const TESTS_HEADER: &str = "test,suite,name,testtype,group,metric,unit,better,\
    only_writes,grid,grid_block_bytes,grid_threads";

/// Columns of `histograms.csv`; one row for each bin. `sample` counts the samples of `samples.csv`
/// from 0; the columns after it repeat what names the sample, for other programs.
pub(crate) const HISTOGRAMS_HEADER: &str =
    "sample,block,target,test,procs,cache,op,latency,latency_ns,count";

/// Columns of `series.csv`; one row for each number of an interval. The first six are those of
/// `histograms.csv`.
pub(crate) const SERIES_HEADER: &str = "sample,block,target,test,procs,cache,end_ms,column,value";

/// `campaign.json`: what the tables do not hold.
#[derive(Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) campaign: Campaign,
    pub(crate) targets: Vec<TargetRecord>,
}

/// The files; `histograms.csv`, `percentiles.csv` and `series.csv` only where there is one. Floats are the shortest
/// text that reads back equal.
pub fn csv(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let identity =
        Identity { campaign: dataset.campaign.clone(), targets: dataset.targets.clone() };
    let mut files = vec![
        ("samples.csv".into(), samples(dataset).map_err(failed)?),
        ("tests.csv".into(), tests(&dataset.tests).map_err(failed)?),
        ("campaign.json".into(), json_bytes(&identity).map_err(failed)?),
    ];
    if dataset.samples.iter().any(|sample| !sample.figures.histograms.is_empty()) {
        files.push(("histograms.csv".into(), histograms(&dataset.samples).map_err(failed)?));
        let percentiles = percentiles::percentiles(&dataset.samples).map_err(failed)?;
        files.push(("percentiles.csv".into(), percentiles));
    }
    if dataset.samples.iter().any(|sample| sample.figures.series.is_some()) {
        files.push(("series.csv".into(), series(&dataset.samples).map_err(failed)?));
    }
    Ok(files)
}

pub(super) fn failed(why: impl ToString) -> FormatError {
    FormatError::Export { format: "csv", why: why.to_string() }
}

fn samples(dataset: &Dataset) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(SAMPLES_HEADER.split(','))?;
    for sample in &dataset.samples {
        let metrics = sample.all_metrics();
        for metric in &*metrics {
            writer.write_record(row(&dataset.campaign.id, sample, Some(metric)))?;
        }
        if metrics.is_empty() {
            writer.write_record(row(&dataset.campaign.id, sample, None))?;
        }
    }
    Ok(writer.into_inner()?)
}

/// Cells in the order of [`SAMPLES_HEADER`].
fn row(campaign: &str, s: &Sample, metric: Option<&Metric>) -> [String; 27] {
    let of = |field: fn(&Metric) -> String| metric.map(field).unwrap_or_default();
    let optional = |bytes: Option<u64>| bytes.map(|n| n.to_string()).unwrap_or_default();
    [
        text(campaign),
        s.block.to_string(),
        s.position.to_string(),
        text(&s.case.target),
        text(&s.case.suite),
        text(&s.case.test),
        s.case.procs.to_string(),
        s.case.threads.to_string(),
        s.case.cache.to_string(),
        of(|m| text(&m.name)),
        of(|m| float(m.value)),
        of(|m| text(&m.unit)),
        of(|m| m.better.as_str().into()),
        s.figures.bytes.to_string(),
        s.figures.ops.to_string(),
        float(s.figures.seconds),
        float(s.covariates.skew_ms),
        float(s.covariates.overlap),
        optional(s.covariates.device_read_bytes),
        optional(s.covariates.device_write_bytes),
        float(s.covariates.cpu_user_s),
        float(s.covariates.cpu_sys_s),
        s.evidence.limiter.as_str().into(),
        text(&s.evidence.validity.to_string()),
        s.lab.to_string(),
        s.evidence.durability.as_ref().map(|proof| text(&proof.to_string())).unwrap_or_default(),
        s.evidence.after_fault.as_ref().map(|own| text(&own.to_string())).unwrap_or_default(),
    ]
}

fn histograms(samples: &[Sample]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(HISTOGRAMS_HEADER.split(','))?;
    for (number, s) in samples.iter().enumerate() {
        let [number, block, target, test, procs, cache] = place(number, s);
        for histogram in &s.figures.histograms {
            let (op, latency) = (text(&histogram.op), histogram.latency.as_str());
            let mut write = |ns: &str, count: &str| {
                writer.write_record([
                    &number, &block, &target, &test, &procs, &cache, &op, latency, ns, count,
                ])
            };
            for (ns, count) in &histogram.bins {
                write(&ns.to_string(), &count.to_string())?;
            }
            if histogram.bins.is_empty() {
                write("", "")?;
            }
        }
    }
    Ok(writer.into_inner()?)
}

fn series(samples: &[Sample]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(SERIES_HEADER.split(','))?;
    for (number, s) in samples.iter().enumerate() {
        let place = place(number, s);
        let Some(series) = &s.figures.series else { continue };
        for (row, end_ms) in series.end_ms.iter().enumerate() {
            for (column, values) in &series.columns {
                let value = values.get(row).map(u64::to_string).unwrap_or_default();
                let own = [end_ms.to_string(), text(column), value];
                writer.write_record(place.iter().chain(&own))?;
            }
        }
    }
    Ok(writer.into_inner()?)
}

/// What names a sample: its number, counted from 0, block, target, test, processes and cache.
fn place(number: usize, s: &Sample) -> [String; 6] {
    let case = &s.case;
    let (target, test) = (text(&case.target), text(&case.test));
    let (procs, cache) = (case.procs.to_string(), case.cache.to_string());
    [number.to_string(), s.block.to_string(), target, test, procs, cache]
}

/// A text that no spreadsheet computes.
fn text(text: &str) -> String {
    guarded(text).into_owned()
}

/// `Debug`, which unlike `Display` turns to exponents where hundreds of zeros would stand.
fn float(value: f64) -> String {
    format!("{value:?}")
}

/// The last four cells of a row of `tests.csv`.
fn shape(shape: Option<&Shape>) -> [String; 4] {
    let only_writes = shape.map(|shape| shape.only_writes.to_string()).unwrap_or_default();
    match shape.and_then(|shape| shape.cell.as_ref()) {
        None => [only_writes, String::new(), String::new(), String::new()],
        Some(cell) => {
            [only_writes, text(&cell.grid), cell.block_bytes.to_string(), cell.threads.to_string()]
        }
    }
}

fn tests(tests: &[TestInfo]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(TESTS_HEADER.split(','))?;
    for t in tests {
        let (group, better) = (t.group.as_str(), t.better.as_str());
        let row = [&t.id, &t.suite, &t.name, &t.testtype, group, &t.metric, &t.unit, better];
        let row = row.map(|cell: &str| text(cell));
        writer.write_record(row.into_iter().chain(shape(t.shape.as_ref())))?;
    }
    Ok(writer.into_inner()?)
}

//! The samples as `hyperfine --export-json` would have written them, for the scripts that draw and compare those: a
//! case is a command, each valid sample one of its runs. A run's time is that of one unit of the figure the case is
//! ranked by (a MB, an operation, the whole run), so that quotients of hyperfine are the ratios of assay. Cases that
//! are ranked by anything else than a time or a rate have no place in it, nor have samples that are not valid.

use super::{Exporter, json_bytes, scalar::time_per_unit, stem};
use crate::{FormatError, NamedBytes};
use model::{
    result::{Dataset, Sample},
    workload::Case,
};
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "hyperfine",
    help: "The format of `hyperfine --export-json`, one command per case",
    files: |dataset, _| hyperfine(dataset),
};

#[derive(Serialize)]
struct Root {
    results: Vec<Command>,
}

#[derive(Serialize)]
struct Command {
    command: String,
    mean: f64,
    /// Of the sample, n - 1; none of a single run.
    stddev: Option<f64>,
    median: f64,
    user: f64,
    system: f64,
    min: f64,
    max: f64,
    times: Vec<f64>,
    exit_codes: Vec<i32>,
    parameters: BTreeMap<&'static str, String>,
}

/// One run: its time and its processor time, seconds for one unit.
struct Run {
    time: f64,
    user: f64,
    system: f64,
}

/// One file, `ID.hyperfine.json`.
fn hyperfine(dataset: &Dataset) -> Result<Vec<NamedBytes>, FormatError> {
    let mut cases: Vec<(&Case, String, Vec<Run>)> = Vec::new();
    for sample in dataset.samples.iter().filter(|sample| sample.evidence.validity.is_valid()) {
        let Some((run, unit)) = run(sample) else { continue };
        let is_it = |(case, of, _): &&mut (&Case, String, _)| **case == *sample.case && *of == unit;
        match cases.iter_mut().find(is_it) {
            Some((_, _, runs)) => runs.push(run),
            None => cases.push((&sample.case, unit, vec![run])),
        }
    }
    let results = cases.iter().map(|(case, unit, runs)| command(case, unit, runs)).collect();
    let bytes = json_bytes(&Root { results })
        .map_err(|why| FormatError::Export { format: "hyperfine", why: why.to_string() })?;
    Ok(vec![(format!("{}.hyperfine.json", stem(dataset)), bytes)])
}

fn run(sample: &Sample) -> Option<(Run, String)> {
    let (time, unit) = time_per_unit(sample.figures.metrics.first()?)?;
    let of_unit = if sample.figures.seconds > 0.0 { time / sample.figures.seconds } else { 0.0 };
    let (user, system) =
        (sample.covariates.cpu_user_s * of_unit, sample.covariates.cpu_sys_s * of_unit);
    Some((Run { time, user, system }, unit))
}

fn command(case: &Case, unit: &str, runs: &[Run]) -> Command {
    let times: Vec<f64> = runs.iter().map(|run| run.time).collect();
    let mean_of = |of: fn(&Run) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
    let mut sorted = times.clone();
    sorted.sort_by(f64::total_cmp);
    let mean = mean_of(|run| run.time);
    Command {
        command: format!(
            "{} on {}, {} processes, {}",
            case.test, case.target, case.procs, case.cache
        ),
        mean,
        stddev: stddev(&times, mean),
        median: (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0,
        user: mean_of(|run| run.user),
        system: mean_of(|run| run.system),
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        exit_codes: vec![0; times.len()],
        times,
        parameters: BTreeMap::from([
            ("cache", case.cache.to_string()),
            ("per", unit.into()),
            ("procs", case.procs.to_string()),
            ("target", case.target.clone()),
            ("test", case.test.clone()),
            ("threads", case.threads.to_string()),
        ]),
    }
}

fn stddev(times: &[f64], mean: f64) -> Option<f64> {
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    (times.len() > 1).then(|| (squares / (times.len() - 1) as f64).sqrt())
}

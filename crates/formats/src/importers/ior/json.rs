//! IOR's JSON: `tests`, each with its options and a result for each access of each repetition.

use super::{Access, IGNORED, Setup};
use crate::{FormatError, gather::Gather, text::work};
use serde::Deserialize;

#[derive(Deserialize)]
struct Summary {
    #[serde(rename = "Version", default)]
    version: String,
    #[serde(rename = "Command line", default)]
    command: String,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    #[serde(rename = "Parameters", default)]
    parameters: Parameters,
    #[serde(rename = "Options", default)]
    options: Options,
    #[serde(rename = "Results", default)]
    results: Vec<ResultEntry>,
}

#[derive(Default, Deserialize)]
struct Parameters {
    #[serde(rename = "testFileName", default)]
    file: String,
    #[serde(rename = "randomOffset", default)]
    random: u32,
    #[serde(rename = "transferSize", default)]
    transfer_bytes: u64,
    #[serde(rename = "blockSize", default)]
    block_bytes: u64,
    #[serde(rename = "segmentCount", default)]
    segments: u64,
    #[serde(rename = "deadlineForStonewall", default)]
    stonewall_s: f64,
}

#[derive(Default, Deserialize)]
struct Options {
    #[serde(default)]
    tasks: u32,
    #[serde(default)]
    access: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultEntry {
    access: String,
    #[serde(rename = "bwMiB")]
    bandwidth: f64,
    iops: Option<f64>,
    latency: Option<f64>,
    open_time: Option<f64>,
    wr_rd_time: Option<f64>,
    close_time: Option<f64>,
    total_time: Option<f64>,
}

/// Whether a file that begins so is IOR's JSON.
pub(super) fn sniff(head: &str) -> bool {
    head.trim_start().starts_with('{')
        && ["\"Version\"", "\"Command line\"", "\"tests\"", "\"TestID\""]
            .iter()
            .all(|key| head.contains(key))
}

/// Adds every result of the file.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    let summary: Summary = serde_json::from_slice(bytes).map_err(|why| {
        FormatError::line(file, why.line() as u64, format!("not a summary of IOR: {why}"))
    })?;
    gather.version(&summary.version);
    let command = work(&summary.command, &IGNORED);
    for test in &summary.tests {
        let setup = setup(test, &command);
        for outcome in &test.results {
            if let Some(reading) = setup.reading(&outcome.access, access(outcome, test), gather) {
                gather.fact(file, None, "command", &summary.command);
                gather.add(file, 1, reading)?;
            }
        }
    }
    Ok(())
}

/// A command may hold several tests, so that their parameters belong to the work.
fn setup(test: &Test, command: &str) -> Setup {
    let Parameters { file, random, transfer_bytes, block_bytes, segments, stonewall_s } =
        &test.parameters;
    Setup {
        tasks: test.options.tasks,
        random: *random != 0,
        stonewalled: *stonewall_s > 0.0,
        work: format!(
            "{command}; {}; transfer {transfer_bytes}; block {block_bytes}; segments {segments}",
            test.options.access
        ),
        place: file.clone(),
    }
}

fn access(outcome: &ResultEntry, test: &Test) -> Access {
    Access {
        transfer_bytes: Some(test.parameters.transfer_bytes as f64),
        bandwidth: outcome.bandwidth,
        iops: outcome.iops,
        latency_s: outcome.latency,
        open_s: outcome.open_time,
        transfer_s: outcome.wr_rd_time,
        close_s: outcome.close_time,
        total_s: outcome.total_time,
    }
}

//! `assay report`: the tables of a stored campaign, recomputed from its samples.

use crate::{
    cli::{Format, ReportArgs},
    exit::{self, Exit},
    source, terminal,
};
use anyhow::{Context, Result};
use model::Dataset;
use std::{fs, path::Path};

/// Prints or writes the tables.
pub fn report(args: &ReportArgs, store: &Path) -> Result<Exit> {
    let dataset = source::dataset(&args.id, store)?;
    let text = render(&dataset, args.format, args.baseline.as_deref())?;
    match &args.out {
        Some(path) => write(path, &text)?,
        None => terminal::out(&text),
    }
    Ok(Exit::Done)
}

/// The tables of `dataset` in `format`.
pub fn render(dataset: &Dataset, format: Format, baseline: Option<&str>) -> Result<String> {
    let baseline = baseline.or(dataset.campaign.plan.baseline.as_deref()).map(str::to_string);
    let settings = stats::Settings { baseline, ..stats::Settings::default() };
    let findings = stats::findings(dataset, &settings).map_err(|e| exit::usage(e.to_string()))?;
    Ok(match format {
        Format::Table => ::report::terminal(dataset, &findings, &terminal::options()),
        Format::Md => ::report::markdown(dataset, &findings),
        Format::Csv => ::report::csv(dataset, &findings),
        Format::Json => ::report::json(dataset, &findings),
        Format::Html => ::report::html(dataset, &findings),
    })
}

/// Writes `text` to `path`.
pub fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

//! `assay compare`: two campaigns side by side.

use super::report::{text, write};
use crate::{
    cli::CompareArgs,
    exit::{self, Exit},
    source, terminal,
};
use anyhow::Result;
use stats::{Settings, StatsError};
use std::path::Path;

/// Prints what changed between two campaigns, what became better or worse, and the tables of both.
pub fn compare(args: &CompareArgs, store: &Path) -> Result<Exit> {
    let (a, b) = (source::dataset(&args.a, store)?, source::dataset(&args.b, store)?);
    let settings = Settings { baseline: args.baseline.clone(), ..Settings::default() };
    let (dataset, findings) = stats::compare(&a, &b, &settings).map_err(|error| match error {
        StatsError::UnknownBaseline { .. } => exit::usage(error.to_string()),
        other => other.into(),
    })?;
    terminal::out(&text(&dataset, &findings, args.format));
    if let Some(path) = &args.html {
        write(path, &::report::html(&dataset, &findings))?;
    }
    Ok(Exit::Done)
}

//! `assay compare`: two campaigns side by side, and with `--fail-over` a gate for continuous
//! integration.

use super::report::{text, write};
use crate::{
    cli::CompareArgs,
    exit::{self, Exit},
    source, terminal,
};
use anyhow::{Result, anyhow};
use stats::{Comparison, Settings, StatsError};
use std::path::Path;

/// Prints what changed between two campaigns, what became better or worse, and the tables of both.
pub fn compare(args: &CompareArgs, store: &Path) -> Result<Exit> {
    let (a, b) = (source::dataset(&args.a, store)?, source::dataset(&args.b, store)?);
    let (dataset, findings) =
        stats::compare(&a, &b, &settings(args)).map_err(|error| match error {
            StatsError::UnknownBaseline { .. } => exit::usage(error.to_string()),
            other => other.into(),
        })?;
    terminal::tables(&text(&dataset, &findings, args.format))?;
    if let Some(path) = &args.html {
        write(path, &::report::html(&dataset, &findings))?;
    }
    match (args.fail_over, &findings.comparison) {
        (Some(limit), Some(comparison)) => gate(comparison, limit),
        _ => Ok(Exit::Done),
    }
}

/// What is smaller than the band is not acted on, so the band is never wider than what may fail.
fn settings(args: &CompareArgs) -> Settings {
    let usual = Settings::default();
    let band = args.fail_over.map_or(usual.band, |limit| limit.min(usual.band));
    Settings { baseline: args.baseline.clone(), band, ..usual }
}

fn gate(comparison: &Comparison, limit: f64) -> Result<Exit> {
    let [a, b] = comparison.sides.each_ref().map(|side| &side.id);
    let nothing = |why: &str, then: &str| {
        exit::usage(format!("{a} and {b} {why}, so --fail-over has nothing to judge; {then}"))
    };
    let Some(gate) = comparison.gate(limit) else {
        return Err(match &comparison.apart {
            Some(_) => nothing(
                "were measured in different labs",
                "measure the same target in the same lab",
            ),
            None => nothing("have no target in common", "measure the same target in both"),
        });
    };
    if gate.is_blind {
        return Err(nothing(
            "have no ratio with an interval",
            "run both with two blocks at least, better --blocks 5",
        ));
    }
    if gate.regressions.is_empty() {
        terminal::note(&gate.sentence);
        return Ok(Exit::Done);
    }
    Err(anyhow!("{}; see the decided differences", gate.sentence))
}

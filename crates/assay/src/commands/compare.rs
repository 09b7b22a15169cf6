//! `assay compare`: compares two sets of campaigns; with `--fail-on-regression`, a gate for continuous integration.

use super::{
    report::{Earlier, print, rank_by, text, write},
    rerun,
};
use crate::{
    cli::{CompareArgs, Format},
    exit::{self, Exit},
    source, terminal,
};
use anyhow::Result;
use model::result::Dataset;
use report::words;
use stats::{
    comparison::{CampaignComparison, Gate, GateOutcome},
    description::{Settings, StatsError},
    evaluation::Findings,
};
use std::{collections::HashSet, path::Path};
use wildmatch::WildMatch;

/// Prints what changed between the campaigns of both sides, what became better or worse, and the tables.
pub fn compare(args: &CompareArgs, store: &Path, state: &Path) -> Result<Exit> {
    let (a, b) = (side(&args.a, args, store)?, side(&args.b, args, store)?);
    let (dataset, findings) = judged(&a, &b, args)?;
    print(&text(&dataset, &findings, args.format)?, args.format)?;
    if let Some(path) = &args.out {
        let page = text(&dataset, &findings, Format::of_file(path).unwrap_or(Format::Html))?;
        write(path, &page, &dataset, Earlier::Replaced)?;
    }
    let (Some(limit), Some(comparison)) = (args.fail_on_regression, &findings.comparison) else {
        return Ok(Exit::Done);
    };
    let gate = gate(comparison, limit)?;
    if gate.outcome != GateOutcome::Regressed {
        return ended(&gate);
    }
    let again = rerun::Again::of(&gate, &b);
    if !args.rerun {
        terminal::note(&format!(
            "unconfirmed: picked from many cells because it looked bad; confirm with --rerun, or \
             on the machine of B with {}",
            again.command()
        ));
        return Err(exit::regression(format!("unconfirmed {}", words::gate(&gate))));
    }
    terminal::note(&format!("{}; measuring it again", words::gate(&gate)));
    let b = again.measure(args, store, state)?;
    let b: Vec<Dataset> = b.iter().map(|id| read(id, args, store)).collect::<Result<_>>()?;
    let a: Vec<Dataset> = a.into_iter().map(|dataset| again.part(dataset)).collect();
    let (_, findings) = judged(&a, &b, args)?;
    match &findings.comparison {
        Some(comparison) => ended(&self::gate(comparison, limit)?),
        None => Ok(Exit::Done),
    }
}

fn judged(a: &[Dataset], b: &[Dataset], args: &CompareArgs) -> Result<(Dataset, Findings)> {
    stats::evaluation::compare(a, b, &settings(args)).map_err(|error| match error {
        StatsError::UnknownBaseline { .. }
        | StatsError::Unlike { .. }
        | StatsError::NotWhole { .. }
        | StatsError::OtherMetric { .. }
        | StatsError::NothingInCommon { .. }
        | StatsError::SameCampaign { .. } => exit::usage(error.to_string()),
        other => other.into(),
    })
}

/// The campaigns of a side, by ids separated by commas.
fn side(ids: &str, args: &CompareArgs, store: &Path) -> Result<Vec<Dataset>> {
    ids.split(',').map(str::trim).map(|id| read(id, args, store)).collect()
}

/// A campaign, ranked by the metric asked for, with the tests asked for.
fn read(id: &str, args: &CompareArgs, store: &Path) -> Result<Dataset> {
    let mut dataset = source::dataset(id, store)?;
    // As `list` shows it: of two campaigns of the same work the name alone tells which is which.
    if let Some(name) = &dataset.campaign.plan.name {
        dataset.campaign.title = format!("{name}: {}", dataset.campaign.title);
    }
    if let Some(metric) = &args.metric {
        rank_by(&mut dataset, metric)?;
    }
    if args.tests.is_empty() {
        return Ok(dataset);
    }
    let globs: Vec<WildMatch> = args.tests.iter().map(|glob| WildMatch::new(glob)).collect();
    dataset.tests.retain(|test| globs.iter().any(|glob| glob.matches(&test.id)));
    if dataset.tests.is_empty() {
        let (id, globs) = (&dataset.campaign.id, args.tests.join(", "));
        return Err(exit::usage(format!("no test of {id} matches `{globs}`")));
    }
    let kept: HashSet<&str> = dataset.tests.iter().map(|test| test.id.as_str()).collect();
    dataset.samples.retain(|sample| kept.contains(sample.case.test.as_str()));
    Ok(dataset)
}

/// What is smaller than the band is not acted on, so the band is never wider than what may fail.
fn settings(args: &CompareArgs) -> Settings {
    let usual = Settings::default();
    let band = args.fail_on_regression.map_or(usual.band, |limit| limit.min(usual.band));
    Settings { baseline: args.baseline.clone(), band, ..usual }
}

fn gate(comparison: &CampaignComparison, limit: f64) -> Result<Gate> {
    comparison.gate(limit).ok_or_else(|| {
        let (why, then) = match &comparison.incomparable {
            Some(incomparable) if incomparable.is_of_one_lab() => {
                ("have different durability guarantees", "measure targets with the same guarantees")
            }
            Some(_) => {
                ("were measured in different labs", "measure the same target in the same lab")
            }
            None => ("have no target in common", "measure the same target in both"),
        };
        let [a, b] = comparison.sides.each_ref().map(|side| &side[0].id);
        exit::usage(format!(
            "{a} and {b} {why}, so --fail-on-regression has nothing to compare; {then}"
        ))
    })
}

/// The sentence of `gate`, and its status.
fn ended(gate: &Gate) -> Result<Exit> {
    let sentence = words::gate(gate);
    match gate.outcome {
        GateOutcome::Passed => {
            terminal::note(&sentence);
            Ok(Exit::Done)
        }
        GateOutcome::Blind => Err(exit::blind(&sentence)),
        GateOutcome::Regressed => Err(exit::regression(&sentence)),
    }
}

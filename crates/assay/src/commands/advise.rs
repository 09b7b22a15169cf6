//! `assay advise`: which target a workload should use, and how sensitive that is to the weights.

#[cfg(test)]
mod schema;
mod systems;

use super::{
    report::{Earlier, write},
    shipped,
};
use crate::{
    cli::{AdviseArgs, AdviseFormat},
    exit::{self, Exit},
    source, terminal,
};
use ::report::words;
use anyhow::Result;
use model::{result::Dataset, target::Requirement, workload::Profile};
use stats::{
    advice::Question,
    description::{Settings, StatsError},
    evaluation::Findings,
};
use std::{fmt::Write, path::Path};

/// Prints the advice of one profile, of the tiers, or the list of profiles.
pub fn advise(args: &AdviseArgs, store: &Path) -> Result<Exit> {
    if args.profiles {
        terminal::out(&list()?)?;
        return Ok(Exit::Done);
    }
    let mut required = requirements(&args.require)?;
    required.extend(systems::supported(&args.os, &shipped::facts()?)?);
    let dataset = source::dataset(&args.id, store)?;
    let block_s = source::block_s(&dataset, store)?;
    let of_file = args.out.as_deref().and_then(AdviseFormat::of_file);
    let format = args.format.or(of_file).unwrap_or_default();
    let text = match &args.profile {
        Some(name) => {
            let findings = findings(&dataset, &shipped::profile(name)?, &required, block_s)?;
            text(&dataset, &findings, format)
        }
        None => tiers(&dataset, &required, block_s, format)?,
    };
    match &args.out {
        Some(path) => write(path, &text, &dataset, Earlier::Replaced)?,
        None if format == AdviseFormat::Table => terminal::answer(&text)?,
        None => terminal::tables(&text)?,
    }
    Ok(Exit::Done)
}

/// Prints the advice of `profile` on the campaign `id` in a few sentences, as a run ends with it.
pub(super) fn of_profile(id: &str, profile: &str, store: &Path) -> Result<()> {
    let dataset = source::dataset(id, store)?;
    let block_s = source::block_s(&dataset, store)?;
    let findings = findings(&dataset, &shipped::profile(profile)?, &[], block_s)?;
    let more = format!("`assay advise {} --profile {profile}`", dataset.campaign.id);
    let text = briefly(&[findings], &more)?;
    let text = terminal::commands().completed(&text);
    terminal::answer(&format!(
        "\nAdvice for {profile}, by its weights; the score above weights all groups of tests \
         equally\n{text}"
    ))
}

fn requirements(texts: &[String]) -> Result<Vec<Requirement>> {
    let read = |text: &String| text.parse().map_err(|e| exit::usage(format!("{e}")));
    texts.iter().map(read).collect()
}

fn findings(
    dataset: &Dataset,
    profile: &Profile,
    required: &[Requirement],
    block_s: Option<f64>,
) -> Result<Findings> {
    let facts = shipped::facts()?;
    let question = Question { profile, facts: &facts, requirements: required, block_s };
    stats::evaluation::advise(dataset, &question, &Settings::default()).map_err(|error| match error
    {
        StatsError::UnknownFeature { .. } => exit::usage(error.to_string()),
        other => other.into(),
    })
}

fn text(dataset: &Dataset, findings: &Findings, format: AdviseFormat) -> String {
    let commands = terminal::commands();
    match format {
        AdviseFormat::Table => {
            ::report::terminal(dataset, findings, &commands, &terminal::options())
        }
        AdviseFormat::Md => ::report::markdown(dataset, findings, &commands),
        AdviseFormat::Json => ::report::json(dataset, findings, &commands),
        AdviseFormat::Html => ::report::html(dataset, findings, &commands),
    }
}

/// The advice for each tier of a tiered store, hot, mid and cold, a few sentences each.
fn tiers(
    dataset: &Dataset,
    required: &[Requirement],
    block_s: Option<f64>,
    format: AdviseFormat,
) -> Result<String> {
    let mut profiles = shipped::profiles()?;
    profiles.retain(|p| p.profile.tier.is_some());
    profiles.sort_by_key(|p| p.profile.tier);
    let judged = profiles.iter().map(|profile| findings(dataset, profile, required, block_s));
    let all: Vec<Findings> = judged.collect::<Result<_>>()?;
    match format {
        AdviseFormat::Json => Ok(::report::json_of_advice(&all, &terminal::commands())),
        AdviseFormat::Html => Err(exit::usage(
            "an HTML page shows one profile; choose it with --profile, or use --format md",
        )),
        AdviseFormat::Table | AdviseFormat::Md => {
            let text = briefly(&all, "`assay advise ID --profile NAME`")?;
            Ok(terminal::commands().completed(&text).into_owned())
        }
    }
}

/// The advice of each of `all` in a few sentences; the command `more` shows what is behind them.
fn briefly(all: &[Findings], more: &str) -> Result<String> {
    let mut text = String::new();
    for findings in all {
        let Some(advice) = &findings.advice else { continue };
        let tier = advice.tier.map_or_else(String::new, |tier| format!("{tier} tier: "));
        writeln!(text, "- {tier}{}", words::advice(findings))?;
        for lead in &advice.group_leads {
            writeln!(text, "  - {}", words::group_lead(lead, findings.band))?;
        }
        for candidate in &advice.candidates {
            let (target, standing) = (&candidate.target, candidate.standing.as_str());
            for why in candidate.objections.iter().map(words::objection) {
                writeln!(text, "  - {target} is {standing}: {why}.")?;
            }
        }
    }
    writeln!(text, "\n{more} shows the cells behind each.")?;
    Ok(text)
}

fn list() -> Result<String> {
    let mut text = String::new();
    for profile in shipped::profiles()? {
        let head = &profile.profile;
        writeln!(text, "{}\n  {} Written for {}.", head.name, head.intent, head.device_class)?;
        let total: f64 = profile.groups.iter().map(|g| g.weight).sum();
        for op in &profile.ops {
            writeln!(text, "  {} x {}", op.count, op.test)?;
        }
        for group in &profile.groups {
            let share = 100.0 * group.weight / total;
            writeln!(text, "  {share:>3.0} % {}: {}", group.name, group.tests.join(" "))?;
        }
    }
    Ok(text)
}

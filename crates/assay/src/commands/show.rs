//! `assay show`: what a campaign was asked, where it ran, how far it is.

use crate::{cli::IdArgs, exit::Exit, source, terminal};
use anyhow::{Context, Result};
use model::{
    plan::LabKind,
    result::{Dataset, TargetState, Validity},
    text::counted,
};
use stats::description::{Contention, Settings, Timed};
use std::{fmt::Write, path::Path};

/// Prints plan, environment, targets and counts.
pub fn show(args: &IdArgs, store: &Path) -> Result<Exit> {
    let dataset = source::dataset(&args.id, store)?;
    let timed = source::timed_at(&dataset, store)?;
    terminal::prose(&text(&dataset, timed.as_ref())?)?;
    Ok(Exit::Done)
}

fn text(dataset: &Dataset, timed: Option<&Timed>) -> Result<String> {
    let c = &dataset.campaign;
    let mut text = String::new();
    writeln!(text, "{}  {}\n", c.id, c.title)?;
    writeln!(
        text,
        "created {} · {} · {} · assay {}",
        c.created, c.origin, c.state, c.assay_version
    )?;
    writeln!(text, "scale {} · seed {}\n\nplan", c.scale, c.seed)?;
    let plan = toml::to_string(&c.plan).context("cannot write the plan as TOML")?;
    plan.lines().try_for_each(|line| writeln!(text, "  {line}"))?;
    writeln!(text, "\nenvironment")?;
    c.environment.0.iter().try_for_each(|(key, value)| writeln!(text, "  {key} = {value}"))?;
    for target in &dataset.targets {
        writeln!(text, "\ntarget {}", target.label)?;
        if target.lab != LabKind::Host && !target.facts.0.contains_key("lab") {
            writeln!(text, "  lab = {}", target.lab)?;
        }
        if let TargetState::Failed(why) = &target.state {
            writeln!(text, "  failed: {why}")?;
        }
        target.facts.0.iter().try_for_each(|(key, value)| writeln!(text, "  {key} = {value}"))?;
        if let Some(durability) = durability(dataset, &target.label) {
            writeln!(text, "  durability {durability}")?;
        }
    }
    writeln!(text, "\n{}", counts(dataset))?;
    timed.map_or(Ok(()), |timed| writeln!(text, "{}", ::report::measured(timed)))?;
    let mut notes = c.notes.iter().map(::report::words::note);
    notes.try_for_each(|note| writeln!(text, "note: {note}"))?;
    Ok(text)
}

/// In how many of the valid samples of `label` that synced it is proven that they are durable; `None` where
/// none was judged.
fn durability(dataset: &Dataset, label: &str) -> Option<String> {
    let own =
        dataset.samples.iter().filter(|s| s.case.target == label && s.evidence.validity.is_valid());
    let judged = own.filter(|sample| sample.evidence.durability.is_some()).count();
    (judged > 0).then(|| match stats::description::doubt(dataset, label) {
        None => format!("proven in {judged} of {judged} samples that synced"),
        Some(doubt) => format!(
            "not proven in {} of {judged} samples that synced: {}",
            doubt.unproven, doubt.why
        ),
    })
}

fn counts(dataset: &Dataset) -> String {
    let count = |test: fn(&Validity) -> bool| {
        dataset.samples.iter().filter(|s| test(&s.evidence.validity)).count()
    };
    let contention = Contention::of(dataset, Settings::default().contention_limit_pct);
    let contended = dataset.samples.iter().filter(|s| s.evidence.validity.is_valid());
    let contended = match contended.filter(|s| contention.why(s).is_some()).count() {
        0 => String::new(),
        count => format!("; {count} of the valid samples contended"),
    };
    format!(
        "{}: {} valid, {} lukewarm, {} disturbed, {} invalid{contended}",
        counted(dataset.samples.len(), "sample", "samples"),
        count(Validity::is_valid),
        count(|v| matches!(v, Validity::Lukewarm(_))),
        count(|v| matches!(v, Validity::Disturbed(_))),
        count(|v| matches!(v, Validity::Invalid(_)))
    )
}

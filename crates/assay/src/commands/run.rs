//! `assay run`: the main job.

use super::{
    advise, allocation,
    report::{self, Earlier},
    slips,
};
use crate::{
    begin,
    cli::{CheckArgs, Consent, EndArgs, Format, RunArgs},
    disks,
    drive::{self, Means},
    exit::{self, Exit},
    leftovers,
    mark::Key,
    opened,
    others::{self, OtherPrograms},
    outbox::OutFile,
    signals, source,
    terminal::{self, Shown},
    unprivileged, whereabouts,
};
use anyhow::Result;
use campaign::{
    messages::with_causes,
    run::hosts::Hosts,
    stages::{Resolved, sweeps},
};
use model::result::{Dataset, Reason, Sample, TargetState, Validity};
use std::{path::Path, sync::atomic::AtomicBool};
use store::Store;

/// Makes a new campaign of the arguments and runs it.
pub fn run(args: &RunArgs, store_path: &Path, state: &Path, hosts: &dyn Hosts) -> Result<Exit> {
    terminal::notes_for(args.end.progress());
    // A signal ends the program as long as it only reads.
    let never = AtomicBool::new(false);
    let resolved = allocation::resolved(&args.plan, (store_path, state), hosts, &never)?;
    check_writable(args.end.out())?;
    slips::same(&resolved.plan).iter().for_each(|line| terminal::note(line));
    if args.plan.like.is_none() {
        slips::note_alone(&resolved);
    }
    let how = RunSettings {
        consent: &args.plan.backing.consent,
        unconfined: args.plan.programs.unconfined,
        progress: args.end.progress(),
        others: args.quiet.others(),
        end: Some(&args.end),
    };
    let (store, id) = of_resolved(resolved, how, (store_path, state), hosts)?;
    let ended = finish(&store, &id, &args.end)?;
    if let Some(profile) = args.plan.profile.as_deref().filter(|_| args.end.format == Format::Table)
    {
        advise::of_profile(&id, profile, store_path)?;
    }
    Ok(ended)
}

/// How a campaign is run, besides its plan.
#[derive(Clone, Copy)]
pub(super) struct RunSettings<'a> {
    consent: &'a Consent,
    unconfined: bool,
    progress: Shown,
    others: OtherPrograms,
    /// What is reported of one that a signal stops.
    end: Option<&'a EndArgs>,
}

impl<'a> RunSettings<'a> {
    /// As `check` runs it.
    pub(super) fn of_check(args: &'a CheckArgs) -> RunSettings<'a> {
        let (consent, unconfined) = (&args.backing.consent, args.programs.unconfined);
        let (progress, others) = (args.progress(), args.wait.others());
        RunSettings { consent, unconfined, progress, others, end: None }
    }
}

/// Makes a new campaign of what is resolved and runs it to its end; returns the store, and its id there.
pub(super) fn of_resolved(
    resolved: Resolved,
    how: RunSettings<'_>,
    (store_path, state): (&Path, &Path),
    hosts: &dyn Hosts,
) -> Result<(Store, String)> {
    unprivileged::check(&resolved)?;
    let stop = signals::stop_flag()?;
    leftovers::line(state).iter().for_each(|line| terminal::note(line));
    let site = begin::site(state, &stop, how.unconfined);
    let (ordered, consent) = disks::ordered(resolved, &site, how.consent)?;
    whereabouts::lines(&ordered, state).iter().for_each(|line| terminal::note(line));
    sweeps::lines(&ordered.plan).iter().for_each(|line| terminal::note(line));
    others::before(&ordered, state, how.others, &stop)?;
    let key = Key::of(&opened::state(state)?)?;
    let mut store = opened::store_to_run(store_path, &stop)?;
    let campaign = allocation::described(begin::campaign(&ordered, state)?, hosts)?;
    let id = campaign.id.clone();
    let stored = begin::stored(ordered, campaign, &mut store, &key)?;
    let means = Means { consent: &consent, state, key: &key, hosts, progress: how.progress };
    let driven = drive::drive(stored, &mut store, means, &stop);
    if let Some(end) = how.end {
        report_stopped(&driven, &store, &id, end)?;
    }
    driven?;
    Ok((store, id))
}

/// Reports what there is of a campaign that a signal stopped, once a block of it is whole.
pub fn report_stopped(driven: &Result<()>, store: &Store, id: &str, end: &EndArgs) -> Result<()> {
    let is_stopped = driven.as_ref().is_err_and(|error| exit::of(error) == Exit::Stopped);
    if is_stopped && !store.finished_blocks(id)?.is_empty() {
        finish(store, id, end)?;
    }
    Ok(())
}

/// Finds a bad path for the report now, not after an hour of measuring; makes nothing.
pub fn check_writable(path: &Path) -> Result<()> {
    OutFile::at(path).map(drop).map_err(|error| exit::usage(with_causes(&error)))
}

/// Prints the answer or all tables, writes the report, and tells whether all went well.
pub fn finish(store: &Store, id: &str, end: &EndArgs) -> Result<Exit> {
    let dataset = store.dataset(id)?;
    let findings = report::findings(&dataset, None)?
        .with_time(source::timed(&dataset, store)?)
        .with_since(source::since(&dataset, store)?);
    let out = end.out();
    let page = report::text(&dataset, &findings, Format::of_file(out).unwrap_or(Format::Html))?;
    let earlier = if end.out.is_some() { Earlier::Replaced } else { Earlier::Kept };
    report::write(out, &page, &dataset, earlier)?;
    let page = out.canonicalize().unwrap_or_else(|_| out.into());
    let is_answer = end.format == Format::Table && !end.full;
    let text = match is_answer {
        true => report::summary(&dataset, &findings, Some(&page)),
        false => report::text(&dataset, &findings, end.format)?,
    };
    let printed = report::print(&text, end.format);
    // Where all of it is on one screen it is not said twice.
    if !(is_answer && terminal::shows_results()) {
        for class in findings.classes() {
            let place =
                class.class_name(&findings).map_or_else(String::new, |name| format!("{name}: "));
            terminal::note(&format!("{place}{}", ::report::words::verdict(class)));
        }
        terminal::note(&format!("campaign {id} · report {}", page.display()));
    }
    printed?;
    Ok(if all_well(&dataset) { Exit::Done } else { Exit::Partly })
}

/// A sample that was measured and is not valid, because it was too short, say, is no failure, and neither is what a
/// target does not support; a campaign without any that is valid is one.
fn all_well(dataset: &Dataset) -> bool {
    let failed = |s: &Sample| match &*s.evidence.validity {
        Validity::Invalid(Reason::NotSupported { .. }) => false,
        Validity::Invalid(_) => !s.has_metrics(),
        _ => false,
    };
    dataset.targets.iter().all(|t| t.state == TargetState::Ok)
        && !dataset.samples.iter().any(failed)
        && dataset.samples.iter().any(|sample| sample.evidence.validity.is_valid())
}

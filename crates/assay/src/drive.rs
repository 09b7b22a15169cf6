//! A campaign from its disks or images to its last block: what `run`, `resume`, `tune` and the self test have in
//! common.

use crate::{
    budget::Budget,
    cli::Consent,
    disks, exit, images,
    mark::Key,
    terminal::{self, Progress, Shown},
};
use anyhow::{Context, Result};
use campaign::{
    machine::memory,
    messages,
    run::{hosts::Hosts, run_end::RunEnd},
    scheduling::{schedule::Schedule, trial},
    sizes::{free, load::TargetLoad, pilot, range::Range, space, stretch::Resources},
    stages::{Amount, Ordered, Placed, Sized, Stored, images::work_dir},
};
use lab::setup::Lab;
use model::{
    plan::Plan,
    result::{Campaign, CampaignState, Dataset},
};
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};
use store::Store;

/// The range in which sizes are looked for, after a trial of the backing, and at which rate that writes.
fn find_range(ordered: &Ordered, state: &Path) -> Result<(Range, f64)> {
    let work = work_dir(ordered, state);
    terminal::note(&format!("measuring the speed of the backing {} ...", work.display()));
    let pilot = pilot::pilot(&work)?;
    let free = free::room(ordered, &work)?;
    let range = Range::of(ordered, &Resources { pilot, free, memory: memory::total()? });
    terminal::note(&format!(
        "{:.0} MB/s durable write, {:.0} MB/s read, {free} for each target",
        pilot.write_bytes_per_s / 1e6,
        pilot.read_bytes_per_s / 1e6,
    ));
    Ok((range, pilot.write_bytes_per_s))
}

/// Tries the tests and stores how much each of them does from now on. `None` when a signal came.
fn size(
    stored: Stored,
    range: &Range,
    (store, lab, hosts, key): (&mut Store, &Lab, &dyn Hosts, &Key),
    (shown, stop, begun): (Shown, &AtomicBool, Instant),
) -> Result<Option<Sized>> {
    let since = Instant::now();
    let budget = Budget::of(&stored, store.seconds_used(&stored.campaign().id)?, begun);
    let campaign = stored.campaign();
    let context = stored.context((lab, hosts), (campaign.seed, &range.first), stop);
    let progress = Progress::new(shown, Vec::new(), "");
    let found = trial::run(&context, &campaign.id, range, budget.left(), &progress);
    progress.finish();
    let Some(found) = found? else { return Ok(None) };
    terminal::note(&trial::sentence(&found, &stored, since.elapsed().as_secs_f64()));
    if let Some(line) = budget.check(found.block_s, stored.plan.block_count())? {
        terminal::note(&line);
    }
    keep(stored, found.amount, store, key).map(Some)
}

/// Stores how much each test does, and how large the images are, so that a resumed campaign has the same.
fn keep(stored: Stored, amount: Amount, store: &mut Store, key: &Key) -> Result<Sized> {
    let mark = |campaign: &Campaign, dataset: &Dataset| {
        key.mark(campaign, &dataset.targets, &dataset.tests)
    };
    Sized::new(stored, amount, mark, store)
}

/// What a campaign works with besides its plan.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// The consent to use disks.
    pub consent: &'a Consent,
    /// The state folder.
    pub state: &'a Path,
    /// Marks campaigns.
    pub key: &'a Key,
    /// Where workers come from.
    pub hosts: &'a dyn Hosts,
    /// How its progress is shown.
    pub progress: Shown,
}

/// Provisions and measures until all blocks are stored or a signal comes.
pub fn drive(stored: Stored, store: &mut Store, means: Means<'_>, stop: &AtomicBool) -> Result<()> {
    let id = stored.campaign().id.clone();
    run(stored, store, means, stop).map_err(|error| match exit::is_full(&error) {
        true => exit::lacking(format!(
            "{}, then continue with `assay resume {id}`",
            messages::with_causes(&error)
        )),
        false => error,
    })
}

fn run(stored: Stored, store: &mut Store, means: Means<'_>, stop: &AtomicBool) -> Result<()> {
    let Means { consent, state, key, hosts, progress } = means;
    let since = Instant::now();
    let (plan, campaign) = (stored.plan.clone(), stored.campaign().clone());
    terminal::note(&format!(
        "campaign {}: {} · {} · {} · {} · seed {}",
        campaign.id,
        campaign.title,
        blocks(&plan),
        stored.processes(),
        stored.extent(campaign.scale),
        campaign.seed
    ));
    hosts.verify_assets(&stored.asset_files())?;
    let _keys = terminal::keys(progress);
    let found = stored.needs_sizes().then(|| find_range(&stored, state)).transpose()?;
    let (range, rate) = found.unzip();
    let most = range.as_ref().map_or_else(|| stored.amount(), |range| range.most.clone());
    let most = Amount { scale: campaign.scale, ..most };
    let mut lab = Lab::open(state, &campaign.id)?;
    lab.messages().iter().for_each(|line| terminal::note(line));
    if let Some(objects) = &plan.backing.object_store {
        lab.use_store(objects)?;
    }
    let made = make_backing(stored, (&most, rate), &mut lab, (consent, state), stop);
    let ended = made.and_then(|made| {
        let small = space::small(&made, space::image_size(&made, &most)?);
        for note in small.iter().filter(|note| !campaign.notes.contains(note)) {
            store.add_note(&campaign.id, note)?;
        }
        let sized = match &range {
            Some(range) => size(made, range, (store, &lab, hosts, key), (progress, stop, since))?,
            None => {
                let amount = made.amount();
                Some(keep(made, amount, store, key)?)
            }
        };
        let Some(sized) = sized else { return Ok(RunEnd::Stopped) };
        let progress = Progress::new(progress, sized.infos(), &baseline(&sized));
        let ended = walk(&sized, store, (&lab, hosts), &progress, (stop, since));
        progress.finish();
        ended
    });
    let closed = lab.close();
    disks::note_after(&plan, &campaign.id, store)?;
    let is_stopped = stop.load(Ordering::Relaxed) && !matches!(ended, Ok(RunEnd::Done));
    match closed {
        Ok(report) => report.messages.iter().for_each(|line| terminal::note(line)),
        // What ended the campaign is the reason for that, too.
        Err(error) if ended.is_err() && !is_stopped => terminal::note(&error.to_string()),
        closed => drop(closed.context("cleanup was incomplete; run `assay cleanup`")?),
    }
    if is_stopped {
        return Err(exit::stopped(format!(
            "stopped; everything was cleaned up and finished samples are stored; continue with \
             `assay resume {}`",
            campaign.id
        )));
    }
    let state = if ended? == RunEnd::Gaps { CampaignState::Open } else { CampaignState::Done };
    Ok(store.set_campaign_state(&campaign.id, state)?)
}

/// Claims the disks, or makes the images, for tests that do at most `most`, on a backing that writes at `rate` if that
/// is known. Returns what can be run on them.
fn make_backing(
    stored: Stored,
    (most, rate): (&Amount, Option<f64>),
    lab: &mut Lab,
    (consent, state): (&Consent, &Path),
    stop: &AtomicBool,
) -> Result<Stored> {
    if stored.plan.backing.devices.is_empty() {
        return images::make(stored, (most, rate), lab, state, stop);
    }
    let load = TargetLoad::of(&stored, most, memory::total()?);
    disks::lines(&stored, &load, consent, state)?.lines().for_each(terminal::note);
    disks::claim(&stored, &load, lab, (consent, state), stop)?;
    Ok(stored)
}

fn walk(
    sized: &Sized,
    store: &mut Store,
    on: (&Lab, &dyn Hosts),
    progress: &Progress,
    (stop, since): (&AtomicBool, Instant),
) -> Result<RunEnd> {
    Schedule::new(sized, store, on, progress, (stop, since))?.run()
}

/// The label of the candidate next to which figures are shown as they arrive.
fn baseline(placed: &Placed) -> String {
    let first = || placed.entrants.first().map(|first| first.label.clone()).unwrap_or_default();
    placed.plan.baseline.clone().unwrap_or_else(first)
}

/// `5 blocks`, or `5 to 20 blocks, at most 2h`.
fn blocks(plan: &Plan) -> String {
    let most = plan.block_count();
    let range = match plan.looks().first() {
        Some(first) if *first < most => format!("{first} to {most} blocks"),
        _ if most == 1 => "1 block".into(),
        _ => format!("{most} blocks"),
    };
    match plan.budget() {
        Some(budget_s) => format!("{range}, at most {}", messages::duration(budget_s as f64)),
        None => range,
    }
}

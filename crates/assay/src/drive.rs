//! A campaign from its disks or images to its last block: what `run`, `resume`, `tune` and the self test have in
//! common.

use crate::{
    cli::Consent,
    disks, exit,
    mark::Key,
    opened,
    terminal::{self, Progress, Shown},
};
use anyhow::{Context, Result};
use campaign::{
    hosts::Hosts,
    images::{IMAGES, image_dir, work_dir},
    pace,
    prepare::{self, Prepared},
    ready::Ready,
    room,
    schedule::{Ended, Schedule},
    sizes::Range,
    sizing::{self, Load},
    stretch::Ground,
    trial,
};
use lab::{Lab, LabError};
use model::{Campaign, CampaignState, Plan};
use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};
use store::Store;

/// The range in which sizes are looked for, after a trial of the backing.
fn find_range(prepared: &Prepared, state: &Path) -> Result<Range> {
    let work = work_dir(prepared, state);
    terminal::note(&format!("trying the backing {} ...", work.display()));
    let pilot = sizing::pilot(&work)?;
    let free = sizing::room(prepared, &work)?;
    let range = Range::of(prepared, &Ground { pilot, free, memory: prepare::memory()? });
    terminal::note(&format!(
        "{:.0} MB/s durable write, {:.0} MB/s read, {free} free",
        pilot.write_bytes_per_s / 1e6,
        pilot.read_bytes_per_s / 1e6,
    ));
    Ok(range)
}

/// Tries the tests and stores how much each of them does from now on. `None` when a signal came.
fn settle_sizes(
    prepared: Ready,
    campaign: &Campaign,
    range: &Range,
    (store, lab, hosts, key): (&mut Store, &Lab, &dyn Hosts, &Key),
    (shown, stop): (Shown, &AtomicBool),
) -> Result<Option<(Ready, Campaign)>> {
    let since = Instant::now();
    let seeded = (campaign.seed, range.large_scale);
    let context = prepared.context((lab, hosts), seeded, stop);
    let progress = Progress::new(shown, Vec::new(), "");
    let found = trial::run(&context, &campaign.id, range, &progress);
    progress.finish();
    let Some(found) = found? else { return Ok(None) };
    terminal::note(&found.sentence(&prepared, since.elapsed().as_secs_f64()));
    let plan = Plan { sizes: found.sizes, ..campaign.plan.clone() };
    let sized = Campaign { scale: range.large_scale, plan, ..campaign.clone() };
    let dataset = store.dataset(&campaign.id)?;
    let mark = key.mark(&sized, &dataset.targets, &dataset.tests)?;
    store.replan(&sized, &mark, None)?;
    Ok(Some((prepared.with_sizes(sized.plan.sizes.clone()), sized)))
}

/// What a campaign works with beside its plan.
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
pub fn drive(
    prepared: &Ready,
    campaign: &Campaign,
    store: &mut Store,
    means: Means<'_>,
    stop: &AtomicBool,
) -> Result<()> {
    let Means { consent, state, key, hosts, progress } = means;
    let since = Instant::now();
    terminal::note(&format!(
        "campaign {}: {} · {} · {} · {} · seed {}",
        campaign.id,
        campaign.title,
        blocks(&prepared.plan),
        prepared.processes(),
        prepared.extent(campaign.scale),
        campaign.seed
    ));
    let _keys = terminal::keys(progress);
    let range = prepared.needs_sizes().then(|| find_range(prepared, state)).transpose()?;
    let most = range.as_ref().map_or(&prepared.plan.sizes, |range| &range.most);
    let roomy = prepared.clone().with_sizes(most.clone());
    let mut lab = Lab::open(state, &campaign.id)?;
    lab.messages().iter().for_each(|line| terminal::note(line));
    if let Some(objects) = &prepared.plan.backing.object_store {
        lab.use_store(objects)?;
    }
    let made = make_backing(&roomy, campaign, &mut lab, (consent, state), stop);
    let ended = made.and_then(|made| {
        let small = room::small(&made, room::image_size(&roomy, campaign.scale)?);
        for note in small.iter().filter(|note| !campaign.notes.contains(note)) {
            store.add_note(&campaign.id, note)?;
        }
        let sized = match &range {
            Some(range) => {
                settle_sizes(made, campaign, range, (store, &lab, hosts, key), (progress, stop))?
            }
            None => Some((made, campaign.clone())),
        };
        let Some((prepared, campaign)) = sized else { return Ok(Ended::Stopped) };
        let progress = Progress::new(progress, prepared.infos(), &baseline(&prepared));
        let ended = walk((&prepared, &campaign), store, (&lab, hosts), &progress, (stop, since));
        progress.finish();
        ended
    });
    let closed = lab.close();
    disks::note_after(&prepared.plan, &campaign.id, store)?;
    let is_stopped = stop.load(Ordering::Relaxed) && !matches!(ended, Ok(Ended::Done));
    match closed {
        Ok(report) => report.messages.iter().for_each(|line| terminal::note(line)),
        // What ended the campaign is the reason for that, too.
        Err(error) if ended.is_err() && !is_stopped => terminal::note(&error.to_string()),
        closed => drop(closed.context("something could not be cleaned up; run `assay cleanup`")?),
    }
    if is_stopped {
        return Err(exit::stopped(format!(
            "stopped; everything was cleaned up, finished samples are stored; `assay resume {}` goes on",
            campaign.id
        )));
    }
    let state = if ended? == Ended::Gaps { CampaignState::Open } else { CampaignState::Done };
    Ok(store.set_campaign_state(&campaign.id, state)?)
}

/// Claims the disks, or makes the images. Returns what can be run on them.
fn make_backing(
    prepared: &Ready,
    campaign: &Campaign,
    lab: &mut Lab,
    (consent, state): (&Consent, &Path),
    stop: &AtomicBool,
) -> Result<Ready> {
    if prepared.plan.backing.devices.is_empty() {
        return make_images(prepared, campaign, lab, state, stop);
    }
    let load = Load::of(prepared, campaign.scale, prepare::memory()?);
    disks::lines(prepared, &load, consent, state)?.lines().for_each(terminal::note);
    disks::claim(prepared, &load, lab, (consent, state), stop)?;
    Ok(prepared.clone())
}

/// Makes the images that the targets need, of this machine and of guests. Those for which there is no
/// room are given up, and the others are measured, as long as there is one, or two where several are compared.
fn make_images(
    prepared: &Ready,
    campaign: &Campaign,
    lab: &mut Lab,
    state: &Path,
    stop: &AtomicBool,
) -> Result<Ready> {
    let mut prepared = prepared.clone();
    for in_guests in [false, true] {
        while let disks @ 1.. = prepared.disks_of(in_guests) {
            let dir = image_dir(&prepared, state);
            make_image_dir(&dir, state)?;
            let made = write_images(&prepared, campaign, lab, (&dir, disks, in_guests), stop);
            let Err(error) = made else { break };
            let no_room = matches!(error.downcast_ref(), Some(LabError::NoSpace { .. }));
            if !no_room || !prepared.give_up(in_guests, disks, &error.to_string()) {
                return Err(error);
            }
        }
    }
    Ok(prepared)
}

fn make_image_dir(dir: &Path, state: &Path) -> Result<()> {
    if dir == state.join(IMAGES) {
        opened::state(state)?.folder(IMAGES)?;
        return Ok(());
    }
    fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))
}

fn write_images(
    prepared: &Prepared,
    campaign: &Campaign,
    lab: &mut Lab,
    (dir, disks, in_guests): (&Path, usize, bool),
    stop: &AtomicBool,
) -> Result<()> {
    let size = room::image_size(prepared, campaign.scale)?;
    let kind = if in_guests { "guest" } else { "loop" };
    let sets = prepared.sets_of(in_guests) as usize;
    let what = match sets * disks {
        1 => format!("a {kind} image"),
        n => format!("{n} {kind} images"),
    };
    terminal::note(&format!("writing {what} of {size} in {}", dir.display()));
    if in_guests {
        return Ok(lab.make_guest_images(dir, size, sets * disks, stop, &mut |_| {})?);
    }
    Ok(lab.make_image_sets(dir, size, (sets, disks), stop, &mut |_| {})?)
}

fn walk(
    (prepared, campaign): (&Ready, &Campaign),
    store: &mut Store,
    on: (&Lab, &dyn Hosts),
    progress: &Progress,
    (stop, since): (&AtomicBool, Instant),
) -> Result<Ended> {
    Schedule::new((prepared, campaign), store, on, progress, (stop, since))?.run()
}

/// The label of the candidate that figures are shown beside while they come.
fn baseline(prepared: &Prepared) -> String {
    let first = || prepared.labels.first().cloned().unwrap_or_default();
    prepared.plan.baseline.clone().unwrap_or_else(first)
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
        Some(budget_s) => format!("{range}, at most {}", pace::time(budget_s as f64)),
        None => range,
    }
}

//! `assay run`: the main job.

use super::{plan, report};
use crate::{
    campaign::{
        pace, places,
        prepare::{self, Prepared},
        programs,
        room::{self, Remedy},
        schedule::{Ended, Schedule},
        sizes::{Ground, Range},
        sizing::{self, Load},
        sweeps, together, trial,
        turn::Stage,
    },
    cli::{Consent, EndArgs, Format, RunArgs},
    disks,
    exit::{self, Exit},
    mark::Key,
    selection, signals, source,
    terminal::{self, Progress},
    tools, whereabouts,
};
use anyhow::{Context, Result};
use lab::{Lab, LabError, State};
use model::{
    Campaign, CampaignState, Dataset, Job, Origin, Plan, Rng, Sample, TargetState, Validity,
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use store::Store;

/// How long a campaign waits for its store: somebody may copy or compact it meanwhile.
const PATIENCE: Duration = Duration::from_secs(600);
/// Folder of images in the state folder.
const IMAGES: &str = "images";

/// Makes a new campaign of the arguments and runs it.
pub fn run(args: &RunArgs, store_path: &Path, state: &Path) -> Result<Exit> {
    let mut prepared = plan::prepared(&args.plan, store_path, state)?;
    programs::decide(&mut prepared, args.plan.programs.unconfined)?;
    let consent = disks::consent(&mut prepared, &args.plan.backing.consent, state)?;
    room::check(&prepared, state, Remedy::Choose)?;
    let stop = signals::stop_flag()?;
    check_writable(&args.end.html)?;
    let key = Key::of(&open_state(state)?)?;
    let mut store = open_to_run(store_path, &stop)?;
    whereabouts::lines(&prepared, state).iter().for_each(|line| terminal::note(line));
    sweeps::lines(&prepared.plan).iter().for_each(|line| terminal::note(line));
    places::choose(&mut prepared, state, &stop)?;
    together::choose(&mut prepared, state)?;
    let campaign = new_campaign(&prepared, state)?;
    begin(&prepared, &campaign, &mut store, &key)?;
    let means = Means { consent: &consent, state, key: &key };
    let driven = drive(&prepared, &campaign, &mut store, means, &stop);
    report_stopped(&driven, &store, &campaign.id, &args.end)?;
    driven?;
    finish(&store, &campaign.id, &args.end)
}

/// Reports what there is of a campaign that a signal stopped, once a block of it is whole.
pub fn report_stopped(driven: &Result<()>, store: &Store, id: &str, end: &EndArgs) -> Result<()> {
    let is_stopped = driven.as_ref().is_err_and(|error| exit::of(error) == Exit::Stopped);
    if is_stopped && !store.finished_blocks(id)?.is_empty() {
        finish(store, id, end)?;
    }
    Ok(())
}

/// Opens the store, making its folder when it is the first time.
pub fn open_store(path: &Path) -> Result<Store> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    Ok(Store::open(path)?)
}

/// Opens the store for a campaign, which waits longer than a reader for another process that holds it.
pub fn open_to_run(path: &Path, stop: &Arc<AtomicBool>) -> Result<Store> {
    let mut store = open_store(path)?;
    store.wait_for(PATIENCE, stop)?;
    Ok(store)
}

/// Stores a new campaign with the mark by which it may be gone on with.
pub fn begin(prepared: &Prepared, campaign: &Campaign, store: &mut Store, key: &Key) -> Result<()> {
    let (targets, tests) = (prepared.records(), prepared.infos());
    store.create_campaign(campaign, &targets, &tests)?;
    Ok(store.set_mark(&campaign.id, &key.mark(campaign, &targets, &tests)?)?)
}

/// A bad path for the report is found now, not after an hour of measuring.
pub fn check_writable(path: &Path) -> Result<()> {
    let opened = fs::File::options().create(true).append(true).open(path);
    opened
        .map(drop)
        .map_err(|e| exit::usage(format!("cannot write the report {}: {e}", path.display())))
}

/// Folder in which images are made.
pub fn image_dir(prepared: &Prepared, state: &Path) -> PathBuf {
    prepared.plan.backing.dir.clone().unwrap_or_else(|| state.join(IMAGES))
}

/// A new campaign of `prepared`: its id, seed, scale and environment; not yet stored.
pub fn new_campaign(prepared: &Prepared, state: &Path) -> Result<Campaign> {
    let now = SystemTime::now();
    let since_epoch = now.duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    let created = humantime::format_rfc3339_seconds(now).to_string();
    let seed = prepared
        .plan
        .seed
        .unwrap_or_else(|| Rng::new(since_epoch.as_nanos() as u64).next_u64() >> 32);
    let work = work_dir(prepared, state);
    open_state(state)?;
    let tag =
        Rng::new(since_epoch.as_nanos() as u64 ^ u64::from(std::process::id())).below(36 * 36 * 36);
    let id = format!("{}-{}", created[..16].replace(['T', ':'], "-"), base36(tag));
    let scale = prepared.fixed_scale().unwrap_or_else(|| prepared.plan.preset.large_scale());
    let mut environment = lab::collect_environment(&work);
    environment.0.extend(tool_facts(prepared, scale, seed)?);
    environment.0.extend(disks::facts(&prepared.plan).0);
    environment.0.extend(selection::left_out(prepared)?);
    Ok(Campaign {
        id,
        title: prepared.plan.title(),
        origin: Origin::Run,
        state: CampaignState::Open,
        assay_version: env!("CARGO_PKG_VERSION").into(),
        plan: prepared.plan.clone(),
        scale,
        seed,
        environment,
        notes: notes(prepared),
        created,
    })
}

/// Version and commands of the tools that the plan runs.
fn tool_facts(prepared: &Prepared, scale: f64, seed: u64) -> Result<BTreeMap<String, String>> {
    let plan = &prepared.plan;
    let mut facts = BTreeMap::new();
    let Some(item) = prepared.items.first() else { return Ok(facts) };
    let job = Job { seed, ..prepared.job(item, 1, scale, prepare::memory()?) };
    for name in &plan.suites {
        let text = tools::file_of(name).and_then(|file| plan.files.get(file));
        let text = text.map(String::as_str);
        facts.extend(tools::facts(name, text, &plan.knobs, &job, &prepared.counts));
    }
    Ok(facts)
}

fn base36(mut n: u64) -> String {
    let mut text = String::new();
    for _ in 0..3 {
        text.push(char::from_digit((n % 36) as u32, 36).unwrap_or('0'));
        n /= 36;
    }
    text
}

/// The backing that the campaign will use: its first disk, else the directory where images go, or the
/// first target.
pub fn work_dir(prepared: &Prepared, state: &Path) -> PathBuf {
    if let Some(disk) = prepared.plan.backing.devices.first() {
        return disk.clone();
    }
    let dir = if prepared.needs_image() {
        image_dir(prepared, state)
    } else {
        let dirs = prepared.plan.targets.iter().find_map(|target| match target {
            model::Target::Dir(path) => Some(path.clone()),
            model::Target::Made { .. } => None,
        });
        dirs.unwrap_or_else(|| state.to_path_buf())
    };
    let mut existing = dir.as_path();
    while !existing.exists() {
        match existing.parent() {
            Some(parent) => existing = parent,
            None => break,
        }
    }
    existing.to_path_buf()
}

fn notes(prepared: &Prepared) -> Vec<String> {
    let mut notes = Vec::new();
    if !prepared.plan.backing.devices.is_empty() {
        notes.push(disks::note(prepared));
    } else if prepared.needs_image() {
        let how = match prepared.is_interleaved() {
            true => {
                "side by side, each on images of its own in this block and on another's in the next"
            }
            false => "in turn on the same images",
        };
        notes.push(format!(
            "Loop-backed, {how}: compares candidates on this machine, not with a device."
        ));
    }
    notes.extend(programs::note(prepared));
    if prepared.plan.data != model::DataKind::Random {
        notes.push(format!(
            "Data: {} (a declared variant; the default is random).",
            prepared.plan.data
        ));
    }
    notes
}

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
    prepared: Prepared,
    campaign: &Campaign,
    range: &Range,
    (store, lab, key): (&mut Store, &Lab, &Key),
    stop: &AtomicBool,
) -> Result<Option<(Prepared, Campaign)>> {
    let since = Instant::now();
    let stage =
        Stage { prepared: &prepared, lab, seed: campaign.seed, scale: range.large_scale, stop };
    let progress = Progress::new(0);
    let found = trial::run(&stage, &campaign.id, range, &progress);
    progress.finish();
    let Some(found) = found? else { return Ok(None) };
    terminal::note(&found.sentence(&prepared, since.elapsed().as_secs_f64()));
    let plan = Plan { sizes: found.sizes, ..campaign.plan.clone() };
    let sized = Campaign { scale: range.large_scale, plan, ..campaign.clone() };
    let dataset = store.dataset(&campaign.id)?;
    let mark = key.mark(&sized, &dataset.targets, &dataset.tests)?;
    store.replan(&sized, &mark, found.note.as_deref())?;
    let prepared =
        Prepared { plan: Plan { sizes: sized.plan.sizes.clone(), ..prepared.plan }, ..prepared };
    Ok(Some((prepared, sized)))
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
}

/// Provisions and measures until all blocks are stored or a signal comes.
pub fn drive(
    prepared: &Prepared,
    campaign: &Campaign,
    store: &mut Store,
    means: Means<'_>,
    stop: &AtomicBool,
) -> Result<()> {
    let Means { consent, state, key } = means;
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
    let range = prepared.needs_sizes().then(|| find_range(prepared, state)).transpose()?;
    let roomy = range.as_ref().map_or_else(|| prepared.clone(), |range| range.most_of(prepared));
    let mut lab = Lab::open(state, &campaign.id)?;
    lab.told().iter().for_each(|line| terminal::note(line));
    let made = make_backing(&roomy, campaign, &mut lab, (consent, state), stop);
    let ended = made.and_then(|made| {
        let small = room::small(&made, room::image_size(&roomy, campaign.scale)?);
        for note in small.iter().filter(|note| !campaign.notes.contains(note)) {
            store.add_note(&campaign.id, note)?;
        }
        let sized = match &range {
            Some(range) => settle_sizes(made, campaign, range, (store, &lab, key), stop)?,
            None => Some((made, campaign.clone())),
        };
        let Some((prepared, campaign)) = sized else { return Ok(Ended::Stopped) };
        walk(&prepared, &campaign, store, &lab, stop, since)
    });
    let closed = lab.close();
    disks::note_after(&prepared.plan, &campaign.id, store)?;
    let is_stopped = stop.load(Ordering::Relaxed) && !matches!(ended, Ok(Ended::Done));
    match closed {
        Ok(report) => report.told.iter().for_each(|line| terminal::note(line)),
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

/// Makes the state folder, or closes it to others, and says so.
pub fn open_state(state: &Path) -> Result<State, LabError> {
    let state = State::open(state)?;
    state.told().iter().for_each(|line| terminal::note(line));
    Ok(state)
}

/// Claims the disks, or makes the images. Returns what can be run on them.
fn make_backing(
    prepared: &Prepared,
    campaign: &Campaign,
    lab: &mut Lab,
    (consent, state): (&Consent, &Path),
    stop: &AtomicBool,
) -> Result<Prepared> {
    if prepared.plan.backing.devices.is_empty() {
        return make_images(prepared, campaign, lab, state, stop);
    }
    let load = Load::of(prepared, campaign.scale, prepare::memory()?);
    disks::lines(prepared, &load, consent, state)?.lines().for_each(terminal::note);
    disks::claim(prepared, &load, lab, (consent, state), stop)?;
    Ok(prepared.clone())
}

/// Makes the images that the targets need, of this machine and of guests. Those for which there is no
/// room are given up, and the others are measured, as long as any is left.
fn make_images(
    prepared: &Prepared,
    campaign: &Campaign,
    lab: &mut Lab,
    state: &Path,
    stop: &AtomicBool,
) -> Result<Prepared> {
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
        open_state(state)?.folder(IMAGES)?;
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
    prepared: &Prepared,
    campaign: &Campaign,
    store: &mut Store,
    lab: &Lab,
    stop: &AtomicBool,
    since: Instant,
) -> Result<Ended> {
    let progress = Progress::new(0);
    let mut schedule = Schedule::new((prepared, campaign), store, lab, &progress, (stop, since))?;
    let ended = schedule.run();
    progress.finish();
    ended
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

/// Prints the answer or all tables, writes the report, and tells whether all went well.
pub fn finish(store: &Store, id: &str, end: &EndArgs) -> Result<Exit> {
    let dataset = store.dataset(id)?;
    let findings = report::findings(&dataset, None)?.with_time(source::timed(&dataset, store)?);
    report::write(&end.html, &report::text(&dataset, &findings, Format::Html))?;
    let page = end.html.canonicalize().unwrap_or_else(|_| end.html.clone());
    let is_answer = end.format == Format::Table && !end.full;
    let printed = terminal::tables(&match is_answer {
        true => report::summary(&dataset, &findings, Some(&page)),
        false => report::text(&dataset, &findings, end.format),
    });
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

/// A sample that was measured and is not valid, because it was too short, say, is no failure.
fn all_well(dataset: &Dataset) -> bool {
    let failed = |s: &Sample| s.metrics.is_empty() && matches!(s.validity, Validity::Invalid(_));
    dataset.targets.iter().all(|t| t.state == TargetState::Ok)
        && !dataset.samples.iter().any(failed)
}

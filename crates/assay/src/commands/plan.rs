//! `assay plan`: what a run would do, without doing it.

use super::{
    allocation,
    forecast::{self, Experience},
};
use crate::{cli::PlanArgs, disks, exit::Exit, selection, terminal, whereabouts};
use anyhow::Result;
use campaign::{
    condition,
    hosts::Hosts,
    images, pace,
    places::Place,
    prepare::{self, Prepared},
    ready::{Ready, Site},
    rehearsal::Wrong,
    room::Remedy,
    schedule,
    sizes::Range,
    sizing::{self, Load, Pilot},
    stretch::Ground,
    sweeps,
};
use lab::Backing;
use model::{Bytes, Plan};
use std::{fmt::Write, path::Path, sync::atomic::AtomicBool};

/// Prints cases, commands, bytes, time and the precision to expect.
pub fn plan(args: &PlanArgs, store: &Path, state: &Path, hosts: &dyn Hosts) -> Result<Exit> {
    let prepared = allocation::prepared(args, (store, state), hosts)?;
    let site = Site {
        state,
        stop: &AtomicBool::new(false),
        unconfined: args.programs.unconfined,
        remedy: Remedy::Choose,
        wrong: Wrong::Refuse,
        notes: &terminal::note,
    };
    let look =
        |prepared: &mut Prepared| disks::look(prepared, &args.backing.consent, state).map(drop);
    let mut prepared = Ready::foreseen(prepared, &site, look)?;
    let work = images::work_dir(&prepared, state);
    let pilot = sizing::pilot(&work)?;
    if prepared.needs_sizes() {
        let (free, memory) = (sizing::room(&prepared, &work)?, prepare::memory()?);
        let sizes = Range::expected(&prepared, &Ground { pilot, free, memory });
        prepared = prepared.with_sizes(sizes);
    }
    let scale = prepared.fixed_scale().unwrap_or_else(|| prepared.plan.preset.large_scale());
    let load = Load::of(&prepared, scale, prepare::memory()?);
    let mut heads = allocation::lines(&prepared, hosts)?;
    heads.extend(whereabouts::lines(&prepared, state));
    heads.extend(sweeps::lines(&prepared.plan));
    let mut text: String = heads.iter().map(|line| format!("{line}\n")).collect();
    text.extend(prepared.left_out().map(|line| format!("left out: {line}\n")));
    text.extend(selection::left_out(&prepared)?.map(|(_, tests)| format!("left out: {tests}\n")));
    text += &cases(&prepared, scale)?;
    text += &commands(&prepared)?;
    let experience = forecast::experience(&prepared, scale, store).unwrap_or_else(|error| {
        terminal::note(&format!("no earlier campaign to learn from: {error:#}"));
        None
    });
    text += &cost(&prepared, &load, &pilot, experience.as_ref())?;
    text += &room(&prepared, &load, &pilot, &work)?;
    text += &disks::lines(&prepared, &load, &args.backing.consent, state)?;
    text += &forecast::text(&prepared, &looks(&prepared.plan), store)?;
    terminal::out(&text)?;
    Ok(Exit::Done)
}

fn cases(prepared: &Prepared, scale: f64) -> Result<String> {
    let plan = &prepared.plan;
    let mut text = String::new();
    let suites = plan.suites.join(", ");
    writeln!(text, "suite {suites} · {} · {}", prepared.extent(scale), prepared.processes())?;
    if let Some(twin) = plan.twin() {
        writeln!(text, "A/A pair: {} is {} again, to check the method", twin.label, twin.of)?;
    }
    for (label, price) in &plan.prices {
        writeln!(text, "price: {label} costs {} a month ({price})", price.month())?;
    }
    for block in 0..looks(plan)[0] {
        let seed = plan.seed.unwrap_or_default();
        let order = schedule::block_order(prepared, seed, block);
        let order: Vec<String> = order.iter().map(|&t| placed(prepared, seed, block, t)).collect();
        let note = match (plan.seed, prepared.parts()) {
            (Some(_), _) => "",
            (None, None) => " (order is drawn anew with each run's seed)",
            (None, Some(_)) => " (order and parts are drawn anew with each run's seed)",
        };
        writeln!(text, "block {}: {}{note}", block + 1, order.join(", "))?;
    }
    writeln!(text, "\ntests, each for every target and process count")?;
    for info in prepared.infos() {
        writeln!(text, "  {:<42} {}", info.id, info.name)?;
    }
    Ok(text)
}

/// The label of a target, and its part of split disks.
fn placed(prepared: &Prepared, seed: u64, block: u32, target: usize) -> String {
    let label = &prepared.labels[target];
    match prepared.parts().filter(|_| prepared.entrants[target].disks() > 0) {
        Some(_) => format!("{label} in part {}", prepared.part(seed, block, target) + 1),
        None => label.clone(),
    }
}

fn commands(prepared: &Prepared) -> Result<String> {
    let mut text = String::new();
    let places = prepared.labels.iter().zip(&prepared.places);
    for ((label, place), target) in places.zip(&prepared.targets) {
        let mut disks = prepared.plan.backing.devices.clone();
        if prepared.parts().is_some() {
            disks.iter_mut().for_each(|disk| disk.as_mut_os_string().push("-partN"));
        }
        match place {
            Place::Host => writeln!(
                text,
                "
{label}"
            )?,
            Place::Guest(guest) => {
                disks = (0..target.disks()).map(|number| guest.disk(number)).collect();
                writeln!(
                    text,
                    "
{label}, in {} if it can make it",
                    guest.venue()
                )?;
            }
            Place::Nowhere(_) => continue,
        }
        let backing = match &disks[..] {
            [] => Backing::Image(Path::new("IMAGE")),
            disks => Backing::Disks(disks),
        };
        let on = (backing, prepared.plan.backing.object_store.as_ref());
        for command in lab::plan(target, on, Path::new("MOUNT")) {
            writeln!(text, "  {command}")?;
        }
    }
    Ok(text)
}

/// Numbers of blocks after which the campaign may end.
fn looks(plan: &Plan) -> Vec<u32> {
    match plan.looks() {
        [] => vec![plan.block_count()],
        looks => looks.to_vec(),
    }
}

fn cost(
    prepared: &Prepared,
    load: &Load,
    pilot: &Pilot,
    experience: Option<&Experience>,
) -> Result<String> {
    let plan = &prepared.plan;
    let by_rates = || load.seconds(pilot) * prepared.available().count() as f64;
    let block_s = experience.map_or_else(by_rates, |known| known.block_s);
    let mut text = String::from("\n");
    for blocks in looks(plan) {
        let turns = prepared.available().count() as u64 * u64::from(blocks);
        writeln!(
            text,
            "{blocks} {}: {} cases · {} · {} read · about {}",
            if blocks == 1 { "block" } else { "blocks" },
            load.cases * turns,
            written(load, pilot, turns),
            Bytes(load.read_bytes * turns),
            pace::time(block_s * f64::from(blocks)),
        )?;
    }
    text += &whence(prepared, experience);
    if let Some(budget_s) = plan.budget() {
        let holds = (budget_s as f64 / block_s).floor().clamp(1.0, f64::from(plan.block_count()));
        writeln!(
            text,
            "the budget of {} holds about {holds:.0} of them, of about {} each",
            pace::time(budget_s as f64),
            pace::time(block_s)
        )?;
    }
    Ok(text)
}

/// Where the time of a block is from, when that is not the rates of the backing alone.
fn whence(prepared: &Prepared, experience: Option<&Experience>) -> String {
    if let Some(known) = experience {
        return format!("the time is what campaign {} took for the same\n", known.campaign);
    }
    let placed = prepared.labels.iter().zip(&prepared.places);
    let guests: Vec<&str> =
        placed.filter(|(_, place)| place.is_of(true)).map(|(label, _)| label.as_str()).collect();
    match guests.as_slice() {
        [] => String::new(),
        guests => format!(
            "the time is by the rates of this machine; in a guest it is longer, which the first \
             campaign will tell: {}\n",
            guests.join(", ")
        ),
    }
}

/// The room that images take.
fn room(prepared: &Prepared, load: &Load, pilot: &Pilot, work: &Path) -> Result<String> {
    let plan = &prepared.plan;
    let mut text = String::new();
    let free = sizing::room(prepared, work)?;
    let of = if prepared.parts().is_some() { "each part of " } else { "" };
    writeln!(text, "{free} free in {of}{}", work.display())?;
    if prepared.needs_image() {
        let on_disk = !plan.backing.devices.is_empty();
        let image = match plan.backing.size {
            _ if on_disk => free,
            size => size.unwrap_or_else(|| load.image_bytes()),
        };
        match prepared.disks() {
            _ if on_disk => {}
            1 => writeln!(text, "loop image {image}")?,
            n => writeln!(text, "{n} loop images of {image}")?,
        }
        let turns = prepared.available().count() as u64 * u64::from(looks(plan)[0]);
        let instances = turns * prepared.counts.len() as u64;
        text += &condition::lines(plan, image, instances, pilot.write_bytes_per_s);
    }
    Ok(text)
}

/// What `turns` write. A test that runs for a given time writes what it can: at most the rate that
/// the backing was found to have.
fn written(load: &Load, pilot: &Pilot, turns: u64) -> String {
    let known = Bytes(load.write_bytes * turns);
    match load.open_write_bytes(pilot) * turns {
        0 => format!("{known} written"),
        open => {
            format!("{known} written, and up to about {} by tests of a given time", Bytes(open))
        }
    }
}

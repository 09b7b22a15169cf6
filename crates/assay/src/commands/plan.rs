//! `assay plan`: what a run would do, without doing it.

mod preparation;

use super::{
    allocation,
    forecast::{self, Experience},
    slips,
};
use crate::{
    begin, budget::Budget, cli::PlanArgs, disks, exit::Exit, images::Choice, selection, terminal,
    whereabouts,
};
use anyhow::Result;
use campaign::{
    machine::numa,
    messages::{self, with_causes},
    run::{condition, hosts::Hosts},
    scheduling::schedule,
    sizes::{free, load::TargetLoad, pilot::Pilot, range, space},
    stages::{Entrant, Ordered, Placed, images::work_dir, place::TargetPlace, sweeps},
};
use lab::plan::Backing;
use model::{
    plan::Plan,
    text::{Bytes, counted},
    workload::Asset,
};
use preparation::Preparation;
use std::{fmt::Write, path::Path, sync::atomic::AtomicBool};

/// Prints cases, commands, bytes, time and the precision to expect.
pub fn plan(args: &PlanArgs, store: &Path, state: &Path, hosts: &dyn Hosts) -> Result<Exit> {
    let resolved = allocation::resolved(args, (store, state), hosts, &AtomicBool::new(false))?;
    let same = slips::same(&resolved.plan);
    // A reader who sees the plan itself finds it there.
    same.iter().filter(|_| !terminal::shows_results()).for_each(|line| terminal::note(line));
    if args.like.is_none() {
        slips::note_alone(&resolved);
    }
    let (stop, unconfined) = (AtomicBool::new(false), args.programs.unconfined);
    let site = begin::site(state, &stop, unconfined);
    let look = |placed: &Placed| {
        let looked = disks::look(placed, &args.backing.consent, state)?;
        Ok(looked.map(|(_, purge)| purge))
    };
    let placed = Placed::foreseen(resolved, &site, look)?;
    let ordered = space::give_up_images(Ordered::new(placed, state)?, state)?;
    let work = work_dir(&ordered, state);
    let (load, pilot) = range::expected_load(&ordered, &work)?;
    let scale = ordered.amount().scale;
    let mut heads = allocation::lines(&ordered, hosts)?;
    heads.extend(whereabouts::lines(&ordered, state));
    heads.extend(sweeps::lines(&ordered.plan));
    heads.extend(numa::note(ordered.plan.numa)?.as_ref().map(::report::words::note));
    heads.extend(same);
    let mut text: String = heads.iter().map(|line| format!("{line}\n")).collect();
    text.extend(ordered.left_out().map(|line| format!("left out: {line}\n")));
    text.extend(selection::left_out(&ordered)?.map(|(_, tests)| format!("left out: {tests}\n")));
    text += &cases(&ordered, scale)?;
    text += &commands(&ordered)?;
    let experience = forecast::experience(&ordered, scale, store).unwrap_or_else(|error| {
        terminal::note(&format!(
            "cannot estimate from an earlier campaign: {}",
            with_causes(&error)
        ));
        None
    });
    let images = preparation::images(&ordered, &load, &pilot, state)?;
    text += &cost(&ordered, &load, &pilot, (images.as_ref(), experience.as_ref()))?;
    text += &room_lines(&ordered, images.as_ref(), &pilot, &work)?;
    text += &disks::lines(&ordered, &load, &args.backing.consent, state)?;
    text += &forecast::text(&ordered, &looks(&ordered.plan), store)?;
    terminal::prose(&text)?;
    Ok(Exit::Done)
}

fn cases(ordered: &Ordered, scale: f64) -> Result<String> {
    let plan = &ordered.plan;
    let mut text = String::new();
    let suites = plan.suites.join(", ");
    writeln!(text, "suite {suites} · {} · {}", ordered.extent(scale), ordered.processes())?;
    if let Some(twin) = plan.twin() {
        writeln!(text, "A/A check: {} is {} measured a second time", twin.label, twin.of)?;
    }
    for (label, price) in &plan.prices {
        writeln!(text, "price: {label} costs {} a month ({price})", price.month())?;
    }
    for block in 0..looks(plan)[0] {
        let seed = plan.seed.unwrap_or_default();
        let order = schedule::block_order(ordered, seed, block);
        let order: Vec<String> = order.iter().map(|&t| placed(ordered, seed, block, t)).collect();
        let note = match (plan.seed, ordered.parts()) {
            (Some(_), _) => "",
            (None, None) => " (each run draws its own order)",
            (None, Some(_)) => " (each run draws its own order and partitions)",
        };
        writeln!(text, "block {}: {}{note}", block + 1, order.join(", "))?;
    }
    for Asset { suite, name, bytes, sha256 } in &plan.assets {
        writeln!(text, "asset {name} of {suite}: {bytes}, SHA-256 {sha256}")?;
    }
    writeln!(text, "\ntests, each run for every target and process count")?;
    for info in ordered.infos() {
        writeln!(text, "  {:<42} {}", info.id, info.name)?;
    }
    Ok(text)
}

/// The label of a target, and its part of split disks.
fn placed(ordered: &Ordered, seed: u64, block: u32, target: usize) -> String {
    let Entrant { label, target: of, .. } = &ordered.entrants[target];
    match ordered.parts().filter(|_| of.disks() > 0) {
        Some(_) => format!("{label} on partition {}", ordered.part(seed, block, target) + 1),
        None => label.clone(),
    }
}

fn commands(ordered: &Ordered) -> Result<String> {
    let mut text = String::new();
    // The twin of an A/A pair, which comes last, is made like its baseline.
    for Entrant { label, target, place } in ordered.entrants.iter().take(ordered.targets.len()) {
        let mut disks = ordered.plan.backing.devices.clone();
        if ordered.parts().is_some() {
            disks.iter_mut().for_each(|disk| disk.as_mut_os_string().push("-partN"));
        }
        match place {
            TargetPlace::Host => writeln!(
                text,
                "
{label}"
            )?,
            TargetPlace::Guest(guest) => {
                disks = (0..target.disks()).map(|number| guest.disk(number)).collect();
                writeln!(
                    text,
                    "
{label}, in {} if supported there",
                    guest.venue()
                )?;
            }
            TargetPlace::Nowhere(_) => continue,
        }
        let backing = match &disks[..] {
            [] => Backing::Image(Path::new("IMAGE")),
            disks => Backing::Disks(disks),
        };
        let on = (backing, ordered.plan.backing.object_store.as_ref());
        for command in lab::plan::commands(target, on, Path::new("MOUNT")) {
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
    ordered: &Ordered,
    load: &TargetLoad,
    pilot: &Pilot,
    (images, experience): (Option<&Choice>, Option<&Experience>),
) -> Result<String> {
    let plan = &ordered.plan;
    let by_rates = || load.seconds(pilot) * ordered.available().count() as f64;
    let block_s = experience.map_or_else(by_rates, |known| known.block_s);
    let mut text = String::from("\n");
    for blocks in looks(plan) {
        let turns = ordered.available().count() as u64 * u64::from(blocks);
        writeln!(
            text,
            "{}: {} · {} · {} read · about {}",
            counted(blocks, "block", "blocks"),
            counted(load.cases * turns, "case", "cases"),
            written(load, pilot, turns),
            Bytes(load.read_bytes * turns),
            messages::duration(block_s * f64::from(blocks)),
        )?;
    }
    text += &whence(ordered, experience);
    let before = Preparation::of(ordered, (load.seconds(pilot), block_s), pilot, images);
    text += &before.line();
    if let Some(budget_s) = plan.budget() {
        let budget = Budget::foreseen(ordered, before.seconds());
        let holds = ((budget_s as f64 - before.seconds()) / block_s).floor();
        match budget.check(Some(block_s), plan.block_count()) {
            Ok(None) => writeln!(
                text,
                "the budget of {} allows about {:.0} blocks of {} each",
                messages::duration(budget_s as f64),
                holds.min(f64::from(plan.block_count())),
                messages::duration(block_s)
            )?,
            Ok(Some(short)) => writeln!(text, "{short}")?,
            Err(short) => writeln!(text, "{short}")?,
        }
    }
    Ok(text)
}

/// Where the time of a block is from, when that is not the rates of the backing alone.
fn whence(ordered: &Ordered, experience: Option<&Experience>) -> String {
    if let Some(known) = experience {
        return format!(
            "time estimated from campaign {}, which did the same \
                        work\n",
            known.campaign
        );
    }
    let in_guests = ordered.entrants.iter().filter(|entrant| entrant.place.is_of(true));
    let guests: Vec<&str> = in_guests.map(|entrant| entrant.label.as_str()).collect();
    match guests.as_slice() {
        [] => String::new(),
        guests => format!("times are for this host; guests are slower: {}\n", guests.join(", ")),
    }
}

/// The room that images take.
fn room_lines(
    ordered: &Ordered,
    images: Option<&Choice>,
    pilot: &Pilot,
    work: &Path,
) -> Result<String> {
    let plan = &ordered.plan;
    let mut text = String::new();
    let free = free::room(ordered, work)?;
    let room = match ordered.parts() {
        Some(_) => "in each part of",
        None => "for each target in",
    };
    writeln!(text, "{free} {room} {}", work.display())?;
    if ordered.needs_image() {
        if let Some(Choice { size, count, is_kept, why_small, .. }) = images {
            let kept = if *is_kept { ", kept for later campaigns" } else { "" };
            match count {
                1 => writeln!(text, "loop image {size}{kept}")?,
                n => writeln!(text, "{n} loop images of {size}{kept}")?,
            }
            why_small.iter().try_for_each(|why| writeln!(text, "{why}"))?;
        }
        let image = images.map_or(free, |images| images.size);
        let turns = ordered.available().count() as u64 * u64::from(looks(plan)[0]);
        let instances = turns * ordered.counts.len() as u64;
        text += &condition::lines(plan, image, instances, pilot.write_bytes_per_s);
    }
    Ok(text)
}

/// What `turns` write. A test that runs for a given time writes what it can: at most the rate that
/// the backing was found to have.
fn written(load: &TargetLoad, pilot: &Pilot, turns: u64) -> String {
    let known = Bytes(load.write_bytes * turns);
    match load.open_write_bytes(pilot) * turns {
        0 => format!("{known} written"),
        open => {
            format!("{known} written, and up to about {} by tests of fixed duration", Bytes(open))
        }
    }
}

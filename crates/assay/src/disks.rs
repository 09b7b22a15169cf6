//! Describes the disks of a campaign and asks for consent to wipe them: what they are, what it costs them, and their
//! state afterwards.

use crate::{cli::Consent, exit, terminal};
use anyhow::Result;
use campaign::{
    machine::memory,
    messages,
    pipeline::Site,
    sizes::load::TargetLoad,
    stages::{Amount, Ordered, Placed, Resolved},
};
use disk::{DiskInfo, DiskRequest};
use lab::{machine::Health, setup::Lab};
use model::{
    plan::{CONDITION_FILLS, Plan, Purge},
    result::{Environment, Note},
    text::Bytes,
};
use std::{fmt::Write, path::Path, sync::atomic::AtomicBool};
use store::Store;

/// What `placed` asks of its disks with this consent; each of them, or of their parts, must hold `needed`.
fn request(
    placed: &Placed,
    consent: &Consent,
    purge: Option<Purge>,
    (needed, state): (Bytes, &Path),
) -> DiskRequest {
    let backing = &placed.plan.backing;
    DiskRequest {
        links: backing.devices.clone(),
        serials: consent.destroy.clone(),
        wipe_signatures: consent.wipe_signature.clone(),
        needed,
        kept: vec![state.to_path_buf()],
        purge: if backing.condition { Some(Purge::None) } else { purge },
        parts: placed.parts(),
    }
}

/// Takes `resolved` through all checks, with the consent to wipe its disks, which is `given` or typed.
///
/// # Errors
/// As of [`Placed::new`] and [`Ordered::new`].
pub fn ordered(resolved: Resolved, site: &Site<'_>, given: &Consent) -> Result<(Ordered, Consent)> {
    let mut settled = given.clone();
    let placed = Placed::new(resolved, site, |placed| {
        let (consent, purge) = consent(placed, given, site.state)?;
        settled = consent;
        Ok(purge)
    })?;
    Ok((Ordered::new(placed, site.state)?, settled))
}

/// Looks at the disks of the plan before anything is done, has the user type the serial numbers that `given` lacks, and
/// settles how the disks are emptied. Does nothing without disks.
fn consent(placed: &Placed, given: &Consent, state: &Path) -> Result<(Consent, Option<Purge>)> {
    let mut consent = given.clone();
    let Some((disks, purge)) = look(placed, given, state)? else { return Ok((consent, None)) };
    for disk in &disks {
        terminal::note(&format!("{}: a run destroys all data on it", describe(disk)));
    }
    for disk in &disks {
        if !disk.serials.iter().any(|serial| consent.destroy.contains(serial)) {
            match typed(disk) {
                Some(serial) => consent.destroy.push(serial),
                None if consent.destroy.is_empty() => return Err(no_consent(&disk.link)),
                // A serial number was given, and is wrong; that is judged where all disks are.
                None => {}
            }
        }
    }
    lab::backing::judge_disks(&request(placed, &consent, Some(purge), (Bytes(0), state)))?;
    Ok((consent, Some(purge)))
}

/// Looks at the disks of the plan, if it has any, and settles how they are emptied. Does not ask for serial numbers.
///
/// # Errors
/// A run would not touch one of them, or has too few.
pub fn look(
    placed: &Placed,
    given: &Consent,
    state: &Path,
) -> Result<Option<(Vec<DiskInfo>, Purge)>> {
    if placed.plan.backing.devices.is_empty() {
        return unused(given).map(|()| None);
    }
    check_count(placed)?;
    let purge = placed.plan.backing.purge;
    Ok(Some(lab::backing::inspect(&request(placed, given, purge, (needed(placed)?, state)))?))
}

/// Fails if the consent that the disks of `plan` need cannot be given, without reading the disks.
pub fn check_consent(plan: &Plan, given: &Consent) -> Result<()> {
    match plan.backing.devices.first() {
        Some(link) if given.destroy.is_empty() && !terminal::can_ask() => Err(no_consent(link)),
        _ => Ok(()),
    }
}

/// A consent where no disk is used is a mistake.
fn unused(consent: &Consent) -> Result<()> {
    if consent.destroy.is_empty() && consent.wipe_signature.is_empty() {
        return Ok(());
    }
    Err(exit::usage(
        "`--destroy` and `--wipe-signature` need a disk; name it with `--device`, or omit them",
    ))
}

/// Every target must find as many disks as it is made on.
fn check_count(placed: &Placed) -> Result<()> {
    let (given, needed) = (placed.plan.backing.devices.len(), placed.disks_of(false));
    if given >= needed {
        return Ok(());
    }
    Err(exit::usage(format!(
        "a target needs {needed} disks, but --device names {given}; name more, or omit that target"
    )))
}

/// Room that the work takes, where its scale is fixed; an automatic scale follows the disk.
fn needed(placed: &Placed) -> Result<Bytes> {
    let load = |scale| {
        Ok(TargetLoad::of(placed, &Amount { scale, ..placed.amount() }, memory::total()?)
            .image_bytes())
    };
    placed.fixed_scale().map_or(Ok(Bytes(0)), load)
}

fn typed(disk: &DiskInfo) -> Option<String> {
    let link = disk.link.display();
    terminal::ask(&format!("Type the serial number of {link} to destroy all data on it:  "))
}

fn no_consent(link: &Path) -> anyhow::Error {
    exit::usage(format!(
        "all data on {} would be destroyed; confirm with --destroy SERIAL (`lsblk -o NAME,SERIAL` \
         shows it; for a loop device it is the path of its file)",
        link.display()
    ))
}

/// `/dev/disk/by-id/ata-X (sdb, MODEL, 1.8 TiB, serial number S)`.
pub fn describe(disk: &DiskInfo) -> String {
    let node = disk.node.file_name().unwrap_or_default().to_string_lossy();
    let model = disk.model.as_ref().map(|model| format!("{model}, ")).unwrap_or_default();
    let serial = disk.serials.first().map_or("none", String::as_str);
    format!("{} ({node}, {model}{}, serial number {serial})", disk.link.display(), disk.size)
}

/// What the campaign does to its disks, which `load` is the work of one target in one block on; empty
/// without disks.
pub fn lines(
    placed: &Placed,
    load: &TargetLoad,
    consent: &Consent,
    state: &Path,
) -> Result<String> {
    let plan = &placed.plan;
    if plan.backing.devices.is_empty() {
        return Ok(String::new());
    }
    let mut text = String::new();
    let (disks, purge) = lab::backing::inspect(&request(
        placed,
        consent,
        plan.backing.purge,
        (load.image_bytes(), state),
    ))?;
    let turns = placed.available().count() as u64 * u64::from(plan.block_count());
    let instances = turns * placed.counts.len() as u64;
    for disk in &disks {
        let zeroed = if purge == Purge::ZeroRange { emptied(placed, disk, instances) } else { 0 };
        let filled = if plan.backing.condition { CONDITION_FILLS * disk.size.0 } else { 0 };
        let bytes = Bytes(load.write_bytes * turns + zeroed + filled);
        let open_s = load.open_write_s * turns as f64;
        let open = match open_s > 0.0 {
            true => format!(
                ", plus what tests with a time limit write in {}",
                messages::duration(open_s)
            ),
            false => String::new(),
        };
        writeln!(text, "{}", describe(disk))?;
        if let Some(parts) = placed.parts() {
            let size = disk::part_size(disk.size, parts);
            writeln!(text, "  split into {parts} equal partitions of {size}, one per target")?;
        }
        writeln!(text, "  {bytes} will be written to it{open}; {}", endurance(&disk.node))?;
    }
    writeln!(text, "  purge before each file system: {purge}")?;
    text += &imbalance(placed).unwrap_or_default();
    Ok(text)
}

/// Says so where a fixed number of blocks does not give every target each part of split disks equally often.
fn imbalance(placed: &Placed) -> Option<String> {
    let (parts, blocks) = (placed.parts()?, placed.plan.block_count());
    let is_uneven = placed.plan.looks().is_empty() && !blocks.is_multiple_of(parts);
    let even = blocks.next_multiple_of(parts);
    is_uneven.then(|| {
        format!(
            "  targets do not use all partitions equally often; --blocks {even} would balance \
                 them\n"
        )
    })
}

/// Bytes of `disk` that are emptied for `instances`: all of it for each, or all of it once and then a part
/// for each.
fn emptied(placed: &Placed, disk: &DiskInfo, instances: u64) -> u64 {
    match placed.parts() {
        None => instances * disk.size.0,
        Some(parts) => disk.size.0 + instances * disk::part_size(disk.size, parts).0,
    }
}

/// The wear of a disk as far as it tells it.
fn endurance(disk: &Path) -> String {
    const RATING: &str = "see its data sheet for the rated endurance";
    let Some(health) = lab::machine::health(disk) else {
        return format!("cannot read its wear; {RATING}");
    };
    let used = health.used_pct.map(|used| format!("{used} % of its rated endurance is used"));
    let written = health.written.map(|bytes| format!("{bytes} have been written to it so far"));
    let mut parts: Vec<String> = used.into_iter().chain(written).collect();
    parts.push(RATING.into());
    parts.join(", ")
}

/// Claims the disks of the campaign, and conditions them where that is asked for.
pub fn claim(
    placed: &Placed,
    load: &TargetLoad,
    lab: &mut Lab,
    (consent, state): (&Consent, &Path),
    stop: &AtomicBool,
) -> Result<()> {
    check_count(placed)?;
    let purge = placed.plan.backing.purge;
    lab.claim(&request(placed, consent, purge, (load.image_bytes(), state)))?;
    if placed.plan.backing.condition {
        terminal::note("preconditioning: overwriting the disks twice");
        lab.precondition(stop, &mut |_| {})?;
    }
    Ok(())
}

/// What the disks are and how they are before the campaign, for its environment. Serial numbers stay
/// out of it.
pub fn facts(plan: &Plan) -> Environment {
    let mut facts = Environment::default();
    let mut put = |key: String, value: String| facts.0.insert(key, value);
    for (number, link) in (1..).zip(&plan.backing.devices) {
        for (name, value) in lab::machine::health(link).iter().flat_map(figures) {
            put(format!("device.{number}.{name}.before"), value.to_string());
        }
    }
    if let Some(purge) = plan.backing.purge {
        put("device.purge".into(), purge.to_string());
        put("device.conditioned".into(), if plan.backing.condition { "yes" } else { "no" }.into());
    }
    facts
}

fn figures(health: &Health) -> Vec<(&'static str, i64)> {
    let all = [
        ("temperature_c", health.temperature_c),
        ("media_errors", health.media_errors.map(signed)),
        ("used_pct", health.used_pct.map(signed)),
        ("written_bytes", health.written.map(|bytes| signed(bytes.0))),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Notes how the disks came out of the campaign.
pub fn note_after(plan: &Plan, id: &str, store: &mut Store) -> Result<()> {
    for (number, link) in (1..).zip(&plan.backing.devices) {
        let Some(health) = lab::machine::health(link) else { continue };
        let note = Note::DiskAfter {
            disk: number,
            temperature_c: health.temperature_c,
            media_errors: health.media_errors.map(signed),
            used_pct: health.used_pct.map(signed),
            written_bytes: health.written.map(|bytes| signed(bytes.0)),
        };
        store.add_note(id, &note)?;
    }
    Ok(())
}

/// The note of a report on what was measured.
pub fn note(placed: &Placed) -> Note {
    let backing = &placed.plan.backing;
    Note::OnDisks {
        partitions: placed.parts(),
        is_overwritten: backing.condition,
        purge: backing.purge.unwrap_or(Purge::None),
    }
}

//! Starts a new campaign: decides where it runs, its id, seed and scale, and stores it with its environment and notes.

use crate::{disks, mark::Key, opened, selection, terminal, whereabouts};
use anyhow::{Context, Result};
use campaign::{
    machine::{memory, numa},
    pipeline::{Site, programs, rehearsal::Wrong},
    sizes::space::Remedy,
    stages::{Amount, Ordered, Stored, images::work_dir, shared_device::SharedDevice},
    tools,
};
use model::{
    random::Rng,
    result::{Campaign, CampaignState, NamedTarget, Note, Origin},
    target::Target,
    workload::Job,
};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::atomic::AtomicBool,
    time::{SystemTime, UNIX_EPOCH},
};
use store::Store;

/// Where a new campaign runs: wrong options and too little room refuse it.
pub fn site<'a>(state: &'a Path, stop: &'a AtomicBool, unconfined: bool) -> Site<'a> {
    let (remedy, wrong) = (Remedy::Choose, Wrong::Refuse);
    Site { state, stop, unconfined, remedy, wrong, notes: &terminal::note }
}

/// A new campaign of `ordered`: its id, seed, scale and environment; not yet stored.
pub fn campaign(ordered: &Ordered, state: &Path) -> Result<Campaign> {
    let now = SystemTime::now();
    let since_epoch = now.duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    let created = humantime::format_rfc3339_seconds(now).to_string();
    let seed = ordered
        .plan
        .seed
        .unwrap_or_else(|| Rng::new(since_epoch.as_nanos() as u64).next_u64() >> 32);
    let work = work_dir(ordered, state);
    opened::state(state)?;
    let tag =
        Rng::new(since_epoch.as_nanos() as u64 ^ u64::from(std::process::id())).below(36 * 36 * 36);
    let id = format!("{}-{}", created[..16].replace(['T', ':'], "-"), base36(tag));
    let amount = ordered.amount();
    let mut environment = lab::machine::collect_environment(&work, &ordered.targets);
    environment.0.extend(tool_facts(ordered, &amount, seed)?);
    environment.0.extend(disks::facts(&ordered.plan).0);
    environment.0.extend(selection::left_out(ordered)?);
    environment.0.extend(selection::about(&ordered.plan)?);
    Ok(Campaign {
        id,
        title: ordered.plan.title(),
        origin: Origin::Run,
        state: CampaignState::Open,
        assay_version: env!("CARGO_PKG_VERSION").into(),
        plan: ordered.plan.clone(),
        scale: amount.scale,
        seed,
        environment,
        notes: notes(ordered)?,
        created,
    })
}

/// Version and commands of the tools that the plan runs.
fn tool_facts(ordered: &Ordered, amount: &Amount, seed: u64) -> Result<BTreeMap<String, String>> {
    let plan = &ordered.plan;
    let mut facts = BTreeMap::new();
    let Some(item) = ordered.items.first() else { return Ok(facts) };
    let job = Job { seed, ..ordered.job(item, 1, amount, memory::total()?) };
    for name in &plan.suites {
        let text = tools::file_of(name).and_then(|file| plan.files.get(file));
        let text = text.map(String::as_str);
        facts.extend(tools::facts(name, text, &plan.knobs, &job, &ordered.counts));
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

fn notes(ordered: &Ordered) -> Result<Vec<Note>> {
    let mut notes = Vec::new();
    if !ordered.plan.names.is_empty() {
        let names = ordered.plan.names.iter();
        let name = |(name, target): (&String, &Target)| NamedTarget {
            name: name.clone(),
            target: target.to_string(),
        };
        notes.push(Note::Named { names: names.map(name).collect() });
    }
    if !ordered.plan.backing.devices.is_empty() {
        notes.push(disks::note(ordered));
    } else if ordered.needs_image() {
        notes.push(Note::OnImages { is_side_by_side: ordered.is_interleaved() });
    }
    let store = ordered.plan.backing.object_store.clone();
    notes.extend(store.map(|store| Note::OnObjects { store }));
    notes.extend(whereabouts::unequal(ordered));
    notes.extend(ordered.shared_device.as_ref().map(SharedDevice::note));
    notes.extend(programs::note(ordered));
    notes.extend(numa::note(ordered.plan.numa)?);
    if ordered.plan.data != model::workload::DataKind::Random {
        notes.push(Note::Data { kind: ordered.plan.data.clone() });
    }
    Ok(notes)
}

/// Stores the new `campaign` of `ordered` with the mark by which it may be resumed.
pub fn stored(
    ordered: Ordered,
    campaign: Campaign,
    store: &mut Store,
    key: &Key,
) -> Result<Stored> {
    let mark = key.mark(&campaign, &ordered.records(), &ordered.infos())?;
    Stored::new(ordered, campaign, &mark, store)
}

//! A new campaign: its id, seed, scale, environment and notes, and its place in the store.

use crate::{disks, mark::Key, opened, selection, whereabouts};
use anyhow::{Context, Result};
use campaign::{
    images::work_dir,
    prepare::{self},
    programs,
    ready::Ready,
    shared_device::SharedDevice,
    tools,
};
use model::{Campaign, CampaignState, Job, Origin, Rng};
use std::{
    collections::BTreeMap,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};
use store::Store;

/// A new campaign of `prepared`: its id, seed, scale and environment; not yet stored.
pub fn campaign(prepared: &Ready, state: &Path) -> Result<Campaign> {
    let now = SystemTime::now();
    let since_epoch = now.duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    let created = humantime::format_rfc3339_seconds(now).to_string();
    let seed = prepared
        .plan
        .seed
        .unwrap_or_else(|| Rng::new(since_epoch.as_nanos() as u64).next_u64() >> 32);
    let work = work_dir(prepared, state);
    opened::state(state)?;
    let tag =
        Rng::new(since_epoch.as_nanos() as u64 ^ u64::from(std::process::id())).below(36 * 36 * 36);
    let id = format!("{}-{}", created[..16].replace(['T', ':'], "-"), base36(tag));
    let scale = prepared.fixed_scale().unwrap_or_else(|| prepared.plan.preset.large_scale());
    let mut environment = lab::collect_environment(&work, &prepared.targets);
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
fn tool_facts(prepared: &Ready, scale: f64, seed: u64) -> Result<BTreeMap<String, String>> {
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

fn notes(prepared: &Ready) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(prepared.plan.named());
    if !prepared.plan.backing.devices.is_empty() {
        notes.push(disks::note(prepared));
    } else if prepared.needs_image() {
        let how = match prepared.is_interleaved() {
            true => {
                "side by side, one measured at a time, on images that rotate among them from block to block"
            }
            false => "in turn on the same images",
        };
        notes.push(format!(
            "Loop-backed, {how}: compares candidates on this machine, not with a device."
        ));
    }
    notes.extend(prepared.plan.backing.object_store.as_ref().map(|store| {
        format!(
            "Objects lie in {store}, region {}, each target's below a prefix of its own that was removed with it.",
            store.region
        )
    }));
    notes.extend(whereabouts::unequal(prepared));
    notes.extend(prepared.shared_device.as_ref().map(SharedDevice::note));
    notes.extend(programs::note(prepared));
    if prepared.plan.data != model::DataKind::Random {
        notes.push(format!(
            "Data: {} (a declared variant; the default is random).",
            prepared.plan.data
        ));
    }
    notes
}

/// Stores a new campaign with the mark by which it may be gone on with.
pub fn store(prepared: &Ready, campaign: &Campaign, store: &mut Store, key: &Key) -> Result<()> {
    let (targets, tests) = (prepared.records(), prepared.infos());
    store.create_campaign(campaign, &targets, &tests)?;
    Ok(store.set_mark(&campaign.id, &key.mark(campaign, &targets, &tests)?)?)
}

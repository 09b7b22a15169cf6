//! A small campaign whose result is known: planned, set up, measured and stored like any other, but in a temporary
//! store.

use super::Bench;
use crate::{
    begin,
    cli::Consent,
    disks,
    drive::{self, Means},
    exit,
    mark::Key,
    opened,
    terminal::{self, Shown},
};
use anyhow::{Result, bail};
use campaign::{
    pipeline::Site,
    run::hosts::ThisHost,
    sizes::space::Remedy,
    stages::{Asked, Ordered, Resolved},
};
use model::{
    plan::{BackingPlan, LabChoice, Plan, Preset, Scale},
    result::{
        Campaign, CampaignState, Dataset, Environment, Origin, Sample, TargetState, Validity,
    },
    text::Bytes,
};
use std::{collections::BTreeMap, path::Path, sync::atomic::Ordering};
use store::Store;

/// The declared tests.
const SUITE: &str = include_str!("suite.toml");
const FILE: &str = "selftest.toml";
/// Holds the files of any test twice.
const IMAGE: Bytes = Bytes(256 << 20);
const SEED: u64 = 1;

/// A plan that runs `test` of the self test on `target` for `runtime_s`, in one block.
pub fn plan(target: &str, test: &str, runtime_s: f64) -> Result<Plan> {
    Ok(Plan {
        targets: vec![target.parse()?],
        suites: vec![FILE.into()],
        files: BTreeMap::from([(FILE.into(), SUITE.into())]),
        tests: vec![test.into()],
        procs: vec![1],
        // Other work during a case is a part of it here: each is measured once.
        preset: Preset::Smoke,
        blocks: Some(1),
        scale: Scale::Factor(1.0),
        seed: Some(SEED),
        backing: BackingPlan { size: Some(IMAGE), ..BackingPlan::default() },
        knobs: BTreeMap::from([("runtime_s".into(), runtime_s.to_string())]),
        lab: LabChoice::Host,
        ..Plan::default()
    })
}

/// Runs `plan` as the campaign `id`.
pub fn run(id: &str, plan: Plan, bench: &Bench<'_>) -> Result<Dataset> {
    let resolved = Resolved::new(Asked::by_user(plan), &terminal::note)?;
    let no_disk = Consent::default();
    let site = begin::site(bench.state, bench.stop, false);
    let site = Site { remedy: Remedy::MakeRoom, ..site };
    let (ordered, no_disk) = disks::ordered(resolved, &site, &no_disk)?;
    let mut store = Store::open(Path::new(":memory:"))?;
    let key = Key::of(&opened::state(bench.state)?)?;
    let campaign = campaign(id, &ordered);
    let stored = begin::stored(ordered, campaign, &mut store, &key)?;
    let means = Means {
        consent: &no_disk,
        state: bench.state,
        key: &key,
        hosts: &ThisHost,
        progress: Shown::default(),
    };
    let ended = drive::drive(stored, &mut store, means, bench.stop);
    unless_stopped(bench)?;
    ended?;
    let dataset = store.dataset(id)?;
    for target in &dataset.targets {
        if let TargetState::Failed(why) = &target.state {
            bail!("{}: {why}", target.label);
        }
    }
    Ok(dataset)
}

/// Fails when a signal asked to stop.
pub fn unless_stopped(bench: &Bench<'_>) -> Result<()> {
    match bench.stop.load(Ordering::Relaxed) {
        true => Err(exit::stopped("stopped; everything was cleaned up")),
        false => Ok(()),
    }
}

/// The only sample of `dataset`.
pub fn only_sample(dataset: &Dataset) -> Result<&Sample> {
    match dataset.samples.as_slice() {
        [sample] => match &*sample.evidence.validity {
            Validity::Valid => Ok(sample),
            other => bail!("the sample is {}", ::report::words::validity(other)),
        },
        samples => bail!("{} samples instead of one", samples.len()),
    }
}

/// The metric `name` of `sample`.
pub fn metric(sample: &Sample, name: &str) -> Result<f64> {
    match sample.metric(name) {
        Some(value) => Ok(value),
        None => bail!("the sample has no {name}"),
    }
}

fn campaign(id: &str, ordered: &Ordered) -> Campaign {
    Campaign {
        id: id.into(),
        created: String::new(),
        title: "self test".into(),
        origin: Origin::Run,
        state: CampaignState::Open,
        assay_version: env!("CARGO_PKG_VERSION").into(),
        plan: ordered.plan.clone(),
        scale: 1.0,
        seed: SEED,
        environment: Environment::default(),
        notes: Vec::new(),
    }
}

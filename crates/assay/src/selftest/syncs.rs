//! A sync that reaches the disk, and one that does not: durability must be proven in every sample of the first, and in
//! no sample of the second.

use super::{Bench, Check, CheckOutcome, trial};
use anyhow::{Context, Result};
use lab::{fuse::Lying, machine::Availability, setup::Lab};
use model::{figure::Durability, result::Dataset};

const TEST: &str = "selftest.synced_write";
/// It ends sooner, when its file is written.
const RUNTIME_S: f64 = 5.0;

/// The target that is asked to sync.
pub enum Syncs {
    /// A file system on a loop device.
    Honest,
    /// A FUSE file system over a directory, which answers at once and does nothing.
    Lying,
}

pub static HONEST: Syncs = Syncs::Honest;
pub static LYING: Syncs = Syncs::Lying;

impl Check for Syncs {
    fn name(&self) -> String {
        match self {
            Syncs::Honest => "sync.ext4".into(),
            Syncs::Lying => "sync.lying".into(),
        }
    }

    fn about(&self) -> String {
        match self {
            Syncs::Honest => "ext4 on a loop device, where syncs work".into(),
            Syncs::Lying => "a file system over a directory, where syncs do nothing".into(),
        }
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(match (self, lab::machine::available(fs::find("ext4")?)) {
            (Syncs::Lying, _) => Lying::missing(),
            (Syncs::Honest, Availability::Ready) => None,
            (Syncs::Honest, Availability::Missing { what, .. }) => Some(what),
        })
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        match self {
            Syncs::Honest => Ok(proofs(&measured("ext4", "selftest-sync", bench)?, true)),
            Syncs::Lying => lying(bench),
        }
    }
}

fn lying(bench: &Bench<'_>) -> Result<CheckOutcome> {
    let lab = Lab::open(bench.state, "selftest-sync.lying")?;
    let below = lab.provision(&"null".parse()?, "below")?;
    let lying = Lying::mount(&lab, below.root())?;
    let dir = lying.root().to_str().context("the name of the state folder is not valid UTF-8")?;
    let outcome = proofs(&measured(&format!("dir:{dir}"), "selftest-lying", bench)?, false);
    let lies = lying.unmount()?;
    below.teardown()?;
    lab.close()?;
    anyhow::ensure!(lies > 0, "the file system received no sync");
    Ok(outcome)
}

fn measured(target: &str, id: &str, bench: &Bench<'_>) -> Result<Dataset> {
    trial::run(id, trial::plan(target, TEST, RUNTIME_S)?, bench)
}

/// How many of the samples of `dataset` are proven to be durable.
fn proofs(dataset: &Dataset, all: bool) -> CheckOutcome {
    let proofs = || dataset.samples.iter().filter_map(|sample| sample.evidence.durability.as_ref());
    let proven = proofs().filter(|proof| **proof == Durability::Proven).count();
    CheckOutcome::Proofs { samples: dataset.samples.len(), judged: proofs().count(), proven, all }
}

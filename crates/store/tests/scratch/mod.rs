//! A store in a folder of its own, and small datasets to put into it.
#![allow(clippy::unwrap_used, dead_code)]

use model::{
    figure::{Histogram, LatencyKind},
    result::{Campaign, CampaignState, Dataset, Note, Origin, Validity},
    strategies::dataset,
};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};
use std::{fs, path::PathBuf};
use store::Store;

pub(crate) struct Scratch {
    pub(crate) dir: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("assay.db")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.path()).unwrap()
    }

    /// The names in the folder of the store.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// `data` as it is after its import: of another, and with nothing left to run.
pub(crate) fn imported(mut data: Dataset) -> Dataset {
    let campaign = &mut data.campaign;
    if campaign.state == CampaignState::Open {
        campaign.notes.push(Note::Unfinished {});
    }
    (campaign.origin, campaign.state) = (Origin::Import, CampaignState::Done);
    data
}

/// A dataset with one target, one test and one sample in block 0.
pub(crate) fn small() -> Dataset {
    let mut runner = TestRunner::deterministic();
    loop {
        let mut data = dataset().new_tree(&mut runner).unwrap().current();
        if let Some(sample) = data.samples.first_mut() {
            sample.block = 0;
            *sample.evidence.validity = Validity::Valid;
            data.samples.truncate(1);
            return imported(data);
        }
    }
}

pub(crate) fn named(id: &str) -> Campaign {
    Campaign { id: id.into(), ..small().campaign }
}

/// Latencies of one operation.
pub(crate) fn latencies(op: &str, latency: LatencyKind) -> Histogram {
    let bins = (0..400u64).map(|i| (i * i * 37 + 900, 1 + i * 31 % 977)).collect();
    Histogram { bins, ..Histogram::new(op, latency) }
}

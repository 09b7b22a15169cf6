//! What a store promises: what goes in comes out, an interrupted block does not count twice, and a
//! file that is not a store is left alone.
#![allow(clippy::unwrap_used)]

use model::{
    Campaign, CampaignState, Dataset, Fault, FaultKind, Histogram, LatencyKind, Metric, Sample,
    TargetState, Validity, strategies::dataset,
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use std::{fs, path::PathBuf, time::Instant};
use store::{Imported, Store, StoreError, Try, Unfinished};

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        Scratch { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("assay.db")
    }

    fn store(&self) -> Store {
        Store::open(&self.path()).unwrap()
    }
}

/// A dataset with one target, one test and one sample in block 0.
fn small() -> Dataset {
    let mut runner = TestRunner::deterministic();
    loop {
        let mut data = dataset().new_tree(&mut runner).unwrap().current();
        if let Some(sample) = data.samples.first_mut() {
            sample.block = 0;
            sample.validity = Validity::Valid;
            data.samples.truncate(1);
            return data;
        }
    }
}

fn named(id: &str) -> Campaign {
    Campaign { id: id.into(), ..small().campaign }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_dataset_survives_the_store(data in dataset()) {
        let scratch = Scratch::new();
        let mut store = scratch.store();
        let id = data.campaign.id.clone();
        prop_assert_eq!(store.import(&data).unwrap(), Imported::Stored(id.clone()));
        prop_assert_eq!(store.import(&data).unwrap(), Imported::AlreadyThere(id.clone()));
        prop_assert_eq!(store.dataset(&id).unwrap(), data);
    }
}

#[test]
fn a_different_dataset_of_the_same_id_is_kept_beside_the_first() {
    let scratch = Scratch::new();
    let (mut store, first) = (scratch.store(), small());
    let id = first.campaign.id.clone();
    let mut second = first.clone();
    second.samples[0].ops ^= 1;
    store.import(&first).unwrap();
    assert_eq!(store.import(&second).unwrap(), Imported::Stored(format!("{id}-2")));
    assert_eq!(store.import(&second).unwrap(), Imported::AlreadyThere(format!("{id}-2")));
    assert_eq!(store.dataset(&id).unwrap(), first);
    assert_eq!(store.dataset("last").unwrap().samples, second.samples);
}

fn latencies(op: &str, latency: LatencyKind) -> Histogram {
    let bins = (0..400u64).map(|i| (i * i * 37 + 900, 1 + i * 31 % 977)).collect();
    Histogram { bins, ..Histogram::new(op, latency) }
}

#[test]
fn histograms_come_back_with_every_bin() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    let mut other = data.samples[0].clone();
    data.samples[0].histograms = vec![
        latencies("read", LatencyKind::Service),
        latencies("read", LatencyKind::Response),
        Histogram { bins: vec![(u64::MAX, u64::MAX)], ..latencies("é", LatencyKind::Service) },
    ];
    other.histograms = vec![Histogram::new("none", LatencyKind::Service)];
    data.samples.push(other);
    store.import(&data).unwrap();
    assert_eq!(store.dataset("last").unwrap(), data);
}

#[test]
fn a_store_without_histograms_is_brought_up_and_takes_them() {
    let scratch = Scratch::new();
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    db.execute_batch(include_str!("../src/schema/1.sql")).unwrap();
    db.pragma_update(None, "application_id", 0x6173_7379).unwrap();
    db.pragma_update(None, "user_version", 1).unwrap();
    drop(db);
    assert!(matches!(Store::open_read_only(&scratch.path()), Err(StoreError::Older { .. })));
    let (mut store, mut data) = (scratch.store(), small());
    data.samples[0].histograms = vec![latencies("write", LatencyKind::Service)];
    store.import(&data).unwrap();
    assert_eq!(store.dataset("last").unwrap(), data);
    assert_eq!(Store::open_read_only(&scratch.path()).unwrap().dataset("last").unwrap(), data);
}

#[test]
fn a_damaged_histogram_is_named() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    data.samples[0].histograms = vec![latencies("write", LatencyKind::Service)];
    store.import(&data).unwrap();
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    db.execute_batch("UPDATE histogram SET bins = x'80'").unwrap();
    let error = store.dataset("last").unwrap_err().to_string();
    assert!(error.contains("unreadable histogram: its last number is cut off"), "{error}");
}

#[test]
fn a_block_that_was_run_again_counts_once() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    let id = &data.campaign.id;
    store.create_campaign(&data.campaign, &data.targets, &data.tests).unwrap();
    let order = [data.targets[0].label.clone()];
    assert_eq!(store.start_block(id, 0, &order).unwrap(), 1);
    store.append(id, (1, 1), &data.samples[0]).unwrap();
    store.finish_block(id, 0, 1, 10.0).unwrap();
    assert_eq!(store.finished_blocks(id).unwrap(), [0]);

    assert_eq!(store.start_block(id, 0, &order).unwrap(), 2);
    let again = Sample { seconds: 42.0, ..data.samples[0].clone() };
    store.append(id, (2, 1), &again).unwrap();
    assert_eq!(store.finished_blocks(id).unwrap(), [0; 0], "the last attempt is not complete");
    store.finish_block(id, 0, 2, 12.5).unwrap();
    assert_eq!(store.finished_blocks(id).unwrap(), [0]);
    assert_eq!(store.dataset(id).unwrap().samples, [again]);
    assert_eq!(store.block_seconds(id).unwrap(), [12.5]);
    let list = store.list().unwrap();
    assert_eq!((list[0].blocks, list[0].samples), (1, 1));
}

#[test]
fn states_of_campaign_and_target_change() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    store.import(&data).unwrap();
    let mut target = data.targets[0].clone();
    target.state = TargetState::Failed("mkfs: no such file".into());
    for state in [CampaignState::Open, CampaignState::Done] {
        store.set_campaign_state("last", state).unwrap();
        assert_eq!(store.dataset("last").unwrap().campaign.state, state);
    }
    store.add_note("last", "a \"quoted\" remark").unwrap();
    let notes = store.dataset("last").unwrap().campaign.notes;
    assert_eq!(notes[..notes.len() - 1], data.campaign.notes);
    assert_eq!(notes.last().map(String::as_str), Some("a \"quoted\" remark"));
    store.set_target("last", &target).unwrap();
    assert_eq!(store.dataset("last").unwrap().targets[0], target);
    target.label = "unheard of".into();
    assert!(matches!(store.set_target("last", &target), Err(StoreError::NotFound(_))));
}

#[test]
fn a_sample_of_an_unknown_target_or_block_is_refused_and_named() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    store.import(&data).unwrap();
    let mut sample = data.samples[0].clone();
    sample.case.target = "unheard-of".into();
    let error = store.append("last", (1, 1), &sample).unwrap_err().to_string();
    assert!(error.contains("unheard-of") && error.contains(&data.campaign.id), "{error}");
    assert!(store.append("last", (9, 1), &data.samples[0]).is_err());
    let not_a_number = Sample { seconds: f64::NAN, ..data.samples[0].clone() };
    assert!(store.append("last", (1, 1), &not_a_number).is_err());
    assert_eq!(store.dataset("last").unwrap(), data);
}

#[test]
fn ids_may_be_shortened_as_long_as_one_campaign_fits() {
    let scratch = Scratch::new();
    let mut store = scratch.store();
    for id in ["2026-a_1", "2026-ax1", "other"] {
        store.create_campaign(&named(id), &[], &[]).unwrap();
    }
    assert_eq!(store.resolve("2026-a_").unwrap(), "2026-a_1");
    assert_eq!(store.resolve("o").unwrap(), "other");
    assert_eq!(store.resolve("last").unwrap(), "other");
    let error = store.resolve("2026").unwrap_err();
    assert!(matches!(&error, StoreError::Ambiguous { ids, .. } if ids.contains("2026-ax1")));
    for missing in ["", "x", "%"] {
        assert!(matches!(store.resolve(missing), Err(StoreError::NotFound(_))), "{missing}");
    }
    for bad in ["", "last", "other"] {
        let created = store.create_campaign(&named(bad), &[], &[]);
        assert!(matches!(created, Err(StoreError::Id(_))), "{bad}");
    }
}

#[test]
fn other_files_are_refused_by_name_and_left_alone() {
    let scratch = Scratch::new();
    let path = scratch.path();
    let text = b"This is a letter to my boss, much longer than any magic number.".repeat(20);
    fs::write(&path, &text).unwrap();
    for open in [Store::open, Store::open_read_only] {
        let error = open(&path).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
        assert!(error.to_string().contains("assay.db"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), text);

    fs::remove_file(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE letters (id)").unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::NotAStore { .. })));
    let missing = Store::open_read_only(&scratch.dir.path().join("none"));
    assert!(matches!(missing, Err(StoreError::Open { .. })));
}

#[test]
fn a_store_of_a_later_version_asks_for_an_upgrade() {
    let scratch = Scratch::new();
    drop(scratch.store());
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    db.pragma_update(None, "user_version", 1000).unwrap();
    drop(db);
    for open in [Store::open, Store::open_read_only] {
        let error = open(&scratch.path()).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 1000, .. }), "{error}");
        assert!(error.to_string().contains("upgrade assay"));
    }
}

#[test]
fn a_reader_sees_what_a_writer_committed_and_cannot_write() {
    let scratch = Scratch::new();
    let (mut writer, data) = (scratch.store(), small());
    writer.import(&data).unwrap();
    let mut reader = Store::open_read_only(&scratch.path()).unwrap();
    assert_eq!(reader.dataset("last").unwrap(), data);
    assert!(reader.set_campaign_state("last", CampaignState::Done).is_err());
}

/// Prints how long the largest campaign takes; time decides nothing here.
#[test]
fn a_hundred_thousand_samples_come_back() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    let metric = |i| Metric::new(&format!("m{i}"), f64::from(i), "MB/s", model::Better::Higher);
    let count = if cfg!(debug_assertions) { 5_000 } else { 100_000 };
    let one = Sample { metrics: (0..6).map(metric).collect(), ..data.samples[0].clone() };
    let timed = Sample { histograms: vec![latencies("read", LatencyKind::Service)], ..one.clone() };
    // A tenth with latencies: a histogram of 400 bins is as long as the rest of a sample ten times.
    let kind = |i| if i % 10 == 0 { &timed } else { &one };
    data.samples = (0..count).map(|i| Sample { block: i / 1000, ..kind(i).clone() }).collect();
    let start = Instant::now();
    store.import(&data).unwrap();
    let stored = start.elapsed();
    let start = Instant::now();
    let back = store.dataset("last").unwrap();
    println!("{count} samples: import {stored:?}, dataset {:?}", start.elapsed());
    assert!(back == data);
}

#[test]
fn a_target_that_failed_in_a_block_is_tried_again_and_only_its_last_samples_count() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    let (id, sample) = (&data.campaign.id, &data.samples[0]);
    let label = sample.case.target.as_str();
    store.create_campaign(&data.campaign, &data.targets, &data.tests).unwrap();
    let fault = Fault { kind: FaultKind::Gone, reason: "the directory is gone".into() };
    let nth = |nth| Try { block: 0, attempt: 1, target: label, nth };

    store.start_block(id, 0, &[label.to_string()]).unwrap();
    store.append(id, (1, 1), sample).unwrap();
    store.finish_try(id, nth(1), Some(&fault), 1.0).unwrap();
    assert_eq!(
        store.unfinished(id).unwrap(),
        [],
        "a block that is cut off is run again as a whole"
    );
    store.finish_block(id, 0, 1, 2.0).unwrap();
    let failed =
        |tries, fault| Unfinished { block: 0, attempt: 1, target: label.into(), tries, fault };
    assert_eq!(store.unfinished(id).unwrap(), [failed(1, Some(fault.clone()))]);
    assert!(!store.has_worked(id, label).unwrap());

    // The second try is cut off before it measured anything, the third is not.
    store.start_try(id, nth(2)).unwrap();
    assert_eq!(store.unfinished(id).unwrap(), [failed(2, None)]);
    assert_eq!(store.dataset(id).unwrap().samples, std::slice::from_ref(sample));
    store.start_try(id, nth(3)).unwrap();
    let again = Sample { seconds: 42.0, position: 9, ..sample.clone() };
    store.append(id, (1, 3), &again).unwrap();
    store.finish_try(id, nth(3), None, 0.5).unwrap();
    assert_eq!(store.unfinished(id).unwrap(), []);
    assert_eq!(store.dataset(id).unwrap().samples, [again]);
    assert!(store.has_worked(id, label).unwrap());
    assert_eq!((store.list().unwrap()[0].blocks, store.list().unwrap()[0].samples), (1, 1));
    assert_eq!(store.seconds_used(id).unwrap(), 2.5);
    assert!(store.finish_try(id, nth(4), None, 0.0).is_err());
    assert!(store.start_try(id, Try { target: "unheard-of", ..nth(1) }).is_err());
}

#[test]
fn blocks_of_an_old_store_and_of_an_import_are_finished() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    store.import(&data).unwrap();
    assert_eq!(store.unfinished("last").unwrap(), []);
}

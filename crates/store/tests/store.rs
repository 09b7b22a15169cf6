//! Tests that stored data is read back unchanged, that an interrupted block does not count twice, and that files that
//! are not stores are not modified.
#![allow(clippy::unwrap_used)]

use crate::scratch;

use model::{
    figure::{Histogram, LatencyKind, Metric},
    result::{CampaignState, Head, Note, Sample, TargetState},
    strategies::dataset,
    workload::{GridCell, Shape},
};
use proptest::prelude::*;
use scratch::{Scratch, imported, latencies, named, small};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use store::{Imported, RecordingKey, Store, StoreError};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_dataset_survives_the_store(data in dataset()) {
        let scratch = Scratch::new();
        let mut store = scratch.store();
        let id = data.campaign.id.clone();
        prop_assert_eq!(store.import(&data).unwrap(), Imported::Stored(id.clone()));
        prop_assert_eq!(store.import(&data).unwrap(), Imported::AlreadyThere(id.clone()));
        prop_assert_eq!(store.dataset(&id).unwrap(), imported(data));
    }
}

#[test]
fn what_a_test_is_survives_the_store() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    let cell = GridCell { grid: "rndrd".into(), block_bytes: 4096, threads: 8 };
    for (only_writes, cell) in [(true, Some(cell)), (false, None)] {
        data.campaign.id.push('x');
        data.tests[0].shape = Some(Shape { only_writes, cell });
        store.import(&data).unwrap();
        assert_eq!(store.dataset(&data.campaign.id).unwrap().tests, data.tests);
    }
}

#[test]
fn what_is_removed_is_gone_and_the_others_stay() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    let first = data.clone();
    store.import(&first).unwrap();
    data.campaign.id.push('x');
    store.import(&data).unwrap();
    let key = RecordingKey { block: 1, target: "ext4".into(), test: "a.b".into() };
    assert!(store.keep_recording("last", &key, b"one").unwrap());
    assert!(store.keep_recording("last", &key, b"two").unwrap(), "in place of the other");
    assert_eq!(store.recordings("last").unwrap(), std::slice::from_ref(&key));
    assert_eq!(store.recording("last", &key).unwrap().as_deref(), Some(&b"two"[..]));
    assert_eq!(store.recording(&first.campaign.id, &key).unwrap(), None);
    assert_eq!(store.remove("last").unwrap(), data.campaign.id);
    assert!(matches!(store.remove(&data.campaign.id), Err(StoreError::NotFound(_))));
    assert_eq!(store.dataset("last").unwrap(), first);
    assert_eq!(store.remove("last").unwrap(), first.campaign.id);
    drop(store);
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    for table in
        ["recording", "sample", "metric", "histogram", "series", "turn", "block", "test", "target"]
    {
        let count = format!("SELECT count(*) FROM {table}");
        let left: i64 = db.query_row(&count, [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}

#[test]
fn campaigns_before_the_last_are_counted_from_it() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    let first = data.campaign.id.clone();
    store.import(&data).unwrap();
    data.campaign.id.push('x');
    store.import(&data).unwrap();
    let ids = ["last", "last~0", "last~1"].map(|id| store.resolve(id).unwrap());
    assert_eq!(ids, [data.campaign.id.clone(), data.campaign.id, first]);
    for none in ["last~2", "last~", "last~x", "lastly"] {
        assert!(matches!(store.resolve(none), Err(StoreError::NotFound(_))), "{none}");
    }
}

#[test]
fn different_dataset_of_the_same_id_is_kept_in_addition() {
    let scratch = Scratch::new();
    let (mut store, first) = (scratch.store(), small());
    let id = first.campaign.id.clone();
    let mut second = first.clone();
    second.samples[0].figures.ops ^= 1;
    store.import(&first).unwrap();
    assert_eq!(store.import(&second).unwrap(), Imported::Stored(format!("{id}-2")));
    assert_eq!(store.import(&second).unwrap(), Imported::AlreadyThere(format!("{id}-2")));
    assert_eq!(store.dataset(&id).unwrap(), first);
    assert_eq!(store.dataset("last").unwrap().samples, second.samples);
}

#[test]
fn a_campaign_that_breaks_off_on_its_way_in_leaves_nothing() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    let (head, samples) = data.clone().parted();
    let broken = store.import_from(|incoming| {
        incoming.add(samples[0].clone())?;
        Err::<_, StoreError>(StoreError::NotFound("the rest".into()))
    });
    assert!(matches!(broken, Err(StoreError::NotFound(_))));
    let without_target = Head { targets: Vec::new(), ..head.clone() };
    let unfit = store.import_from(|incoming| {
        incoming.add(samples[0].clone())?;
        Ok::<_, StoreError>(without_target)
    });
    assert!(matches!(unfit, Err(StoreError::Unfit(_))), "{unfit:?}");
    assert!(store.list().unwrap().is_empty());
    // And rows refer to those that are there again.
    store.create_campaign(&head.campaign, &[], &[]).unwrap();
    let refused = store.append(&head.campaign.id, (1, 1), &samples[0]);
    assert!(matches!(refused, Err(StoreError::Refused { .. })), "{refused:?}");
}

#[test]
fn histograms_come_back_with_every_bin() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    let mut other = data.samples[0].clone();
    *data.samples[0].figures.histograms = vec![
        latencies("read", LatencyKind::Service),
        latencies("read", LatencyKind::Response),
        Histogram { bins: vec![(u64::MAX, u64::MAX)], ..latencies("é", LatencyKind::Service) },
    ];
    *other.figures.histograms = vec![Histogram::new("none", LatencyKind::Service)];
    data.samples.push(other);
    store.import(&data).unwrap();
    assert_eq!(store.dataset("last").unwrap(), data);
}

#[test]
fn a_mark_is_kept_with_its_campaign() {
    let scratch = Scratch::new();
    let mut store = scratch.store();
    for id in ["a", "b"] {
        store.create_campaign(&named(id), &[], &[]).unwrap();
    }
    store.set_mark("a", "m").unwrap();
    assert_eq!(store.mark("a").unwrap().as_deref(), Some("m"));
    assert_eq!(store.mark("b").unwrap(), None);
    assert!(matches!(store.set_mark("c", "m"), Err(StoreError::NotFound(_))));
}

/// Holds the write lock of a store.
fn held(path: &Path) -> rusqlite::Connection {
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    db
}

#[test]
fn store_that_another_process_holds_is_reported_as_such() {
    let scratch = Scratch::new();
    let mut store = scratch.store();
    store.create_campaign(&named("a"), &[], &[]).unwrap();
    let holder = held(&scratch.path());
    let stop = Arc::new(AtomicBool::new(false));
    store.wait_for(Duration::ZERO, &stop).unwrap();
    let error = store.add_note("a", &remark("x")).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    let told = error.to_string();
    assert!(told.contains("another process") && !told.contains("space"), "{told}");
    drop(holder);
    store.add_note("a", &remark("x")).unwrap();
}

#[test]
fn a_campaign_waits_for_its_store_until_it_is_stopped() {
    let scratch = Scratch::new();
    let mut store = scratch.store();
    store.create_campaign(&named("a"), &[], &[]).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    store.wait_for(Duration::from_secs(600), &stop).unwrap();
    let holder = held(&scratch.path());
    let freed = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(holder);
    });
    store.add_note("a", &remark("x")).unwrap();
    freed.join().unwrap();
    let _holder = held(&scratch.path());
    stop.store(true, Ordering::Relaxed);
    store.wait_for(Duration::from_millis(100), &stop).unwrap();
    assert!(matches!(store.add_note("a", &remark("x")), Err(StoreError::Locked { .. })));
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
    let again = data.samples[0].clone().lasting(42.0);
    store.append(id, (2, 1), &again).unwrap();
    assert_eq!(store.finished_blocks(id).unwrap(), [0; 0], "the last attempt is not complete");
    store.finish_block(id, 0, 2, 12.5).unwrap();
    assert_eq!(store.finished_blocks(id).unwrap(), [0]);
    assert_eq!(store.dataset(id).unwrap().samples, [again]);
    assert_eq!(store.block_seconds(id).unwrap(), [12.5]);
    let list = store.list().unwrap();
    let first = list[0].as_ref().unwrap();
    assert_eq!((first.blocks, first.samples), (1, 1));
}

fn remark(text: &str) -> Note {
    Note::Said(text.into())
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
    let added =
        [remark("a \"quoted\" remark"), remark("[1]"), Note::RankedBy { metric: "\"".into() }];
    for note in &added {
        store.add_note("last", note).unwrap();
    }
    let notes = store.dataset("last").unwrap().campaign.notes;
    assert_eq!(notes, [&data.campaign.notes[..], &added].concat());
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
    let not_a_number = data.samples[0].clone().lasting(f64::NAN);
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
fn a_reader_sees_what_a_writer_committed_and_cannot_write() {
    let scratch = Scratch::new();
    let (mut writer, data) = (scratch.store(), small());
    writer.import(&data).unwrap();
    let mut reader = Store::open_read_only(&scratch.path()).unwrap();
    assert_eq!(reader.dataset("last").unwrap(), data);
    assert!(reader.set_campaign_state("last", CampaignState::Done).is_err());
    drop((reader, writer));
    // Nothing is left next to the file by one who reads it.
    Store::open_read_only(&scratch.path()).unwrap().list().unwrap();
    assert_eq!(scratch.files(), ["assay.db"]);
}

/// Prints how long the largest campaign takes; time decides nothing here.
#[test]
fn a_hundred_thousand_samples_come_back() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    let metric =
        |i| Metric::new(&format!("m{i}"), f64::from(i), "MB/s", model::figure::Better::Higher);
    let count = if cfg!(debug_assertions) { 5_000 } else { 100_000 };
    let mut one = data.samples[0].clone();
    one.figures.metrics = (0..6).map(metric).collect();
    let mut timed = one.clone();
    *timed.figures.histograms = vec![latencies("read", LatencyKind::Service)];
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

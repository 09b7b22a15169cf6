//! What a store promises: what goes in comes out, an interrupted block does not count twice, and a
//! file that is not a store is left alone.
#![allow(clippy::unwrap_used)]

use model::{
    Campaign, CampaignState, Dataset, Fault, FaultKind, Histogram, LatencyKind, Metric, Origin,
    Sample, TargetState, Validity, strategies::dataset,
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
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

    /// The names in the folder of the store.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// `data` as it is after its import: of another, and with nothing left to run.
fn imported(mut data: Dataset) -> Dataset {
    let campaign = &mut data.campaign;
    if campaign.state == CampaignState::Open {
        let note = "Imported before it was finished: these are the figures that it had by then.";
        campaign.notes.push(note.into());
    }
    (campaign.origin, campaign.state) = (Origin::Import, CampaignState::Done);
    data
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
            return imported(data);
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
        prop_assert_eq!(store.dataset(&id).unwrap(), imported(data));
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

#[test]
fn a_store_made_elsewhere_is_read_without_harm() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    data.samples[0].metrics = vec![Metric::new("rate", 1.0, "MB/s", model::Better::Higher)];
    data.samples[0].seconds = 1.0;
    store.import(&data).unwrap();
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    let harm = "x\u{1b}]0;owned\u{7}\u{9b}\u{202e}";
    db.pragma_update(None, "foreign_keys", false).unwrap();
    for (table, column) in [
        ("campaign", "title"),
        ("campaign", "id"),
        ("target", "label"),
        ("sample", "target"),
        ("test", "name"),
        ("test", "id"),
        ("sample", "test"),
        ("metric_kind", "unit"),
    ] {
        db.execute(&format!("UPDATE {table} SET {column} = ?"), [harm]).unwrap();
    }
    db.execute("UPDATE sample SET seconds = 9e999", []).unwrap();
    let read = store.dataset("last").unwrap();
    let unprintable = |text: &str| text.contains(model::is_unprintable);
    let (target, test) = (&read.targets[0].label, &read.tests[0]);
    for text in [&read.campaign.id, &read.campaign.title, target, &test.name, &test.id] {
        assert!(text.starts_with("x\\u001b") && !unprintable(text), "{text:?}");
    }
    let sample = &read.samples[0];
    assert_eq!((&sample.case.target, &sample.case.test), (target, &test.id));
    assert!(!unprintable(&sample.metrics[0].unit));
    let why = "its seconds is inf, not a finite number";
    assert_eq!((sample.seconds, &sample.validity), (0.0, &Validity::Invalid(why.into())));
}

#[test]
fn names_that_break_the_rules_of_today_stay_readable() {
    let scratch = Scratch::new();
    let (mut store, data) = (scratch.store(), small());
    store.import(&data).unwrap();
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    db.execute("UPDATE campaign SET id = 'my own/campaign é'", []).unwrap();
    let read = store.dataset("my own").unwrap();
    assert_eq!(read.campaign.id, "my own/campaign é");
    assert!(matches!(store.import(&read), Err(StoreError::Unfit(_))));
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

/// A store of schema `version`.
fn of_schema(path: &Path, version: usize) -> rusqlite::Connection {
    let steps = [
        include_str!("../src/schema/1.sql"),
        include_str!("../src/schema/2.sql"),
        include_str!("../src/schema/3.sql"),
        include_str!("../src/schema/4.sql"),
        include_str!("../src/schema/5.sql"),
    ];
    let db = rusqlite::Connection::open(path).unwrap();
    steps[..version].iter().for_each(|step| db.execute_batch(step).unwrap());
    db.pragma_update(None, "application_id", 0x6173_7379).unwrap();
    db.pragma_update(None, "user_version", version as i64).unwrap();
    db
}

#[test]
fn a_store_without_histograms_is_brought_up_and_takes_them() {
    let scratch = Scratch::new();
    drop(of_schema(&scratch.path(), 1));
    let (mut store, mut data) = (scratch.store(), small());
    data.samples[0].histograms = vec![latencies("write", LatencyKind::Service)];
    store.import(&data).unwrap();
    assert_eq!(store.dataset("last").unwrap(), data);
    assert_eq!(Store::open_read_only(&scratch.path()).unwrap().dataset("last").unwrap(), data);
}

#[test]
fn a_store_of_any_older_schema_is_read_and_not_changed() {
    for version in 1..=5 {
        let scratch = Scratch::new();
        let db = of_schema(&scratch.path(), version);
        // As versions did that stored a consent.
        let plan = r#"{"backing":{"dir":null,"size":null,"devices":["/d"],"destroy":["S1"]}}"#;
        let row =
            "INSERT INTO campaign (number, id, created, title, origin, state, assay_version, plan,
                       scale, seed, environment, notes)
                   VALUES (1, 'old', '', 'x', 'run', 'open', '0.1', ?, 1, 1, '{}', '[]')";
        db.execute(row, [plan]).unwrap();
        drop(db);
        let before = fs::read(scratch.path()).unwrap();
        let store = Store::open_read_only(&scratch.path()).unwrap();
        let campaign = store.dataset("old").unwrap().campaign;
        assert_eq!(campaign.plan.backing.devices, [PathBuf::from("/d")]);
        assert_eq!((campaign.state, store.mark("old").unwrap()), (CampaignState::Open, None));
        assert_eq!(store.list().unwrap().len(), 1);
        assert_eq!(fs::read(scratch.path()).unwrap(), before);
        assert_eq!(scratch.files(), ["assay.db"]);
        // What is stored again has no consent.
        let text = serde_json::to_string(&campaign.plan).unwrap();
        assert!(!text.contains("destroy") && !text.contains("S1"), "{text}");
    }
}

#[test]
fn what_somebody_else_made_is_an_import_whatever_it_says() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    (data.campaign.origin, data.campaign.state) = (Origin::Run, CampaignState::Open);
    let Imported::Stored(id) = store.import(&data).unwrap() else { panic!("it was there") };
    let stored = store.dataset(&id).unwrap().campaign;
    assert_eq!((stored.origin, stored.state), (Origin::Import, CampaignState::Done));
    assert!(stored.notes.last().unwrap().starts_with("Imported before it was finished"));
    assert_eq!(store.mark(&id).unwrap(), None);
    assert_eq!(store.import(&data).unwrap(), Imported::AlreadyThere(id));
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

#[test]
fn one_campaign_that_cannot_be_read_does_not_hide_the_others() {
    let scratch = Scratch::new();
    let mut store = scratch.store();
    for id in ["first", "second", "third", "fourth"] {
        store.create_campaign(&named(id), &[], &[]).unwrap();
    }
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    db.execute_batch(
        "UPDATE campaign SET state = 'odd' WHERE id = 'second';
         UPDATE campaign SET title = CAST(x'ff' AS TEXT) WHERE id = 'third';
         UPDATE campaign SET id = CAST(x'ff' AS TEXT) WHERE id = 'fourth'",
    )
    .unwrap();
    let list = store.list().unwrap();
    assert_eq!(list[0].as_ref().unwrap().id, "first");
    let errors: Vec<String> =
        list[1..].iter().map(|row| row.as_ref().unwrap_err().to_string()).collect();
    for (error, says) in errors.iter().zip([
        "campaign second holds an unreadable state",
        "campaign third holds an unreadable title",
        "campaign number 4 holds an unreadable id",
    ]) {
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn a_file_with_more_than_the_tables_of_a_store_is_refused() {
    for more in [
        "CREATE TRIGGER t AFTER INSERT ON block BEGIN DELETE FROM campaign; END",
        "DROP VIEW last_attempt; CREATE VIEW last_attempt AS SELECT 1 AS campaign",
        "CREATE TABLE more (x)",
    ] {
        let scratch = Scratch::new();
        drop(scratch.store());
        rusqlite::Connection::open(scratch.path()).unwrap().execute_batch(more).unwrap();
        let before = fs::read(scratch.path()).unwrap();
        for open in [Store::open, Store::open_read_only] {
            let error = open(&scratch.path()).unwrap_err();
            assert!(matches!(error, StoreError::NotAStore { .. }), "{more}: {error}");
        }
        assert_eq!(fs::read(scratch.path()).unwrap(), before, "{more}");
    }
}

#[test]
fn a_text_of_a_gigabyte_is_not_read() {
    let scratch = Scratch::new();
    let mut store = scratch.store();
    store.create_campaign(&named("a"), &[], &[]).unwrap();
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    db.execute_batch("UPDATE campaign SET title = CAST(zeroblob(70000000) AS TEXT)").unwrap();
    let error = store.list().err().or_else(|| store.dataset("a").err()).unwrap().to_string();
    assert!(error.contains("too big"), "{error}");
}

/// Holds the write lock of a store.
fn held(path: &Path) -> rusqlite::Connection {
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    db
}

#[test]
fn a_store_that_another_process_holds_is_told_as_such() {
    let scratch = Scratch::new();
    let mut store = scratch.store();
    store.create_campaign(&named("a"), &[], &[]).unwrap();
    let holder = held(&scratch.path());
    let stop = Arc::new(AtomicBool::new(false));
    store.wait_for(Duration::ZERO, &stop).unwrap();
    let error = store.add_note("a", "x").unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    let told = error.to_string();
    assert!(told.contains("another process") && !told.contains("space"), "{told}");
    drop(holder);
    store.add_note("a", "x").unwrap();
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
    store.add_note("a", "x").unwrap();
    freed.join().unwrap();
    let _holder = held(&scratch.path());
    stop.store(true, Ordering::Relaxed);
    store.wait_for(Duration::from_millis(100), &stop).unwrap();
    assert!(matches!(store.add_note("a", "x"), Err(StoreError::Locked { .. })));
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
    let first = list[0].as_ref().unwrap();
    assert_eq!((first.blocks, first.samples), (1, 1));
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
    drop((reader, writer));
    // Nothing is left beside the file by one who reads it.
    Store::open_read_only(&scratch.path()).unwrap().list().unwrap();
    assert_eq!(scratch.files(), ["assay.db"]);
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
    let listed = store.list().unwrap().remove(0).unwrap();
    assert_eq!((listed.blocks, listed.samples), (1, 1));
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

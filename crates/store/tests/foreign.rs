//! Tests that store files from elsewhere can do no harm.
#![allow(clippy::unwrap_used)]

use crate::scratch;

use model::{
    figure::{LatencyKind, Metric},
    result::{CampaignState, Note, Origin, Reason, Validity},
};
use scratch::{Scratch, latencies, named, small};
use std::fs;
use store::{Imported, Store, StoreError};

#[test]
fn a_store_made_elsewhere_is_read_without_harm() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    // One of each, as all rows of a table get the same name.
    data.tests.truncate(1);
    data.targets.truncate(1);
    data.samples.truncate(1);
    data.samples[0].case.test = data.tests[0].id.clone();
    data.samples[0].case.target = data.targets[0].label.clone();
    data.samples[0].figures.metrics =
        vec![Metric::new("rate", 1.0, "MB/s", model::figure::Better::Higher)];
    data.samples[0].figures.seconds = 1.0;
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
    let unprintable = |text: &str| text.contains(model::text::is_unprintable);
    let (target, test) = (&read.targets[0].label, &read.tests[0]);
    for text in [&read.campaign.id, &read.campaign.title, target, &test.name, &test.id] {
        assert!(text.starts_with("x\\u001b") && !unprintable(text), "{text:?}");
    }
    let sample = &read.samples[0];
    assert_eq!((&sample.case.target, &sample.case.test), (target, &test.id));
    assert!(!unprintable(&sample.figures.metrics[0].unit));
    let why = Reason::TimeNotFinite { name: "seconds".into(), value: f64::INFINITY.into() };
    assert_eq!(
        (sample.figures.seconds, &*sample.evidence.validity),
        (0.0, &Validity::Invalid(why))
    );
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

#[test]
fn what_somebody_else_made_is_an_import_whatever_it_says() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    (data.campaign.origin, data.campaign.state) = (Origin::Run, CampaignState::Open);
    let Imported::Stored(id) = store.import(&data).unwrap() else { panic!("it was there") };
    let stored = store.dataset(&id).unwrap().campaign;
    assert_eq!((stored.origin, stored.state), (Origin::Import, CampaignState::Done));
    assert_eq!(stored.notes.last(), Some(&Note::Unfinished {}));
    assert_eq!(store.mark(&id).unwrap(), None);
    assert_eq!(store.import(&data).unwrap(), Imported::AlreadyThere(id));
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
        "campaign second contains an unreadable state",
        "campaign third contains an unreadable title",
        "campaign number 4 contains an unreadable id",
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
    assert!(error.contains("the limit of 64 MiB"), "{error}");
}

#[test]
fn a_damaged_histogram_is_named() {
    let scratch = Scratch::new();
    let (mut store, mut data) = (scratch.store(), small());
    *data.samples[0].figures.histograms = vec![latencies("write", LatencyKind::Service)];
    store.import(&data).unwrap();
    let db = rusqlite::Connection::open(scratch.path()).unwrap();
    db.execute_batch("UPDATE histogram SET bins = x'80'").unwrap();
    let error = store.dataset("last").unwrap_err().to_string();
    assert!(error.contains("unreadable histogram: its last number is truncated"), "{error}");
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
fn a_store_of_another_schema_is_refused_with_what_to_do() {
    for (version, what_next) in [(9, "export --format bundle"), (1000, "upgrade assay")] {
        let scratch = Scratch::new();
        drop(scratch.store());
        let db = rusqlite::Connection::open(scratch.path()).unwrap();
        // The tables of another version are unknown.
        db.execute_batch("DROP TABLE series").unwrap();
        db.pragma_update(None, "user_version", version).unwrap();
        drop(db);
        let before = fs::read(scratch.path()).unwrap();
        for open in [Store::open, Store::open_read_only] {
            let error = open(&scratch.path()).unwrap_err();
            assert!(
                matches!(error, StoreError::OtherSchema { found, .. } if found == version),
                "{error}"
            );
            assert!(error.to_string().contains(what_next), "{error}");
        }
        assert_eq!(fs::read(scratch.path()).unwrap(), before);
    }
}

#[test]
fn an_empty_file_is_an_empty_store() {
    let scratch = Scratch::new();
    fs::write(scratch.path(), "").unwrap();
    assert!(Store::open_read_only(&scratch.path()).unwrap().list().unwrap().is_empty());
    assert_eq!(fs::read(scratch.path()).unwrap(), b"");
    scratch.store().create_campaign(&named("a"), &[], &[]).unwrap();
}

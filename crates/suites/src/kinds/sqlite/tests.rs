//! Transactions in every mode, and databases that are not what was committed.

use super::*;
use crate::testing::{declared, job, pool, run};
use std::fs;

#[test]
fn every_mode_commits_and_leaves_nothing() {
    for (journal, synchronous) in [
        ("wal", "full"),
        ("wal", "normal"),
        ("delete", "extra"),
        ("truncate", "full"),
        ("persist", "normal"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            "kind = 'sqlite'\nid = 'x.s'\njournal = '{journal}'\nsynchronous = '{synchronous}'"
        );
        let test = declared(&text);
        let job = job("x.s", dir.path());
        let pool = pool(run(test, &job).unwrap());
        let worker = &pool.workers[0];
        assert!(worker.phases[0].ops > 0);
        assert_eq!(worker.histograms[0].count(), worker.phases[0].ops);
        assert_eq!(test.measure(&job, &pool)[0].metrics[0].name, "commits_rate");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_fixed_rate_ranks_by_what_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let test = declared("kind = 'sqlite'\nid = 'x.s'\nrate = 50");
    let job = job("x.s", dir.path());
    let pool = pool(run(test, &job).unwrap());
    assert_eq!(pool.workers[0].histograms[0].count(), 10);
    assert_eq!(test.measure(&job, &pool)[0].metrics[0].name, test.infos()[0].metric);
}

/// A bank after `commits` transactions, and what they paid in.
fn bank(dir: &std::path::Path, commits: u64) -> (Bank, i64) {
    let shape = Shape { rows: 1000, updates: 2, inserts: 3, page_bytes: 1024 };
    let bank = Bank { path: dir.join(FILE), shape };
    let data = data(&job("x.s", dir), FILE, bank::FILLER_WORDS * 8);
    bank.create(&data).unwrap();
    let connection = bank.open("wal", "full").unwrap();
    let mut teller = bank::Teller::new(&connection, shape, &data).unwrap();
    let mut rng = Rng::new(1);
    let total = (0..commits).map(|k| teller.transact(k, &mut rng).unwrap()).sum();
    (bank, total)
}

#[test]
fn lost_and_changed_rows_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let (bank, total) = bank(dir.path(), 20);
    bank.verify(20, total).unwrap();
    assert!(bank.verify(21, total).unwrap_err().to_string().contains("instead of"));
    let connection = bank.open("wal", "full").unwrap();
    connection.execute("UPDATE account SET balance = balance + 1 WHERE id = 5", []).unwrap();
    bank.verify(20, total + 1).unwrap();
    bank.verify(20, total).unwrap_err();
    connection.execute("DELETE FROM history WHERE id = 60", []).unwrap();
    bank.verify(20, total + 1).unwrap_err();
}

#[test]
fn a_damaged_file_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let (bank, total) = bank(dir.path(), 5);
    let mut bytes = fs::read(&bank.path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 2048].fill(0xa5);
    fs::write(&bank.path, bytes).unwrap();
    bank.verify(5, total).unwrap_err();
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |text: &str| {
        let settings: Result<Settings, String> = settings(text.parse().unwrap(), &KNOBS);
        settings.and_then(|s| s.check()).unwrap_err()
    };
    assert!(refused("page = '100'").contains("`page`"));
    assert!(refused("updates = 0\ninserts = 0").contains("not both 0"));
    assert!(refused("rows = 3").contains("`rows`"));
    assert!(refused("journal = 'off'").contains("journal"));
}

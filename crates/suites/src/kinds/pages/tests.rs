//! Runs of clients over a small table, and settings that are refused.

use super::*;
use crate::testing::{declared, job, pool, run};

#[test]
fn clients_commit_behind_one_log() {
    for (clients, page) in [(1, "4k"), (8, "8k"), (64, "16k")] {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            "kind = 'pages'\nid = 'x.p'\nclients = {clients}\npage = '{page}'\ncheckpoint = 20"
        );
        let test = declared(&text);
        let job = job("x.p", dir.path());
        // Twice, as the table stays.
        for _ in 0..2 {
            let pool = pool(run(test, &job).unwrap());
            let worker = &pool.workers[0];
            let commits = worker.phases[0].ops;
            assert!(commits >= clients);
            assert_eq!(worker.histograms[0].count(), commits);
            let measured = &test.measure(&job, &pool)[0];
            let value =
                |name: &str| measured.metrics.iter().find(|m| m.name == name).unwrap().value;
            assert_eq!(measured.metrics[0].name, "commits_rate");
            assert!((1.0..=clients as f64).contains(&value("group_size_mean")));
        }
        let left: Vec<_> = fs::read_dir(dir.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].metadata().unwrap().len(), test.space(&job)[0].1);
    }
}

#[test]
fn clients_share_a_fixed_rate() {
    let dir = tempfile::tempdir().unwrap();
    let test = declared("kind = 'pages'\nid = 'x.p'\nclients = 4\nrate = 200");
    let job = job("x.p", dir.path());
    let pool = pool(run(test, &job).unwrap());
    assert_eq!(pool.workers[0].histograms[0].count(), 40);
    let measured = &test.measure(&job, &pool)[0];
    assert_eq!(measured.metrics[0].name, "latency_p99_us");
}

#[test]
fn a_lost_page_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let test = declared("kind = 'pages'\nid = 'x.p'\nclients = 2");
    let job = job("x.p", dir.path());
    test.fill(&job).unwrap();
    let mut started = test.start(&job).unwrap();
    started.timed(&mut crate::testing::Clock::default()).unwrap();
    let table = dir.path().join(TABLE_FILE);
    let bytes = fs::metadata(&table).unwrap().len();
    fs::write(&table, vec![0; bytes as usize]).unwrap();
    let error = started.verify().unwrap_err().to_string();
    assert!(error.contains("is not what transaction"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |text: &str| {
        let settings: Result<Settings, String> = settings(text.parse().unwrap(), &KNOBS);
        settings.and_then(|s| s.check()).unwrap_err()
    };
    assert!(refused("page = '2k'").contains("`page`"));
    assert!(refused("record = '100'").contains("`record`"));
    assert!(refused("clients = 0").contains("`clients`"));
    assert!(refused("table = '1M'").contains("`table`"));
}

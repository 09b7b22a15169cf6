//! Every way to commit, and what verification finds.

use super::{run::record, *};
use crate::testing::{declared, job, pool, run};
use std::fs;

#[test]
fn every_way_commits_and_leaves_nothing() {
    for sync in ["fdatasync", "fsync", "o_dsync", "none"] {
        for space in ["written", "fallocate", "grow"] {
            let dir = tempfile::tempdir().unwrap();
            let text = format!("kind = 'log'\nid = 'x.l'\nsync = '{sync}'\nspace = '{space}'");
            let test = declared(&text);
            let job = job("x.l", dir.path());
            let pool = pool(run(test, &job).unwrap());
            let commits = pool.workers[0].phases[0].ops;
            assert!(commits > 0);
            assert_eq!(pool.workers[0].phases[0].bytes, 4096 * commits);
            assert_eq!(pool.workers[0].histograms[0].count(), commits);
            let measured = test.measure(&job, &pool);
            assert_eq!(measured[0].metrics[0].name, "commits_rate");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }
}

/// 2300 bytes, which etcd's guide asks for, end in the middle of a word and of a page.
#[test]
fn records_of_any_size_are_whole() {
    for space in ["written", "fallocate", "grow"] {
        for (record, bytes) in [("2300", 2300), ("'4097'", 4097), ("64", 64)] {
            let dir = tempfile::tempdir().unwrap();
            let text = format!("kind = 'log'\nid = 'x.l'\nrecord = {record}\nspace = '{space}'");
            let test = declared(&text);
            let job = job("x.l", dir.path());
            let pool = pool(run(test, &job).unwrap());
            let phase = &pool.workers[0].phases[0];
            assert_eq!(phase.bytes, bytes * phase.ops, "{space}, {record}");
        }
    }
    let data = data(&job("x.l", std::path::Path::new("/")), "x.l", 2304);
    let records: Vec<&[u8]> = (0..3).map(|k| record(&data, k, 2300)).collect();
    assert!(records.iter().all(|one| one.len() == 2300));
    assert!(records[0] != records[1] && records[1] != records[2]);
}

#[test]
fn a_fixed_rate_ranks_by_what_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let test = declared("kind = 'log'\nid = 'x.l'\nrate = 100");
    let job = job("x.l", dir.path());
    let pool = pool(run(test, &job).unwrap());
    // 0.2 s at 100 per second.
    assert_eq!(pool.workers[0].histograms[0].count(), 20);
    let measured = &test.measure(&job, &pool)[0];
    assert_eq!(measured.metrics[0].name, test.infos()[0].metric);
    assert_eq!(measured.metrics[0].name, "latency_p99_us");
}

fn log(space: Space) -> (tempfile::TempDir, LogRun) {
    let dir = tempfile::tempdir().unwrap();
    let text = "kind = 'log'\nid = 'x.l'\nsync = 'none'";
    let test: Settings = settings(toml::Table::new(), &KNOBS).unwrap();
    let declared = LogTest {
        settings: Settings { space, sync: Sync::None, record: Bytes(64 << 10), ..test },
        head: Head {
            id: "x.l".into(),
            suite: "x".into(),
            name: None,
            about: None,
            group: None,
            testtype: None,
            declaration: text.into(),
        },
    };
    let job = job("x.l", dir.path());
    declared.fill(&job).unwrap();
    let path = dir.path().join(FILE);
    let file = File::options().read(true).write(true).open(&path).unwrap();
    let (record, segment) = (64 << 10, 1 << 20);
    let log = Log { file, path, sync: Sync::None, space, record, segment };
    let client = Client::new(declared.load(0.002), 0, 1, dir.path()).unwrap();
    (dir, LogRun { client, data: data(&job, "x.l", record), incompressible_share: 1.0, log })
}

/// 16 records in a segment: after 20 the second segment holds 4.
#[test]
fn a_full_log_begins_again() {
    for (space, held, bytes) in [
        (Space::Written, 4..20, 1 << 20),
        (Space::Fallocate, 16..20, 1 << 20),
        (Space::Grow, 16..20, 4 << 16),
    ] {
        let (_dir, mut run) = log(space);
        for k in 0..20 {
            run.log.append(k, record(&run.data, k, run.log.record)).unwrap();
        }
        run.client.commits = 20;
        assert_eq!(run.log.holds(20), (held, bytes));
        run.verify().unwrap();
    }
}

#[test]
fn a_lost_record_is_found() {
    let (_dir, mut run) = log(Space::Written);
    for k in (0..16).filter(|&k| k != 9) {
        run.log.append(k, record(&run.data, k, run.log.record)).unwrap();
    }
    run.client.commits = 16;
    assert!(run.verify().unwrap_err().to_string().contains("record 9"));
    let (_dir, mut run) = log(Space::Grow);
    run.client.commits = 1;
    assert!(run.verify().unwrap_err().to_string().contains("0 bytes instead of 65536"));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |text: &str| {
        let settings: Result<Settings, String> = settings(text.parse().unwrap(), &KNOBS);
        settings.and_then(|s| s.check()).unwrap_err()
    };
    assert!(refused("record = '63'").contains("from 64 to 1M"));
    assert!(refused("record = '1025k'").contains("from 64 to 1M"));
    assert!(refused("direct = true").contains("direct"));
    assert!(refused("segment = '4k'").contains("at least 1M"));
    assert!(refused("runtime_s = 0").contains("runtime_s"));
    assert!(refused("sync = 'maybe'").contains("sync"));
    assert!(refused("recrod = '4k'").contains("recrod"));
}

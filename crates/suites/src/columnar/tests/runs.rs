//! Runs of whole tests.

use super::{job, run};
use crate::{TestError, columnar::COLUMNAR, find, null::NULL, suite};
use model::{
    target::{Options, check_options},
    workload::{CacheNeed, DataKind, Group, Job, PhaseKind, PoolReport, WorkerReport},
};
use needs::{Need, skip};
use std::{collections::BTreeSet, fs, path::Path};

/// Runs the suite in order and looks at the figures of every test.
fn run_suite(jobs: &[Job]) {
    for test in COLUMNAR.tests.iter() {
        let infos = test.infos();
        let reports = jobs
            .iter()
            .map(|job| run(*test, job).unwrap_or_else(|error| panic!("{}: {error}", infos[0].id)));
        let pool = PoolReport { workers: reports.collect(), ..PoolReport::default() };
        let measured = test.measure(&jobs[0], &pool);
        assert_eq!(measured.len(), infos.len());
        for (measured, info) in measured.iter().zip(&infos) {
            assert_eq!(measured.test, info.id);
            assert_eq!(measured.metrics[0].name, info.metric, "{}", info.id);
            assert_eq!(measured.metrics[0].unit, info.unit);
            assert_eq!(measured.metrics[0].better, info.better);
            assert!(measured.metrics.iter().all(|m| m.value.is_finite() && m.value > 0.0));
            assert!(measured.ops > 0 && measured.seconds > 0.0, "{}", info.id);
            assert!(measured.phases.end <= pool.workers[0].phases.len());
        }
        for worker in &pool.workers {
            let syncs = worker.phases.iter().any(|phase| phase.kind == PhaseKind::Sync);
            assert_eq!(worker.synced.is_some(), syncs, "{}", infos[0].id);
            let Some(synced) = worker.synced else { continue };
            assert!(synced.bytes > 0 && synced.incompressible_bytes <= synced.bytes);
        }
        let estimate = test.estimate(&jobs[0]);
        let work = estimate.write_bytes + estimate.read_bytes + estimate.ops;
        assert!(work > 0, "{}", infos[0].id);
        let cold = test.cache() == CacheNeed::Cold;
        assert!(!cold || pool.workers[0].footprint_bytes > 0, "{}", infos[0].id);
    }
}

#[test]
fn every_test_runs_with_one_worker() {
    let dir = tempfile::tempdir().unwrap();
    run_suite(&[job("", dir.path())]);
}

#[test]
fn every_test_runs_with_two_workers_and_threads() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let jobs: Vec<Job> = (0..2)
        .map(|i| Job { worker: i, workers: 2, threads: 3, ..job("", dirs[i as usize].path()) })
        .collect();
    run_suite(&jobs);
    let words = |i: usize| fs::read(dirs[i].path().join("seqreadMedium")).unwrap();
    assert_ne!(words(0), words(1));
}

#[test]
fn every_knob_and_kind_of_data_runs() {
    let knobs = [
        ("set_mode", "trunc"),
        ("write_chunk", "64k"),
        ("get_map", "shared"),
        ("touch", "touch"),
        ("sym", "enum"),
        ("append_count", "no"),
    ];
    let knobs: Options = knobs.map(|(k, v)| (k.to_string(), v.to_string())).into();
    check_options("columnar", COLUMNAR.knobs, &knobs).unwrap();
    let populate = Options::from([("touch".into(), "populate".into())]);
    for (data, knobs) in [
        (DataKind::Ancestor, knobs),
        (DataKind::Zeros, populate),
        (DataKind::Compressible, Options::new()),
    ] {
        let dir = tempfile::tempdir().unwrap();
        run_suite(&[Job { data, knobs, scale: 0.0005, ..job("", dir.path()) }]);
    }
}

/// The tests that write rows or read bytes by calls.
const CALLS: [&str; 7] = [
    "columnar.handle.int.tiny",
    "columnar.rewrite.int.tiny",
    "columnar.write.int.medium",
    "columnar.append.sym.large",
    "columnar.read.binary",
    "columnar.sort",
    "columnar.attribute",
];

fn uncached(id: &str, dir: &Path) -> Result<WorkerReport, TestError> {
    let knobs = Options::from([("dontcache".into(), "yes".into())]);
    check_options("columnar", COLUMNAR.knobs, &knobs).unwrap();
    run(find(id).unwrap(), &Job { knobs, ..job(id, dir) })
}

#[test]
fn uncached_calls_leave_the_same_files_or_are_refused_by_name() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for id in CALLS {
        match uncached(id, dirs[0].path()) {
            Err(error) if error.refused().is_some() => return skip(Need::Other, error),
            ended => ended.map(drop).unwrap_or_else(|error| panic!("{id}: {error}")),
        }
        run(find(id).unwrap(), &job(id, dirs[1].path())).unwrap();
    }
    for name in ["seqreadMedium", "kdbdb/tbl/sym", "kdbdb/tbl/floatcol", "readbinary"] {
        let [uncached, plain] = [0, 1].map(|i| fs::read(dirs[i].path().join(name)).unwrap());
        assert!(uncached == plain, "{name}");
    }
}

#[test]
fn tmpfs_refuses_uncached_calls_by_name() {
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else { return skip(Need::Other, "no /dev/shm") };
    for id in CALLS {
        let error = uncached(id, dir.path()).unwrap_err();
        assert_eq!(error.refused(), Some("RWF_DONTCACHE"), "{id}: {error}");
    }
    let hot = uncached("columnar.reread.binary", dir.path());
    hot.unwrap_or_else(|error| panic!("hot reads leave the knob: {error}"));
}

#[test]
fn any_test_runs_alone_and_again() {
    for test in COLUMNAR.tests.iter() {
        let dir = tempfile::tempdir().unwrap();
        let job = Job { scale: 0.0005, ..job("", dir.path()) };
        for _ in 0..2 {
            run(*test, &job).unwrap_or_else(|error| panic!("{}: {error}", test.infos()[0].id));
        }
        for path in test.files(&job) {
            assert!(path.exists(), "{}", path.display());
        }
    }
}

#[test]
fn a_second_pass_over_the_same_directory_is_right() {
    let dir = tempfile::tempdir().unwrap();
    let job = Job { scale: 0.0005, ..job("", dir.path()) };
    run_suite(std::slice::from_ref(&job));
    run_suite(&[Job { seed: 8, ..job }]);
}

#[test]
fn phases_are_the_original_suites() {
    use PhaseKind::{Operate, Read, SpawnSync, Sync, SyncDir, Write};
    let dir = tempfile::tempdir().unwrap();
    for (id, phases) in [
        ("columnar.append.int.tiny", &[Write, Sync, SpawnSync][..]),
        ("columnar.sync.int.tiny", &[Write, Sync, SpawnSync]),
        ("columnar.replace.int.tiny", &[Write, Sync]),
        ("columnar.sync.int.huge.replaced", &[Write, Sync, SpawnSync]),
        ("columnar.lock", &[Operate]),
        ("columnar.random.4k", &[Read]),
        ("columnar.sort", &[Write, SyncDir, Sync, SpawnSync]),
    ] {
        let report = run(find(id).unwrap(), &job(id, dir.path())).unwrap();
        assert_eq!(report.phases.iter().map(|p| p.kind).collect::<Vec<_>>(), phases, "{id}");
    }
}

#[test]
fn ids_are_unique_and_found() {
    let ids: Vec<_> = COLUMNAR.tests.iter().flat_map(|t| t.infos()).map(|i| i.id).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    assert!(ids.iter().all(|id| find(id).is_some()));
    assert!(find("columnar.nothing").is_none());
    assert_eq!(suite("null", &Options::new()).unwrap().unwrap().name, "null");
    assert!(find("null.sync").is_some());
}

#[test]
fn every_page_is_a_page() {
    for test in COLUMNAR.tests.iter() {
        for info in test.infos() {
            let page = test.explain(&info.id);
            assert!(page.starts_with(&format!("# {} (`{}`)", info.name, info.id)), "{page}");
            let does = if info.group.is_scored() { " ranks" } else { ": time of the fsync" };
            assert!(page.contains(&format!("`{}`{does}", info.metric)), "{page}");
            let lines = page.lines().count();
            assert!((25..=70).contains(&lines), "{}: {lines} lines", info.id);
        }
    }
}

#[test]
fn the_null_suite_is_exact() {
    let job = job("null.write", Path::new("/nonexistent"));
    for test in NULL.tests.iter() {
        let report = run(*test, &job).unwrap();
        let pool = PoolReport { workers: vec![report.clone(), report], ..PoolReport::default() };
        let rates: Vec<f64> =
            test.measure(&job, &pool).iter().map(|m| m.metrics[0].value).collect();
        let expected = if rates.len() == 2 { vec![2e6 / 3000.0, 2000.0] } else { vec![2000.0] };
        assert_eq!(rates, expected);
    }
}

#[test]
fn every_published_row_is_a_test() {
    let rows: BTreeSet<String> = COLUMNAR
        .tests
        .iter()
        .flat_map(|test| test.infos())
        .map(|info| {
            // The original suite has what was left to sync among the writes.
            let group = if info.group.is_scored() { info.group } else { Group::WriteOther };
            format!("{group}|{}|{}", info.testtype, info.name)
        })
        .collect();
    let published: BTreeSet<&str> = include_str!("published.txt").lines().collect();
    let missing: Vec<_> = published.iter().filter(|row| !rows.contains(**row)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let further: Vec<_> =
        rows.iter().filter(|row| !published.contains(row.as_str())).map(String::as_str).collect();
    assert_eq!(
        further,
        [
            "meta|meta|close open",
            "meta|meta|lock",
            "meta|meta|size",
            "meta|read disk|mmap",
            "read-hot|cpu read mem|aggregate int huge",
            "write-other|write disk|open replace tiny, sync once",
        ]
    );
}

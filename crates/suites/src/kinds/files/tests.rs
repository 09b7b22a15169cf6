//! Tests of the results, counts and verification of file actions.

use crate::{TestError, testing};
use model::workload::{CacheNeed, Job, PhaseKind, WorkerReport};
use std::{fs, path::Path};

const ACTIONS: [&str; 8] = ["create", "rewrite", "read", "delete", "stat", "open", "list", "find"];

fn test(action: &str, more: &str) -> &'static dyn crate::Test {
    testing::declared(&format!("id = 'x.{action}'\nkind = 'files'\naction = '{action}'\n{more}"))
}

fn job(dir: &Path) -> Job {
    let dir = dir.join("w0");
    fs::create_dir_all(&dir).unwrap();
    Job { scale: 0.001, ..testing::job("x", &dir) }
}

fn run(action: &str, more: &str, dir: &Path) -> Result<WorkerReport, TestError> {
    testing::run(test(action, more), &job(dir))
}

fn refused(text: &str) -> String {
    let text = format!("suite = 'x'\nid = 'x.a'\nkind = 'files'\n{text}");
    crate::declare::test(&text).err().unwrap().to_string()
}

/// Every file below `dir` with its length, the witnesses left out.
fn files(dir: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !name.starts_with("witness") {
            found.push((name, path.metadata().unwrap().len()));
        }
    }
    found.sort();
    found
}

#[test]
fn the_witness_of_a_cold_walk_holds_a_page_on_every_device() {
    let dir = tempfile::tempdir().unwrap();
    run("find", "", dir.path()).unwrap();
    let test = test("find", "");
    let [witness] = test.files(&job(dir.path())).try_into().unwrap();
    let page = fs::read(witness).unwrap();
    let words: std::collections::BTreeSet<&[u8]> = page.chunks(8).collect();
    assert_eq!((page.len(), words.len()), (4096, 512), "nothing to compress");
}

#[test]
fn every_action_counts_each_file_and_leaves_what_it_says() {
    for order in ["creation", "random", "readdir"] {
        let dir = tempfile::tempdir().unwrap();
        for action in ACTIONS {
            let order = if action == "create" { "random" } else { order };
            let more = format!("size = 3901\nfanout = 3\norder = '{order}'");
            for round in 0..2 {
                let report =
                    run(action, &more, dir.path()).unwrap_or_else(|e| panic!("{action}: {e}"));
                assert_eq!(report.phases[0].ops, 100, "{action} {order} {round}");
                let left = files(dir.path());
                assert_eq!(left.len(), if action == "delete" { 0 } else { 100 }, "{action}");
                assert!(left.iter().all(|file| file.1 == 3901));
                let laps: u64 = report.histograms.iter().map(|h| h.count()).sum();
                assert!(if action == "list" { laps >= 6 } else { laps == 100 }, "{action} {laps}");
            }
        }
    }
}

#[test]
fn a_rewrite_changes_every_file_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let more = "size = '8k'";
    let first = || fs::read(dir.path().join("w0/files-8k-100000-1/d0000/w0.00000000")).unwrap();
    run("create", more, dir.path()).unwrap();
    let created = first();
    run("rewrite", more, dir.path()).unwrap();
    let rewritten = first();
    run("rewrite", more, dir.path()).unwrap();
    assert_ne!(created, rewritten);
    assert_eq!(created, first());
}

#[test]
fn rates_of_changes_include_the_sync() {
    let dir = tempfile::tempdir().unwrap();
    for action in ["create", "rewrite", "delete"] {
        let test = test(action, "size = '4k'");
        let mut report = testing::run(test, &job(dir.path())).unwrap();
        let kinds: Vec<PhaseKind> = report.phases.iter().map(|phase| phase.kind).collect();
        assert_eq!(kinds[1], PhaseKind::Sync, "{action}");
        for (phase, seconds) in report.phases.iter_mut().zip([1, 3]) {
            (phase.start_ns, phase.end_ns) = (0, seconds * 1_000_000_000);
        }
        let measured = test.measure(&job(dir.path()), &testing::pool(report)).remove(0);
        let value = |name: &str| measured.metrics.iter().find(|m| m.name == name).map(|m| m.value);
        assert_eq!(measured.metrics[0].name, "files_rate");
        assert_eq!(value("files_rate"), Some(25.0));
        assert_eq!(value("cache_files_rate"), Some(100.0));
        assert_eq!(value("sync_s"), Some(3.0));
        let rate = if action == "delete" { None } else { Some(0.1024) };
        assert_eq!(value("rate"), rate, "{action}");
        assert_eq!(measured.ops, 100);
    }
}

#[test]
fn every_sync_method_ends_durable() {
    let dir = tempfile::tempdir().unwrap();
    for method in 0..=6 {
        let report = run("create", &format!("size = 100\nsync_method = {method}"), dir.path());
        assert_eq!(report.unwrap().phases[0].bytes, 10_000);
    }
}

#[test]
fn workers_of_a_shared_set_see_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let more = "size = 0\nshared = true\nrounds = 2";
    let jobs = [0, 1].map(|worker| Job { worker, workers: 2, ..job(dir.path()) });
    for action in ["list", "find"] {
        let test = test(action, more);
        jobs.iter().for_each(|job| test.fill(job).unwrap());
        let report = testing::run(test, &jobs[1]).unwrap();
        assert_eq!((report.phases[0].ops, report.footprint_bytes), (256, 512), "{action}");
    }
    assert!(dir.path().join("files-0-100000-1").is_dir());
    testing::run(test("delete", "size = 0\nshared = true"), &jobs[0]).unwrap();
    assert_eq!(files(dir.path()).len(), 64);
}

#[test]
fn verification_notices_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let (more, job) = ("size = 3901", job(dir.path()));
    let of = |action: &str, harm: &dyn Fn(&Path)| {
        let test = test(action, more);
        test.fill(&job).unwrap();
        let mut run = test.start(&job).unwrap();
        run.timed(&mut testing::Clock::default()).unwrap();
        harm(&job.dir.join("files-3901-100000-1/d0000"));
        run.verify().unwrap_err().to_string()
    };
    let flip = |dir: &Path| {
        let path = dir.join("w0.00000050");
        let mut bytes = fs::read(&path).unwrap();
        bytes[3900] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    assert!(of("create", &flip).contains("not the bytes"));
    assert!(of("rewrite", &flip).contains("not the bytes"));
    assert!(of("create", &|dir| fs::remove_file(dir.join("w0.00000007")).unwrap()).contains("99"));
    assert!(
        of("delete", &|dir| fs::write(dir.join("w0.00000007"), "").unwrap()).contains("1 files")
    );
}

#[test]
fn a_walk_that_misses_an_entry_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let job = job(dir.path());
    for (action, lost) in [("list", 5), ("find", 1)] {
        let test = test(action, "size = 0");
        test.fill(&job).unwrap();
        let name = format!("files-0-100000-1/d0000/w0.{lost:08}");
        fs::remove_file(job.dir.join(name)).unwrap();
        let mut run = test.start(&job).unwrap();
        run.timed(&mut testing::Clock::default()).unwrap();
        assert!(run.verify().unwrap_err().to_string().contains("99 entries"), "{action}");
    }
}

#[test]
fn a_file_of_another_size_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let (job, test) = (job(dir.path()), test("read", ""));
    test.fill(&job).unwrap();
    let path = job.dir.join("files-4k-100000-1/d0000/w0.00000003");
    fs::write(&path, "short").unwrap();
    let report = testing::run(test, &job).unwrap();
    assert_eq!(report.phases[0].bytes, 100 * 4096);
    assert_eq!(report.footprint_bytes, 100 * 4096);
    assert_eq!(test.files(&job).len(), 100);
}

#[test]
fn defaults_follow_the_action() {
    let of = |action: &str| (test(action, "").cache(), test(action, "").infos().remove(0));
    for (action, cache, metric) in [
        ("create", CacheNeed::Any, "files_rate"),
        ("read", CacheNeed::Cold, "files_rate"),
        ("stat", CacheNeed::Hot, "ops_rate"),
        ("find", CacheNeed::Cold, "ops_rate"),
    ] {
        let (found, info) = of(action);
        assert_eq!((found, info.metric.as_str()), (cache, metric), "{action}");
    }
    assert_eq!(of("create").1.name, "create files of 4k");
    let cold = test("stat", "cache = 'cold'");
    assert!(cold.files(&job(Path::new("/tmp"))).len() == 1);
}

#[test]
fn what_cannot_be_done_is_refused() {
    assert!(refused("rounds = 2").contains("rounds"));
    assert!(refused("sync_method = 7").contains("from 0 to 6"));
    assert!(refused("cache = 'cold'").contains("only to read-only actions"));
    assert!(refused("order = 'readdir'").contains("files that exist"));
    assert!(refused("size = 'big'").contains("not a size"));
    assert!(refused("depth = 3").contains("kind files has no setting `depth`"));
}

//! Whole runs in a temporary directory, and figures of reports made by hand.

use super::{layout::Layout, settings::Settings};
use crate::{
    RandomReads, Test, TestError, kinds,
    testing::{Clock, declared, job, pool, run},
};
use model::{
    figure::{Better, Histogram, LatencyKind},
    workload::{CacheNeed, Group, Job, PhaseKind, PhaseReport, PoolReport, WorkerReport},
};
use needs::{Need, skip};
use std::{fs, os::unix::fs::FileExt, path::Path};

mod shared;

fn test(settings: &str) -> &'static dyn Test {
    declared(&format!("kind = 'io'\nid = 'x.io'\n{settings}"))
}

fn refusal(settings: &str) -> String {
    Settings::of(settings.parse().unwrap()).unwrap_err()
}

fn settings(text: &str) -> Settings {
    Settings::of(text.parse().unwrap()).unwrap()
}

fn count(report: &WorkerReport, op: &str) -> u64 {
    report.histograms.iter().filter(|h| h.op == op).map(Histogram::count).sum()
}

/// Names and lengths of what is in the folder of the files.
fn listed(job: &Job) -> Vec<(String, u64)> {
    let entries = fs::read_dir(job.dir.join("io")).unwrap().flatten();
    let mut list: Vec<_> = entries
        .map(|e| (e.file_name().into_string().unwrap(), e.metadata().unwrap().len()))
        .collect();
    list.sort();
    list
}

#[test]
fn every_pattern_does_its_operations_and_leaves_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    // Reads and writes of 440 operations; a mixture is drawn, so its shares are left open.
    let patterns = [
        ("seqrd", Some((440, 0)), PhaseKind::Read),
        ("seqwr", Some((0, 440)), PhaseKind::Write),
        ("seqrewr", Some((0, 440)), PhaseKind::Write),
        ("rndrd", Some((440, 0)), PhaseKind::Read),
        ("rndwr", Some((0, 440)), PhaseKind::Write),
        ("randrw", None, PhaseKind::Operate),
        ("rewrite", Some((220, 220)), PhaseKind::Operate),
        ("seeks", Some((400, 40)), PhaseKind::Operate),
    ];
    for (rw, expected, kind) in patterns {
        let test = test(&format!("rw = '{rw}'\nops = 220_000"));
        let first = run(test, &job).unwrap();
        let report = run(test, &job).unwrap();
        let done = (count(&report, "read"), count(&report, "write"));
        assert_eq!(done.0 + done.1, 440, "{rw}");
        assert!(expected.is_none_or(|expected| expected == done), "{rw}: {done:?}");
        assert_eq!(report.phases[0].kind, kind, "{rw}");
        assert_eq!((report.phases[0].ops, report.phases[0].bytes), (440, 440 * 4096), "{rw}");
        assert_eq!(report.phases.len(), if done.1 > 0 { 2 } else { 1 }, "{rw}");
        assert_eq!(count(&first, "read"), done.0, "{rw}: not the same operations twice");
        let stays: Vec<_> = test
            .space(&job)
            .into_iter()
            .map(|(path, bytes)| (path.file_name().unwrap().to_str().unwrap().to_owned(), bytes))
            .collect();
        assert!(stays.iter().all(|file| listed(&job).contains(file)), "{rw}");
        assert!(listed(&job).iter().all(|(name, _)| name.starts_with("old-")), "{rw}");
        assert_eq!(test.measure(&job, &pool(report))[0].metrics[0].name, "iops");
    }
}

#[test]
fn threads_of_a_sequential_pass_take_every_block_once() {
    for (rw, threads) in [("seqrewr", 3), ("seqrd", 7), ("seqwr", 3)] {
        let dir = tempfile::tempdir().unwrap();
        let job = job("x.io", dir.path());
        let text =
            format!("rw = '{rw}'\nthreads = {threads}\nruntime_s = 0\nblock = '64k'\nfiles = 2");
        let report = run(test(&text), &job).unwrap();
        let bytes = Layout::new(&settings(&text), &job).bytes();
        assert_eq!(report.phases[0].bytes, bytes, "{rw}");
        assert!(bytes > 8_000_000);
        assert_eq!(count(&report, "read") + count(&report, "write"), bytes >> 16, "{rw}");
    }
}

#[test]
fn random_threads_share_one_pass() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    for offsets in ["uniform", "permuted"] {
        let text = format!(
            "rw = 'rndwr'\nthreads = 3\nruntime_s = 600\nblock = '16k'\noffsets = '{offsets}'"
        );
        let report = run(test(&text), &job).unwrap();
        assert_eq!(report.phases[0].bytes, 8 << 20, "{offsets}");
    }
}

#[test]
fn damage_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    let test = test("rw = 'rndwr'\noffsets = 'permuted'\nruntime_s = 0\nblock = '8k'");
    test.fill(&job).unwrap();
    let mut run = test.start(&job).unwrap();
    run.timed(&mut Clock::default()).unwrap();
    run.verify().unwrap();
    let path = job.dir.join(&test.space(&job)[0].0);
    let file = fs::File::options().write(true).open(&path).unwrap();
    for block in 0..1024 {
        file.write_all_at(b"damage", block * 8192 + 8000).unwrap();
    }
    assert!(matches!(run.verify(), Err(TestError::Wrong { .. })));
    file.set_len(4096).unwrap();
    assert!(run.verify().unwrap_err().to_string().contains("4096 bytes instead of"));
}

#[test]
fn what_a_broken_run_left_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    let test = test("rw = 'seqwr'\nthreads = 2\nops = 100");
    test.fill(&job).unwrap();
    let run = test.start(&job).unwrap();
    assert_eq!(listed(&job).len(), 2);
    drop(run);
    assert_eq!(listed(&job), []);
    std::mem::forget(test.start(&job).unwrap());
    test.fill(&job).unwrap();
    assert_eq!(listed(&job), []);
    let other = self::test("rw = 'rndrd'");
    fs::write(job.dir.join("io/old-8388608-0"), b"half").unwrap();
    other.fill(&job).unwrap();
    assert_eq!(listed(&job), [("old-8388608-0".to_owned(), 8 << 20)]);
}

#[test]
fn files_are_synced_every_n_operations() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    let report = run(test("rw = 'rndwr'\nfsync = 'every=150'\nops = 1"), &job).unwrap();
    assert_eq!((count(&report, "write"), count(&report, "fsync")), (400, 3));
    assert_eq!(report.phases.len(), 1);
}

#[test]
fn a_ramp_does_operations_that_no_figure_has() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    // An operation of the null engine takes a millisecond of its own clock.
    let of = |ramp_s: u32, threads: u32| {
        let text = format!(
            "engine = 'null'\ndelay_ns = 1_000_000\nruntime_s = 100\nramp_s = {ramp_s}\nthreads = {threads}"
        );
        run(test(&text), &job).unwrap()
    };
    for threads in [1, 3] {
        let (without, with) = (of(0, threads), of(50, threads));
        assert_eq!(count(&without, "read"), 200 * u64::from(threads));
        assert_eq!(count(&with, "read"), count(&without, "read"));
        assert_eq!(with.phases[0].ops, without.phases[0].ops);
    }
    let written = "rw = 'rndwr'\ndirect = true\nfsync = 'every=10'\nruntime_s = 30\nramp_s = 30";
    // The check afterwards knows what the ramp wrote.
    match run(test(written), &job) {
        Ok(report) => assert_eq!(report.phases[0].ops, count(&report, "write")),
        Err(TestError::Io { .. }) => skip(Need::Other, "no direct I/O on this file system"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn only_distinct_pages_are_the_footprint() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    let footprint = |text: &str| run(test(text), &job).unwrap().footprint_bytes;
    let whole = "cache = 'cold'\nruntime_s = 0\nblock = '512'";
    assert_eq!(footprint(&format!("rw = 'seqrd'\n{whole}")), 8 << 20);
    assert_eq!(footprint(&format!("rw = 'rewrite'\n{whole}")), 8 << 20);
    assert_eq!(footprint(&format!("rw = 'seqrd'\n{whole}\nthreads = 5\nfiles = 3")), 6 << 20);
    // With replacement as many draws as blocks miss a share of 1/e of them.
    let drawn = footprint("rw = 'rndrd'\ncache = 'cold'\nruntime_s = 0");
    assert!((drawn as f64 / f64::from(8 << 20) - 0.632).abs() < 0.05, "{drawn}");
    assert_eq!(footprint("rw = 'rndrd'\nops = 1"), 0);
}

#[test]
fn only_distinct_blocks_that_were_synced_are_to_be_durable() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    let synced = |text: &str| run(test(text), &job).unwrap().synced;
    let bytes = |text: &str| synced(text).unwrap().bytes;
    // More than once around its files of 2048 blocks, however long it takes.
    assert_eq!(bytes("rw = 'seqwr'\nops = 1_100_000"), 8 << 20);
    // Some blocks are drawn twice.
    let drawn = run(test("rw = 'rndwr'\nops = 1\noffsets = 'uniform'"), &job).unwrap();
    let (distinct, ops) = (drawn.synced.unwrap().bytes / 4096, drawn.phases[0].ops);
    assert!(distinct < ops && distinct > ops * 3 / 4, "{distinct} of {ops}");
    assert!(!synced("rw = 'seqwr'").unwrap().throughout);
    assert!(synced("rw = 'rndwr'\nops = 1\nfsync = 'every=10'").unwrap().throughout);
    assert_eq!(synced("rw = 'rndwr'\nops = 1\nfsync = 'none'"), None);
    assert_eq!(synced("rw = 'seqrd'"), None);
}

#[test]
fn at_a_fixed_rate_latencies_are_of_the_schedule() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    let test =
        test("engine = 'null'\nrate = 100_000\nthreads = 3\nops = 1\nrank = 'latency_p99_us'");
    let report = run(test, &job).unwrap();
    assert_eq!(count(&report, "read"), 400);
    assert!(report.histograms.iter().all(|h| h.latency == LatencyKind::Response));
    assert_eq!(test.infos()[0].better, Better::Lower);
    assert_eq!(test.measure(&job, &pool(report))[0].metrics[0].name, "latency_p99_us");
    assert_eq!(test.space(&job), []);
    assert!(test.files(&job).is_empty());
}

#[test]
fn engines_agree_on_what_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    let mut reads = Vec::new();
    for engine in
        ["engine = 'sync'", "engine = 'mmap'", "engine = 'io_uring'\ndepth = 8\nbatch = 4"]
    {
        match run(test(&format!("rw = 'randrw'\nops = 1\n{engine}")), &job) {
            Ok(report) => reads.push(count(&report, "read")),
            Err(TestError::Engine(error)) => skip(Need::Other, format!("{engine}: {error}")),
            Err(error) => panic!("{engine}: {error}"),
        }
    }
    assert!(reads.len() > 1 && reads.iter().all(|n| *n == reads[0]), "{reads:?}");
}

#[test]
fn a_thread_that_cannot_begin_stops_all() {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.io", dir.path());
    let test = test("rw = 'rndrd'\nthreads = 4\nops = 1");
    test.fill(&job).unwrap();
    let mut run = test.start(&job).unwrap();
    let path = job.dir.join(&test.space(&job)[0].0);
    fs::File::options().write(true).open(path).unwrap().set_len(4096).unwrap();
    let error = run.timed(&mut Clock::default()).unwrap_err().to_string();
    assert!(error.contains("old-8388608-0"), "{error}");

    let odd = self::test("direct = true\nblock = '1032'\nthreads = 4\nops = 1");
    let error = self::run(odd, &job).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains("direct"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (text, why) in [
        ("block = 100", "multiple of 8"),
        ("threads = 0", "1 to 1024"),
        ("files = 0", "at least 1"),
        ("rw = 'randrw'\nread_percent = 101", "0 to 100"),
        ("runtime_s = -1", "negative"),
        ("ramp_s = 1\nops = 5", "needs `runtime_s`"),
        ("ramp_s = 1\nrw = 'rndwr'", "needs `runtime_s`"),
        ("rw = 'seqwr'\nengine = 'mmap'", "seqrewr"),
        ("rw = 'seqwr'\ncache = 'cold'", "omit `cache`"),
        ("direct = true\ncache = 'hot'", "omit `cache` or `direct`"),
        ("dontcache = true\ncache = 'hot'", "hot reads do not show"),
        ("dontcache = true\ndirect = true", "omit `dontcache` or `direct`"),
        ("dontcache = true\nengine = 'mmap'", "omit `dontcache`"),
        ("rw = 'rewrite'\ndepth = 2\nengine = 'io_uring'", "depth of 1"),
        ("rw = 'rndrd'\nfsync = 'end'", "nothing to sync"),
        ("rw = 'rndwr'\nfsync = 'every=0'", "every=N"),
        ("rank = 'latency_p99_us'", "set `rate`"),
        ("rw = 'rndwr'\nrate = 10\nfsync = 'each'", "the kind log"),
        ("depth = 4", "io_uring"),
        ("engine = 'libaio'", "unknown I/O engine"),
        ("offsets = 'zipf'", "uniform or permuted"),
    ] {
        let found = refusal(text);
        assert!(found.contains(why), "{text}: {found}");
        let named =
            found.split("the kind ").skip(1).filter_map(|rest| rest.split([' ', ',']).next());
        assert!(named.into_iter().all(|kind| kinds::find(kind).is_some()), "{found}");
    }
}

#[test]
fn the_cache_and_the_end_follow_from_the_pattern() {
    let of = |text: &str| {
        let settings = settings(text);
        (settings.cache(), settings.one_pass())
    };
    assert_eq!(of("direct = true"), (CacheNeed::Any, false));
    assert_eq!(of("direct = true\nrw = 'rndwr'"), (CacheNeed::Any, false));
    assert_eq!(of("rw = 'rndrd'"), (CacheNeed::Hot, false));
    assert_eq!(of("rw = 'rndwr'"), (CacheNeed::Hot, true));
    assert_eq!(of("rw = 'seqwr'\ndirect = true"), (CacheNeed::Any, true));
    assert_eq!(of("cache = 'cold'"), (CacheNeed::Cold, true));
    assert_eq!(of("dontcache = true"), (CacheNeed::Cold, true));
    assert_eq!(of("dontcache = true\nrw = 'rndwr'"), (CacheNeed::Any, true));
    assert_eq!(of("dontcache = true\nrw = 'seqwr'"), (CacheNeed::Any, true));
}

#[test]
fn reads_at_random_are_known_by_pattern_and_engine() {
    let of = |text: &str| test(text).random_reads();
    assert_eq!(of("rw = 'rndrd'"), Some(RandomReads::Called));
    assert_eq!(of("rw = 'rndrd'\nengine = 'io_uring'"), Some(RandomReads::Called));
    assert_eq!(of("rw = 'rndrd'\nengine = 'mmap'"), Some(RandomReads::Mapped));
    for text in ["rw = 'seqrd'", "rw = 'rndwr'", "rw = 'randrw'", "rw = 'rndrd'\nengine = 'null'"] {
        assert_eq!(of(text), None, "{text}");
    }
}

#[test]
fn a_file_of_all_is_one() {
    assert!(refusal("files = 2\nshared = 'segments'").contains("`shared` uses one file"));
    assert!(refusal("shared = 'both'").contains("shared"));
}

#[test]
fn tests_with_other_blocks_share_files() {
    let job = job("x.io", Path::new("/nowhere"));
    let paths = |text: &str| test(text).space(&job);
    assert_eq!(paths("block = '512'"), paths("block = '1m'\nthreads = 4\nrw = 'rndwr'"));
    assert_eq!(paths("block = '512'").len(), 1);
    // Every thread has at least two blocks.
    assert_eq!(paths("block = '1m'\nthreads = 128")[0].1, 256 << 20);
    let new = test("rw = 'seqwr'\nthreads = 4\nruntime_s = 0").estimate(&job);
    assert_eq!((new.write_bytes, new.scratch_bytes, new.disk_bytes), (8 << 20, 8 << 20, 0));
    let timed = test("direct = true\nrw = 'rndrd'").estimate(&job);
    assert_eq!((timed.fixed_s, timed.read_bytes, timed.disk_bytes), (0.15, 0, 8 << 20));
}

fn report(start_ns: u64, end_ns: u64, sync_ns: u64, reads: u64, writes: u64) -> WorkerReport {
    let phase = |kind, start_ns, end_ns, ops| PhaseReport {
        kind,
        start_ns,
        end_ns,
        bytes: ops * 4096,
        ops,
        cpu_user_s: 0.25,
        cpu_sys_s: 0.25,
    };
    let histogram =
        |op, ns, n| Histogram { bins: vec![(ns, n)], ..Histogram::new(op, LatencyKind::Service) };
    WorkerReport {
        phases: vec![
            phase(PhaseKind::Operate, start_ns, end_ns, reads + writes),
            phase(PhaseKind::Sync, end_ns, end_ns + sync_ns, 0),
        ],
        histograms: vec![histogram("read", 1000, reads), histogram("write", 9000, writes)],
        ..WorkerReport::default()
    }
}

fn figure(test: &dyn Test, pool: &PoolReport, name: &str) -> f64 {
    let job = job("x.io", Path::new("/nowhere"));
    let measured = test.measure(&job, pool);
    measured[0].metrics.iter().find(|m| m.name == name).map_or(f64::NAN, |m| m.value)
}

#[test]
fn rates_are_over_the_window_of_all_with_the_sync() {
    let s = 1_000_000_000;
    let workers = vec![report(0, 3 * s, s, 300, 100), report(0, 3 * s, s, 200, 200)];
    let pool = PoolReport { workers, ..PoolReport::default() };
    let mixed = test("rw = 'randrw'\ncache = 'any'");
    for (name, value) in [
        ("iops", 200.0),
        ("rate", 200.0 * 4096.0 / 1e6),
        ("read_iops", 125.0),
        ("write_iops", 75.0),
        ("unsynced_iops", 800.0 / 3.0),
        ("cache_rate", 800.0 / 3.0 * 4096.0 / 1e6),
        ("sync_s", 1.0),
        ("cpu_ns_per_op", 1e9 / 800.0),
        ("cpu_pct", 50.0),
        ("read_service_p99_us", 1.0),
        ("write_service_p50_us", 9.0),
        ("service_p99_us", 9.0),
        ("service_p50_us", 1.0),
    ] {
        let found = figure(mixed, &pool, name);
        assert!((found - value).abs() < 1e-9 * value, "{name}: {found} is not {value}");
    }
    // What is read and written back is one block.
    let rewrite = test("rw = 'rewrite'\nrank = 'rate'");
    let rate = figure(rewrite, &pool, "durable_rate");
    assert!((rate - 125.0 * 4096.0 / 1e6).abs() < 1e-9);
    assert_eq!(rewrite.infos()[0].metric, "durable_rate");
    let seeks = test("rw = 'seeks'\nrank = 'ops_rate'");
    assert_eq!(figure(seeks, &pool, "ops_rate"), 125.0);
}

#[test]
fn names_and_groups_follow_from_the_pattern() {
    let info = |text: &str| test(text).infos().remove(0);
    assert_eq!(info("threads = 8").name, "random read 4k, 8 threads");
    assert_eq!(info("rw = 'seqwr'\nblock = '1m'").name, "sequential write 1m, 1 thread");
    assert_eq!(info("rw = 'seqwr'\nblock = '512'").group, Group::SequentialWrite);
    let mixed = info("rw = 'randrw'\nread_percent = 70");
    assert_eq!((mixed.testtype.as_str(), mixed.group), ("random read/write", Group::Mixed));
    assert_eq!(mixed.name, "random read/write 70/30 4k, 1 thread");
}

//! Tests of the phases on a file system, with one and several workers, and of their figures.

use super::{phase::Phase, run};
use crate::{
    Meter, Test, TestError,
    testing::{self, Clock},
};
use engine::progress::Progress;
use model::workload::{Job, PhaseKind, PhaseReport, PoolReport, WorkerReport};
use std::{fs, path::Path};

fn test(more: &str) -> &'static dyn Test {
    testing::declared(&format!("id = 'x'\nkind = 'tree'\n{more}"))
}

fn job(dir: &Path) -> Job {
    Job { scale: 0.001, ..testing::job("x", &dir.join("w0")) }
}

fn refused(text: &str) -> String {
    let text = format!("suite = 'x'\nid = 'x'\nkind = 'tree'\n{text}");
    crate::declare::test(&text).err().unwrap().to_string()
}

/// Everything below `dir`, each path relative to it.
fn below(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(below(&path).into_iter().map(|inner| format!("{name}/{inner}")));
        }
        found.push(name);
    }
    found.sort();
    found
}

/// Runs phases and looks at the tree after each.
struct Watch<'a> {
    clock: Clock,
    base: &'a Path,
    seen: Vec<Vec<String>>,
}

impl Meter for Watch<'_> {
    fn phase(
        &mut self,
        kind: PhaseKind,
        work: &mut dyn FnMut(Progress<'_>) -> Result<(), TestError>,
    ) -> Result<(), TestError> {
        self.clock.phase(kind, work)?;
        self.seen.push(below(self.base));
        Ok(())
    }
}

#[test]
fn phases_leave_what_mdtest_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let (test, job) = (test("depth = 1\nbranch = 2\nitems = 66000"), job(dir.path()));
    test.fill(&job).unwrap();
    let base = run::base(&job, "x");
    let mut watch = Watch { clock: Clock::default(), base: &base, seen: Vec::new() };
    let mut run = test.start(&job).unwrap();
    run.timed(&mut watch).unwrap();
    run.verify().unwrap();
    let tree = ["mdtest_tree.0", "mdtest_tree.0/mdtest_tree.1", "mdtest_tree.0/mdtest_tree.2"];
    assert_eq!(watch.seen[0], tree);
    let counts: Vec<usize> = watch.seen.iter().map(Vec::len).collect();
    assert_eq!(counts, [3, 69, 69, 69, 3, 69, 69, 69, 3, 0]);
    assert!(watch.seen[1].contains(&"mdtest_tree.0/mdtest_tree.1/dir.mdtest.0.22".into()));
    assert_eq!(watch.seen[1], watch.seen[3], "the ring ends with the names it began with");
    assert!(watch.seen[5].contains(&"mdtest_tree.0/file.mdtest.0.21".into()));
    let ops: Vec<u64> = watch.clock.0.iter().map(|phase| phase.ops).collect();
    assert_eq!(ops, [3, 66, 66, 66, 66, 66, 66, 66, 66, 3]);
    let laps: Vec<u64> = run.histograms().iter().map(|h| h.count()).collect();
    assert_eq!(laps, ops);
}

#[test]
fn bytes_are_written_and_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let more =
        "files_only = true\nwrite_bytes = 3901\nread_bytes = 3901\nfsync = true\nsync = true";
    let test = test(&format!("{more}\nrandom = true\niterations = 2"));
    let job = job(dir.path());
    let report = testing::run(test, &job).unwrap();
    let bytes: Vec<u64> = report.phases.iter().map(|phase| phase.bytes).collect();
    assert_eq!(bytes[..6], [0, 390_100, 0, 390_100, 0, 0]);
    assert_eq!(bytes.len(), 12);
    assert!(below(&run::base(&job, "x")).is_empty());
}

/// A meter that lets other workers go through the same phase first.
struct Pool<'a> {
    gate: &'a std::sync::Barrier,
}

impl Meter for Pool<'_> {
    fn phase(
        &mut self,
        kind: PhaseKind,
        work: &mut dyn FnMut(Progress<'_>) -> Result<(), TestError>,
    ) -> Result<(), TestError> {
        self.gate.wait();
        let result = Clock::default().phase(kind, work);
        self.gate.wait();
        result
    }
}

#[test]
fn workers_with_a_stride_take_the_items_of_others() {
    // Three workers of which each has a host, by a setting and as the hosts say.
    let by_hosts = |worker: u32| Some([1, 2, 2].map(|strides| (worker + strides) % 3));
    for (unique, stride, owners) in [
        (false, 1, (|_| None) as fn(u32) -> Option<[u32; 3]>),
        (true, 1, |_| None),
        (false, 0, by_hosts),
        (true, 0, by_hosts),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let more = "items = 64\ndepth = 1\nbranch = 3\nwrite_bytes = 100\nread_bytes = 100";
        let test = test(&format!("{more}\nunique = {unique}\nstride = {stride}"));
        let gate = std::sync::Barrier::new(3);
        let jobs: Vec<Job> = (0..3)
            .map(|worker| Job {
                worker,
                workers: 3,
                owners: owners(worker),
                dir: dir.path().join(format!("w{worker}")),
                ..job(dir.path())
            })
            .collect();
        jobs.iter().for_each(|job| test.fill(job).unwrap());
        std::thread::scope(|scope| {
            for job in &jobs {
                let gate = &gate;
                scope.spawn(move || {
                    let mut run = test.start(job).unwrap();
                    run.timed(&mut Pool { gate }).unwrap();
                    gate.wait();
                    run.verify().unwrap();
                });
            }
        });
    }
}

#[test]
fn what_is_left_behind_is_noticed_and_cleared_by_the_next_fill() {
    let dir = tempfile::tempdir().unwrap();
    let (test, job) = (test("dirs_only = true"), job(dir.path()));
    test.fill(&job).unwrap();
    let mut run = test.start(&job).unwrap();
    run.timed(&mut Clock::default()).unwrap();
    fs::create_dir(run::base(&job, "x").join("left")).unwrap();
    assert!(run.verify().unwrap_err().to_string().contains("was not removed"));
    assert!(testing::run(test, &job).is_ok());
}

#[test]
fn no_attempt_works_where_one_before_it_did() {
    let dir = tempfile::tempdir().unwrap();
    let test = test("dirs_only = true");
    let attempts = [(1, 1), (1, 2), (2, 1)];
    let jobs = attempts.map(|(workers, attempt)| Job { workers, attempt, ..job(dir.path()) });
    let bases = jobs.each_ref().map(|job| run::base(job, "x"));
    assert!(bases[0] != bases[1] && bases[1] != bases[2] && bases[0] != bases[2], "{bases:?}");
    for (job, base) in jobs.iter().zip(&bases) {
        test.fill(job).unwrap();
        fs::create_dir(base.join("left")).unwrap();
        assert_eq!(bases.iter().filter(|base| base.exists()).collect::<Vec<_>>(), [base]);
    }
}

fn phase(ms: u64, ops: u64) -> PhaseReport {
    PhaseReport {
        kind: PhaseKind::Operate,
        start_ns: 0,
        end_ns: ms * 1_000_000,
        bytes: 0,
        ops,
        cpu_user_s: 0.0,
        cpu_sys_s: 0.0,
    }
}

#[test]
fn rates_are_those_of_mdtest() {
    let test = test("dirs_only = true\ndepth = 1\nbranch = 3\nitems = 100000\niterations = 2");
    let job = job(Path::new("/tmp"));
    // Tree creation, directory creation, stat, rename, removal, tree removal; twice.
    let worker = |first_ms: u64| WorkerReport {
        phases: [first_ms, 4]
            .into_iter()
            .flat_map(|ms| {
                [
                    phase(2, 4),
                    phase(ms, 100),
                    phase(1, 100),
                    phase(1, 100),
                    phase(1, 100),
                    phase(8, 4),
                ]
            })
            .collect(),
        ..WorkerReport::default()
    };
    let pool = PoolReport { workers: vec![worker(2), worker(1)], ..PoolReport::default() };
    let measured = test.measure(&job, &pool);
    let rate = |id: &str| {
        let found = measured.iter().find(|m| m.test == id).unwrap();
        (found.metrics[0].name.clone(), found.metrics[0].value, found.phases.clone())
    };
    // 200 items in 2 ms, then in 4 ms.
    assert_eq!(rate("x.dir.create"), ("ops_rate".into(), 75_000.0, 7..8));
    assert_eq!(rate("x.dir.remove").1, 200_000.0);
    assert_eq!(rate("x.tree.create"), ("ops_rate".into(), 2000.0, 6..7));
    assert_eq!(rate("x.tree.remove"), ("ops_rate".into(), 500.0, 11..12));
    assert_eq!(measured.len(), test.infos().len());
    assert_eq!(measured[0].metrics[1].value, 50_000.0);
}

#[test]
fn names_and_ids_are_those_of_mdtest() {
    let names = |more: &str| -> Vec<String> {
        test(more).infos().iter().map(|info| format!("{} {}", info.id, info.name)).collect()
    };
    let all = names("depth = 2\nbranch = 2");
    assert_eq!(all.len(), 10);
    assert_eq!(all[0], "x.dir.create Directory creation");
    assert_eq!(all[9], "x.tree.remove Tree removal");
    let flat = names("files_only = true\nname = 'flat'");
    assert_eq!(flat[0], "x.file.create File creation, flat");
    assert_eq!(flat.len(), 4, "a tree of one directory is too short to time");
    for phase in Phase::PRINTED {
        let page = test("depth = 2\nbranch = 2").explain(&format!("x.{}", phase.id()));
        assert!(page.starts_with(&format!("# {} ", phase.name())), "{page}");
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    assert!(refused("files_only = true\ndirs_only = true").contains("exclude each other"));
    assert!(refused("read_bytes = 10").contains("write_bytes"));
    assert!(refused("depth = 30\nbranch = 9").contains("a million"));
    assert!(refused("branch = 0").contains("at least 1"));
    assert!(refused("iterations = 0").contains("from 1"));
    assert!(refused("items = 0").contains("items"));
}

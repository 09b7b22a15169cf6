//! Commands run as declared, material is what it should be, and failures name their reason.

use crate::{
    Test, TestError,
    testing::{declared, job, pool, run},
};
use model::workload::{Job, TestInfo};
use std::{fs, path::Path};

fn app(text: &str) -> &'static dyn Test {
    declared(&format!("kind = 'app'\nid = 'x.test'\n{text}"))
}

fn refusal(text: &str) -> String {
    crate::declare::test(&format!("suite = 'x'\nkind = 'app'\nid = 'x.test'\n{text}"))
        .err()
        .unwrap()
        .to_string()
}

fn place() -> (tempfile::TempDir, Job) {
    let dir = tempfile::tempdir().unwrap();
    let job = job("x.test", dir.path());
    (dir, job)
}

fn lines(path: impl AsRef<Path>) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_string).collect()
}

#[test]
fn steps_run_in_their_order_and_setup_once() {
    let (dir, job) = place();
    let test = app("setup = 'echo setup >> log'\nprepare = ['echo prepare >> log', 'rm -f out']\n\
         command = 'echo run $ASSAY_COUNT $ASSAY_WORKER >> log; echo $THING > out'\n\
         verify = 'test $(cat out) = that'\ncleanup = 'rm out; echo clean >> log'\n\
         env = { THING = 'that' }\ncount = 1000");
    for _ in 0..2 {
        let report = run(test, &job).unwrap();
        assert_eq!(report.phases.len(), 2);
    }
    let again = ["prepare", "run 2 0", "clean"];
    let expected: Vec<&str> = [&["setup"][..], &again, &again].concat();
    assert_eq!(lines(dir.path().join("x/log")), expected);
    assert!(!dir.path().join("x/out").exists());
}

#[test]
fn a_run_without_a_fill_prepares_itself() {
    let (dir, job) = place();
    let test = app("prepare = 'echo prepare >> log'\ncommand = 'true'\nsync = false");
    run(test, &job).unwrap();
    let mut clock = crate::testing::Clock::default();
    let mut again = test.start(&job).unwrap();
    again.timed(&mut clock).unwrap();
    again.verify().unwrap();
    assert_eq!(lines(dir.path().join("x/log")).len(), 2);
}

#[test]
fn figures_are_time_cost_and_what_ranks_comes_first() {
    let (_dir, job) = place();
    let busy = "command = 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'";
    let names = |text: &str| {
        let test = app(text);
        let measured = test.measure(&job, &pool(run(test, &job).unwrap())).remove(0);
        let infos: Vec<TestInfo> = test.infos();
        assert_eq!(measured.metrics[0].name, infos[0].metric);
        assert_eq!(measured.test, "x.test");
        measured.metrics.iter().map(|m| m.name.clone()).collect::<Vec<_>>()
    };
    let plain = names(busy);
    for name in ["wall_s", "durable_s", "sync_s", "peak_memory_mb"] {
        assert!(plain.iter().any(|n| n == name), "{plain:?}");
    }
    assert!(plain.iter().any(|n| n == "user_s" || n == "sys_s"));
    assert_eq!(names(&format!("{busy}\nrank = 'durable_s'"))[0], "durable_s");
    assert!(!names(&format!("{busy}\nsync = false")).contains(&"sync_s".into()));
}

#[test]
fn failures_are_reported_and_leave_nothing() {
    let (dir, job) = place();
    let text = |error: TestError| error.to_string();
    let failing = app("command = 'touch half; echo no space >&2; exit 4'\ncleanup = 'rm half'");
    assert!(text(run(failing, &job).unwrap_err()).ends_with("failed (exit 4): no space"));
    assert!(!dir.path().join("x/half").exists());
    let wrong = app("command = 'touch made'\nverify = 'test -e other'\ncleanup = 'rm made'");
    assert!(text(run(wrong, &job).unwrap_err()).contains("`test -e other` failed (exit 1)"));
    assert!(!dir.path().join("x/made").exists());
    let unprepared = app("prepare = 'exit 5'\ncommand = 'true'");
    assert!(text(run(unprepared, &job).unwrap_err()).contains("(exit 5)"));
}

#[test]
fn mistakes_are_refused() {
    assert!(refusal("").contains("it has no `command`"));
    assert!(refusal("command = 3").contains("a string or a list of strings"));
    assert!(refusal("command = 'a'\nsync = false\nrank = 'durable_s'").contains("sync = true"));
    assert!(refusal("command = 'a'\ncache = 'cold'").contains("needs `files`"));
    assert!(refusal("command = 'a'\nfiles = ['../b']").contains("`../b` must be a path below"));
    assert!(refusal("command = 'a'\nfiles = ['/b']").contains("below"));
    let material =
        "command = 'a'\nmaterial = [{ kind = 'tree', path = '', files = 1, bytes = '1k' }]";
    assert!(refusal(material).contains("below"));
    assert!(refusal("command = 'a'\nseconds = -1").contains("at least 0"));
    let lacking = app("command = 'a'\nneeds = ['sh', 'no-such-program']").missing().unwrap();
    assert!(lacking.what.contains("no-such-program"));
}

#[test]
fn declared_reads_are_reported_for_the_cold_proof() {
    let (_dir, job) = place();
    let of = |read: &str| {
        app(&format!("command = 'true'\n{read}"))
            .declared_read_bytes(&Job { scale: 0.5, ..job.clone() })
    };
    assert_eq!(of("read = '10M'"), Some(5 << 20));
    assert_eq!(of(""), None);
}

#[test]
fn a_tree_is_the_same_for_the_same_seed() {
    let (a, first) = place();
    let (b, second) = place();
    let test = app(
        "command = 'true'\nmaterial = [{ kind = 'tree', path = 'src', files = 100, bytes = '2k' }]\n\
         files = ['src']\nreads = ['src']\ncache = 'cold'",
    );
    let report = run(test, &first).unwrap();
    test.fill(&second).unwrap();
    let (left, right) = (test.files(&first), test.files(&second));
    assert_eq!(left.len(), 60);
    let mut bytes = 0;
    for (x, y) in left.iter().zip(&right) {
        assert_eq!(x.strip_prefix(a.path()), y.strip_prefix(b.path()));
        assert_eq!(fs::read(x).unwrap(), fs::read(y).unwrap());
        bytes += x.metadata().unwrap().len();
    }
    assert!(report.footprint_bytes >= bytes && report.footprint_bytes.is_multiple_of(4096));
    assert!(test.space(&first)[0].1 >= bytes);
    let link = a.path().join("x/src/part000/module00/link000000.c");
    assert_eq!(fs::read_link(link).unwrap(), Path::new("file000000.c"));
    let other = Job { worker: 1, ..second };
    fs::remove_dir_all(b.path().join("x")).unwrap();
    test.fill(&other).unwrap();
    assert_ne!(fs::read(&left[0]).unwrap(), fs::read(&right[0]).unwrap());
}

#[test]
fn a_wheel_is_an_archive_that_others_read() {
    let (dir, job) = place();
    let wheels = "command = 'true'\nmaterial = [{ kind = 'wheels', path = 'w', packages = 4, files = 12, bytes = '1k' }]";
    app(wheels).fill(&job).unwrap();
    let folder = dir.path().join("x/w");
    assert_eq!(lines(folder.join("requirements.txt"))[0], "assay_pkg000==1.0");
    let wheel = fs::read(folder.join("assay_pkg000-1.0-py3-none-any.whl")).unwrap();
    assert_eq!(&wheel[..4], b"PK\x03\x04");
    if !needs::program_or_skip("python3") {
        return;
    }
    // testzip checks every checksum.
    let reader = "command = ['python3 -c \"import zipfile; z = zipfile.ZipFile(\\\"w/assay_pkg000-1.0-py3-none-any.whl\\\"); assert z.testzip() is None; assert len(z.namelist()) == 13; assert b\\\"Name: assay_pkg000\\\" in z.read(\\\"assay_pkg000-1.0.dist-info/METADATA\\\")\"']";
    run(app(reader), &job).unwrap();
}

#[test]
fn every_shipped_command_runs_where_its_programs_are() {
    for test in crate::suites().iter().find(|s| s.name == "apps").unwrap().tests.iter() {
        let id = test.infos()[0].id.clone();
        if let Some(missing) = test.missing() {
            let program = missing.what.trim_start_matches("the program ");
            needs::skip(needs::Need::program(program), format!("{id} needs {program}"));
            continue;
        }
        let (dir, job) = place();
        let job = Job { declaration: test.declaration(), ..job };
        for _ in 0..2 {
            run(*test, &job).unwrap_or_else(|error| panic!("{id}: {error}"));
        }
        let known: Vec<_> = test.space(&job).into_iter().map(|(path, _)| path).collect();
        for entry in fs::read_dir(dir.path().join("apps")).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = Path::new("apps").join(&name);
            assert!(
                name.starts_with('.') || known.contains(&path) || name == "project",
                "{id}: {name}"
            );
        }
    }
}

#[test]
fn command_reads_an_asset_by_its_placeholder() {
    let (dir, job) = place();
    let data = dir.path().join("da ta");
    fs::write(&data, "content\n").unwrap();
    let test = app("command = 'cat {asset:keys.csv} > log'\nsync = false");
    assert_eq!(test.assets(), ["keys.csv".parse().unwrap()]);
    let asset = model::workload::AssetFile {
        name: "keys.csv".parse().unwrap(),
        path: data,
        bytes: model::text::Bytes(8),
        sha256: model::workload::ContentHash::of_bytes([0; 32]),
    };
    let why = run(test, &job).unwrap_err().to_string();
    assert!(why.contains("does not have the asset `keys.csv`"), "{why}");
    run(test, &Job { assets: vec![asset], ..job }).unwrap();
    assert_eq!(lines(dir.path().join("x/log")), ["content"]);
}

//! Other people's tools as suites, from outside: what they print becomes samples, and whatever they do wrong makes
//! their sample invalid with its reason while the campaign continues.

use crate::common::{Place, confines_or_skip, ready, ready_or_skip, root_or_skip, text};
use model::result::{CacheFault, Validity};
use needs::{Need, skip};
use rustix::process::{Pid, Signal, kill_process};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Stdio, thread, time::Duration};

const JOB: &str = "[global]\nsize=4m\n[one]\nrw=randread\ntime_based\nruntime=10\n";

/// A place with a job file, a directory to measure, and a folder of programs before all others.
struct Bench {
    place: Place,
    target: String,
    path: String,
}

impl Bench {
    fn new() -> Bench {
        let place = Place::new();
        fs::write(place.path("job.fio"), JOB).unwrap();
        let target = format!("dir:{}", place.dir("data").display());
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", place.dir("bin").display());
        Bench { place, target, path }
    }

    /// A program called `name` that does `script`, but tells its version when asked.
    fn fake(&self, name: &str, script: &str) {
        let file = self.place.path("bin").join(name);
        let version = "[ \"$1\" = --version ] && echo fake-1.0 && exit 0\ncat > job.seen\n";
        let laid_out = "grep -q create_only job.seen && exit 0\n";
        fs::write(&file, format!("#!/bin/sh\n{version}{laid_out}{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs fio's job and then the null suite on `target`; gives status, and validity by test.
    fn run_on(&self, target: &str, args: &[&str]) -> (Option<i32>, Vec<(String, String)>) {
        let start = ["run", "--suite", "fio:job.fio", "--suite", "null", "--on", target];
        let rest = ["--preset", "smoke", "--scale", "smoke", "--procs", "1"];
        let mut command = self.place.command(&[&start[..], &rest, args].concat());
        let output = command.env("PATH", &self.path).output().unwrap();
        self.place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
        let samples = fs::read_to_string(self.place.path("out/samples.csv")).unwrap();
        let column = |line: &str, n: usize| line.split(',').nth(n).unwrap_or_default().to_string();
        let mut rows: Vec<_> = samples
            .lines()
            .skip(1)
            .map(|line| (column(line, 5), crate::common::validity(line)))
            .collect();
        rows.dedup();
        (output.status.code(), rows)
    }

    /// Runs with the fake and expects the reason of the one sample, and the null suite after it.
    fn reason(&self, target: &str, args: &[&str]) -> String {
        let (status, rows) = self.run_on(target, args);
        assert_eq!(status, Some(4), "{rows:?}");
        let of = |test: &str| {
            let row = rows.iter().find(|(id, _)| id == test);
            row.map(|(_, validity)| validity.clone()).unwrap_or_default()
        };
        assert_eq!(of("null.read"), "valid", "the campaign must go on: {rows:?}");
        self.place.assert_clean();
        of("fio.one")
    }

    fn fails(&self, args: &[&str], status: i32) -> String {
        let output = self.place.command(args).env("PATH", &self.path).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", text(&output.stderr));
        text(&output.stderr)
    }
}

fn installed(name: &str) -> bool {
    needs::program_or_skip(name)
}

/// Command lines of all processes.
fn command_lines() -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let line = |dir: &Path| fs::read(dir.join("cmdline")).ok();
    entries.filter_map(|e| line(&e.path())).map(|bytes| text(&bytes).replace('\0', " ")).collect()
}

#[test]
fn a_real_fio_gives_real_figures() {
    if !installed("fio") {
        return;
    }
    let bench = Bench::new();
    let (status, rows) = bench.run_on(&bench.target, &[]);
    assert_eq!(status, Some(0), "{rows:?}");
    assert!(rows.contains(&("fio.one".into(), "valid".into())), "{rows:?}");
    let show = bench.place.ok(&["show"]);
    for fact in ["tool.fio.version = fio-", "tool.fio.p1.argv = fio --output-format=json+"] {
        assert!(show.contains(fact), "{show}");
    }
    let samples = fs::read_to_string(bench.place.path("out/samples.csv")).unwrap();
    assert!(
        samples.lines().any(|line| line.contains("fio.one") && line.contains(",service_p50_us,"))
    );
    bench.place.assert_clean();
    assert_eq!(fs::read_dir(bench.place.path("data")).unwrap().count(), 0);
}

#[test]
fn garbage_is_no_figure() {
    let bench = Bench::new();
    bench.fake("fio", "echo all is well");
    let reason = bench.reason(&bench.target, &[]);
    assert!(reason.contains("fio holds wrong data"), "{reason}");
}

#[test]
fn a_tool_that_fails_tells_why() {
    let bench = Bench::new();
    bench.fake("fio", "echo started; echo out of luck >&2; exit 1");
    let reason = bench.reason(&bench.target, &[]);
    assert!(reason.contains("`fio` failed (exit 1): out of luck"), "{reason}");
}

#[test]
fn a_tool_that_is_killed_is_no_measurement() {
    let bench = Bench::new();
    bench.fake("fio", "echo '{'; kill -9 $$");
    let reason = bench.reason(&bench.target, &[]);
    assert!(reason.contains("signal 9"), "{reason}");
}

#[test]
fn a_tool_that_hangs_ends_with_all_that_it_started() {
    let bench = Bench::new();
    let mark = format!("6{:05}", std::process::id() % 100_000);
    bench.fake("fio", &format!("sleep {mark} &\nsetsid sleep {mark} &\nwait"));
    let reason = bench.reason(&bench.target, &["--case-timeout", "2"]);
    assert!(reason.contains("invalid: timed out after 2 s"), "{reason}");
    let left: Vec<_> = command_lines().into_iter().filter(|line| line.contains(&mark)).collect();
    if rustix::process::geteuid().is_root() {
        assert!(left.is_empty(), "{left:?}");
    } else {
        skip(Need::Root, "what calls setsid is found again as root only");
    }
}

#[test]
fn tool_that_makes_too_long_a_file_is_ended_and_its_files_are_removed() {
    if !root_or_skip("a full file system") {
        return;
    }
    let bench = Bench::new();
    for target in ready(&bench.place, &["ext4", "xfs"]) {
        bench.fake("fio", "head -c 20000000 /dev/zero > part && fallocate -l 60G rest");
        let reason = bench.reason(target, &[]);
        assert!(reason.contains("it created a file larger than the 4.0 MiB"), "{reason}");
    }
}

#[test]
fn jobs_that_reach_beyond_the_target_are_refused_before_anything_is_touched() {
    let bench = Bench::new();
    bench.fake("fio", "exit 0");
    for option in ["filename=/dev/sda", "directory=/", "exec_prerun=reboot"] {
        fs::write(bench.place.path("bad.fio"), format!("[a]\nrw=write\n{option}\n")).unwrap();
        let args = ["run", "--suite", "fio:bad.fio", "--on", &bench.target];
        let line = bench.fails(&args, 2);
        assert!(line.contains(option) && line.contains("refused"), "{line}");
    }
    let with_path =
        ["run", "--suite", "sysbench", "--knob", "args=/dev/sda", "--on", &bench.target];
    assert!(bench.fails(&with_path, 2).contains("contains a path"));
    assert!(
        bench
            .fails(&["run", "--suite", "fio:none.fio", "--on", &bench.target], 2)
            .contains("none.fio")
    );
    assert!(!bench.place.path("store.db").exists());
}

#[test]
fn a_tool_that_is_not_there_is_named_with_its_package() {
    let bench = Bench::new();
    if Path::new("/usr/bin/elbencho").exists() || Path::new("/usr/local/bin/elbencho").exists() {
        skip(Need::Other, "elbencho is installed");
        return;
    }
    let line = bench.fails(&["run", "--suite", "elbencho", "--on", &bench.target], 3);
    assert!(line.contains("the program elbencho, which is missing; install"), "{line}");
}

#[test]
fn a_campaign_is_resumed_without_its_job_file() {
    let bench = Bench::new();
    bench.fake("fio", "touch started; sleep 1; echo no luck >&2; exit 1");
    let has_started = || {
        let private = fs::read_dir(bench.place.path("data")).unwrap().flatten();
        private.map(|dir| dir.path().join("p0/tool/started")).any(|file| file.exists())
    };
    let args = [
        "run",
        "--suite",
        "fio:job.fio",
        "--on",
        &bench.target,
        "--preset",
        "smoke",
        "--scale",
        "smoke",
    ];
    let mut command = bench.place.command(&args);
    command.env("PATH", &bench.path).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().unwrap();
    while !has_started() && run.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    fs::remove_file(bench.place.path("job.fio")).unwrap();
    assert!(bench.fails(&["resume", "last"], 4).contains("fio"));
    bench.place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
    let samples = fs::read_to_string(bench.place.path("out/samples.csv")).unwrap();
    assert!(samples.contains("no luck"), "{samples}");
    bench.place.assert_clean();
}

/// Runs with the fewest words and gives the rows of its samples: test, and validity.
fn rows(place: &Place, args: &[&str], status: i32) -> Vec<(String, String)> {
    let rest = ["--preset", "smoke", "--blocks", "1", "--procs", "1"];
    let output = place.assay(&[&["run"], args, &rest].concat());
    assert_eq!(output.status.code(), Some(status), "{}", text(&output.stderr));
    place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
    let samples = fs::read_to_string(place.path("out/samples.csv")).unwrap();
    let test = |line: &str| line.split(',').nth(5).unwrap_or_default().to_string();
    let row = |line: &str| (test(line), crate::common::validity(line));
    samples.lines().skip(1).map(row).collect()
}

#[test]
fn a_real_sysbench_takes_a_list_of_block_sizes() {
    if !installed("sysbench") {
        return;
    }
    let place = Place::new();
    let target = format!("dir:{}", place.dir("data").display());
    let args = "args=--file-block-size=4K,16K --file-total-size=8M --file-num=2 --time=1";
    let tests = ["--tests", "sysbench.rndrd.*"];
    let of = rows(
        &place,
        &[&["--suite", "sysbench", "--knob", args, "--on", &target], &tests[..]].concat(),
        0,
    );
    let valid = |test: &str| (test.to_string(), "valid".to_string());
    for test in ["sysbench.rndrd.4k", "sysbench.rndrd.16k"] {
        assert!(of.contains(&valid(test)), "{of:?}");
    }
    let said = place.ok(&["show"]);
    assert!(
        said.contains("--file-block-size=4K run") && said.contains("--file-block-size=16K run"),
        "{said}"
    );
    place.assert_clean();
}

#[test]
fn mdtest_gets_the_arguments_of_the_user_and_no_others() {
    if !confines_or_skip() {
        return;
    }
    let bench = Bench::new();
    let output = include_str!("../../formats/tests/fixtures/mdtest-ext4.txt");
    let told = "-d files -n 20 -z 1";
    bench.fake("mpirun", "while [ \"$1\" != mdtest ]; do shift; done\nexec \"$@\"");
    bench.fake("mdtest", &format!("[ \"$*\" = '{told}' ] || exit 9\ncat <<'END'\n{output}END"));
    let words = ["run", "--suite", "mdtest", "--on", &bench.target, "--procs", "1"];
    let rest = ["--preset", "smoke", "--blocks", "1", "--knob", "args=-n 20 -z 1"];
    let mut command = bench.place.command(&[&words[..], &rest].concat());
    let ran = command.env("PATH", &bench.path).output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    assert!(bench.place.ok(&["show"]).contains(&format!("mdtest {told}")));
    bench.place.assert_clean();
}

#[test]
fn an_image_has_room_for_what_the_words_of_a_tool_ask_for() {
    let bench = Bench::new();
    if !root_or_skip("loop devices") || !ready_or_skip(&bench.place, "ext4") {
        return;
    }
    bench.fake("bonnie++", "exit 0");
    let image = |knob: &[&str]| {
        let words = ["plan", "--suite", "bonnie++", "--on", "ext4", "--procs", "1"];
        let rest = ["--preset", "smoke", "--blocks", "1"];
        let mut command = bench.place.command(&[&words[..], &rest, knob].concat());
        let planned = command.env("PATH", &bench.path).output().unwrap();
        let said = text(&planned.stdout);
        let size = said.lines().find_map(|line| line.strip_prefix("loop image "));
        let size = size.unwrap_or_else(|| panic!("{said}{}", text(&planned.stderr)));
        size.parse::<model::text::Bytes>().unwrap().0
    };
    let (told, own) = (image(&["--knob", "args=-s 9g -r 1g -n 0"]), image(&[]));
    assert!(told > 9 << 30 && own < 9 << 30, "{told} and {own}");
}

#[test]
fn a_campaign_without_a_valid_sample_has_not_gone_well() {
    let place = Place::new();
    let suite = "name = \"short\"\nabout = \"x\"\n[[test]]\nkind = \"io\"\nid = \"short.one\"\nabout = \"x\"\n\
                 rw = \"rndrd\"\ncache = \"cold\"\nsize = \"1M\"\n";
    fs::write(place.path("short.toml"), suite).unwrap();
    // What is in memory alone is never cold.
    let shm = tempfile::tempdir_in("/dev/shm").unwrap();
    let target = format!("dir:{}", shm.path().display());
    let of = rows(&place, &["--suite", "./short.toml", "--scale", "1", "--on", &target], 4);
    assert!(
        !of.is_empty() && of.iter().all(|(_, validity)| validity.starts_with("lukewarm")),
        "{of:?}"
    );
}

#[test]
fn direct_blocks_that_btrfs_takes_through_the_page_cache_are_measured_and_labelled() {
    let place = Place::new();
    if !root_or_skip("loop devices") || !ready_or_skip(&place, "btrfs") {
        return;
    }
    let tests = [
        "--tests",
        "matrix.rndrd.512.t1",
        "--tests",
        "matrix.seqwr.512.t1",
        "--tests",
        "matrix.rndrd.4k.t1",
    ];
    let of = rows(
        &place,
        &[&["--suite", "matrix", "--scale", "0.01", "--on", "btrfs"], &tests[..]].concat(),
        0,
    );
    let validity = |test: &str| &of.iter().find(|(id, _)| id == test).unwrap().1;
    assert_eq!(validity("matrix.rndrd.4k.t1"), "valid");
    for test in ["matrix.rndrd.512.t1", "matrix.seqwr.512.t1"] {
        let why = CacheFault::DirectThroughCache { multiple_bytes: 4096 };
        assert_eq!(*validity(test), Validity::Lukewarm(why.into()).to_string(), "{of:?}");
    }
    let samples = fs::read_to_string(place.path("out/samples.csv")).unwrap();
    let of_512 = samples.lines().find(|line| line.contains("matrix.rndrd.512.t1")).unwrap();
    assert!(of_512.contains("iops"), "{of_512}");
    place.assert_clean();
}

//! Tests of crashes: kill -9 of the coordinator, signals, workers that die or hang.

use crate::common::{Place, ready, ready_or_skip, root_or_skip, text, wait_for};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
};

const RUN: [&str; 11] = [
    "run",
    "--preset",
    "smoke",
    "--scale",
    "smoke",
    "--procs",
    "1",
    "--blocks",
    "2",
    "--tests",
    "columnar.write.*",
];

/// What a run has reached, and whether it has.
type Moment = (&'static str, fn(&Place) -> bool);

/// Moments of a run, in their order.
const MOMENTS: [Moment; 4] = [
    ("state", |place| place.path("state").exists()),
    ("campaign", has_campaign),
    ("image", |place| is_filled(&place.path("state/images"))),
    ("mount", is_mounted),
];

fn has_campaign(place: &Place) -> bool {
    let listed = place.assay(&["list", "--format", "json"]);
    listed.status.success() && text(&listed.stdout).contains("\"id\"")
}

fn is_filled(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some())
}

fn is_mounted(place: &Place) -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    mounts.contains(place.path("state").to_str().unwrap())
}

#[test]
fn kill_9_leaves_nothing_that_cleanup_does_not_undo() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    let targets = ready(&place, &["ext4", "xfs", "btrfs"]);
    if targets.is_empty() {
        return;
    }
    let on = targets.join(",");
    for (moment, is_now) in MOMENTS {
        let mut child = place.spawn(&[&RUN[..], &["--on", &on]].concat());
        wait_for(moment, || is_now(&place));
        child.kill().unwrap();
        child.wait().unwrap();
        place.ok(&["cleanup"]);
        place.assert_clean();
        place.ok(&["list"]);
    }
    place.ok(&["resume", "last"]);
    place.assert_clean();
    assert!(place.ok(&["show", "last"]).contains("done"));
}

#[test]
fn an_interrupt_undoes_everything_and_the_campaign_resumes() {
    let place = Place::new();
    let target = format!("dir:{}", place.dir("data").display());
    let args = [
        "run", "--on", &target, "--suite", "null", "--procs", "1", "--preset", "smoke", "--scale",
        "smoke",
    ];
    let slow = ["--blocks", "40", "--knob", "write_us=50000"];
    let mut child = place.spawn(&[&args[..], &slow].concat());
    wait_for("work", || is_filled(&place.path("data")));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(place.path("data")).unwrap().count(), 0);
    place.assert_clean();
    assert!(place.ok(&["show", "last"]).contains("open"));
    place.ok(&["resume"]);
    assert!(place.ok(&["show", "last"]).contains("done"));
}

/// A slow run in a directory, and when it is at work.
fn slow(place: &Place) -> Child {
    let target = format!("dir:{}", place.dir("data").display());
    let args = [
        "run", "--on", &target, "--suite", "null", "--procs", "1", "--preset", "smoke", "--scale",
        "smoke",
    ];
    let child =
        place.spawn(&[&args[..], &["--blocks", "200", "--knob", "write_us=50000"]].concat());
    wait_for("work", || fs::read_dir(place.path("data")).unwrap().count() > 0);
    child
}

fn send(signal: u32, child: &Child) {
    // The shell's own: not every machine has the program.
    let command = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
}

#[test]
fn every_signal_that_ends_a_program_ends_a_run_with_nothing_left() {
    // HUP, INT, QUIT, USR1, USR2, ALRM, TERM, STKFLT, XCPU, VTALRM, PROF, IO, PWR, and two for real time.
    for signal in [1, 2, 3, 10, 12, 14, 15, 16, 24, 26, 27, 29, 30, 34, 64] {
        let place = Place::new();
        let mut child = slow(&place);
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(fs::read_dir(place.path("data")).unwrap().count(), 0, "{signal}");
        place.assert_clean();
    }
}

#[test]
fn a_pipe_that_closes_and_a_limit_do_not_end_a_run_and_children_have_the_defaults() {
    let place = Place::new();
    let mut child = slow(&place);
    // PIPE and XFSZ.
    for signal in [13, 25] {
        send(signal, &child);
    }
    let mut worker = None;
    wait_for("worker", || {
        worker = worker_of(&child);
        worker.is_some()
    });
    let word = |status: &str, name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    let worker = worker.unwrap();
    // Of the standard signals PIPE alone is ignored, by the worker's own runtime; of what it handles only
    // faults are. The C library has others for itself.
    let (standard, pipe, faults) = ((1 << 31) - 1, 1 << 12, (1 << 6) | (1 << 10));
    assert_eq!(word(&worker, "SigBlk:"), 0);
    assert_eq!(word(&worker, "SigIgn:") & standard & !pipe, 0);
    assert_eq!(word(&worker, "SigCgt:") & standard & !faults, 0);
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    send(15, &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    place.assert_clean();
}

/// What the kernel says of a worker of `child`.
fn worker_of(child: &Child) -> Option<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let of_child = |status: &String| status.contains(&format!("\nPPid:\t{}\n", child.id()));
    let is_worker = |dir: &PathBuf| {
        let line = fs::read(dir.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("__worker")
    };
    let mut all = processes.filter(is_worker);
    all.find_map(|dir| fs::read_to_string(dir.join("status")).ok().filter(of_child))
}

#[test]
fn a_limit_of_file_sizes_ends_a_run_with_its_reason_and_nothing_left() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let inner = place.command(&[&RUN[..], &["--on", "ext4"]].concat());
    let mut limited = Command::new("prlimit");
    limited.arg("--fsize=4194304").arg(inner.get_program()).args(inner.get_args());
    limited.env("ASSAY_STORE", place.path("store.db")).env("ASSAY_STATE", place.path("state"));
    let output = limited.current_dir(place.path("")).output().unwrap();
    let told = crate::common::text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("File too large"), "{told}");
    place.assert_clean();
}

#[test]
fn a_worker_that_hangs_fails_its_case_and_the_campaign_goes_on() {
    let place = Place::new();
    let run = [
        "run", "--suite", "null", "--on", "null", "--procs", "2", "--preset", "smoke", "--scale",
        "smoke",
    ];
    let hang = ["--knob", "write_us=60000000", "--case-timeout", "1"];
    let output = place.assay(&[&run[..], &hang].concat());
    assert_eq!(output.status.code(), Some(4), "{}", crate::common::text(&output.stderr));
    let shown = place.ok(&["show"]);
    assert!(
        shown.contains("done") && shown.contains("1 valid, 0 lukewarm, 0 disturbed, 2 invalid"),
        "{shown}"
    );
    let report = place.ok(&["report"]);
    assert!(report.contains("null write") && report.contains("invalid"), "{report}");
}

#[test]
fn a_full_disk_is_invalid_with_its_reason_and_the_campaign_goes_on() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let run = ["run", "--on", "ext4", "--procs", "1", "--preset", "smoke", "--scale", "0.01"];
    let full =
        ["--image-size", "87M", "--tests", "columnar.write.*", "--tests", "columnar.openclose"];
    let output = place.assay(&[&run[..], &full].concat());
    assert_eq!(output.status.code(), Some(4), "{}", crate::common::text(&output.stderr));
    place.ok(&["export", "--out", "out"]);
    let samples = std::fs::read_to_string(place.path("out/samples.csv")).unwrap();
    let row = |test: &str| samples.lines().find(|l| l.contains(test)).unwrap_or_default();
    assert!(row("columnar.write.int.huge").contains("No space left on device"), "{samples}");
    assert!(row("columnar.openclose").contains(",valid,"), "{samples}");
    place.assert_clean();
}

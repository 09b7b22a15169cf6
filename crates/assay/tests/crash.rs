//! What is left after the worst: kill -9 of the coordinator, signals, workers that die or hang.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
use common::{Place, ready, root_or_skip};
use std::{thread, time::Duration};

const RUN: [&str; 9] =
    ["run", "--preset", "smoke", "--procs", "1", "--blocks", "2", "--tests", "columnar.write.*"];

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
    let mut started = 0;
    for delay_ms in [150, 700, 1900, 3300] {
        let mut child = place.spawn(&[&RUN[..], &["--on", &on]].concat());
        thread::sleep(Duration::from_millis(delay_ms));
        if child.try_wait().unwrap().is_none() {
            started += 1;
            child.kill().unwrap();
        }
        child.wait().unwrap();
        place.ok(&["cleanup"]);
        place.assert_clean();
        place.ok(&["list"]);
    }
    assert!(started > 0, "no run lived long enough to be killed");
    place.ok(&["resume", "last"]);
    place.assert_clean();
    assert!(place.ok(&["show", "last"]).contains("done"));
}

#[test]
fn an_interrupt_undoes_everything_and_the_campaign_resumes() {
    let place = Place::new();
    let target = format!("dir:{}", place.dir("data").display());
    let args = ["run", "--on", &target, "--suite", "null", "--procs", "1", "--preset", "smoke"];
    let slow = ["--blocks", "40", "--knob", "write_us=50000"];
    let mut child = place.spawn(&[&args[..], &slow].concat());
    thread::sleep(Duration::from_millis(1200));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(place.path("data")).unwrap().count(), 0);
    place.assert_clean();
    assert!(place.ok(&["show", "last"]).contains("open"));
    place.ok(&["resume"]);
    assert!(place.ok(&["show", "last"]).contains("done"));
}

#[test]
fn a_worker_that_hangs_fails_its_case_and_the_campaign_goes_on() {
    let place = Place::new();
    let run = ["run", "--suite", "null", "--on", "null", "--procs", "2", "--preset", "smoke"];
    let hang = ["--knob", "write_us=60000000", "--case-timeout", "1"];
    let output = place.assay(&[&run[..], &hang].concat());
    assert_eq!(output.status.code(), Some(4), "{}", common::text(&output.stderr));
    let shown = place.ok(&["show"]);
    assert!(shown.contains("done") && shown.contains("1 valid, 0 lukewarm, 2 invalid"), "{shown}");
    let report = place.ok(&["report"]);
    assert!(report.contains("null write") && report.contains("invalid"), "{report}");
}

#[test]
fn a_full_disk_is_invalid_with_its_reason_and_the_campaign_goes_on() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if ready(&place, &["ext4"]).is_empty() {
        return;
    }
    let run = ["run", "--on", "ext4", "--procs", "1", "--preset", "smoke", "--scale", "0.01"];
    let full =
        ["--image-size", "64M", "--tests", "columnar.write.*", "--tests", "columnar.openclose"];
    let output = place.assay(&[&run[..], &full].concat());
    assert_eq!(output.status.code(), Some(4), "{}", common::text(&output.stderr));
    place.ok(&["export", "--out", "out"]);
    let samples = std::fs::read_to_string(place.path("out/samples.csv")).unwrap();
    let row = |test: &str| samples.lines().find(|l| l.contains(test)).unwrap_or_default();
    assert!(row("columnar.write.int.huge").contains("No space left on device"), "{samples}");
    assert!(row("columnar.openclose").contains(",valid,"), "{samples}");
    place.assert_clean();
}

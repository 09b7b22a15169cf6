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

//! Candidates side by side: what a report says of them, and what is left when their campaign is killed, on loop
//! images, on a split disk and in guests. `ASSAY_KILLS=40` kills so often instead of a few times.

use crate::common::{Place, ready, root_or_skip, text};
use crate::stand_in::{Disk, can_attach};
use std::{
    env, fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

const SMALL: [&str; 9] = [
    "run",
    "--scale",
    "smoke",
    "--procs",
    "1",
    "--blocks",
    "2",
    "--tests",
    "columnar.write.*,columnar.reread.*",
];

/// The report of the last campaign, on one line.
fn report(place: &Place) -> String {
    place.ok(&["report"]).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How often a campaign is killed where nothing else is said.
fn kills(usual: u32) -> u32 {
    env::var("ASSAY_KILLS").map_or(usual, |kills| kills.parse().unwrap())
}

/// Runs the campaign of `run` once to its end, then kills it at moments that are spread over its time, cleans
/// up after each, and has the last one finished by `resume`.
fn kill_all_over(place: &Place, run: &[&str], resume: &[&str], times: u32, check: &dyn Fn()) {
    let started = Instant::now();
    place.ok(run);
    let mut took = started.elapsed();
    check();
    place.assert_clean();
    let mut killed = 0;
    for _ in 0..3 * times {
        let started = Instant::now();
        let mut child = place.spawn(run);
        let at = took.mul_f64((f64::from(killed) + 0.5) / f64::from(times));
        while child.try_wait().unwrap().is_none() && started.elapsed() < at {
            thread::sleep(Duration::from_millis(5));
        }
        match child.try_wait().unwrap() {
            // It was alone this time, and faster.
            Some(_) => took = started.elapsed(),
            None => killed += 1,
        }
        child.kill().unwrap();
        child.wait().unwrap();
        place.ok(&["cleanup"]);
        check();
        place.assert_clean();
        if killed == times {
            break;
        }
    }
    assert_eq!(killed, times, "killed at work");
    let resumed = place.assay(resume);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(place.ok(&["show", "last"]).contains("done"));
    check();
    place.assert_clean();
}

#[test]
fn one_of_those_side_by_side_is_measured_again_by_itself() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    let targets = ready(&place, &["ext4", "btrfs"]);
    if targets.len() < 2 {
        return;
    }
    let on = targets.join(",");
    place.ok(&[&SMALL[..], &["--on", &on]].concat());
    assert!(report(&place).contains("btrfs is on an image of"), "{}", report(&place));
    place.ok(&["run", "--like", "last", "--on", "ext4", "--blocks", "1"]);
    assert!(!report(&place).contains("btrfs"), "{}", report(&place));
    place.assert_clean();
}

#[test]
fn loop_images_side_by_side_leave_nothing_when_killed() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    let targets = ready(&place, &["ext4", "xfs", "btrfs"]);
    if targets.len() < 2 {
        return;
    }
    let on = targets.join(",");
    let run = [&SMALL[..], &["--on", &on]].concat();
    kill_all_over(&place, &run, &["resume", "last"], kills(3), &|| ());
    let report = report(&place);
    assert!(report.contains("candidates side by side"), "{report}");
    let run = [&run[..], &["--order", "in-turn"]].concat();
    place.ok(&run);
    let report = self::report(&place);
    assert!(report.contains("candidates in turn"), "{report}");
}

#[test]
fn parts_of_a_disk_side_by_side_leave_nothing_when_killed() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    let place = Place::new();
    if ready(&place, &["ext4", "xfs"]).len() < 2 {
        return;
    }
    let disk = Disk::new((2 << 30) + (16 << 20));
    let (link, serial) = (disk.link.display().to_string(), disk.serial());
    let on = ["--device", &link, "--split", "--on", "ext4,xfs", "--destroy", &serial];
    let run = [&SMALL[..], &on].concat();
    let no_partition = || {
        let name = disk.node.file_name().unwrap();
        let dir = Path::new("/sys/block").join(name);
        let all = fs::read_dir(&dir).unwrap().flatten().map(|entry| entry.file_name());
        let part = format!("{}p", name.display());
        let left =
            all.filter(|entry| entry.as_encoded_bytes().starts_with(part.as_bytes())).count();
        assert_eq!(left, 0, "a partition is left");
    };
    let resume = ["resume", "last", "--destroy", &serial];
    kill_all_over(&place, &run, &resume, kills(2), &no_partition);
    assert!(report(&place).contains("candidates side by side"));
}

#[test]
fn guests_side_by_side_leave_nothing_when_killed() {
    if !needs::uml_or_skip() {
        return;
    }
    if !root_or_skip("a guest as another user") {
        return;
    }
    let place = Place::new();
    let more = ["--on", "ext4,btrfs", "--lab", "uml", "--image-size", "512MiB"];
    let run = [&SMALL[..], &more].concat();
    kill_all_over(&place, &run, &["resume", "last"], kills(1), &|| place.assert_no_process());
    let report = report(&place);
    assert!(report.contains("candidates side by side"), "{report}");
}

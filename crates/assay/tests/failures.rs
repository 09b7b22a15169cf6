//! A target that cannot be made is named in the tables with its reason, and the campaign continues with the others,
//! unless one alone is left of several. Every failure here is a real one.

use crate::common::{Place, ready, ready_or_skip, root_or_skip, text};
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt};

/// Work that is done in a moment.
const WORK: [&str; 7] = ["--suite", "null", "--procs", "1", "--blocks", "2", "--full"];

/// Runs `on` together with the null file system, and gives stdout; it ends with status 4.
fn partly(place: &Place, on: &[&str], more: &[&str]) -> (String, String) {
    let targets = on.iter().flat_map(|target| ["--on", target]);
    let args: Vec<&str> = ["run"].into_iter().chain(targets).chain(WORK).collect();
    let output = place.assay(&[&args[..], more].concat());
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(4), "{stdout}{stderr}");
    place.assert_clean();
    (stdout, stderr)
}

/// A file system that no kernel of this machine knows, by the matrix of the doctor.
fn lacking(place: &Place) -> Option<String> {
    let doctor = place.ok(&["doctor"]);
    let rows = doctor.lines().take_while(|line| !line.is_empty());
    let mut words = rows.map(|row| row.split_whitespace().collect::<Vec<_>>());
    let row = words.find(|row| row.get(1..3) == Some(&["no", "module"]) && !row.contains(&"ok"))?;
    Some(row[0].to_string())
}

#[test]
fn what_the_machine_lacks_is_left_out_and_the_others_are_measured() {
    let place = Place::new();
    let Some(missing) = lacking(&place) else {
        return needs::skip(needs::Need::Other, "this kernel knows every file system");
    };
    let dir = format!("dir:{}", place.dir("data").display());
    let (stdout, stderr) = partly(&place, &[&missing, "null", &dir], &["--lab", "host"]);
    assert!(stderr.contains(&format!("left out: {missing}: {missing} cannot be used")), "{stderr}");
    assert!(stdout.contains("could not be measured"), "{stdout}");
    assert!(stdout.contains("used here: the kernel has no"), "{stdout}");
    let alone = place.assay(&["run", "--on", &missing, "--suite", "null", "--lab", "host"]);
    assert_eq!(alone.status.code(), Some(3), "nothing is left to measure");
}

#[test]
fn a_candidate_that_has_nothing_to_be_compared_with_is_not_measured() {
    let place = Place::new();
    let Some(missing) = lacking(&place) else {
        return needs::skip(needs::Need::Other, "this kernel knows every file system");
    };
    let dir = format!("dir:{}", place.dir("data").display());
    for verb in ["plan", "run"] {
        let args = [verb, "--on", &missing, "--on", &dir, "--suite", "null", "--lab", "host"];
        let output = place.assay(&args);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{verb}: {stderr}");
        let last = stderr.lines().last().unwrap();
        let told = format!("only {dir} can be made here, and a comparison needs two; {missing}: ");
        assert!(last.contains(&told) && last.contains(&format!("with `--on {dir}`")), "{stderr}");
    }
    assert!(place.ok(&["list"]).lines().all(|line| !line.contains(" run ")), "none was begun");
    // Its image is too small, which is known once that is there.
    let fails_at_work = ["run", "--on", "xfs", "--on", "null"];
    if !ready_or_skip(&place, "xfs") || !root_or_skip("loop devices") {
        return;
    }
    let output = place.assay(&[&fails_at_work[..], &WORK, &["--image-size", "128M"]].concat());
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("only null is left, with nothing to compare it to"), "{stderr}");
    place.assert_clean();
}

#[test]
fn option_that_mkfs_refuses_at_work_fails_its_target_alone_and_at_once() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    // As where a disk takes less than the sparse file on which the target was rehearsed.
    let bad = "ext4[mkfs.N=4096]";
    let script = "#!/bin/sh\nfor disk; do :; done\ncase \"$*\" in *'-N 4096'*)\n\
                  losetup -n -O BACK-FILE \"$(readlink -f \"$disk\")\" | grep -q rehearsal ||\n\
                  { echo 'mkfs.ext4: invalid number of inodes - 4096' >&2; exit 1; };;\nesac\n\
                  exec /usr/sbin/mkfs.ext4 \"$@\"\n";
    let bin = place.dir("bin");
    fs::write(bin.join("mkfs.ext4"), script).unwrap();
    fs::set_permissions(bin.join("mkfs.ext4"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let targets = ["run", "--on", bad, "--on", "ext4", "--on", "null", "--image-size", "128M"];
    let output = place.command(&[&targets[..], &WORK].concat()).env("PATH", path).output().unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(4), "{stdout}{stderr}");
    place.assert_clean();
    let told = format!("{bad}: block 1, 1 process: `mkfs.ext4 ");
    let lines: Vec<&str> = stderr.lines().filter(|line| line.starts_with(&told)).collect();
    let [line] = lines[..] else { panic!("it is reported once: {stderr}") };
    let words =
        "invalid number of inodes - 4096; not tried again; correct the options of that target";
    assert!(line.contains(words) && !line.contains("resume"), "{stderr}");
    assert!(stdout.contains(&format!(" {bad}  block 1, 1 process: `mkfs.ext4 ")), "{stdout}");
    let cell = stdout.lines().find(|line| line.starts_with(" null read ")).unwrap();
    let words: Vec<&str> = cell.split_whitespace().collect();
    assert_eq!(
        words[..6],
        ["null", "read", "1000", "failed", "-", "1000"],
        "ext4 and null have it"
    );
}

#[test]
fn a_disk_too_small_for_one_target_does_for_the_other() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if ready(&place, &["ext4", "xfs"]).len() < 2 {
        return;
    }
    let (stdout, _) = partly(&place, &["xfs", "ext4", "null"], &["--image-size", "128M"]);
    let told = stdout.lines().find(|line| line.starts_with(" xfs ")).unwrap();
    assert!(told.contains("xfs needs at least 300 MiB"), "{stdout}");
    assert!(
        stdout.contains("over ext4") && stdout.contains("ext4 and null are the same within 5 %"),
        "{stdout}"
    );
}

#[test]
fn retry_of_a_failed_target_adds_to_what_is_left() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if ready(&place, &["ext4", "xfs"]).len() < 2 {
        return;
    }
    let more = ["--image-size", "128M", "--progress", "json"];
    let (_, stderr) = partly(&place, &["xfs", "ext4", "null"], &more);
    let events = stderr.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let steps: Vec<Value> = events.filter(|event| event["event"] == "step").collect();
    assert!(steps.iter().any(|step| step["text"].as_str().unwrap().ends_with("again")), "{stderr}");
    let is_open = |step: &Value| step["cases_done"].as_u64() < step["cases"].as_u64();
    assert!(steps.iter().all(is_open), "a step begins with nothing left: {stderr}");
}

#[test]
fn no_room_for_an_image_does_for_what_needs_none() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let dir = format!("dir:{}", place.dir("data").display());
    let (stdout, stderr) = partly(&place, &["ext4", "null", &dir], &["--image-size", "900T"]);
    assert!(stderr.contains("left out: ext4: "), "{stderr}");
    let told = stdout.lines().find(|line| line.starts_with(" ext4  ")).unwrap();
    assert!(told.contains(" free, but the image of 900 TiB needs "), "{stdout}");
}

#[test]
fn a_plan_refuses_what_a_run_refuses() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let refused = [
        (vec!["--on", "ext4", "--image-size", "900T"], 3, "the image of 900 TiB needs "),
        (
            vec!["--on", "ext4", "--device", "/dev/disk/by-id/none", "--destroy", "x"],
            2,
            "does not exist",
        ),
        (vec!["--on", "ext4", "--destroy", "x"], 2, "need a disk"),
        (vec!["--on", "ext4", "--device", "/dev/null"], 2, "is not a stable disk name"),
    ];
    for (args, status, why) in refused {
        for verb in ["plan", "run"] {
            let output = place.assay(&[&[verb], &args[..], &WORK[..6]].concat());
            let stderr = text(&output.stderr);
            assert_eq!(output.status.code(), Some(status), "{verb} {args:?}: {stderr}");
            assert!(stderr.lines().last().unwrap().contains(why), "{verb} {args:?}: {stderr}");
        }
    }
    place.assert_clean();
}

#[test]
fn a_disk_that_is_full_makes_samples_invalid_with_the_reason() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let work = ["--tests", "columnar.write.float.large", "--scale", "0.05", "--procs", "4"];
    let args = ["run", "--on", "ext4", "--blocks", "1", "--image-size", "50M", "--full"];
    let output = place.assay(&[&args[..], &work[..]].concat());
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{stdout}{}", text(&output.stderr));
    assert!(stdout.contains("space"), "{stdout}");
    place.assert_clean();
}

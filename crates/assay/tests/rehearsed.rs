//! A plan whose options are wrong is refused in the words of the tools before an image is written.

use crate::common::{Place, ready, ready_or_skip, root_or_skip, text};
use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

const WORK: [&str; 9] =
    ["--suite", "null", "--procs", "1", "--preset", "smoke", "--scale", "smoke", "--no-aa"];

/// The time that a refusal may take while other tests run: two targets are made, and neither is large.
const MOST: Duration = Duration::from_secs(20);

fn run<'a>(targets: &[&'a str]) -> Vec<&'a str> {
    let on = targets.iter().flat_map(|target| ["--on", target]);
    ["run"].into_iter().chain(on).chain(WORK).collect()
}

#[test]
fn wrong_option_is_refused_before_an_image_is_written() {
    if !root_or_skip("file systems") {
        return;
    }
    let place = Place::new();
    for (name, target, words) in [
        ("xfs", "xfs[mkfs.m=banana=1]", "unknown option -m banana=1"),
        ("xfs", "xfs[mkfs.m=banana=1;noatime]", "unknown option -m banana=1;noatime"),
        ("ext4", "ext4[o.banana]", "Unknown parameter 'banana'"),
        ("ext4", "ext4[mkfs.O=banana]", "Invalid filesystem option set: banana"),
    ] {
        if ready(&place, &[name]).is_empty() {
            continue;
        }
        let start = Instant::now();
        let told = place.assay(&run(&[target, "null"]));
        let stderr = text(&told.stderr);
        assert_eq!(told.status.code(), Some(2), "{target}: {stderr}");
        let last = stderr.trim_end().lines().last().unwrap();
        assert!(last.contains(words) && last.contains("correct its options"), "{target}: {stderr}");
        for never in ["resume", "retrying", "writing a loop image", "fix that"] {
            assert!(!stderr.contains(never), "{target}: {stderr}");
        }
        assert!(start.elapsed() < MOST, "{target} took {:?}", start.elapsed());
        place.assert_clean();
    }
    assert!(!place.assay(&["show"]).status.success(), "nothing is stored");
}

#[test]
fn options_that_need_a_large_image_are_not_refused() {
    if !root_or_skip("file systems") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    // The journal is larger than the least ext4.
    let asked = [&run(&["ext4[mkfs.J=size=128]"])[..], &["--image-size", "512M"]].concat();
    let told = place.assay(&asked);
    assert!(told.status.success(), "{}", text(&told.stderr));
    place.assert_clean();
}

#[test]
fn search_refuses_a_default_whose_options_are_wrong() {
    if !root_or_skip("file systems") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "xfs") {
        return;
    }
    let asked = ["tune", "--on", "xfs[mkfs.m=banana=1]", "--suite", "null", "--budget", "60s"];
    let last = place.fails_last(&asked, 2);
    assert!(last.contains("unknown option") && !last.contains("resume"), "{last}");
    place.assert_clean();
}

#[test]
fn kill_in_a_rehearsal_leaves_nothing_that_cleanup_does_not_undo() {
    if !root_or_skip("file systems") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let (bin, at_work) = (place.dir("bin"), place.path("at-work"));
    let script = format!("#!/bin/sh\n: > {}\nexec sleep 600\n", at_work.display());
    fs::write(bin.join("mkfs.ext4"), script).unwrap();
    fs::set_permissions(bin.join("mkfs.ext4"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), env::var("PATH").unwrap());
    let mut command = place.command(&run(&["ext4", "null"]));
    let mut killed = command.env("PATH", path).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !at_work.exists() {
        assert!(start.elapsed() < MOST, "mkfs was not reached");
        thread::sleep(Duration::from_millis(20));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let told = place.ok(&["cleanup"]);
    assert!(told.contains("rehearsal"), "{told}");
    place.assert_no_process();
}

//! Durability is proven or said not to be: a file system on a loop device whose syncs reach it, one that is set not to
//! flush, memory, and one whose syncs do nothing. Needs root; where it is missing, a test says so.

use crate::common::{
    Place, ready_or_skip, root_or_skip, text,
    unranked::{advice, assert_unranked},
};
use std::{collections::BTreeMap, fs};

const TESTS: &str =
    "columnar.write.int.small,columnar.append.float.large,columnar.replace.int.tiny";

/// Whether images of `place` lie in memory, where nothing can be proven.
fn is_in_memory(place: &Place) -> bool {
    let dir = place.path("");
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mounts = table.lines().filter_map(|line| {
        let (head, tail) = line.split_once(" - ")?;
        Some((head.split(' ').nth(4)?, tail.split(' ').next()?))
    });
    let holding = mounts.filter(|(mount_point, _)| dir.starts_with(mount_point));
    holding
        .max_by_key(|(mount_point, _)| mount_point.len())
        .is_some_and(|(_, kind)| kind == "tmpfs")
}

/// What is said of the samples of each target that were judged.
fn proofs(place: &Place) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::<String, Vec<String>>::new();
    for sample in place.exported_samples() {
        let proof = sample["durability"].as_str().unwrap_or("not judged").to_string();
        let target = sample["case"]["target"].as_str().unwrap().to_string();
        found.entry(target).or_default().push(proof);
    }
    found
}

#[test]
fn what_reaches_the_disk_is_proven_and_nothing_else_is() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if is_in_memory(&place) {
        return needs::skip(needs::Need::Other, "images of this test lie in memory");
    }
    let memory = tempfile::Builder::new().prefix("assay-e2e-").tempdir_in("/dev/shm").unwrap();
    let dir = format!("dir:{}", memory.path().display());
    let run = ["run", "--preset", "smoke", "--scale", "smoke", "--procs", "1", "--tests", TESTS];
    let on = ["--on", "ext4", "--on", "ext4[barrier=0]", "--on", "tmpfs", "--on", &dir];
    place.ok(&[&run[..], &on[..], &["--image-size", "512MiB", "--lab", "host"]].concat());
    let found = proofs(&place);
    let expected = [
        ("ext4", "proven"),
        ("ext4[barrier=0]", "not proven: the device was not flushed"),
        ("tmpfs", "not proven: it lies in memory"),
        (dir.as_str(), "not proven: it lies in memory"),
    ];
    for (target, proof) in expected {
        let own = &found[target];
        assert!(own.len() >= 3 && own.iter().all(|said| said == proof), "{target}: {own:?}");
    }
    let report = place.ok(&["report"]);
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("ext4[barrier=0] may lose synced data on power loss"), "{report}");
    assert!(words.contains("only ext4 has a valid sample"), "nothing is ranked with it: {report}");
    assert!(report.contains("unproven"), "{report}");
    let shown = place.ok(&["show", "last"]);
    assert!(shown.contains("durability proven in "), "{shown}");
    assert!(shown.contains(": the device was not flushed"), "{shown}");
    place.assert_clean();
}

#[test]
fn a_sync_that_does_nothing_is_found_out() {
    if !root_or_skip("mounting") {
        return;
    }
    let place = Place::new();
    let table = place.ok(&["selftest", "--quick", "--only", "sync.lying"]);
    println!("{table}");
    let line = table.lines().find(|line| line.starts_with("sync.lying")).unwrap();
    assert!(line.contains("skipped:") || line.contains("0 of 1 proven"), "{table}");
    place.assert_clean();
}

#[test]
fn target_without_barriers_is_not_ranked() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let loser = "ext4[barrier=0]";
    let mut args = vec!["run", "--suite", "oltp", "--tests", "oltp.log.*", "--preset", "smoke"];
    args.extend(["--scale", "smoke", "--procs", "1", "--image-size", "256MiB", "--full"]);
    args.extend(["--on", "ext4", "--on", loser, "--on", "ext4[noatime]"]);
    let output = place.assay(&args);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    let text = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "ext4[barrier=0] may lose synced data on power loss (ext4: the cache of the device \
               is not \
               flushed)";
    assert!(text.contains(&format!("Not ranked: {why}.")), "{stdout}");
    let said = advice(&place, "last", "oltp-database");
    let reasons = assert_unranked(&said, loser);
    assert!(reasons.contains("durable is required"), "{reasons}");
    assert!(said["candidates"][0]["target"].as_str().unwrap().starts_with("ext4"), "{said}");
    let shown = place.ok(&["show", "last"]);
    assert!(shown.contains("sync.not_durable = ext4: the cache"), "{shown}");
    place.assert_clean();
}

//! `assay tune` from arguments to its campaigns: on real XFS with the null suite, whose figures are
//! exact, so that no variant can be better; and its refusals, which need no root.

use crate::common::{Place, ready_or_skip, root_or_skip, text};

/// A campaign on the null file system, to take the work from.
fn place_with_work() -> Place {
    let place = Place::new();
    place.ok(&[
        "run", "--suite", "null", "--on", "null", "--procs", "1", "--preset", "smoke", "--scale",
        "smoke",
    ]);
    place
}

#[test]
fn equal_variants_keep_the_default() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = place_with_work();
    if !ready_or_skip(&place, "xfs") {
        return;
    }
    let args = ["tune", "last", "--on", "xfs", "--image-size", "400M", "--budget", "10m"];
    let tries = ["--try", "logbsize", "--try", "noatime", "--try", "lazytime"];
    let output = place.assay(&[&args[..], &tries[..]].concat());
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stderr}");
    // Four variants are one too many for an immediate confirmation.
    assert!(stdout.contains("Keep the default, xfs: no variant scored above it."), "{stdout}");
    assert!(stdout.contains("  screening     "), "{stdout}");
    let list = place.ok(&["list"]);
    assert!(list.contains("screening of 4 variants of xfs") && !list.contains("open"), "{list}");
    let csv = place.ok(&["report", "--format", "csv"]);
    assert!(csv.contains("xfs[logbsize=256k]"), "{csv}");
    place.assert_clean();
}

#[test]
fn few_variants_are_confirmed_at_once() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = place_with_work();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let args = ["tune", "--on", "ext4[lazytime]", "--image-size", "128M", "--budget", "5m"];
    let tries = ["--try", "noatime", "--try", "commit", "--allow-unsafe"];
    let stdout = place.ok(&[&args[..], &tries[..]].concat());
    assert!(stdout.contains("Confirmation over 20 blocks and 3 cells"), "{stdout}");
    let row = stdout.lines().find(|l| l.contains("ext4[lazytime,noatime]")).unwrap();
    assert!(
        row.starts_with("ext4[lazytime]  ") && row.ends_with("1.00   1.00-1.00  same"),
        "{row}"
    );
    assert!(stdout.contains("UNSAFE ext4[commit=60,lazytime]: a crash loses"), "{stdout}");
    let keep = "Keep the default, ext4[lazytime]: none of the 2 finalists is significantly better by more than 5 %.";
    assert!(stdout.contains(keep), "{stdout}");
    place.assert_clean();
}

#[test]
fn a_search_that_cannot_be_is_refused_before_anything_is_measured() {
    let place = place_with_work();
    let refused = |args: &[&str]| place.fails(&[&["tune", "last"], args].concat(), 2);
    assert!(refused(&["--on", "null"]).contains("choose one of ext4, xfs, btrfs"));
    assert!(refused(&["--on", "xfs", "--try", "speed"]).contains("no setting `speed`"));
    assert!(refused(&["--on", "xfs[mkfs.m=rmapbt=2]"]).contains("use one of 0, 1"));
    assert!(refused(&["--on", "ext4[journal_async_commit]"]).contains("needs data=writeback"));
    let published = place.ok(&["list", "--published"]);
    let id = published.split_whitespace().find(|w| w.starts_with("published-")).unwrap();
    let line = place.fails(&["tune", id, "--on", "xfs"], 2);
    assert!(line.contains("but not run"), "{line}");
}

#[test]
fn too_short_budget_is_reported() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = place_with_work();
    if !ready_or_skip(&place, "xfs") {
        return;
    }
    let output = place.assay(&["tune", "--on", "xfs", "--budget", "1s"]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("1s is too short") && stderr.contains("pass --budget"), "{stderr}");
    assert!(!place.ok(&["list"]).contains("screening"));
}

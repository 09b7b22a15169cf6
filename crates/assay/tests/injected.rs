//! Runs failed writes and silent damage through the suite `faults`, and holds what the page says against what is known
//! of Linux 6.18: ext4 lies where its journal could not be committed, XFS does not, and neither sees a turned bit. Runs
//! faults of one leg of a mirror, and snapshots, through it.

use crate::common::{Place, ready_or_skip, root_or_skip};

/// The row of the table for `name`, as in a report of Markdown: the test, ext4, xfs.
fn row(report: &str, name: &str) -> Vec<String> {
    let line = report.lines().find(|line| line.contains(name) && line.starts_with('|'));
    let line = line.unwrap_or_else(|| panic!("no row {name}: {report}"));
    // A bar within a cell is escaped.
    let cells = line.trim_matches('|').replace("\\|", "\0");
    cells.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

#[test]
fn the_table_of_this_kernel_comes_out_through_the_suite() {
    let place = Place::new();
    let are_ready = ["ext4", "xfs"].iter().all(|name| ready_or_skip(&place, name));
    if !root_or_skip("a recording disk") || !are_ready {
        return;
    }
    let tests = "faults.failed.append.commit,faults.failed.append.data,\
                 faults.failed.append.log_tree,faults.bit.data,faults.bit.name";
    let (suite, blocks) = (["--suite", "faults", "--tests", tests], ["--blocks", "1"]);
    let knobs = ["--knob", "tries=2"];
    place.ok(&[&["run", "--on", "ext4,xfs"][..], &suite, &blocks, &knobs].concat());
    place.assert_clean();
    let report = place.ok(&["report", "last", "--format", "md"]);
    let (_, section) = report.split_once("## After faults").unwrap();
    let section = section.split("\n## ").next().unwrap();
    for (name, ext4, xfs) in [
        ("append, commit", "EIO, 0, 0, 0; cut: short", "EIO, EIO, no open (EIO), EIO; cut: short"),
        ("append, data", "EIO, EIO, 0, 0; cut: zeros", "EIO, EIO, 0, 0; cut: short"),
        ("turned bit: data", "2 of 2", "2 of 2"),
        ("turned bit: name", "EBADMSG 2", "EUCLEAN 2"),
    ] {
        let cells = row(section, name);
        assert!(cells[1].contains(ext4) && cells[2].contains(xfs), "{name}: {cells:?}");
    }
    assert!(!section.contains("log tree"), "neither has one: {section}");
    let lies = "When a write failed, fsync said success for lost data on ext4 in 1 of 2 faults.";
    assert!(report.contains(lies), "{report}");
    place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
    let samples = std::fs::read_to_string(place.path("out").join("samples.csv")).unwrap();
    assert!(samples.contains("failed_write") && samples.contains("turned_bit"), "{samples}");
    assert!(place.ok(&["explain", "faults.failed.append.data"]).contains("A lie is success"));
}

#[test]
fn mirror_is_tried_and_another_target_is_not_supported() {
    let place = Place::new();
    if !root_or_skip("a recording disk") || !ready_or_skip(&place, "btrfs") {
        return;
    }
    let (suite, blocks) = (["--suite", "faults", "--tests", "faults.mirror.*"], ["--blocks", "1"]);
    let knobs = ["--knob", "tries=2"];
    place.ok(&[&["run", "--on", "btrfs[raid1],btrfs"][..], &suite, &blocks, &knobs].concat());
    place.assert_clean();
    // Brackets are escaped in Markdown.
    let report = place.ok(&["report", "last", "--format", "md"]).replace('\\', "");
    let (_, section) = report.split_once("## After faults").unwrap();
    let section = section.split("\n## ").next().unwrap();
    for name in ["bad copy: data", "bad copy: metadata", "lost disk"] {
        let rows = section.lines().filter(|line| line.contains(name));
        assert!(rows.clone().count() > 5, "{name}: {section}");
        assert!(rows.clone().all(|row| row.contains("btrfs[raid1]")), "{section}");
        assert!(rows.clone().any(|row| row.contains("| mirror |")), "{section}");
    }
    assert!(report.contains("it is not on several disks, like btrfs[raid1]"), "{report}");
    assert!(!report.contains("Through a mirror with a faulty leg"), "{report}");
    place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
    let samples = std::fs::read_to_string(place.path("out").join("samples.csv")).unwrap();
    assert!(samples.contains("faulty_leg") && samples.contains("lost_disk"), "{samples}");
}

#[test]
fn snapshots_are_tried_and_another_target_is_not_supported() {
    let place = Place::new();
    let are_ready = ["btrfs", "ext4"].iter().all(|name| ready_or_skip(&place, name));
    if !root_or_skip("a recording disk") || !are_ready {
        return;
    }
    let (suite, blocks) = (["--suite", "faults", "--tests", "faults.snapshots"], ["--blocks", "1"]);
    let knobs =
        ["tries=1", "times=2", "files=8", "states=10"].map(|knob| ["--knob", knob]).concat();
    place.ok(&[&["run", "--on", "btrfs,ext4"][..], &suite, &blocks, &knobs].concat());
    place.assert_clean();
    let report = place.ok(&["report", "last", "--format", "md"]);
    assert!(report.contains("Every snapshot read as it was taken."), "{report}");
    assert!(report.contains("it is not one file system with subvolumes like btrfs"), "{report}");
    let (_, section) = report.split_once("## After faults").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let row = |word: &str| section.lines().find(|line| line.contains(word)).unwrap();
    assert!(row("after later changes").contains("0 of 110"), "{section}");
    assert!(row("half deleted, mounted").contains("0 of 55"), "{section}");
    assert!(row(": synced |").contains("0 of 10"), "{section}");
    for word in ["make one, all synced, 100 snap", "64 KiB delete, 10 snap", ": not back, 100 snap"]
    {
        assert!(!row(word).ends_with("| - |"), "{section}");
    }
    place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
    let samples = std::fs::read_to_string(place.path("out").join("samples.csv")).unwrap();
    for metric in ["snapshot_make_ms", "not_back_bytes", "overwrite_time_ratio"] {
        assert!(samples.contains(metric), "{metric}: {samples}");
    }
}

//! Clones and transfers through the program: what is measured is valid, what cannot be done is refused by name, and a
//! run that is killed between two file systems leaves nothing after a cleanup.

use crate::common::{Place, metric, ready, ready_or_skip, root_or_skip, wait_for};
use serde_json::Value;
use std::{fs, path::Path};

const SMALL: [&str; 6] = ["--blocks", "1", "--scale", "0.002", "--procs", "1"];

/// The samples of the last campaign on `target`.
fn samples_of(place: &Place, target: &str) -> Vec<Value> {
    let all = place.exported_samples();
    all.into_iter().filter(|sample| sample["case"]["target"] == target).collect()
}

fn of_test<'a>(samples: &'a [Value], test: &str) -> &'a Value {
    samples.iter().find(|sample| sample["case"]["test"] == test).unwrap()
}

fn is_valid(sample: &Value) -> bool {
    sample["validity"] == "Valid"
}

#[test]
fn clone_is_measured_where_files_can_be_cloned_and_refused_elsewhere() {
    let place = Place::new();
    let are_ready = ["ext4", "xfs"].iter().all(|name| ready_or_skip(&place, name));
    if !root_or_skip("loop images") || !are_ready {
        return;
    }
    let tests = "clones.make.new,clones.overwrite.64k.50,clones.read.64k.50.*";
    let suite = ["run", "--suite", "clones", "--tests", tests, "--on", "ext4,xfs"];
    place.ok(&[&suite[..], &SMALL].concat());
    place.assert_clean();
    let xfs = samples_of(&place, "xfs");
    let overwritten = of_test(&xfs, "clones.overwrite.64k.50");
    assert!(is_valid(overwritten), "{overwritten}");
    assert_eq!(metric(overwritten, "clone_shared_pct"), Some(50.0));
    for (file, shared) in [("clone", 50.0), ("origin", 50.0), ("unshared", 0.0)] {
        let read = of_test(&xfs, &format!("clones.read.64k.50.{file}"));
        assert_eq!(metric(read, &format!("{file}_shared_pct")), Some(shared), "{read}");
    }
    let ext4 = samples_of(&place, "ext4");
    assert_eq!(ext4.len(), 5);
    assert!(!ext4.iter().any(is_valid), "{ext4:?}");
    let report = place.ok(&["report", "last", "--format", "md"]);
    assert!(
        report.contains("a clone of a file (FICLONE) is not supported on this target"),
        "{report}"
    );
}

#[test]
fn tree_is_sent_by_the_way_of_the_file_system_and_compared() {
    let place = Place::new();
    let here = ready(&place, &["ext4", "xfs", "btrfs"]);
    if !root_or_skip("loop images") || here.is_empty() {
        return;
    }
    let suite = ["run", "--suite", "transfer", "--on"];
    place.ok(&[&suite[..], &[&here.join(",")], &SMALL].concat());
    place.assert_clean();
    let report = place.ok(&["report", "last", "--format", "md"]);
    for target in here {
        let samples = samples_of(&place, target);
        let [full, change] =
            ["transfer.tree", "transfer.tree.change"].map(|test| of_test(&samples, test));
        assert!(is_valid(full) && is_valid(change), "{target}: {full} {change}");
        let of = |sample, name| metric(sample, name).unwrap();
        assert!(of(full, "stream_bytes") > 32e6 && of(full, "data_bytes") > 32e6, "{full}");
        let is_native = target == "btrfs";
        assert_eq!(of(change, "is_native"), f64::from(u8::from(is_native)), "{target}");
        // Pieces of large files that are overwritten are sent alone, or the files in whole.
        let times = of(change, "stream_bytes") / of(change, "data_bytes");
        assert_eq!(times < 2.0, is_native, "{target}: {times}");
        let way = if is_native { "btrfs send" } else { "tar (no native way)" };
        assert!(report.replace('\\', "").contains(way), "{target}: {report}");
    }
}

#[test]
fn target_of_which_no_second_one_can_be_made_is_refused() {
    let place = Place::new();
    if !root_or_skip("loop images") {
        return;
    }
    let dir = place.dir("shared");
    let target = format!("dir:{}", dir.display());
    let suite = ["run", "--suite", "transfer", "--on"];
    let said = place.assay(&[&suite[..], &[target.as_str()], &SMALL].concat());
    let report = place.ok(&["report", "last", "--format", "md"]);
    let why = "a second file system (it is not on disks) is not supported on this target";
    assert!(report.contains(why), "{said:?} {report}");
}

#[test]
fn second_server_that_cannot_run_is_refused() {
    let place = Place::new();
    if !root_or_skip("loop images") || !ready_or_skip(&place, "zfs-fuse") {
        return;
    }
    let suite = ["run", "--suite", "transfer", "--on", "zfs-fuse"];
    place.assay(&[&suite[..], &SMALL].concat());
    let report = place.ok(&["report", "last", "--format", "md"]);
    assert!(report.contains("its server runs once on a machine"), "{report}");
}

/// Loop devices on files below `dir`.
fn loops(dir: &Path) -> usize {
    let backing = fs::read_dir("/sys/block").unwrap().flatten();
    let backing = backing.map(|e| fs::read_to_string(e.path().join("loop/backing_file")));
    backing.flatten().filter(|file| Path::new(file.trim()).starts_with(dir)).count()
}

#[test]
fn killed_between_two_file_systems_leaves_nothing_after_a_cleanup() {
    let place = Place::new();
    if !root_or_skip("loop images") || !ready_or_skip(&place, "ext4") {
        return;
    }
    let suite = ["run", "--suite", "transfer", "--on", "ext4"];
    let mut child = place.spawn(&[&suite[..], &SMALL].concat());
    wait_for("second image", || loops(&place.path("")) == 2);
    child.kill().unwrap();
    child.wait().unwrap();
    place.ok(&["cleanup"]);
    assert_eq!(loops(&place.path("")), 0);
    place.assert_clean();
}

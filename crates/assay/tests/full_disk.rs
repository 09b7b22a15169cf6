//! Fills ext4 through the suite `faults`, and holds what the page says against what is known of Linux 6.18.

use crate::common::{Place, ready_or_skip, root_or_skip};

#[test]
fn a_full_disk_comes_out_through_the_suite() {
    let place = Place::new();
    if !root_or_skip("a disk in memory") || !ready_or_skip(&place, "ext4") {
        return;
    }
    let suite = ["--suite", "faults", "--tests", "faults.full.large", "--blocks", "1"];
    let knobs = ["--knob", "tries=1", "--knob", "times=3"];
    place.ok(&[&["run", "--on", "ext4"][..], &suite, &knobs].concat());
    place.assert_clean();
    let report = place.ok(&["report", "last", "--format", "md"]);
    assert!(report.contains("No full disk lost what it had acknowledged."), "{report}");
    let (_, section) = report.split_once("## After faults").unwrap();
    assert!(section.contains("write: ENOSPC") && section.contains("harm 0 of 1"), "{section}");
    assert!(section.contains("full disk: large files: 4 KiB overwrite, 100 %"), "{section}");
    place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
    let samples = std::fs::read_to_string(place.path("out").join("samples.csv")).unwrap();
    assert!(samples.contains("unanswered_bytes"), "{samples}");
    assert!(place.ok(&["explain", "faults.full.large"]).contains("deleted and written again"));
}

//! Tests that samples, exports and the report show the I/O of each disk of a mirror. Needs root.

use crate::common::{Place, metric, root_or_skip};
use needs::file_system_or_skip;
use std::fs;

const TESTS: &str = "columnar.write.int.small,columnar.read.int.small";
const MIRROR: &str = "btrfs[raid1]";

#[test]
fn each_disk_of_a_mirror_is_seen_to_write_all_of_it() {
    if !root_or_skip("loop devices") || !file_system_or_skip("btrfs") {
        return;
    }
    let place = Place::new();
    let on = ["--on", "btrfs", "--on", MIRROR, "--image-size", "768MiB", "--lab", "host"];
    let run = ["run", "--preset", "smoke", "--scale", "smoke", "--procs", "1", "--tests", TESTS];
    place.ok(&[&run[..], &on[..]].concat());
    let all = place.exported_samples();
    let (mirrored, single): (Vec<_>, Vec<_>) =
        all.iter().partition(|sample| sample["case"]["target"] == MIRROR);
    assert!(single.iter().all(|sample| metric(sample, "disk_reads.1").is_none()), "{single:#?}");
    for sample in &mirrored {
        let of = |name: &str| [1, 2].map(|disk| metric(sample, &format!("{name}.{disk}")).unwrap());
        for (each, sum) in
            [("disk_read_bytes", "device_read_bytes"), ("disk_write_bytes", "device_write_bytes")]
        {
            let both: f64 = of(each).iter().sum();
            assert_eq!(Some(both), sample[sum].as_f64(), "{each}: {sample:#}");
        }
    }
    let write = mirrored.iter().find(|s| s["case"]["test"] == "columnar.write.int.small").unwrap();
    let bytes = write["bytes"].as_f64().unwrap();
    for disk in ["disk_write_bytes.1", "disk_write_bytes.2"] {
        assert!(metric(write, disk).unwrap() >= bytes, "{disk}: {write:#}");
    }
    place.ok(&["export", "last", "--format", "csv", "--out", "csv"]);
    let csv = fs::read_to_string(place.path("csv/samples.csv")).unwrap();
    assert!(csv.contains("disk_write_bytes.2"), "{csv:.2000}");
    let report = place.ok(&["report", "last", "--format", "md"]);
    assert!(report.contains("## Disks of each target"), "{report}");
    place.assert_clean();
}

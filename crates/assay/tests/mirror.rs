//! Tests that samples, exports and the report show the I/O of each disk of a mirror. Needs root.

use crate::common::{Place, root_or_skip};
use needs::Need;
use serde_json::Value;
use std::fs;

const TESTS: &str = "columnar.write.int.small,columnar.read.int.small";
const MIRROR: &str = "btrfs[raid1]";

fn samples(place: &Place) -> Vec<Value> {
    place.ok(&["export", "last", "--format", "json", "--out", "out"]);
    let file = fs::read_dir(place.path("out")).unwrap().flatten().next().unwrap();
    let data: Value = serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap();
    data["samples"].as_array().unwrap().clone()
}

fn figure(sample: &Value, name: &str) -> Option<f64> {
    let metrics = sample["metrics"].as_array().unwrap();
    metrics.iter().find(|metric| metric["name"] == name)?["value"].as_f64()
}

#[test]
fn each_disk_of_a_mirror_is_seen_to_write_all_of_it() {
    if !root_or_skip("loop devices") {
        return;
    }
    let btrfs = Need::file_system("btrfs");
    if btrfs.is_met() != Some(true) {
        return needs::skip(btrfs, "no Btrfs can be made");
    }
    let place = Place::new();
    let on = ["--on", "btrfs", "--on", MIRROR, "--image-size", "768MiB", "--lab", "host"];
    let run = ["run", "--preset", "smoke", "--scale", "smoke", "--procs", "1", "--tests", TESTS];
    place.ok(&[&run[..], &on[..]].concat());
    let all = samples(&place);
    let (mirrored, single): (Vec<_>, Vec<_>) =
        all.iter().partition(|sample| sample["case"]["target"] == MIRROR);
    assert!(single.iter().all(|sample| figure(sample, "disk_reads.1").is_none()), "{single:#?}");
    for sample in &mirrored {
        let of = |name: &str| [1, 2].map(|disk| figure(sample, &format!("{name}.{disk}")).unwrap());
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
        assert!(figure(write, disk).unwrap() >= bytes, "{disk}: {write:#}");
    }
    place.ok(&["export", "last", "--format", "csv", "--out", "csv"]);
    let csv = fs::read_to_string(place.path("csv/samples.csv")).unwrap();
    assert!(csv.contains("disk_write_bytes.2"), "{csv:.2000}");
    let report = place.ok(&["report", "last", "--format", "md"]);
    assert!(report.contains("## Disks of each target"), "{report}");
    place.assert_clean();
}

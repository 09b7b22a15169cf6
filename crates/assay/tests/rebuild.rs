//! A mirror that is measured while its second disk is rebuilt: each sample shows that the rebuild was at work at both
//! ends of its timed part, and claims no proof that the rebuild would have forged. Needs root.

use crate::common::{Place, metric, root_or_skip, text};
use needs::file_system_or_skip;
use serde_json::Value;

const TESTS: &str = "columnar.write.int.small,columnar.read.int.medium,columnar.sort";
const TARGET: &str = "btrfs[raid1,resync=5]";

fn looks(sample: &Value) -> Option<f64> {
    metric(sample, "rebuild_looks")
}

#[test]
fn a_rebuild_is_seen_at_both_ends_of_each_timed_part() {
    if !root_or_skip("loop devices") || !file_system_or_skip("btrfs") {
        return;
    }
    let place = Place::new();
    let on = ["--on", "btrfs[raid1]", "--on", TARGET, "--image-size", "768MiB", "--lab", "host"];
    let run = ["run", "--preset", "smoke", "--scale", "smoke", "--procs", "1", "--tests", TESTS];
    let output = place.assay(&[&run[..], &on[..], &["--order", "interleaved"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let refused = text(&output.stderr);
    assert!(refused.contains("a resync would continue while other candidates"), "{refused}");
    place.ok(&[&run[..], &on[..]].concat());
    let all = place.exported_samples();
    let (rebuilt, whole): (Vec<_>, Vec<_>) =
        all.iter().partition(|sample| sample["case"]["target"] == TARGET);
    assert!(rebuilt.len() >= 3 && rebuilt.len() == whole.len(), "{all:#?}");
    // Below a millisecond it may read nothing.
    let reads = |sample: &&Value| sample["device_read_bytes"].as_u64().unwrap() > 0;
    assert!(rebuilt.iter().any(reads), "the rebuild reads: {rebuilt:#?}");
    for sample in rebuilt {
        assert_eq!(looks(sample), Some(2.0), "{sample:#}");
        assert_eq!(sample["validity"], "Valid", "{sample:#}");
        let proof = sample["durability"].as_str().unwrap_or("not proven: its mirror");
        assert!(proof.starts_with("not proven: its mirror"), "{sample:#}");
    }
    assert!(whole.iter().all(|sample| looks(sample).is_none()));
    place.assert_clean();
}

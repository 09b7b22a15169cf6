//! The main job on real file systems: ext4, xfs and btrfs on a loop image, every test of the suite.

use crate::common::{Place, ready, root_or_skip};
use std::{collections::BTreeMap, fs};

#[test]
fn every_test_is_valid_on_every_file_system() {
    if !root_or_skip("loop devices") {
        return;
    }
    let place = Place::new();
    let targets = ready(&place, &["ext4", "xfs", "btrfs"]);
    if targets.is_empty() {
        return;
    }
    let on = targets.join(",");
    let output = place.assay(&[
        "run",
        "--on",
        &on,
        "--preset",
        "smoke",
        "--scale",
        "smoke",
        "--procs",
        "1,8",
        "--tests",
        "columnar.*",
    ]);
    assert!(output.status.success(), "{}", crate::common::text(&output.stderr));
    place.assert_clean();
    place.ok(&["export", "--out", "out"]);
    let samples = fs::read_to_string(place.path("out/samples.csv")).unwrap();
    let ids: Vec<String> = place.ok(&["explain", "columnar"]).lines().map(first_word).collect();
    let mut valid: BTreeMap<(String, String, String), String> = BTreeMap::new();
    for line in samples.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let validity = crate::common::validity(line);
        valid.insert((f[3].into(), f[5].into(), f[6].into()), validity);
    }
    let mut wrong = Vec::new();
    for target in &targets {
        for id in &ids {
            for procs in ["1", "8"] {
                let key = (target.to_string(), id.clone(), procs.to_string());
                if valid.get(&key).map(String::as_str) != Some("valid") {
                    wrong.push(format!("{key:?}: {:?}", valid.get(&key)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn first_word(line: &str) -> String {
    line.split_whitespace().next().unwrap_or_default().to_string()
}

//! The rate of the time in which all processes worked, beside that of the whole phase: what a worker has not told of
//! when another ends would be missing in the first.

use crate::common::Place;
use serde_json::Value;
use std::{collections::BTreeMap, fs};

/// The metrics of a sample by their names.
fn metrics(sample: &Value) -> BTreeMap<&str, f64> {
    let all = sample["metrics"].as_array().unwrap().iter();
    all.map(|m| (m["name"].as_str().unwrap(), m["value"].as_f64().unwrap())).collect()
}

#[test]
fn what_all_processes_read_together_is_about_what_they_read_in_all() {
    let place = Place::new();
    let target = format!("dir:{}", place.path("").display());
    place.ok(&[
        "run",
        "--suite",
        "columnar",
        "--on",
        &target,
        "--procs",
        "8",
        "--blocks",
        "1",
        "--scale",
        "0.03",
        "--preset",
        "smoke",
        "--tests",
        "columnar.random.1m,columnar.random.4k,columnar.read.float.large",
    ]);
    place.ok(&["export", "last", "--format", "json", "--out", "out"]);
    let file = fs::read_dir(place.path("out")).unwrap().next().unwrap().unwrap().path();
    let dataset: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let samples = dataset["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 3);
    for sample in samples {
        let own = metrics(sample);
        assert!(own["rate"] > 0.0);
        // Others at work may leave too little time in which all ran: then there is no such rate.
        if let Some(together) = own.get("overlap_rate") {
            let (test, rate) = (&sample["case"]["test"], own["rate"]);
            assert!(*together >= rate / 2.0, "{test}: {together} of {rate} MB/s");
        }
    }
}

//! Tests of the section on disks of targets that have several.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, markdown},
    common,
};
use model::result::{Dataset, DiskUse};
use stats::{description::Settings, evaluation::findings};

/// Of `common`, each sample of ext4 on two disks, of which the first does three of four reads.
fn campaign() -> Dataset {
    let mut data = common::campaign(5);
    for sample in data.samples.iter_mut().filter(|sample| sample.case.target == "ext4") {
        let disk = |(disk, reads): (u32, u32)| DiskUse {
            disk,
            reads: Some(reads.into()),
            read_bytes: Some(1_000_000 * u64::from(reads)),
            writes: Some(50),
            write_bytes: Some(5_000_000),
            busy_pct: Some(f64::from(reads) / 10.0),
        };
        sample.covariates.disks = vec![disk((1, 300)), disk((2, 100))].into();
    }
    data
}

#[test]
fn each_disk_of_a_mirror_has_its_share() {
    let data = campaign();
    let found = findings(&data, &Settings::default()).unwrap();
    let text = markdown(&data, &found);
    let disks = text.split_once("## Disks of each target\n").unwrap().1;
    let disks = disks.split("\n## ").next().unwrap();
    let lines: Vec<&str> = disks.lines().filter(|line| line.starts_with("| ext4 ")).collect();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()
    };
    assert_eq!(cells(lines[0]), ["ext4", "1", "75 %", "75 %", "50 %", "50 %", "30 %"]);
    assert_eq!(cells(lines[1]), ["ext4", "2", "25 %", "25 %", "50 %", "50 %", "10 %"]);
    assert_eq!(cells(lines[2]), ["ext4", "1", "300", "300", "50.0", "5.00", "30 %"]);
    assert!(!disks.contains("xfs"), "{disks}");
    let json: serde_json::Value = serde_json::from_str(&json(&data, &found)).unwrap();
    assert_eq!(json["disks"].as_array().unwrap().len(), 10);
    assert_eq!(json["disks"][0]["disks"][1]["reads"], 100.0);
}

#[test]
fn of_targets_with_one_disk_nothing_is_said() {
    let data = common::campaign(5);
    let found = findings(&data, &Settings::default()).unwrap();
    assert!(!html(&data, &found).contains("Disks of each target"));
    assert!(!json(&data, &found).contains("\"disks\""));
}

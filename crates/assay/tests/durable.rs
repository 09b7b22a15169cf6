//! Tests that imported targets that may lose synced data, by their labels, are never ranked with durable ones.

use crate::common::{
    Place,
    unranked::{advice, assert_unranked},
};
use model::{
    figure::{Better, Metric},
    plan::{LabKind, Plan},
    result::{
        Campaign, CampaignState, Dataset, Environment, Origin, Sample, TargetRecord, TargetState,
    },
    workload::{CacheState, Case, Group, TestInfo},
};
use serde_json::Value;
use std::fs;

const LOSER: &str = "zfs[sync=disabled]";

fn test(id: &str, metric: &str, unit: &str) -> TestInfo {
    TestInfo {
        id: id.into(),
        suite: "oltp".into(),
        name: id.replace('.', " "),
        testtype: "durable append".into(),
        group: Group::Transactions,
        metric: metric.into(),
        unit: unit.into(),
        better: Better::Higher,
        shape: None,
    }
}

/// Five blocks of commits, at these rates: no fact of a mount, as another tool would tell it.
fn commits(levels: &[(&str, f64)]) -> Dataset {
    let tests =
        vec![test("oltp.log.4k", "commit_rate", "1/s"), test("oltp.log.16k", "commit_rate", "1/s")];
    let record = |(label, _): &(&str, f64)| TargetRecord {
        label: label.to_string(),
        target: label.to_string(),
        lab: LabKind::Host,
        state: TargetState::Ok,
        facts: Environment::default(),
    };
    let sample = |block: u32, position: usize, test: &TestInfo| {
        let (label, level) = levels[position];
        let case = Case {
            target: label.into(),
            suite: "oltp".into(),
            test: test.id.clone(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let noise = 1.0 + 0.004 * f64::from((block * 7 + position as u32 * 3) % 5);
        let metric = Metric::new(&test.metric, level * noise, &test.unit, Better::Higher);
        Sample::bare(block, position as u32, case, vec![metric])
    };
    let blocks = (0..5).flat_map(|block| (0..levels.len()).map(move |at| (block, at)));
    Dataset {
        campaign: Campaign {
            id: "commits".into(),
            created: "2026-11-22T00:00:00Z".into(),
            title: "commits".into(),
            origin: Origin::Import,
            state: CampaignState::Done,
            assay_version: "0".into(),
            plan: Plan { suites: vec!["oltp".into()], ..Plan::default() },
            scale: 1.0,
            seed: 1,
            environment: Environment::default(),
            notes: Vec::new(),
        },
        targets: levels.iter().map(record).collect(),
        samples: blocks
            .flat_map(|(block, at)| tests.iter().map(move |t| sample(block, at, t)))
            .collect(),
        tests: tests.clone(),
    }
}

/// Imports `file` and gives the id of its campaign.
fn import(place: &Place, file: &str) -> String {
    place.ok(&["import", file]).split(':').next().unwrap().to_string()
}

fn imported(place: &Place, data: &Dataset) -> String {
    let files = formats::export::json(data).unwrap();
    fs::write(place.path("commits.json"), &files[0].1).unwrap();
    import(place, "commits.json")
}

#[test]
fn imported_zfs_without_sync_is_not_what_a_database_should_use() {
    let place = Place::new();
    let id = imported(&place, &commits(&[("ext4", 100.0), (LOSER, 758.0), ("xfs", 120.0)]));
    let said = advice(&place, &id, "oltp-database");
    assert_eq!(
        (&said["counsel"], &said["candidates"][0]["target"]),
        (&"clear".into(), &"xfs".into())
    );
    let ext4 =
        said["candidates"].as_array().unwrap().iter().find(|c| c["target"] == "ext4").unwrap();
    assert_eq!(ext4["standing"], "eligible", "what is no candidate sets no floor: {ext4}");
    let why = assert_unranked(&said, LOSER);
    assert!(why.contains("durable is required; it may lose synced data on power loss"), "{why}");
    let (report, page) =
        (place.ok(&["report", &id]), place.ok(&["report", &id, "--format", "html"]));
    for text in [&report, &page] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains("xfs is best") && text.contains("Not ranked: zfs[sync=disabled]"),
            "{text}"
        );
    }
    assert!(page.contains("<h2>Ratios, may lose synced data</h2>"), "{page}");
}

#[test]
fn a_gate_says_that_two_campaigns_differ_in_what_they_keep() {
    let place = Place::new();
    let [kept, lost] = [("zfs", 100.0), (LOSER, 758.0)].map(|(target, level)| {
        let mut data = commits(&[(target, level)]);
        data.campaign.id = format!("commits-of-{}", target.len());
        imported(&place, &data)
    });
    let gated = place.assay(&["compare", &kept, &lost, "--fail-on-regression", "5%"]);
    let said = String::from_utf8_lossy(&gated.stderr);
    assert_eq!(gated.status.code(), Some(2), "{said}");
    assert!(said.contains("have different durability guarantees"), "{said}");
    assert!(!said.contains("different labs"), "{said}");
}

#[test]
fn one_that_keeps_is_left_and_none_that_loses() {
    let place = Place::new();
    let id = imported(&place, &commits(&[(LOSER, 758.0), ("ext4", 100.0)]));
    let said = advice(&place, &id, "oltp-database");
    assert_eq!(said["counsel"], "only-one");
    assert_unranked(&said, LOSER);
    let mut losers = commits(&[(LOSER, 758.0), ("tmpfs", 900.0)]);
    losers.campaign.id = "losers".into();
    let id = imported(&place, &losers);
    assert_eq!(advice(&place, &id, "oltp-database")["counsel"], "none-left");
    let report = place.ok(&["report", &id]);
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let call = "tmpfs is best";
    assert!(
        report.contains(call) && report.contains("All of them may lose synced data on power loss"),
        "{report}"
    );
}

#[test]
fn a_table_of_another_tool_is_read_the_same_way() {
    let place = Place::new();
    let mut text = String::from("fs,pattern,block_bytes,threads,iops\n");
    for (label, level) in [("ext4", 1000), (LOSER, 7000), ("xfs", 1200)] {
        for pattern in ["rndrd", "rndwr"] {
            for repeat in 0..3 {
                text += &format!("{label},{pattern},4096,1,{}\n", level + repeat);
            }
        }
    }
    fs::write(place.path("matrix.csv"), text).unwrap();
    let id = import(&place, "matrix.csv");
    let said = advice(&place, &id, "oltp-database");
    assert_eq!(said["candidates"][0]["target"], "xfs", "{said}");
    assert_unranked(&said, LOSER);
}

/// Whether `target` passes the requirement `feature`, and the reasons that are next to it. Facts of the mount are
/// those of `facts`.
fn required(place: &Place, feature: &str, target: &str, facts: &[(&str, &str)]) -> (bool, String) {
    let mut data = commits(&[(target, 100.0), ("jfs", 90.0)]);
    let slug = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    data.campaign.id = format!("r-{feature}-{target}-{}", facts.len()).chars().map(slug).collect();
    data.targets[0].facts.0 = facts.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let id = imported(place, &data);
    let args =
        ["advise", &id, "--profile", "oltp-database", "--require", feature, "--format", "json"];
    let said = serde_json::from_str::<Value>(&place.ok(&args)).unwrap()["advice"].clone();
    let all = said["candidates"].as_array().unwrap();
    let own = all.iter().find(|c| c["target"] == target).unwrap();
    (own["standing"] == "eligible", own["reasons"].to_string())
}

#[test]
fn requirements_are_met_by_what_is_in_force_and_by_any_layer() {
    let place = Place::new();
    for (feature, target, meets) in [
        ("compression", "zfs", false),
        ("compression", "zfs[compression=lz4]", true),
        ("compression", "zfs[compression=off]", false),
        ("compression", "btrfs", false),
        ("compression", "btrfs[compress=zstd:3]", true),
        ("compression", "btrfs[compress=lzo,nodatacow]", false),
        ("compression", "f2fs[mkfs.O=compression]", false),
        ("data_checksums", "btrfs", true),
        ("data_checksums", "btrfs[nodatasum]", false),
        ("data_checksums", "btrfs[nodatacow]", false),
        ("data_checksums", "zfs[checksum=off]", false),
        ("data_checksums", "integrity(ext4)", true),
        ("data_checksums", "f2fs", false),
        ("encryption", "xfs", false),
        ("encryption", "crypt(xfs)", true),
        ("encryption", "ext4", false),
        ("encryption", "ext4[mkfs.O=encrypt]", true),
        ("reflink", "zfs", false),
        ("reflink", "xfs", true),
        ("reflink", "xfs[mkfs.m=reflink=0]", false),
        ("reflink", "f2fs", false),
        ("snapshots", "f2fs", false),
        ("quota", "btrfs", true),
    ] {
        let (eligible, reasons) = required(&place, feature, target, &[]);
        assert_eq!(eligible, meets, "{feature} of {target}: {reasons}");
    }
    let (_, said) = required(&place, "quota", "btrfs", &[("mount.options", "rw")]);
    assert!(said.contains("quota: of subvolumes, not of users (btrfs-quota(8))"), "{said}");
    // The lab makes a pool that does not compress, and a property can be inherited.
    let off = [("mount.options", "rw,xattr"), ("geometry.compression", "off")];
    let (eligible, said) = required(&place, "compression", "zfs", &off);
    assert!(!eligible && said.contains("compression: not with compression=off"), "{said}");
    let remounted = [("mount.fstype", "btrfs"), ("mount.options", "rw,nodatasum")];
    assert!(!required(&place, "data_checksums", "btrfs", &remounted).0);
}

#[test]
fn compression_is_what_was_measured() {
    let place = Place::new();
    let mut data = commits(&[("btrfs[compress=zstd]", 100.0), ("zfs[compression=lz4]", 90.0)]);
    data.campaign.plan.data = model::workload::DataKind::Zeros;
    for (target, taken) in data.targets.iter_mut().zip(["0/1 1000", "0/1 10"]) {
        let facts = [("cost.taken_bytes", taken), ("cost.logical_bytes", "0/1 1000")];
        target.facts.0 = facts.map(|(k, v)| (k.to_string(), v.to_string())).into();
    }
    let id = imported(&place, &data);
    let args = ["advise", &id, "--profile", "oltp-database", "--require", "compression"];
    let said = place.ok(&args).split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "btrfs[compress=zstd] is ruled out: compression is required; measured: files occupied 1.00 of their \
               size, with zeros data";
    assert!(said.contains(why) && said.contains("only zfs[compression=lz4] is left"), "{said}");
}

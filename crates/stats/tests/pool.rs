//! Campaigns of equal machines as one, of known truth.
#![allow(clippy::unwrap_used)]

use crate::common;
use common::{dataset, sample, test};
use model::{result::Dataset, workload::Group};
use stats::{
    comparison::pooled,
    description::{Settings, StatsError},
    evaluation::findings,
};

/// A campaign of three blocks on a machine with the given number of processors, on which `b` is `ratio` times
/// as fast as `a`.
fn campaign(id: &str, cpus: u32, ratio: f64) -> Dataset {
    let samples = (0..3).flat_map(|block| {
        let rate = 100.0 + f64::from(block);
        [sample("a", "r", block, rate), sample("b", "r", block, ratio * rate)]
    });
    let mut data = dataset(&["a", "b"], vec![test("r", Group::ReadHot)], samples.collect());
    data.campaign.id = id.into();
    data.campaign.environment.0.insert("cpu.count".into(), cpus.to_string());
    data
}

// reference: t(0.975, 1) = 12.7062; ln of 1.1 and 1.3 has the mean 0.178837 and the SD 0.118125.
#[test]
fn each_campaign_is_one_block() {
    let all = [campaign("one", 4, 1.1), campaign("two", 4, 1.3)];
    let data = pooled(&all).unwrap();
    assert_eq!(data.campaign.id, "one,two");
    assert_eq!(data.samples.len(), 12, "nothing is lost");
    let found = findings(&data, &Settings::default()).unwrap();
    assert_eq!(found.campaign.blocks, 2);
    let cell = &found.tables[0].rows[0].cells[1];
    assert!((cell.ratio.unwrap().point / 0.178_837_f64.exp() - 1.0).abs() < 1e-4, "{cell:?}");
    // Three blocks of each, taken for six, would have an interval of a few per cent.
    let half = 12.7062 * 0.118_125 / 2f64.sqrt();
    let high = cell.plain.as_ref().unwrap().high;
    assert!((high / (0.178_837 + half).exp() - 1.0).abs() < 1e-3, "{cell:?}");
}

#[test]
fn machines_of_two_kinds_are_not_pooled() {
    let error = pooled(&[campaign("one", 4, 1.1), campaign("two", 8, 1.1)]).unwrap_err();
    assert!(matches!(error, StatsError::OtherMachine { .. }), "{error}");
    assert!(error.to_string().contains("machine cpu.count"), "{error}");
}

#[test]
fn what_is_named_twice_or_did_other_work_is_refused() {
    let twice = pooled(&[campaign("one", 4, 1.1), campaign("one", 4, 1.1)]);
    assert!(matches!(twice, Err(StatsError::SameCampaign { .. })));
    let mut other = campaign("two", 4, 1.1);
    other.campaign.scale = 7.0;
    assert!(matches!(pooled(&[campaign("one", 4, 1.1), other]), Err(StatsError::Unlike { .. })));
    assert!(matches!(pooled(&[]), Err(StatsError::NoCampaign)));
}

#[test]
fn campaigns_with_other_data_in_an_asset_are_not_pooled() {
    let with = |id: &str, byte: u8| {
        let mut data = campaign(id, 4, 1.1);
        data.campaign.plan.assets = vec![model::workload::Asset {
            suite: format!("{id}.toml"),
            name: "trace.bin".parse().unwrap(),
            bytes: model::text::Bytes(1),
            sha256: model::workload::ContentHash::of_bytes([byte; 32]),
        }];
        data
    };
    assert!(pooled(&[with("one", 1), with("two", 1)]).is_ok());
    let why = pooled(&[with("one", 1), with("two", 2)]).unwrap_err().to_string();
    assert!(why.contains("asset: `trace.bin` has SHA-256 0101"), "{why}");
}

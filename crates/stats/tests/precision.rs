//! Tests of the stopping rule, and of the precision expected from more blocks.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{Noise, sample};
use model::result::Dataset;
use stats::description::{Precision, Settings, forecast, precision};

fn precise(data: &Dataset) -> Precision {
    precision(data, &Settings::default()).unwrap()
}

fn campaign(own_sd: f64, xfs: f64) -> Dataset {
    Noise { block_sd: 0.0, own_sd }.dataset(&[("ext4", 1.0), ("xfs", xfs)], 8, 5, 5)
}

#[test]
fn quiet_ratios_are_enough_and_loud_ones_are_not() {
    let quiet = precise(&campaign(0.005, 1.0));
    assert_eq!((quiet.ratios, quiet.resolved, quiet.widest.is_none()), (8, 8, true));
    let loud = precise(&campaign(0.3, 1.0));
    assert!(!loud.is_enough() && loud.resolved < 4, "{loud:?}");
    let wide = loud.widest.unwrap();
    assert_eq!((wide.target.as_str(), wide.procs), ("xfs", 1));
    assert!(wide.half_width.unwrap() > 0.2 && wide.name.ends_with(" by name"));
}

#[test]
fn a_large_difference_need_not_be_known_to_the_band() {
    let data = campaign(0.1, 5.0);
    let tight = Settings { band: 0.001, ..Settings::default() };
    assert!(precision(&data, &tight).unwrap().is_enough());
}

#[test]
fn a_cell_of_one_block_is_open_and_one_without_samples_does_not_count() {
    let mut data = campaign(0.001, 1.0);
    data.samples.retain(|s| s.case.test != "t0" || s.block == 0);
    data.samples.retain(|s| s.case.test != "t1" || s.case.target != "xfs");
    let some = precise(&data);
    assert_eq!((some.ratios, some.resolved), (7, 6));
    assert_eq!(some.widest.unwrap().half_width, None);
    data.samples.retain(|s| s.case.target == "ext4");
    assert!(precise(&data).is_enough(), "one candidate has no ratio");
}

#[test]
fn the_median_is_of_the_process_count_that_is_known_worst() {
    let mut data = campaign(0.005, 1.0);
    let mut loud = campaign(0.2, 1.0);
    loud.samples.iter_mut().for_each(|sample| sample.case.procs = 16);
    let (one, both) = (precise(&data).median, precise(&loud).median);
    assert!(one < 0.02 && both > 0.1, "{one} {both}");
    data.samples.append(&mut loud.samples);
    // Counts lend each other what they know of the noise, so that it is not the same to the last digit.
    let median = precise(&data).median;
    assert!((median / both).ln().abs() < 0.5 && median > 0.1, "{median} {both}");
    data.samples.retain(|sample| sample.block == 0);
    assert_eq!(precise(&data).median, f64::INFINITY);
    data.samples.retain(|sample| sample.case.target == "ext4");
    assert_eq!(precise(&data).median, 0.0);
}

#[test]
fn the_twin_holds_nothing_up() {
    let mut data = campaign(0.005, 1.0);
    let loud = [1.0, 5.0, 2.0, 9.0, 0.1].into_iter().zip(0..);
    data.samples.extend(loud.map(|(value, block)| sample("ext4#2", "t0", block, value)));
    let twin = model::result::TargetRecord { label: "ext4#2".into(), ..data.targets[0].clone() };
    data.targets.push(twin);
    data.campaign.plan.targets =
        vec![model::target::Target::named("ext4"), model::target::Target::named("xfs")];
    data.campaign.plan.aa = Some(true);
    assert!(precise(&data).is_enough());
}

#[test]
fn the_forecast_of_the_blocks_there_are_is_what_there_is() {
    let data = campaign(0.08, 1.3);
    let settings = Settings::default();
    let all = forecast(&data, &settings, &[1, 5, 8, 12, 20]).unwrap();
    let blocks: Vec<u32> = all.iter().map(|f| f.blocks).collect();
    assert_eq!(blocks, [5, 8, 12, 20], "one block has no interval");
    let now = precise(&data);
    assert_eq!((all[0].ratios, all[0].resolved), (now.ratios, now.resolved));
    for pair in all.windows(2) {
        assert!(pair[1].median < pair[0].median && pair[1].resolved >= pair[0].resolved);
    }
    assert_eq!(forecast(&data_of_one_block(data), &settings, &[5]).unwrap(), []);
}

fn data_of_one_block(mut data: Dataset) -> Dataset {
    data.samples.retain(|s| s.block == 0);
    data
}

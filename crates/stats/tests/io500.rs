//! The score of IO500, of known truth.
#![allow(clippy::unwrap_used)]

use crate::common;
use common::{dataset, sample, test};
use model::{
    result::Sample,
    workload::{Group, TestInfo},
};
use stats::{
    description::{Io500, Settings},
    evaluation::findings,
};

const DATA: [&str; 4] = ["ior.easy.write", "ior.easy.read", "ior.hard.write", "ior.hard.read"];
const NAMES: [&str; 8] = [
    "mdtest.easy.file.create",
    "mdtest.hard.file.create",
    "find",
    "mdtest.easy.file.stat",
    "mdtest.hard.file.stat",
    "mdtest.easy.file.remove",
    "mdtest.hard.file.read",
    "mdtest.hard.file.remove",
];
/// A phase of the suite that is in no score.
const OTHER: &str = "mdtest.easy.file.read";

/// The scores of a campaign with rates of `data`, GiB/s, and of `names`, thousands a second, but for `missing`.
fn scores(data: [f64; 4], names: [f64; 8], missing: &str) -> Vec<Io500> {
    let gib = (1_u64 << 30) as f64 / 1e6;
    let mut rates: Vec<(&str, f64)> = DATA.into_iter().zip(data.map(|rate| rate * gib)).collect();
    rates.extend(NAMES.into_iter().zip(names.map(|rate| rate * 1e3)));
    rates.push((OTHER, 1e9));
    let tests: Vec<TestInfo> =
        rates.iter().map(|(id, _)| test(&format!("io500.{id}"), Group::Meta)).collect();
    let of = |(id, rate): &(&str, f64)| -> Vec<Sample> {
        (0..2).map(|block| sample("a", &format!("io500.{id}"), block, *rate)).collect()
    };
    let measured = rates.iter().filter(|(id, _)| *id != missing);
    findings(&dataset(&["a"], tests, measured.flat_map(of).collect()), &Settings::default())
        .unwrap()
        .io500
}

#[test]
fn it_is_the_root_of_the_product_of_two_geometric_means() {
    // Bandwidth: the fourth root of 1 * 4 * 2 * 2; operations: the eighth root of 2^8 * 3^8.
    let names = [6.0, 12.0, 3.0, 6.0, 18.0, 2.0, 9.0, 4.0];
    let scores = scores([1.0, 4.0, 2.0, 2.0], names, "");
    let [one] = scores.as_slice() else { panic!("{scores:?}") };
    let found = &one.targets[0];
    let kiops = names.iter().product::<f64>().powf(0.125);
    assert!((found.bandwidth_gib_per_s.unwrap() - 2.0).abs() < 1e-9, "{found:?}");
    assert!((found.kiops.unwrap() - kiops).abs() < 1e-9, "{found:?}");
    assert!((found.score.unwrap() - (2.0 * kiops).sqrt()).abs() < 1e-9, "{found:?}");
    assert!(found.missing.is_empty() && found.target == "a");
}

#[test]
fn without_a_phase_there_is_no_score() {
    let scores = scores([1.0; 4], [1.0; 8], "find");
    let found = &scores[0].targets[0];
    assert_eq!((found.kiops, found.score), (None, None));
    assert!(found.bandwidth_gib_per_s.is_some_and(|one| (one - 1.0).abs() < 1e-9));
    assert_eq!(found.missing, ["io500.find"]);
}

#[test]
fn other_suites_have_none() {
    let data = dataset(&["a"], vec![test("r", Group::Meta)], vec![sample("a", "r", 0, 1.0)]);
    assert!(findings(&data, &Settings::default()).unwrap().io500.is_empty());
}

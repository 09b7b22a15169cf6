//! Costs of targets whose truth is known.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::{
    result::{Dataset, Environment, Reason, Validity, known},
    workload::{Group, Shape, TestInfo},
};
use stats::{
    description::Settings,
    evaluation::{Findings, findings},
    verdict::Cost,
};

/// What the workers of a target used for one second's work.
struct Spent {
    target: &'static str,
    rate: f64,
    cpu_s: f64,
    written: u64,
}

const MB: u64 = 1_000_000;

/// Two bulk writes and one test of a thousand operations, in `blocks` blocks; the second bulk write
/// fails on `c`.
fn dataset(blocks: u32) -> Dataset {
    let spent = [
        Spent { target: "a", rate: 100.0, cpu_s: 0.4, written: 120 * MB },
        Spent { target: "b", rate: 150.0, cpu_s: 0.2, written: 200 * MB },
        Spent { target: "c", rate: 50.0, cpu_s: 0.1, written: 100 * MB },
    ];
    let mut samples = Vec::new();
    for block in 0..blocks {
        for one in &spent {
            for test in ["bulk", "bulk2", "ops"] {
                let mut s = common::sample(one.target, test, block, one.rate);
                (s.figures.bytes, s.figures.ops) =
                    if test == "ops" { (0, 1000) } else { (100 * MB, 10) };
                (s.covariates.cpu_user_s, s.covariates.cpu_sys_s) =
                    (one.cpu_s / 4.0, one.cpu_s * 0.75);
                s.covariates.device_write_bytes = Some(one.written);
                s.set(known::MACHINE_SYS_S, one.cpu_s);
                s.set(known::SLAB_BYTES, 7);
                s.set(known::SETTLE_WRITE_BYTES, 10 * MB);
                if (one.target, test) == ("c", "bulk2") {
                    *s.evidence.validity = Validity::Invalid(Reason::said("no space"));
                }
                samples.push(s);
            }
        }
    }
    let shape = Some(Shape { only_writes: true, cell: None });
    let write = |id| TestInfo { shape: shape.clone(), ..common::test(id, Group::WriteCritical) };
    let ops = TestInfo { testtype: "meta".into(), ..common::test("ops", Group::Meta) };
    let mut data =
        common::dataset(&["a", "b", "c"], vec![write("bulk"), write("bulk2"), ops], samples);
    let facts = &mut data.targets[1].facts;
    for (name, text) in
        [("mkfs_ms", "0/1 10, 1/1 30"), ("taken_bytes", "0/1 150"), ("logical_bytes", "0/1 100")]
    {
        facts.0.insert(format!("cost.{name}"), text.into());
    }
    data
}

fn judged(data: &Dataset) -> Findings {
    findings(data, &Settings::default()).unwrap()
}

fn close(value: Option<f64>, truth: f64) -> bool {
    value.is_some_and(|v| (v / truth - 1.0).abs() < 1e-9)
}

fn point(ratio: Option<stats::kernel::Ratio>) -> Option<f64> {
    ratio.map(|r| r.point)
}

#[test]
fn processor_time_is_for_the_same_work() {
    let found = judged(&dataset(3));
    let [a, b, c]: &[Cost; 3] = found.costs[..].try_into().unwrap();
    assert!(close(a.cpu_ns_per_byte, 4.0) && close(b.cpu_ns_per_byte, 2.0), "{a:?}");
    assert!(close(a.cpu_ns_per_op, 4e5) && close(c.cpu_ns_per_op, 1e5));
    assert!(close(point(a.cpu), 1.0) && close(point(b.cpu), 2.0) && close(point(c.cpu), 4.0));
    // Every block says the same, so the interval is the point.
    assert!(close(b.cpu.unwrap().low, 2.0) && close(point(b.speed), 1.5));
    // The quarter that the workers used in user mode is what the kernel used in addition.
    assert!(close(a.kernel_share, 0.25), "{a:?}");
}

#[test]
fn device_and_space_are_for_each_logical_byte() {
    let found = judged(&dataset(2));
    let b = &found.costs[1];
    // 200 MB, and 10 MB after the end, for 100 MB; the operations are no writes of bytes.
    assert!(close(b.written_per_byte, 2.1), "{b:?}");
    assert_eq!(b.read_per_byte, None, "nothing was read cold");
    assert!(close(b.taken_per_byte, 1.5) && close(b.mkfs_ms, 20.0) && close(b.slab_bytes, 7.0));
    assert_eq!(found.costs[0].mkfs_ms, None);
}

#[test]
fn what_was_written_is_of_tests_that_only_write_whatever_they_are_called() {
    let written = |testtype: &str, shape: Option<Shape>| {
        let mut data = dataset(2);
        for test in data.tests.iter_mut().filter(|test| test.id != "ops") {
            (test.testtype, test.shape) = (testtype.into(), shape.clone());
        }
        judged(&data).costs[1].written_per_byte
    };
    let writes = Some(Shape { only_writes: true, cell: None });
    assert!(close(written("my own words", writes), 2.1));
    assert_eq!(written("write disk", Some(Shape::default())), None);
    assert_eq!(written("write disk", None), None);
}

#[test]
fn a_target_that_is_beaten_in_both_is_dominated() {
    let found = judged(&dataset(1));
    let by: Vec<Option<&str>> = found.costs.iter().map(|c| c.dominated_by.as_deref()).collect();
    // b is faster than a and needs less; c is the slowest and needs least.
    assert_eq!(by, [Some("b"), None, None]);
    assert!(!found.costs[0].certain, "one block has no interval");
    assert!(judged(&dataset(3)).costs[0].certain);
}

#[test]
fn nothing_is_certain_while_intervals_overlap() {
    let mut data = dataset(3);
    for s in data.samples.iter_mut().filter(|s| s.case.target == "b") {
        let swing = [0.3, 1.0, 3.0][s.block as usize];
        s.figures.metrics[0].value *= swing;
        s.covariates.cpu_user_s *= swing;
        s.covariates.cpu_sys_s *= swing;
    }
    let found = judged(&data);
    assert_eq!(found.costs[0].dominated_by.as_deref(), Some("b"));
    assert!(!found.costs[0].certain, "{:?}", found.costs);
}

#[test]
fn no_candidate_is_dominated_inside_the_band() {
    let mut data = dataset(1);
    for s in &mut data.samples {
        let near = if s.case.target == "a" { 1.0 } else { 1.04 };
        s.figures.metrics[0].value = 100.0 * near;
        (s.covariates.cpu_user_s, s.covariates.cpu_sys_s) = (0.0, 0.4 / near);
    }
    assert!(judged(&data).costs.iter().all(|c| c.dominated_by.is_none()));
}

#[test]
fn published_tables_tell_no_cost() {
    let mut data = dataset(1);
    for s in &mut data.samples {
        (s.covariates.cpu_user_s, s.covariates.cpu_sys_s, s.covariates.device_write_bytes) =
            (0.0, 0.0, None);
    }
    data.targets[1].facts = Environment::default();
    assert!(judged(&data).costs.is_empty());
}

#[test]
fn a_run_that_had_not_settled_is_counted_and_stays_valid() {
    let mut data = dataset(2);
    for s in data.samples.iter_mut().filter(|s| s.case.test == "ops" && s.case.target != "c") {
        let drifts = s.case.target == "b" && s.block == 1;
        let rates = if drifts { [10.0, 9.0, 8.0, 7.0, 6.0] } else { [8.0; 5] };
        s.set_round_rates(rates);
    }
    let found = judged(&data);
    let seen: Vec<_> =
        found.steadiness.iter().map(|s| (s.target.as_str(), s.samples, s.unsteady)).collect();
    assert_eq!(seen, [("a", 2, 0), ("b", 2, 1)]);
    assert!((found.steadiness[1].widest.range - 0.5).abs() < 1e-12);
    let row = found.tables.iter().flat_map(|t| &t.rows).find(|r| r.test == "ops").unwrap();
    assert_eq!(
        row.cells.iter().map(|c| (c.n, c.unsteady)).collect::<Vec<_>>(),
        [(2, 0), (2, 1), (2, 0)]
    );
}

/// What the plan says holds wherever the campaign is judged, unless a target is given another price.
#[test]
fn prices_come_with_the_campaign() {
    let mut data = dataset(3);
    let given = [("a", "0.1*100GB"), ("b", "0.1*100GB+0.01*2000IOPS")];
    data.campaign.plan.prices =
        given.map(|(label, text)| (label.to_string(), text.parse().unwrap())).into();
    let month = |settings: &Settings, at: usize| {
        findings(&data, settings).unwrap().costs[at].price.clone().map(|price| price.month)
    };
    let plain = Settings::default();
    assert_eq!([0, 1, 2].map(|at| month(&plain, at)), [Some(10.0), Some(30.0), None]);
    let prices = [("b".to_string(), "1*5GB".parse().unwrap())].into();
    let other = Settings { prices, ..Settings::default() };
    assert_eq!([0, 1, 2].map(|at| month(&other, at)), [Some(10.0), Some(5.0), None]);
}

/// b is half as fast again as a, and costs three times as much; c is half as fast at the price of a.
#[test]
fn the_same_money_does_more_or_less_work() {
    let prices = [("a", "0.1*100GB"), ("b", "0.1*100GB+0.01*2000IOPS"), ("c", "0.1*100GB")];
    let prices = prices.map(|(label, text)| (label.to_string(), text.parse().unwrap())).into();
    let found = findings(&dataset(3), &Settings { prices, ..Settings::default() }).unwrap();
    let of = |at: usize| found.costs[at].price.clone().unwrap();
    let (a, b, c) = (of(0), of(1), of(2));
    assert!((a.month - 10.0).abs() < 1e-9 && (b.month - 30.0).abs() < 1e-9);
    assert!(close(point(a.work_per_money), 1.0) && close(point(b.work_per_money), 0.5));
    assert!(close(point(c.work_per_money), 0.5));
    assert_eq!((a.dominated_by, b.dominated_by), (None, None), "one is cheaper, the other faster");
    assert_eq!((c.dominated_by.as_deref(), c.certain), (Some("a"), true));
    assert!(judged(&dataset(3)).costs.iter().all(|cost| cost.price.is_none()));
    // Nothing can be said over a baseline without a price.
    let prices = [("b".to_string(), "1*1GB".parse().unwrap())].into();
    let found = findings(&dataset(3), &Settings { prices, ..Settings::default() }).unwrap();
    assert_eq!(found.costs[1].price.clone().unwrap().work_per_money, None);
}

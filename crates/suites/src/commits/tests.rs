//! Commits one after the other and at a fixed rate, and what is counted of them.

use super::*;
use crate::testing::pool;
use model::workload::{PhaseKind, PhaseReport, WorkerReport};

fn client(load: CommitRate, index: u64, of: u64) -> Client {
    Client::new(load, index, of, Path::new("x")).unwrap()
}

fn load(length_ns: u64, rate_per_s: u32) -> CommitRate {
    CommitRate { length_ns, rate_per_s }
}

#[test]
fn a_closed_loop_commits_in_order_until_its_time_is_over() {
    let mut numbers = Vec::new();
    let mut one = client(load(1, 0), 0, 1);
    // The time is over before the first: it is done all the same.
    one.run(0, |k| {
        numbers.push(k);
        Ok(now_ns())
    })
    .unwrap();
    assert_eq!((numbers, one.commits, one.unserved), (vec![0], 1, 0));
    let histogram = &one.histograms()[0];
    assert_eq!((histogram.op.as_str(), histogram.latency), (COMMIT, LatencyKind::Service));
    assert_eq!(histogram.count(), 1);
}

#[test]
fn clients_share_a_rate_and_leave_nothing_out() {
    let load = load(20_000_000, 1000);
    let start_ns = now_ns();
    let mut all = client(load, 0, 2);
    let mut other = client(load, 1, 2);
    for one in [&mut all, &mut other] {
        one.run(start_ns, |_| Ok(now_ns())).unwrap();
    }
    assert!(now_ns() >= start_ns + 20_000_000);
    all.add(&other, Path::new("x")).unwrap();
    assert_eq!(all.commits + all.unserved, 20);
    let histogram = &all.histograms()[0];
    assert_eq!((histogram.count(), histogram.latency), (20, LatencyKind::Response));
}

#[test]
fn a_latency_counts_from_the_intended_start() {
    // Each commit says that it was durable half a second after the start of the run.
    let start_ns = now_ns();
    let mut one = client(load(300_000_000, 10), 0, 1);
    one.run(start_ns, |_| Ok(start_ns + 500_000_000)).unwrap();
    let bins = &one.histograms()[0].bins;
    let expected = [300_000_000u64, 400_000_000, 500_000_000];
    assert_eq!(bins.len(), expected.len());
    for (bin, ns) in bins.iter().zip(expected) {
        assert!(bin.0.abs_diff(ns) <= ns / 1000, "{bin:?}");
    }
}

#[test]
fn a_run_that_cannot_keep_up_is_given_up_and_says_so() {
    // The run started long ago: nothing is served, and all have waited for longer than that.
    let mut one = client(load(10_000_000, 1000), 0, 1);
    let start_ns = now_ns() - 1_000_000_000;
    one.run(start_ns, |_| panic!("served after it was given up")).unwrap();
    assert_eq!((one.commits, one.unserved), (0, 10));
    assert!(one.histograms()[0].quantile_ns(0.0).unwrap() > 980_000_000);
}

#[test]
fn the_rate_counts_the_sync_and_the_ranking_metric_comes_first() {
    let phase = |start_ns, end_ns, ops| PhaseReport {
        kind: PhaseKind::Operate,
        start_ns,
        end_ns,
        bytes: 4096 * ops,
        ops,
        cpu_user_s: 0.0,
        cpu_sys_s: 0.0,
    };
    let bins = vec![(2_000_000, 99), (9_000_000, 1)];
    let histograms = vec![Histogram { bins, ..Histogram::new(COMMIT, LatencyKind::Response) }];
    let report = WorkerReport {
        phases: vec![phase(0, 1_000_000_000, 100), phase(2_000_000_000, 2_250_000_000, 0)],
        histograms,
        metrics: vec![Metric::new("unserved", 25.0, "", Better::Lower)],
        ..WorkerReport::default()
    };
    let pool = pool(report);
    let value = |m: &Measured, name: &str| m.metrics.iter().find(|x| x.name == name).unwrap().value;
    let fixed = measured("x", load(1_000_000_000, 125), &pool, Metrics::default());
    assert_eq!(fixed.metrics[0].name, "latency_p99_us");
    assert_eq!(fixed.metrics[0].value, 2000.0);
    assert_eq!(value(&fixed, "achieved_pct"), 80.0);
    assert_eq!(value(&fixed, "unserved"), 25.0);
    let closed = measured("x", load(1_000_000_000, 0), &pool, Metrics::default());
    assert_eq!((closed.metrics[0].name.as_str(), closed.metrics[0].value), ("commits_rate", 80.0));
    assert_eq!(value(&closed, "commits_rate_before_sync"), 100.0);
    assert_eq!((closed.ops, closed.seconds), (100, 1.25));
}

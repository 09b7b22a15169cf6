//! Figures from reports made by hand.

use crate::{
    Measured,
    columnar::measure::{self, Basis},
};
use model::workload::{PhaseKind, PhaseOverlap, PhaseReport, PoolReport, WorkerReport};

const MS: u64 = 1_000_000;

/// A phase from `start_ms` to `end_ms`.
fn phase(kind: PhaseKind, start_ms: u64, end_ms: u64, bytes: u64) -> PhaseReport {
    PhaseReport {
        kind,
        start_ns: 1000 + start_ms * MS,
        end_ns: 1000 + end_ms * MS,
        bytes,
        ops: 10,
        cpu_user_s: 0.0,
        cpu_sys_s: 0.0,
    }
}

fn pool(workers: Vec<Vec<PhaseReport>>) -> PoolReport {
    let phases = workers[0].len();
    let report = |phases| WorkerReport { phases, command_chars: 20, ..WorkerReport::default() };
    PoolReport {
        workers: workers.into_iter().map(report).collect(),
        overlaps: vec![PhaseOverlap::default(); phases],
        ..PoolReport::default()
    }
}

fn value(measured: &Measured, name: &str) -> Option<f64> {
    let metric = measured.metrics.iter().find(|m| m.name == name)?;
    // To nine digits: sums of quotients are not exact.
    Some((metric.value * 1e9).round() / 1e9)
}

/// Two workers write 100 MB each: one in 0 to 1 s, one in 0.5 to 2 s; sync takes 2 s and 1 s.
fn writers() -> PoolReport {
    pool(vec![
        vec![
            phase(PhaseKind::Write, 0, 1000, 100_000_000),
            phase(PhaseKind::Sync, 2000, 4000, 100_000_000),
            phase(PhaseKind::SpawnSync, 4000, 4500, 0),
        ],
        vec![
            phase(PhaseKind::Write, 500, 2000, 100_000_000),
            phase(PhaseKind::Sync, 2000, 3000, 100_000_000),
            phase(PhaseKind::SpawnSync, 4000, 4250, 0),
        ],
    ])
}

#[test]
fn writes_rank_by_the_durable_rate() {
    let m = measure::write("w", &writers(), 12_500_000, Basis::WRITE);
    assert_eq!(m.metrics[0].name, "durable_rate");
    assert_eq!(value(&m, "durable_rate"), Some(50.0));
    assert_eq!(value(&m, "cache_rate"), Some(100.0));
    assert_eq!(value(&m, "sync_s"), Some(2.0));
    assert_eq!(value(&m, "sum_rate"), Some(166.666666667));
    assert_eq!(value(&m, "nano_rate"), Some(166.666666667));
    assert_eq!((m.bytes, m.ops, m.seconds), (200_000_000, 20, 4.0));
    assert_eq!((m.skew_ms, m.overlap, m.phases), (500.0, 0.25, 0..2));
}

#[test]
fn appends_count_the_sync_in_the_original_suites_time() {
    let m = measure::write("a", &writers(), 12_500_000, Basis::APPEND);
    let nano = 100.0 / 3.5 + 100.0 / 2.75;
    assert!((value(&m, "nano_rate").unwrap() - nano).abs() < 1e-6);
    assert_eq!(value(&m, "durable_rate"), Some(50.0));
}

#[test]
fn syncs_have_true_bytes_and_the_original_suites_factor() {
    let m = measure::sync("s", &writers(), 12_500_000, Basis::SYNC);
    assert_eq!(m.metrics[0].name, "sync_ms");
    assert_eq!(value(&m, "sync_ms"), Some(2000.0));
    assert_eq!(value(&m, "nano_rate"), Some(20.0 * 100.0 / 2.5 + 20.0 * 100.0 / 1.25));
    assert_eq!(value(&m, "spawn_s"), Some(0.5));
    assert_eq!((m.seconds, m.phases), (2.0, 1..2));
}

#[test]
fn a_sort_is_durable_when_its_columns_are() {
    let sorted = pool(vec![vec![
        phase(PhaseKind::Write, 0, 1000, 60_000_000),
        phase(PhaseKind::SyncDir, 1000, 1250, 0),
        phase(PhaseKind::Sync, 1250, 2000, 60_000_000),
        phase(PhaseKind::SpawnSync, 2000, 2250, 0),
    ]]);
    let write = measure::write("w", &sorted, 1_000_000, Basis::WRITE);
    assert_eq!(value(&write, "durable_rate"), Some(30.0));
    assert_eq!(value(&write, "sync_s"), Some(1.0));
    assert_eq!(write.phases, 0..3);
    let sync = measure::sync("s", &sorted, 1_000_000, Basis::SORTED);
    assert_eq!(value(&sync, "sync_ms"), Some(1000.0));
    assert_eq!(value(&sync, "nano_rate"), Some(320.0));
    assert_eq!(sync.phases, 1..3);
}

#[test]
fn reads_count_from_first_start_to_last_end() {
    let mut readers = pool(vec![
        vec![phase(PhaseKind::Read, 0, 1000, 300_000_000)],
        vec![phase(PhaseKind::Read, 0, 1500, 300_000_000)],
    ]);
    readers.overlaps[0] = PhaseOverlap { window_ns: 1000 * MS, bytes: 500_000_000, ops: 25 };
    let m = measure::read("r", &readers, 37_500_000);
    assert_eq!(value(&m, "rate"), Some(400.0));
    assert_eq!(value(&m, "overlap_rate"), Some(500.0));
    assert_eq!(value(&m, "sum_rate"), Some(500.0));
    assert_eq!(value(&m, "first_done_s"), Some(1.0));
    assert_eq!(value(&m, "last_done_s"), Some(1.5));
    readers.overlaps[0].window_ns = 700 * MS;
    assert_eq!(value(&measure::read("r", &readers, 1), "overlap_rate"), None);
    // What all did in a burst at the end, when the first was done.
    readers.overlaps[0] = PhaseOverlap { window_ns: 1000 * MS, bytes: 299_000_000, ops: 25 };
    assert_eq!(value(&measure::read("r", &readers, 1), "overlap_rate"), None);
    // Of two dozen operations those under way at its end are too many.
    readers.overlaps[0] = PhaseOverlap { window_ns: 1000 * MS, bytes: 500_000_000, ops: 24 };
    assert_eq!(value(&measure::read("r", &readers, 1), "overlap_rate"), None);
    // One worker alone is in its window from begin to end.
    let mut alone = pool(vec![vec![phase(PhaseKind::Read, 0, 1000, 300_000_000)]]);
    alone.overlaps[0] = PhaseOverlap { window_ns: 1000 * MS, bytes: 300_000_000, ops: 1 };
    assert_eq!(value(&measure::read("r", &alone, 1), "overlap_rate"), Some(300.0));
}

#[test]
fn a_worker_tells_of_its_operations_a_hundred_times_or_of_each() {
    assert_eq!([1, 99, 200, 1000, 1 << 20].map(measure::batch_ops), [1, 1, 2, 10, 256]);
}

#[test]
fn latency_is_the_mean_of_the_workers_means() {
    let m = measure::meta(
        "m",
        &pool(vec![
            vec![phase(PhaseKind::Operate, 0, 10, 0)],
            vec![phase(PhaseKind::Operate, 0, 30, 0)],
        ]),
    );
    assert_eq!(m.metrics[0].name, "latency_ms");
    assert_eq!(value(&m, "latency_ms"), Some(2.0));
    assert_eq!(value(&m, "latency_max_ms"), Some(3.0));
    assert_eq!(value(&m, "ops_rate"), Some(666.666666667));
}

#[test]
fn no_time_gives_no_rate() {
    let nothing = pool(vec![vec![phase(PhaseKind::Read, 5, 5, 100)]]);
    let m = measure::read("r", &nothing, 1);
    assert!(m.metrics.is_empty());
    let empty = measure::read("r", &PoolReport::default(), 1);
    assert!(empty.metrics.is_empty() && empty.phases.is_empty());
}

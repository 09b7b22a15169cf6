//! Generated datasets for the property tests of every crate that stores, writes or reads them.
//! Compiled only with the feature `strategies`, for tests.

mod after_fault;
mod reasons;

pub use reasons::reasons;
mod note;

pub use note::{note, notes};

use crate::{
    figure::{Better, Durability, Histogram, LatencyKind, Metric, Series, Unproven},
    plan::{LabKind, Plan},
    result::{
        Campaign, CampaignState, Covariates, Dataset, Environment, Evidence, Figures, Limiter,
        Numbers, Origin, Reason, Sample, TargetRecord, TargetState, Validity,
    },
    workload::{CacheState, Case, GridCell, Group, Shape, TestInfo},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::collections::BTreeMap;

/// Text with what breaks careless formats: commas, quotes, newlines, bars, letters beyond ASCII, what a
/// spreadsheet would compute.
pub fn text() -> impl Strategy<Value = String> {
    "[ a-z0-9,;|\"'\\\\\n\té%=:+@<-]{0,16}"
}

/// The same on one line.
pub fn label() -> impl Strategy<Value = String> {
    "'{0,2}[=+@-]?[ a-z0-9,;|\"'\\\\é%=:+@<-]{0,16}"
}

/// Any finite number, often an everyday one.
pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-1e6..1e6f64),
        (0u32..1000).prop_map(f64::from),
        any::<f64>().prop_filter("finite", |n| n.is_finite()),
    ]
}

fn environment() -> impl Strategy<Value = Environment> {
    proptest::collection::btree_map(label(), text(), 0..3).prop_map(Environment)
}

fn campaign() -> impl Strategy<Value = Campaign> {
    let words = ("[a-z][a-z0-9-]{3,12}", text(), label());
    let origin = select(vec![Origin::Run, Origin::Import, Origin::Published]);
    let state = select(vec![CampaignState::Open, CampaignState::Done]);
    let numbers = (number(), any::<u64>(), option::of(any::<u64>()));
    (words, origin, state, numbers, environment(), vec(note(), 0..3)).prop_map(
        |((id, title, version), origin, state, (scale, seed, asked), environment, notes)| {
            Campaign {
                id,
                created: "2026-01-02T03:04:05Z".into(),
                title,
                origin,
                state,
                assay_version: version,
                plan: Plan { seed: asked, procs: vec![1, 4], ..Plan::default() },
                scale,
                seed,
                environment,
                notes,
            }
        },
    )
}

fn lab() -> impl Strategy<Value = LabKind> {
    select(LabKind::ALL.to_vec())
}

fn targets() -> impl Strategy<Value = Vec<TargetRecord>> {
    let state = prop_oneof![Just(TargetState::Ok), text().prop_map(TargetState::Failed)];
    vec((label(), lab(), state, environment()), 1..4).prop_map(|targets| {
        let record = |(i, (target, lab, state, facts)): (usize, (String, _, _, _))| TargetRecord {
            label: format!("{target}#{i}"),
            target,
            lab,
            state,
            facts,
        };
        targets.into_iter().enumerate().map(record).collect()
    })
}

fn shape() -> impl Strategy<Value = Option<Shape>> {
    let cell = (label(), 0..=i64::MAX as u64, any::<u32>());
    let cell =
        cell.prop_map(|(grid, block_bytes, threads)| GridCell { grid, block_bytes, threads });
    let shape = (any::<bool>(), option::of(cell));
    option::of(shape.prop_map(|(only_writes, cell)| Shape { only_writes, cell }))
}

fn tests() -> impl Strategy<Value = Vec<TestInfo>> {
    let parts = (label(), label(), label(), select(Group::ALL.to_vec()), any::<bool>(), shape());
    vec(parts, 1..4).prop_map(|tests| {
        let info = |(i, (name, testtype, unit, group, higher, shape))| TestInfo {
            id: format!("suite.test-{i}"),
            suite: "suite".into(),
            name,
            testtype,
            group,
            metric: "first".into(),
            unit,
            better: if higher { Better::Higher } else { Better::Lower },
            shape,
        };
        tests.into_iter().enumerate().map(info).collect()
    })
}

fn metrics() -> impl Strategy<Value = Vec<Metric>> {
    vec((number(), label(), any::<bool>()), 0..4).prop_map(|metrics| {
        let metric = |(i, (value, unit, higher)): (usize, (f64, String, bool))| {
            let name = if i == 0 { "first".into() } else { format!("metric {i}") };
            let better = if higher { Better::Higher } else { Better::Lower };
            Metric::new(&name, value, &unit, better)
        };
        metrics.into_iter().enumerate().map(metric).collect()
    })
}

/// Covariates and evidence under their names in files, some of them as no field can hold them.
fn known() -> impl Strategy<Value = Vec<Metric>> {
    let names = [
        ("run_order", ""),
        ("slab_bytes", "B"),
        ("foreign_cpu_pct", "%"),
        ("settle_s", "s"),
        ("floor_s", "s"),
        ("round_2_rate", "1/s"),
        ("disk_reads.2", ""),
        ("disk_reads.02", ""),
        ("host_ops_per_s.n 1", "1/s"),
        ("hosts", ""),
    ];
    let kinds = proptest::sample::subsequence(names.to_vec(), 0..=names.len());
    (kinds.prop_shuffle(), vec(number(), names.len()), any::<bool>()).prop_map(
        |(kinds, values, higher)| {
            let better = if higher { Better::Higher } else { Better::Lower };
            let metric =
                |((name, unit), value): ((&str, &str), f64)| Metric::new(name, value, unit, better);
            kinds.into_iter().zip(values).map(metric).collect()
        },
    )
}

/// At most one histogram of each operation and kind; bins ascend and none is empty.
fn histograms() -> impl Strategy<Value = Vec<Histogram>> {
    let bins = proptest::collection::btree_map(any::<u64>(), 1..u64::MAX, 0..5);
    let kind = select(vec![LatencyKind::Service, LatencyKind::Response]);
    let all = proptest::collection::btree_map((label(), kind), bins, 0..3);
    all.prop_map(|all| {
        let histogram = |((op, latency), bins): (_, BTreeMap<u64, u64>)| Histogram {
            op,
            latency,
            bins: bins.into_iter().collect(),
        };
        all.into_iter().map(histogram).collect()
    })
}

/// Intervals that ascend, and at least one column with a number for each.
fn series() -> impl Strategy<Value = Series> {
    proptest::collection::btree_set(any::<u64>(), 1..5).prop_flat_map(|ends| {
        let column = vec(any::<u64>(), ends.len());
        let columns = proptest::collection::btree_map(label(), column, 1..4);
        columns.prop_map(move |columns| Series { end_ms: ends.iter().copied().collect(), columns })
    })
}

fn validity() -> impl Strategy<Value = Validity> {
    prop_oneof![
        Just(Validity::Valid),
        reason().prop_map(Validity::Lukewarm),
        reason().prop_map(Validity::Disturbed),
        reason().prop_map(Validity::Invalid)
    ]
}

/// Any reason: one of [`reasons`], or words, some of which look like the form of a reason in files.
pub fn reason() -> impl Strategy<Value = Reason> {
    let codes: Vec<String> = reasons().iter().map(ToString::to_string).collect();
    prop_oneof![
        select(reasons()),
        text().prop_map(Reason::Said),
        select(codes).prop_map(Reason::Said)
    ]
}

fn durability() -> impl Strategy<Value = Durability> {
    let wrote = |(device_bytes, of_bytes)| Unproven::NotWritten { device_bytes, of_bytes };
    prop_oneof![
        Just(Durability::Proven),
        label().prop_map(|kind| Durability::NotProven(Unproven::NoDevice(kind))),
        any::<(u64, u64)>().prop_map(move |bytes| Durability::NotProven(wrote(bytes))),
    ]
}

fn case(targets: usize, tests: usize) -> impl Strategy<Value = (usize, usize, u32, CacheState)> {
    use CacheState::*;
    (0..targets, 0..tests, 1..5u32, select(vec![Cold, Lukewarm, Hot, Any]))
}

/// A sample whose target and test are numbers in the lists of the dataset.
fn sample(targets: usize, tests: usize) -> impl Strategy<Value = (usize, usize, Sample)> {
    let place = (0..3u32, 0..3u32, lab(), case(targets, tests));
    let counts = (any::<u64>(), any::<u64>(), option::of(any::<u64>()), option::of(any::<u64>()));
    let times = (number(), number(), number(), number(), number());
    let limiter = select(vec![Limiter::Cache, Limiter::Device, Limiter::Unknown]);
    let figures = (metrics(), known(), histograms(), option::of(series()));
    let proof = (validity(), option::of(durability()), option::of(after_fault::after_fault()));
    (place, figures, counts, times, limiter, proof).prop_map(
        |(
            (block, position, lab, (target, test, procs, cache)),
            (metrics, known, histograms, series),
            counts,
            times,
            limiter,
            (validity, durability, after_fault),
        )| {
            let case = Case {
                target: String::new(),
                suite: "suite".into(),
                test: String::new(),
                procs,
                threads: 1,
                cache,
            };
            let figures = Figures {
                metrics,
                bytes: counts.0,
                ops: counts.1,
                seconds: times.0,
                histograms: histograms.into(),
                series: series.map(Box::new),
            };
            let covariates = Covariates {
                skew_ms: times.1,
                overlap: times.2,
                device_read_bytes: counts.2,
                device_write_bytes: counts.3,
                cpu_user_s: times.3,
                cpu_sys_s: times.4,
                ..Covariates::default()
            };
            let (validity, after_fault) = (validity.into(), after_fault.map(Box::new));
            let evidence = Evidence { limiter, validity, durability, after_fault };
            let (case, numbers) = (case.into(), Numbers::default());
            let mut sample =
                Sample { block, position, case, lab, figures, covariates, evidence, numbers };
            if !sample.figures.metrics.is_empty() {
                sample.extend(known);
            }
            (target, test, sample)
        },
    )
}

/// A dataset that keeps every promise of the model: samples in order, of known targets and tests.
pub fn dataset() -> impl Strategy<Value = Dataset> {
    (campaign(), targets(), tests()).prop_flat_map(|(campaign, targets, tests)| {
        vec(sample(targets.len(), tests.len()), 0..12).prop_map(move |drawn| {
            let name = |(target, test, mut sample): (usize, usize, Sample)| {
                sample.case.target = targets[target].label.clone();
                sample.case.test = tests[test].id.clone();
                sample
            };
            let mut samples: Vec<Sample> = drawn.into_iter().map(name).collect();
            samples.sort_by_key(|sample| (sample.block, sample.position));
            let (campaign, targets, tests) = (campaign.clone(), targets.clone(), tests.clone());
            Dataset { campaign, targets, tests, samples }
        })
    })
}

//! Test vectors for implementations that compute from [`BlockLogs`]: the results of this crate for the same data. Each
//! holds one peculiarity: missing cells and blocks, no common block, contention, a table of one test, other weights.

mod profiles;

use super::*;
use crate::{
    description::{Cell, Footer, Settings, class::baseline::target_order, score::board::Board},
    evaluation::findings,
    kernel::{Ratio, ratio::quantile, significance::Bar},
};
use model::{
    figure::{Better, Metric},
    plan::{LabKind, Plan},
    random::Rng,
    result::{Campaign, CampaignState, Environment, Origin, Sample, TargetRecord, TargetState},
    workload::{CacheState, Case, Group, TestInfo},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TARGETS: [&str; 3] = ["ext4", "xfs", "btrfs"];
const PROCS: [u32; 2] = [1, 16];
const BLOCKS: u32 = 4;

/// The tests of each group; what was left to sync is in no mean.
const TESTS: [(&str, Group); 9] = [
    ("w.large", Group::WriteCritical),
    ("w.small", Group::WriteCritical),
    ("w.other", Group::WriteOther),
    ("w.left", Group::Sync),
    ("r.cold", Group::ReadCold),
    ("r.random", Group::ReadCold),
    ("r.hot", Group::ReadHot),
    ("meta", Group::Meta),
    ("mixed", Group::Mixed),
];

/// A choice of the reader.
struct Choice {
    baseline: &'static str,
    procs: &'static [u32],
    left_out: &'static [Group],
    weights: &'static [(Group, f64)],
}

const CHOICES: [Choice; 4] = [
    Choice { baseline: "ext4", procs: &PROCS, left_out: &[], weights: &[] },
    Choice { baseline: "btrfs", procs: &PROCS, left_out: &[Group::WriteOther], weights: &[] },
    Choice {
        baseline: "xfs",
        procs: &[16],
        left_out: &[Group::ReadCold, Group::Mixed],
        weights: &[(Group::WriteCritical, 5.0), (Group::Meta, 0.5)],
    },
    Choice { baseline: "ext4", procs: &[1], left_out: &[], weights: &[(Group::ReadHot, 0.0)] },
];

impl Choice {
    fn holds(&self, group: Group, procs: u32) -> bool {
        self.procs.contains(&procs) && !self.left_out.contains(&group)
    }

    fn weight(&self, group: Group) -> f64 {
        self.weights.iter().find(|(own, _)| *own == group).map_or(1.0, |(_, weight)| *weight)
    }

    fn settings(&self) -> Settings {
        Settings { baseline: Some(self.baseline.into()), ..Settings::default() }
    }
}

/// Logarithms are whole steps, so that nothing is lost in what the page gets.
fn sample(target: usize, test: usize, procs: u32, block: u32, rng: &mut Rng) -> Sample {
    let seconds = (1_000.0 * ((test * 7 + target) % 10) as f64 / LENGTH_STEPS).exp();
    let noise = (0.004 + 0.01 * (test % 4) as f64) * (rng.unit() + rng.unit() - 1.0);
    let gain = 0.03 * target as f64 * (test as f64 - 3.0) + 0.1 * f64::from(procs).ln();
    let log = ((4.0 + gain + noise) * LOG_STEPS).round() / LOG_STEPS;
    let case = Case {
        target: TARGETS[target].into(),
        suite: "s".into(),
        test: TESTS[test].0.into(),
        procs,
        threads: 1,
        cache: CacheState::Any,
    };
    let is_contended = test == 7 && target == 2 && block < 2;
    let others = if is_contended { 50.0 } else { 0.0 };
    let metrics = vec![
        Metric::new("rate", log.exp(), "MB/s", Better::Higher),
        Metric::new("foreign_cpu_pct", others, "%", Better::Lower),
    ];
    Sample::bare(block, 0, case, metrics).lasting(seconds)
}

fn is_there(target: usize, test: usize, procs: u32, block: u32) -> bool {
    match (target, TESTS[test].0, procs) {
        (2, "r.random", 16) => false,
        (1, "w.small", 1) => block != 1,
        // No block has both.
        (0, "r.hot", 16) => block < 2,
        (1, "r.hot", 16) => block >= 2,
        _ => true,
    }
}

fn dataset() -> Dataset {
    let mut rng = Rng::new(3);
    let mut samples = Vec::new();
    for (block, target) in (0..BLOCKS).flat_map(|b| (0..TARGETS.len()).map(move |t| (b, t))) {
        for (test, procs) in (0..TESTS.len()).flat_map(|t| PROCS.map(|p| (t, p))) {
            let own = sample(target, test, procs, block, &mut rng);
            samples.extend(Some(own).filter(|_| is_there(target, test, procs, block)));
        }
    }
    let test = |(id, group): (&str, Group)| TestInfo {
        id: id.into(),
        suite: "s".into(),
        name: id.into(),
        testtype: "t".into(),
        group,
        metric: "rate".into(),
        unit: "MB/s".into(),
        better: Better::Higher,
        shape: None,
    };
    let target = |label: &str| TargetRecord {
        label: label.into(),
        target: label.into(),
        lab: LabKind::Host,
        state: TargetState::Ok,
        facts: Environment::default(),
    };
    Dataset {
        campaign: campaign(),
        targets: TARGETS.map(target).into(),
        tests: TESTS.map(test).into(),
        samples,
    }
}

fn campaign() -> Campaign {
    Campaign {
        id: "vectors".into(),
        created: "2025-11-21T05:00:00Z".into(),
        title: String::new(),
        origin: Origin::Run,
        state: CampaignState::Done,
        assay_version: "0.1.0".into(),
        plan: Plan::default(),
        scale: 1.0,
        seed: 7,
        environment: Environment::default(),
        notes: Vec::new(),
    }
}

/// Ten digits, so that the last bit of a library is not in them.
fn digits(value: f64) -> Value {
    format!("{value:.9e}").parse::<f64>().map_or(Value::Null, Value::from)
}

fn said(ratio: Option<&Ratio>, word: Option<&str>) -> Value {
    let Some(ratio) = ratio else { return Value::Null };
    let mut all: Vec<Value> =
        [Some(ratio.point), ratio.low, ratio.high].map(|v| v.map_or(Value::Null, digits)).into();
    all.extend(word.map(Value::from));
    Value::Array(all)
}

fn of_cell(cell: &Cell) -> (String, Value) {
    (cell.target.clone(), said(cell.ratio.as_ref(), cell.comparison.map(|v| v.as_str())))
}

fn of_footer(footer: &Footer) -> (String, Value) {
    (footer.target.clone(), said(footer.ratio.as_ref(), footer.comparison.map(|v| v.as_str())))
}

/// What this crate says by the choice: each by its names.
fn answer(dataset: &Dataset, choice: &Choice) -> Value {
    let found = findings(dataset, &choice.settings()).unwrap();
    let chosen = || found.tables.iter().filter(|table| choice.holds(table.group, table.procs));
    let of_table = |table: &crate::description::Table| {
        let row = |row: &crate::description::Row| {
            let cells = row.cells.iter().skip(1).map(of_cell);
            json!({ "test": row.test, "ratios": cells.collect::<serde_json::Map<_, _>>() })
        };
        let means = table.footers.iter().skip(1).map(of_footer);
        json!({
            "group": table.group.as_str(),
            "procs": table.procs,
            "means": means.collect::<serde_json::Map<_, _>>(),
            "rows": table.rows.iter().map(row).collect::<Vec<_>>(),
        })
    };
    json!({
        "baseline": choice.baseline,
        "procs": choice.procs,
        "left_out": choice.left_out.iter().map(|group| group.as_str()).collect::<Vec<_>>(),
        "weights": choice.weights.iter().map(|(group, w)| (group.as_str(), w)).collect::<BTreeMap<_, _>>(),
        "scores": scores(dataset, choice),
        "tables": chosen().map(of_table).collect::<Vec<_>>(),
    })
}

fn scores(dataset: &Dataset, choice: &Choice) -> Value {
    let targets = target_order(dataset, &choice.settings()).unwrap();
    let cells = select(dataset, &targets, 10.0).unwrap();
    let group = |cell: &CellData| dataset.tests[cell.test].group;
    let cells: Vec<CellData> =
        cells.into_iter().filter(|cell| choice.holds(group(cell), cell.procs)).collect();
    let board = Board::new(dataset, targets.len(), &cells);
    let of_group = |own: Group| board.cells.iter().filter(|c| group(c) == own).count();
    let weight = |cell: &&CellData| choice.weight(group(cell)) / of_group(group(cell)) as f64;
    let weights: Vec<f64> = board.cells.iter().map(weight).collect();
    let board = Board::weighted(board.columns, board.cells, &weights);
    let ratios = board.ratios(Bar::ONCE);
    let all = board.columns.iter().zip(&ratios);
    all.map(|(&column, ratio)| (targets[column].clone(), said(Some(ratio), None)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn vectors() -> String {
    let dataset = dataset();
    let found = findings(&dataset, &Settings::default()).unwrap();
    let logs = block_logs(&dataset, &found).unwrap();
    assert!(logs.cell_noise.len() > 3 && logs.mean_noise.len() == 3, "{logs:?}");
    let quantiles = [1.0, 1.5, 2.0, 2.7, 4.0, 9.0, 30.0, 400.0];
    let quantile = |df: f64| [0.975, 0.9875].map(|p| json!([df, p, digits(quantile(df, p))]));
    let answers: Vec<Value> = CHOICES.iter().map(|choice| answer(&dataset, choice)).collect();
    let all = json!({
        "quantiles": quantiles.into_iter().flat_map(quantile).collect::<Vec<_>>(),
        "data": logs,
        "answers": answers,
        "profiles": profiles::answers(&dataset),
    });
    format!("{all}\n")
}

#[test]
fn the_vectors_are_what_this_crate_says() {
    let now = vectors();
    if std::env::var_os("ASSAY_BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/logs/vectors.json"), &now)
            .unwrap();
    }
    assert!(now == VECTORS, "not what src/logs/vectors.json says; ASSAY_BLESS=1 writes it anew");
}

#[test]
fn equal_weights_give_the_scores_of_the_verdict() {
    let dataset = dataset();
    let found = findings(&dataset, &Settings::default()).unwrap();
    let scores = scores(&dataset, &CHOICES[0]);
    for candidate in &found.verdict.candidates {
        assert_eq!(scores[&candidate.target], said(Some(&candidate.ratio), None));
    }
}

#[test]
fn a_series_without_a_block_keeps_its_places() {
    let points = [(1, 2.0), (3, 2.5), (7, 1.5)]
        .map(|(block, log)| crate::kernel::point::Point { block, log });
    let series = Series { points: points.into(), ..Series::default() };
    let steps = steps(&series, &[0, 1, 2, 3, 7, 9]);
    assert_eq!(steps, [None, Some(2_000_000), None, Some(500_000), Some(-500_000)]);
}

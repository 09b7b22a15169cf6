//! Shows latencies. Service times, of a closed loop, and response times, at a fixed rate, are never in one table, and
//! neither is ranked here.

use crate::{
    block::{Block, Cell, Chart, Column, Curve, Row, Table},
    number,
    sections::Section,
};
use model::{figure::LatencyKind, result::Dataset};
use stats::{
    description::{Latencies, TargetLatency},
    evaluation::Findings,
};

/// Shares of operations that are printed, with their heading.
const SHOWN: [(f64, &str); 6] =
    [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (0.9999, "p99.99"), (1.0, "max")];

/// Curves drawn; a report of hundreds of tests would be nothing else.
const MOST_CURVES: usize = 24;

const NS_PER_US: f64 = 1000.0;

pub(crate) struct Latency;

impl Section for Latency {
    fn title(&self) -> &'static str {
        "Latency"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let of_kind = |kind| {
            let own: Vec<&Latencies> =
                findings.latencies.iter().filter(|l| l.latency == kind).collect();
            (!own.is_empty()).then(|| blocks(kind, &own))
        };
        let kinds = [LatencyKind::Response, LatencyKind::Service].into_iter().filter_map(of_kind);
        let blocks: Vec<Block> = kinds.flatten().collect();
        (!blocks.is_empty()).then_some(blocks)
    }
}

fn blocks(kind: LatencyKind, all: &[&Latencies]) -> Vec<Block> {
    let (word, loops, meaning) = match kind {
        LatencyKind::Response => (
            "Response time",
            "at a fixed rate",
            "From the scheduled start of an operation to its end: what a user waits. A stall \
             counts for every operation that it delays.",
        ),
        LatencyKind::Service => (
            "Service time",
            "in a closed loop",
            "From the submission of an operation to its end. The next one waits for it, so a \
             stall also pauses the load and counts once: these are service times, not response \
             times, and are not ranked.",
        ),
    };
    let mut blocks = vec![
        Block::Heading(format!("{word}, {loops}")),
        Block::Prose(meaning.into()),
        Block::Table(table(word, all)),
    ];
    blocks.extend(
        all.iter().take(MOST_CURVES).filter_map(|one| curves(kind, one, all)).map(Block::Chart),
    );
    blocks
}

fn table(word: &str, all: &[&Latencies]) -> Table {
    let mut rows = Vec::new();
    for one in all {
        rows.push(Row::title(title(one, all)));
        rows.extend(one.targets.iter().map(row));
    }
    let heads = SHOWN.iter().map(|(_, name)| Column::numbers(name, "µs"));
    let fixed = [Column::words("Target"), Column::numbers("", "operations")];
    Table {
        caption: format!("{word}, all valid samples together"),
        columns: fixed.into_iter().chain(heads).collect(),
        rows,
        footnotes: vec![
            "-: too few operations for the percentile (10 for p90, 100 for p99, 10 000 for \
             p99.99)."
                .into(),
        ],
    }
}

/// Test, after its suite where there are several; its operation where it has several, or the name does
/// not say it; processes.
fn title(one: &Latencies, all: &[&Latencies]) -> String {
    let with_suite = all.iter().any(|other| other.suite != one.suite);
    let mut same = all.iter().filter(|other| other.test == one.test && other.procs == one.procs);
    let alone = same.all(|other| other.op == one.op);
    let suite = if with_suite { &format!("{}: ", one.suite) } else { "" };
    let op = if alone && one.name.contains(&one.op) { "" } else { &format!(", {}", one.op) };
    format!("{suite}{}{op}, {}", one.name, stats::description::processes(one.procs))
}

fn row(target: &TargetLatency) -> Row {
    let figure = |share| {
        let us = target.at(share).map(|ns| number::value(ns as f64 / NS_PER_US));
        Cell::plain(us.unwrap_or_else(|| "-".into()))
    };
    let known = [Cell::plain(&target.target), Cell::plain(target.operations.to_string())];
    let figures = SHOWN.iter().map(|(share, _)| figure(*share));
    Row::body(known.into_iter().chain(figures))
}

/// The curves of `test` at a process count, one picture per kind of operation.
pub(super) fn of_cell(findings: &Findings, test: &str, procs: u32) -> Vec<Chart> {
    let is_own = |one: &&Latencies| one.test == test && one.procs == procs;
    let own: Vec<&Latencies> = findings.latencies.iter().filter(is_own).collect();
    own.iter().filter_map(|one| curves(one.latency, one, &own)).collect()
}

/// `None` when no target has enough operations for a line.
fn curves(kind: LatencyKind, one: &Latencies, all: &[&Latencies]) -> Option<Chart> {
    let points = |t: &TargetLatency| -> Vec<(f64, f64)> {
        let inner = t.quantiles.iter().filter(|(share, ns)| *share < 1.0 && *ns > 0);
        inner.map(|&(share, ns)| (share, ns as f64 / NS_PER_US)).collect()
    };
    let curve = |t: &TargetLatency| Curve { name: t.target.clone(), points: points(t) };
    let curves: Vec<Curve> =
        one.targets.iter().map(curve).filter(|curve| curve.points.len() > 1).collect();
    (!curves.is_empty())
        .then(|| Chart { caption: format!("{}, {kind} time, µs", title(one, all)), curves })
}

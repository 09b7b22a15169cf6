//! Content of a drawer: what the samples of each candidate have in common, then each sample.

use super::{ByCase, CellPosition, anchor};
use crate::{
    block::{Block, Cell, Column, Dot, DotPanel, Dots, Drawer, Row, Table},
    names, number,
    sections::{cost::moved::LEAST_MOVED, latency, ratios, time_series},
    words,
};
use model::result::{Dataset, Origin, Sample, known};
use stats::{evaluation::Findings, kernel::Mode};
use std::collections::BTreeMap;

/// Bytes that the device read for each byte from which on it is said what that means.
const MUCH_READ: f64 = 1.25;
/// How much the turn in a block may do, a ratio, before it is said.
const MUCH_ORDER: f64 = 1.1;

/// Percentiles that are printed, with their heading.
const PERCENTILES: [(f64, &str); 4] =
    [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9"), (0.9999, "p99.99")];

const NS_PER_US: f64 = 1000.0;

/// All that the row at `place` is made of.
pub(super) fn drawer(
    dataset: &Dataset,
    findings: &Findings,
    place: CellPosition,
    samples: &ByCase<'_>,
    with_curves: bool,
) -> Drawer {
    let table = &findings.tables[place.0];
    let row = &table.rows[place.1];
    let own = samples.get(&(row.test.as_str(), table.procs)).map_or(&[][..], Vec::as_slice);
    let mut blocks = vec![Block::Table(summary(findings, table, row, own))];
    blocks.push(Block::Dots(dots(findings, row, own)));
    blocks.push(Block::Table(listed(findings, row, own)));
    blocks.extend(percentiles(findings, table, row).map(Block::Table));
    if with_curves {
        let curves = latency::of_cell(findings, &row.test, table.procs);
        blocks.extend(curves.into_iter().map(Block::Chart));
    }
    if own.iter().any(|sample| time_series::is_shown(sample)) {
        blocks.push(Block::Prose("Its rates of each second are under Over time.".into()));
    }
    Drawer {
        anchor: anchor(findings, place),
        title: format!(
            "{}, {}",
            names::of_row(row, table),
            stats::description::processes(table.procs)
        ),
        blocks,
        commands: commands(dataset, row, table.procs),
    }
}

/// What to type for more; only a campaign that was run here can be run again.
fn commands(dataset: &Dataset, row: &stats::description::Row, procs: u32) -> Vec<(String, String)> {
    if dataset.campaign.origin != Origin::Run {
        return Vec::new();
    }
    let (id, test) = (&dataset.campaign.id, &row.test);
    vec![
        ("What it measures".into(), format!("assay explain {test}")),
        (
            "Measure it again".into(),
            format!("assay run --like {id} --tests {test} --procs {procs}"),
        ),
    ]
}

fn dots(findings: &Findings, row: &stats::description::Row, samples: &[&Sample]) -> Dots {
    let share = 1.0 / (findings.targets.len() as f64 + 1.0);
    let panel = |cell: &stats::description::Cell| {
        let dot = |sample: &&Sample| {
            let value = sample.metric(&row.basis).filter(|value| *value > 0.0);
            Dot {
                block: f64::from(sample.block)
                    + share * f64::from(sample.position).min(1.0 / share),
                over_mean: value.zip(cell.value).map(|(value, mean)| value / mean),
                is_valid: sample.evidence.validity.is_valid(),
            }
        };
        let own = samples.iter().filter(|sample| sample.case.target == cell.target);
        DotPanel { name: cell.target.clone(), dots: own.map(dot).collect() }
    };
    Dots {
        caption: format!("{} of each sample over the mean of its candidate", row.unit),
        panels: row.cells.iter().map(panel).collect(),
    }
}

/// Which columns a summary has besides those of every one.
struct Extras {
    reads: bool,
    writes: bool,
    modes: bool,
}

impl Extras {
    fn of(row: &stats::description::Row) -> Extras {
        let any = |is: &dyn Fn(&stats::description::Cell) -> bool| row.cells.iter().any(is);
        Extras {
            reads: any(&|cell| much(cell.moved.read_per_byte).is_some()),
            writes: any(&|cell| much(cell.moved.written_per_byte).is_some()),
            modes: any(&|cell| cell.modes.is_some()),
        }
    }

    fn columns(&self) -> impl Iterator<Item = Column> {
        let per_byte = "Device, bytes per byte";
        let read = self.reads.then(|| Column::numbers(per_byte, "read"));
        let written = self.writes.then(|| Column::numbers(per_byte, "written"));
        let modes = self.modes.then(|| Column::words("Two modes"));
        read.into_iter().chain(written).chain(modes)
    }

    fn cells(&self, cell: &stats::description::Cell) -> impl Iterator<Item = Cell> {
        let known = |said: Option<String>| Cell::plain(said.unwrap_or_else(|| "-".into()));
        let bytes = |moved: Option<f64>| known(much(moved).map(number::value));
        let read = self.reads.then(|| bytes(cell.moved.read_per_byte));
        let written = self.writes.then(|| bytes(cell.moved.written_per_byte));
        let modes = self.modes.then(|| known(cell.modes.as_ref().map(two_modes)));
        read.into_iter().chain(written).chain(modes)
    }
}

/// What the device moved for each byte of a candidate; `None` where that is next to nothing.
fn much(moved: Option<f64>) -> Option<f64> {
    moved.filter(|bytes| *bytes >= LEAST_MOVED)
}

/// What the samples of each candidate have in common: what a cell says, and what is behind it.
fn summary(
    findings: &Findings,
    table: &stats::description::Table,
    row: &stats::description::Row,
    samples: &[&Sample],
) -> Table {
    let extras = Extras::of(row);
    let line = |cell: &stats::description::Cell| {
        let own: Vec<&Sample> = of_target(samples, &cell.target).collect();
        let blocks = if cell.comparison.is_some() { cell.pairs } else { cell.n };
        let ratio = cell.comparison.and(cell.ratio.as_ref()).map(|ratio| {
            let judged = ratios::worded(ratio, cell.comparison);
            if table.group.is_scored() { judged } else { ratios::unjudged(judged) }
        });
        let cells = [
            Cell::plain(&cell.target),
            ratios::value(cell, "", findings),
            ratio.unwrap_or_else(|| Cell::plain("-")),
            Cell::plain(blocks.to_string()),
            Cell::plain(limited(&own)),
        ];
        Row::body(cells.into_iter().chain(extras.cells(cell)))
    };
    let columns = [
        Column::words("Target"),
        Column::numbers("", &row.unit),
        Column::numbers("", &format!("over {}", findings.baseline)),
        Column::numbers("", "blocks"),
        Column::words("Limiter"),
    ];
    Table {
        caption: "All samples together".into(),
        columns: columns.into_iter().chain(extras.columns()).collect(),
        rows: row.cells.iter().map(line).collect(),
        footnotes: explained(row),
    }
}

/// What the figures of a row may owe to something other than its candidates.
fn explained(row: &stats::description::Row) -> Vec<String> {
    let is_more = |cell: &stats::description::Cell| {
        cell.moved.read_per_byte.is_some_and(|bytes| bytes > MUCH_READ)
    };
    let read = row.cells.iter().any(is_more).then(|| {
        "The device read more than requested, e.g. by read-ahead. If the device is the limiter, a \
         target that reads less is faster."
            .to_string()
    });
    let order =
        row.last_over_first.filter(|ratio| ratio.ln().abs() > MUCH_ORDER.ln()).map(|ratio| {
            format!(
                "The target measured last in a block performed {} times as well as the first. All \
             targets took turns, and this effect is removed from all figures except the samples \
             below.",
                number::ratio(ratio)
            )
        });
    let left = row.cells.iter().any(|cell| cell.left.is_some()).then(|| {
        "left: the share of the data that the sync itself wrote. The rest was written before it \
         started, so these ratios compare different amounts of work."
            .to_string()
    });
    read.into_iter().chain(left).chain(order).collect()
}

fn of_target<'s>(samples: &'s [&Sample], target: &'s str) -> impl Iterator<Item = &'s Sample> {
    samples.iter().copied().filter(move |sample| sample.case.target == target)
}

/// What most of the valid `samples` waited for: `device 94 %`.
pub(in crate::sections) fn limited(samples: &[&Sample]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let valid = samples.iter().filter(|sample| sample.evidence.validity.is_valid());
    valid.for_each(|sample| {
        *counts.entry(words::limiter(sample.evidence.limiter)).or_default() += 1
    });
    let all: usize = counts.values().sum();
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map_or("-".into(), |(what, count)| {
        format!("{what} {:.0} %", 100.0 * count as f64 / all as f64)
    })
}

/// `4 samples near 730, 8 near 1410`.
fn two_modes([worse, better]: &[Mode; 2]) -> String {
    let near = |mode: &Mode| number::value(mode.value);
    format!(
        "{} samples near {}, {} near {}",
        worse.samples,
        near(worse),
        better.samples,
        near(better)
    )
}

/// Every sample, under its candidate.
fn listed(findings: &Findings, row: &stats::description::Row, samples: &[&Sample]) -> Table {
    let in_turns = samples.iter().any(|sample| sample.get(known::RUN_ORDER).is_some());
    let mut rows = Vec::new();
    for cell in &row.cells {
        rows.push(Row::title(&cell.target));
        rows.extend(
            of_target(samples, &cell.target).map(|sample| line(sample, row, findings, in_turns)),
        );
    }
    let mut columns = vec![Column::words("Block")];
    columns.extend(in_turns.then(|| Column::numbers("", "Turn")));
    columns.extend([
        Column::numbers("", &row.unit),
        Column::numbers("", "Timed part"),
        Column::words("Limiter"),
        Column::numbers("Device", "read"),
        Column::numbers("Device", "written"),
        Column::numbers("", "CPU"),
        Column::words("Validity"),
    ]);
    Table { caption: "Samples in order of time".into(), columns, rows, footnotes: Vec::new() }
}

fn line(
    sample: &Sample,
    row: &stats::description::Row,
    findings: &Findings,
    in_turns: bool,
) -> Row {
    let unknown = || "-".to_string();
    let again = sample.position as usize >= findings.targets.len().max(1);
    let block = format!("{}{}", sample.block + 1, if again { ", again" } else { "" });
    let bytes = |count: Option<u64>| count.map_or_else(unknown, |n| number::bytes(n as f64));
    let turn = sample.get(known::RUN_ORDER).map_or_else(unknown, |turn| turn.to_string());
    let mut cells = vec![Cell::plain(block)];
    cells.extend(in_turns.then(|| Cell::plain(turn)));
    cells.extend([
        Cell::plain(sample.metric(&row.basis).map_or_else(unknown, number::value)),
        Cell::plain(number::span(sample.figures.seconds)),
        Cell::plain(words::limiter(sample.evidence.limiter)),
        Cell::plain(bytes(sample.covariates.device_read_bytes)),
        Cell::plain(bytes(sample.covariates.device_write_bytes)),
        Cell::plain(number::span(sample.covariates.cpu_user_s + sample.covariates.cpu_sys_s)),
        Cell::plain(words::validity(&sample.evidence.validity)),
    ]);
    Row::body(cells)
}

/// The percentiles of its operations; `None` where none were timed.
fn percentiles(
    findings: &Findings,
    table: &stats::description::Table,
    row: &stats::description::Row,
) -> Option<Table> {
    let own = findings.latencies.iter().filter(|l| l.test == row.test && l.procs == table.procs);
    let mut rows = Vec::new();
    for one in own {
        rows.push(Row::title(format!("{}, {} time", one.op, one.latency)));
        rows.extend(one.targets.iter().map(|target| {
            let figure = |share| {
                let us = target.at(share).map(|ns| number::value(ns as f64 / NS_PER_US));
                Cell::plain(us.unwrap_or_else(|| "-".into()))
            };
            let figures = PERCENTILES.iter().map(|(share, _)| figure(*share));
            Row::body([Cell::plain(&target.target)].into_iter().chain(figures))
        }));
    }
    let heads = PERCENTILES.iter().map(|(_, name)| Column::numbers("", name));
    (!rows.is_empty()).then(|| Table {
        caption: "Latency of its operations, µs".into(),
        columns: std::iter::once(Column::words("Target")).chain(heads).collect(),
        rows,
        footnotes: Vec::new(),
    })
}

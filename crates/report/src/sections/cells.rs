//! The drawers: what each cell is made of, sample by sample. Where a campaign has more samples than a page should
//! carry, the tests with the largest differences and the most noise have one, and the section says so.

use crate::{
    block::{Block, Cell, Column, Dot, DotPanel, Dots, Drawer, Row, Table},
    names, number,
    sections::{Section, cost::moved::LEAST_MOVED, ratios, time_series},
    words,
};
use model::{Dataset, Origin, Sample};
use stats::{Findings, Mode, Moved};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Samples in all drawers together: at some 250 bytes each they take a good half of a page of 1.5 MB.
const MOST_SAMPLES: usize = 3500;

/// Percentiles that are printed, with their heading.
const PERCENTILES: [(f64, &str); 4] =
    [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9"), (0.9999, "p99.99")];

const NS_PER_US: f64 = 1000.0;

pub(crate) struct Cells;

/// Table and row in the findings.
pub(super) type CellPosition = (usize, usize);

/// Samples of each test at each process count.
type ByCase<'d> = BTreeMap<(&'d str, u32), Vec<&'d Sample>>;

impl Section for Cells {
    fn title(&self) -> &'static str {
        "Samples"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let all: usize = findings.tables.iter().map(|table| table.rows.len()).sum();
        let chosen = chosen(dataset, findings);
        if chosen.is_empty() {
            return None;
        }
        let samples = by_case(dataset);
        let mut blocks = vec![Block::Prose(introduction(dataset, chosen.len(), all))];
        let mut group = None;
        for place in chosen {
            let own = findings.tables[place.0].group;
            if group.replace(own) != Some(own) {
                blocks.push(Block::Heading(own.title().into()));
            }
            blocks.push(Block::Drawer(drawer(dataset, findings, place, &samples)));
        }
        Some(blocks)
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

/// Where the samples of a row are found in the page: classes differ in lab and in what a sync promises.
pub(super) fn anchor(findings: &Findings, (table, row): CellPosition) -> String {
    format!("{}-{table}-{row}", anchors(findings))
}

/// What the places of all rows of `findings` begin with.
pub(crate) fn anchors(findings: &Findings) -> String {
    format!("s-{}-{}", findings.lab.as_str(), findings.durability.as_str()).replace(' ', "-")
}

/// The rows that have a drawer: all, or those with the largest differences and the most noise. None of a
/// comparison, where two campaigns have blocks of the same numbers, and of an advice.
pub(super) fn chosen(dataset: &Dataset, findings: &Findings) -> BTreeSet<CellPosition> {
    if !findings.is_of_campaign() {
        return BTreeSet::new();
    }
    let mut count: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    for sample in &dataset.samples {
        *count.entry((&sample.case.test, sample.case.procs)).or_default() += 1;
    }
    let mut rows: Vec<(u64, CellPosition, usize)> = Vec::new();
    for (at, table) in findings.tables.iter().enumerate() {
        rows.extend(table.rows.iter().enumerate().map(|(row_at, row)| {
            let samples = count.get(&(row.test.as_str(), table.procs)).copied().unwrap_or_default();
            (interest(row), (at, row_at), samples)
        }));
    }
    rows.sort_by_key(|(interest, place, _)| (Reverse(*interest), *place));
    let mut room = MOST_SAMPLES;
    let fits = |(_, _, samples): &(u64, CellPosition, usize)| {
        let is_shown = *samples <= room;
        room = room.saturating_sub(*samples);
        is_shown
    };
    rows.into_iter().take_while(fits).map(|(_, place, _)| place).collect()
}

/// How far a row is from "all the same, and quiet": the largest logarithm of a ratio or variation between blocks, in
/// millionths.
fn interest(row: &stats::Row) -> u64 {
    let of = |cell: &stats::Cell| {
        let ratio = cell.ratio.as_ref().map_or(0.0, |ratio| ratio.point.ln().abs());
        ratio.max(cell.cv.unwrap_or_default())
    };
    (1e6 * row.cells.iter().map(of).fold(0.0, f64::max)) as u64
}

fn introduction(dataset: &Dataset, shown: usize, all: usize) -> String {
    let what = "What each cell is made of. Dots are samples in order of time, each over the mean of its candidate; \
                crosses are in no mean.";
    match shown < all {
        true => format!(
            "{what} {shown} of {all} tests are here, those with the largest differences and the most noise; the \
             others are in the export: assay export {}",
            dataset.campaign.id
        ),
        false => what.into(),
    }
}

fn by_case(dataset: &Dataset) -> ByCase<'_> {
    let mut all = ByCase::new();
    for sample in &dataset.samples {
        all.entry((&sample.case.test, sample.case.procs)).or_default().push(sample);
    }
    all.values_mut().for_each(|own| own.sort_by_key(|sample| (sample.block, sample.position)));
    all
}

fn drawer(
    dataset: &Dataset,
    findings: &Findings,
    place: CellPosition,
    samples: &ByCase<'_>,
) -> Drawer {
    let table = &findings.tables[place.0];
    let row = &table.rows[place.1];
    let own = samples.get(&(row.test.as_str(), table.procs)).map_or(&[][..], Vec::as_slice);
    let mut blocks = vec![Block::Dots(dots(findings, row, own))];
    blocks.push(Block::Table(listed(findings, row, own)));
    blocks.extend(percentiles(findings, table, row).map(Block::Table));
    if own.iter().any(|sample| time_series::is_shown(sample)) {
        blocks.push(Block::Prose("Its rates of each second are under Over time.".into()));
    }
    Drawer {
        anchor: anchor(findings, place),
        title: format!("{}, {}", names::of_row(row, table), stats::processes(table.procs)),
        blocks,
        commands: commands(dataset, row, table.procs),
    }
}

/// What to type for more; only a campaign that was run here can be run again.
fn commands(dataset: &Dataset, row: &stats::Row, procs: u32) -> Vec<(String, String)> {
    if dataset.campaign.origin != Origin::Run {
        return Vec::new();
    }
    let (id, test) = (&dataset.campaign.id, &row.test);
    vec![
        ("What it measures".into(), format!("assay explain {test}")),
        (
            "To measure it again".into(),
            format!("assay run --like {id} --tests {test} --procs {procs}"),
        ),
    ]
}

fn dots(findings: &Findings, row: &stats::Row, samples: &[&Sample]) -> Dots {
    let share = 1.0 / (findings.targets.len() as f64 + 1.0);
    let panel = |cell: &stats::Cell| {
        let dot = |sample: &&Sample| {
            let value = sample.metric(&row.basis).filter(|value| *value > 0.0);
            Dot {
                block: f64::from(sample.block)
                    + share * f64::from(sample.position).min(1.0 / share),
                over_mean: value.zip(cell.value).map(|(value, mean)| value / mean),
                is_valid: sample.validity.is_valid(),
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

/// Every sample, under the result of its candidate.
fn listed(findings: &Findings, row: &stats::Row, samples: &[&Sample]) -> Table {
    let mut rows = Vec::new();
    for cell in &row.cells {
        rows.push(Row::title(result(cell, row)));
        let own = samples.iter().filter(|sample| sample.case.target == cell.target);
        rows.extend(own.map(|sample| line(sample, row, findings)));
    }
    Table {
        caption: "Samples in order of time".into(),
        columns: vec![
            Column::words("Block"),
            Column::numbers("", &row.unit),
            Column::numbers("", "Timed part"),
            Column::words("Limiter"),
            Column::numbers("Device", "read"),
            Column::numbers("Device", "written"),
            Column::numbers("", "CPU"),
            Column::words("Validity"),
        ],
        rows,
        footnotes: Vec::new(),
    }
}

/// `xfs: 1290 MB/s, 1.22 better, 1.20-1.24, 12 blocks; two modes: 4 samples near 730, 8 near 1410; the device wrote
/// 1.02 bytes for each byte`.
fn result(cell: &stats::Cell, row: &stats::Row) -> String {
    let value = cell.value.map(|value| format!("{} {}", number::value(value), row.unit));
    let value = value.unwrap_or_else(|| "no valid sample".into());
    let ratio = cell.ratio.as_ref().filter(|_| cell.comparison.is_some()).map(|ratio| {
        let parts =
            [number::ratio(ratio.point), ratios::word(cell.comparison), number::interval(ratio)];
        let over = (cell.pairs > 0).then(|| format!(", {}", names::blocks(cell.pairs)));
        format!(", {}{}", parts.join(" ").trim_end(), over.unwrap_or_default())
    });
    let more = [cell.modes.as_ref().map(two_modes), moved(&cell.moved)];
    let more: String = more.into_iter().flatten().map(|said| format!("; {said}")).collect();
    format!("{}: {value}{}{more}", cell.target, ratio.unwrap_or_default())
}

/// `the device read 8.26 bytes for each byte`; `None` where it did nothing.
fn moved(moved: &Moved) -> Option<String> {
    let said = |what: &str, bytes: Option<f64>| {
        let bytes = bytes.filter(|bytes| *bytes >= LEAST_MOVED)?;
        Some(format!("{what} {}", number::value(bytes)))
    };
    let said = [said("read", moved.read_per_byte), said("wrote", moved.written_per_byte)];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| format!("the device {} bytes for each byte", said.join(" and ")))
}

/// `two modes: 4 samples near 730, 8 near 1410`.
fn two_modes([worse, better]: &[Mode; 2]) -> String {
    let near = |mode: &Mode| number::value(mode.value);
    format!(
        "two modes: {} samples near {}, {} near {}",
        worse.samples,
        near(worse),
        better.samples,
        near(better)
    )
}

fn line(sample: &Sample, row: &stats::Row, findings: &Findings) -> Row {
    let unknown = || "-".to_string();
    let again = sample.position as usize >= findings.targets.len().max(1);
    let block = format!("{}{}", sample.block + 1, if again { ", again" } else { "" });
    let bytes = |count: Option<u64>| count.map_or_else(unknown, |n| number::bytes(n as f64));
    Row::body([
        Cell::plain(block),
        Cell::plain(sample.metric(&row.basis).map_or_else(unknown, number::value)),
        Cell::plain(number::span(sample.seconds)),
        Cell::plain(words::limiter(sample.limiter)),
        Cell::plain(bytes(sample.device_read_bytes)),
        Cell::plain(bytes(sample.device_write_bytes)),
        Cell::plain(number::span(sample.cpu_user_s + sample.cpu_sys_s)),
        Cell::plain(sample.validity.to_string()),
    ])
}

/// The percentiles of its operations; `None` where none were timed.
fn percentiles(findings: &Findings, table: &stats::Table, row: &stats::Row) -> Option<Table> {
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

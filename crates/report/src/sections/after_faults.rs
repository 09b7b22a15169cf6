//! Shows the states with harm after a fault of the disk, of those tried, how long recovery takes, and each kind of
//! harm with an example.

use crate::{
    block::{Block, Cell, Column, Row, Shade, Table},
    number,
    sections::{Brief, Section},
    words::harm,
};
use model::result::{Dataset, FaultOnDisk, Found, Harm, Spread};
use stats::{description::FaultCell, evaluation::Findings};
use std::collections::BTreeSet;

pub(crate) struct AfterFaults;

impl Section for AfterFaults {
    fn title(&self) -> &'static str {
        "After faults"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let cells = &findings.fault_cells;
        if cells.is_empty() {
            return None;
        }
        let faults: BTreeSet<FaultOnDisk> = cells.iter().map(|cell| cell.fault).collect();
        let mut blocks: Vec<Block> = losers(cells).map(Block::Callout).into_iter().collect();
        blocks.push(Block::Prose(METHOD.into()));
        for fault in faults {
            let own: Vec<&FaultCell> = cells.iter().filter(|cell| cell.fault == fault).collect();
            blocks.push(Block::Table(counts(fault, &own, &findings.targets)));
            blocks.extend(recoveries(fault, &own, &findings.targets).map(Block::Table));
            blocks.extend(what(fault, &own).map(Block::Table));
        }
        Some(blocks)
    }

    fn brief(&self, _: &Dataset, findings: &Findings, brief: Brief) -> Option<Vec<Block>> {
        let cells = &findings.fault_cells;
        let first = cells.first()?;
        let own: Vec<&FaultCell> = cells.iter().filter(|cell| cell.fault == first.fault).collect();
        let table =
            (brief.rows > 0).then(|| Block::Table(counts(first.fault, &own, &findings.targets)));
        Some(losers(cells).map(Block::Callout).into_iter().chain(table).collect())
    }

    fn in_print(&self) -> bool {
        true
    }
}

const METHOD: &str = "Each state is one that a disk with a volatile cache may be left in: cut at a \
                      flush, with any part of the writes since then. It is mounted and held \
                      against what the workload was told to be durable. Percentages are upper \
                      bounds at 95 %, one-sided. What a real disk's firmware does is not tested.";

/// Names the targets that lost acknowledged data; `None` if none did.
fn losers(cells: &[FaultCell]) -> Option<String> {
    let of = |cell: &FaultCell| {
        let worst = cell.found.keys().copied().find(|harm| harm.loses_acknowledged())?;
        let found = &cell.found[&worst];
        Some(format!(
            "{}: after {}, {} in {} ({})",
            cell.target,
            harm::fault(cell.fault),
            harm::harm(worst),
            harm::count(found.states, cell.tried, cell.is_complete),
            cell.name,
        ))
    };
    let lines: Vec<String> = cells.iter().filter_map(of).collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

/// The distinct tests of `cells` by id, with their names, in order.
fn tests<'a>(cells: &[&'a FaultCell]) -> Vec<(&'a str, &'a str)> {
    let mut tests: Vec<(&str, &str)> = Vec::new();
    for cell in cells {
        if !tests.iter().any(|(id, _)| *id == cell.test) {
            tests.push((&cell.test, &cell.name));
        }
    }
    tests
}

/// A row for each test, a column for each target; `-` where it was not tried.
fn by_target(
    caption: String,
    (cells, targets): (&[&FaultCell], &[String]),
    show: impl Fn(&FaultCell) -> Cell,
) -> Table {
    let is_tried = |label: &&String| cells.iter().any(|cell| cell.target == **label);
    let targets: Vec<&String> = targets.iter().filter(is_tried).collect();
    let row = |(id, name): (&str, &str)| {
        let of = |label: &&String| {
            let cell = cells.iter().find(|cell| cell.test == id && cell.target == **label);
            cell.map_or_else(|| Cell::plain("-"), |cell| show(cell))
        };
        Row::body([Cell::plain(name)].into_iter().chain(targets.iter().map(of)))
    };
    Table {
        caption,
        columns: [Column::words("Test")]
            .into_iter()
            .chain(targets.iter().map(|label| Column::numbers("", label)))
            .collect(),
        rows: tests(cells).into_iter().map(row).collect(),
        footnotes: Vec::new(),
    }
}

fn counts(fault: FaultOnDisk, cells: &[&FaultCell], targets: &[String]) -> Table {
    let show = |cell: &FaultCell| Cell {
        text: harm::count(cell.harmed, cell.tried, cell.is_complete),
        word: cell.found.keys().next().map(|worst| harm::harm(*worst).into()).unwrap_or_default(),
        shade: (cell.harmed > 0).then(|| Shade::of_ratio(0.1)),
        ..Cell::default()
    };
    let caption = format!("After {}: states with harm, of those tried", harm::fault(fault));
    by_target(caption, (cells, targets), show)
}

fn recoveries(fault: FaultOnDisk, cells: &[&FaultCell], targets: &[String]) -> Option<Table> {
    cells.iter().find(|cell| cell.recovery.is_some())?;
    let show = |cell: &FaultCell| match cell.recovery {
        None => Cell::plain("-"),
        Some(Spread { min_ns, median_ns, max_ns }) => Cell {
            text: ms(median_ns),
            note: format!("{}-{}", ms(min_ns), ms(max_ns)),
            ..Cell::default()
        },
    };
    let caption = format!(
        "Mount with recovery after {}, ms: median, shortest and longest (image in memory)",
        harm::fault(fault)
    );
    Some(by_target(caption, (cells, targets), show))
}

fn ms(ns: u64) -> String {
    number::value(ns as f64 / 1e6)
}

/// Each kind of harm with an example; `None` if there is none.
fn what(fault: FaultOnDisk, cells: &[&FaultCell]) -> Option<Table> {
    let row = |cell: &FaultCell, harm: Harm, found: &Found| {
        Row::body([
            Cell::plain(&cell.target),
            Cell::plain(&cell.name),
            Cell::plain(harm::harm(harm)),
            Cell::plain(harm::count(found.states, cell.tried, cell.is_complete)),
            Cell::plain(format!("state {}: {}", found.example, found.detail)),
        ])
    };
    let of = |cell: &&FaultCell| -> Vec<Row> {
        cell.found.iter().map(|(harm, found)| row(cell, *harm, found)).collect()
    };
    let rows: Vec<Row> = cells.iter().flat_map(of).collect();
    (!rows.is_empty()).then(|| Table {
        caption: format!("Harm after {}", harm::fault(fault)),
        columns: vec![
            Column::words("Target"),
            Column::words("Test"),
            Column::words("Harm"),
            Column::numbers("", "states"),
            Column::words("Example"),
        ],
        rows,
        footnotes: Vec::new(),
    })
}

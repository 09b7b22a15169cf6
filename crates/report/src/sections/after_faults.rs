//! Shows the states with harm after a fault of the disk, of those tried, how long recovery takes, and each kind of
//! harm with an example; what fsync answers when a request fails; whether silent damage is read; what a full disk
//! refuses; what is read of a mirror with a faulty leg; and whether snapshots stay as they were taken.

mod failed_writes;
mod full;
mod mirrors;
mod snapshots;
mod turned_bits;

use crate::{
    block::{Block, Cell, Column, Row, Shade, Table},
    number,
    sections::{Brief, Section},
    words::{self, harm, injected},
};
use model::result::{Dataset, FaultOnDisk, Found, Harm, Origin, Spread};
use stats::{description::FaultCell, evaluation::Findings};
use std::collections::BTreeSet;

pub(crate) struct AfterFaults;

impl Section for AfterFaults {
    fn title(&self) -> &'static str {
        "After faults"
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let targets = &findings.targets;
        let tables: Vec<Block> = [
            crashes(dataset, &findings.fault_cells, targets),
            failed_writes::blocks(&findings.failed_writes, targets),
            turned_bits::blocks(&findings.turned_bits, targets),
            full::blocks(&findings.full, targets),
            mirrors::blocks(&findings.mirrors),
            snapshots::blocks(&findings.snapshots, targets),
        ]
        .concat();
        (!tables.is_empty()).then(|| callouts(findings).into_iter().chain(tables).collect())
    }

    fn brief(&self, _: &Dataset, findings: &Findings, brief: Brief) -> Option<Vec<Block>> {
        let targets = &findings.targets;
        let cells = &findings.fault_cells;
        let states = cells.first().map(|first| {
            let own: Vec<&FaultCell> =
                cells.iter().filter(|cell| cell.fault == first.fault).collect();
            counts(first.fault, &own, targets)
        });
        let writes = &findings.failed_writes;
        let writes = (!writes.is_empty()).then(|| failed_writes::table(writes, targets));
        let bits = &findings.turned_bits;
        let bits = (!bits.is_empty()).then(|| turned_bits::table(bits, targets));
        let filled = &findings.full;
        let filled = (!filled.is_empty()).then(|| full::table(filled, targets));
        let mirrors = &findings.mirrors;
        let mirrors = (!mirrors.is_empty()).then(|| mirrors::reads(mirrors));
        let taken = &findings.snapshots;
        let taken = (!taken.is_empty()).then(|| snapshots::table(taken, targets));
        let tables: Vec<Block> = [states, writes, bits, filled, mirrors, taken]
            .into_iter()
            .flatten()
            .map(Block::Table)
            .collect();
        if tables.is_empty() {
            return None;
        }
        let tables = if brief.rows > 0 { tables } else { Vec::new() };
        Some(callouts(findings).into_iter().chain(tables).collect())
    }

    fn in_print(&self) -> bool {
        true
    }
}

const METHOD: &str = "Each state is one that a disk with a volatile cache may be left in: cut at a \
                      flush, with any part of the writes since then. It is mounted and held \
                      against what the workload was told to be durable. Percentages are upper \
                      bounds at 95 %, one-sided. What a real disk's firmware does is not tested.";

/// What counts most: acknowledged data that is lost, lies of fsync, silent corruption, mirrors that return it, and
/// snapshots that change.
fn callouts(findings: &Findings) -> Vec<Block> {
    let all = [
        losers(&findings.fault_cells),
        injected::lies(&findings.failed_writes),
        injected::silent(&findings.turned_bits),
        words::full::losers(&findings.full),
        injected::wrong_mirrors(&findings.mirrors),
        words::snapshots::losers(&findings.snapshots),
    ];
    all.into_iter().flatten().map(Block::Callout).collect()
}

/// The tables of what is left after a crash.
fn crashes(dataset: &Dataset, cells: &[FaultCell], targets: &[String]) -> Vec<Block> {
    if cells.is_empty() {
        return Vec::new();
    }
    let faults: BTreeSet<FaultOnDisk> = cells.iter().map(|cell| cell.fault).collect();
    let mut blocks = vec![Block::Prose(METHOD.into())];
    for fault in faults {
        let own: Vec<&FaultCell> = cells.iter().filter(|cell| cell.fault == fault).collect();
        blocks.push(Block::Table(counts(fault, &own, targets)));
        blocks.extend(recoveries(fault, &own, targets).map(Block::Table));
        blocks.extend(what(dataset, fault, &own).map(Block::Table));
    }
    blocks
}

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

/// The test of a cell, its name, and the target.
type Key<'a> = (&'a str, &'a str, &'a String);

/// A row for each test, a column for each target; `-` where it was not tried. `show` gets the number of a cell.
fn by_target(
    caption: String,
    (keys, targets): (&[Key<'_>], &[String]),
    show: impl Fn(usize) -> Cell,
) -> Table {
    let is_tried = |label: &&String| keys.iter().any(|(.., target)| target == label);
    let targets: Vec<&String> = targets.iter().filter(is_tried).collect();
    let mut tests: Vec<(&str, &str)> = Vec::new();
    for (id, name, _) in keys {
        if !tests.iter().any(|(known, _)| known == id) {
            tests.push((id, name));
        }
    }
    let row = |(id, name): (&str, &str)| {
        let of = |label: &&String| {
            let cell = keys.iter().position(|(test, _, target)| *test == id && target == label);
            cell.map_or_else(|| Cell::plain("-"), &show)
        };
        Row::body([Cell::plain(name)].into_iter().chain(targets.iter().map(of)))
    };
    Table {
        caption,
        columns: [Column::words("Test")]
            .into_iter()
            .chain(targets.iter().map(|label| Column::numbers("", label)))
            .collect(),
        rows: tests.into_iter().map(row).collect(),
        footnotes: Vec::new(),
    }
}

/// A table of the states after a crash.
fn by_states(
    caption: String,
    (cells, targets): (&[&FaultCell], &[String]),
    show: impl Fn(&FaultCell) -> Cell,
) -> Table {
    let keys = cells.iter().map(|cell| (cell.test.as_str(), cell.name.as_str(), &cell.target));
    let keys: Vec<Key<'_>> = keys.collect();
    by_target(caption, (&keys, targets), |number| show(cells[number]))
}

fn counts(fault: FaultOnDisk, cells: &[&FaultCell], targets: &[String]) -> Table {
    let worst = |cell: &FaultCell| {
        let (worst, found) = cell.found.first_key_value()?;
        Some(harm::worst(*worst, found.states, cell.harmed))
    };
    let show = |cell: &FaultCell| Cell {
        text: harm::count(cell.harmed, cell.tried, cell.is_complete),
        word: worst(cell).unwrap_or_default(),
        shade: (cell.harmed > 0).then(|| Shade::of_ratio(0.1)),
        ..Cell::default()
    };
    let caption = format!("After {}: states with harm, of those tried", harm::fault(fault));
    by_states(caption, (cells, targets), show)
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
    Some(by_states(caption, (cells, targets), show))
}

fn ms(ns: u64) -> String {
    number::value(ns as f64 / 1e6)
}

/// Each kind of harm with an example; `None` if there is none.
fn what(dataset: &Dataset, fault: FaultOnDisk, cells: &[&FaultCell]) -> Option<Table> {
    // Of a campaign from elsewhere nothing is kept here.
    let is_here = dataset.campaign.origin == Origin::Run;
    let id = &dataset.campaign.id;
    let row = |cell: &FaultCell, harm: Harm, found: &Found| {
        let command = || harm::remake_command(id, (&cell.test, &cell.target), found.example);
        let cells = [
            Cell::plain(&cell.target),
            Cell::plain(&cell.name),
            Cell::plain(harm::harm(harm)),
            Cell::plain(harm::count(found.states, cell.tried, cell.is_complete)),
            Cell::plain(format!("state {}: {}", found.example, found.detail)),
        ];
        Row::body(cells.into_iter().chain(is_here.then(|| Cell::plain(command()))))
    };
    let of = |cell: &&FaultCell| -> Vec<Row> {
        cell.found.iter().map(|(harm, found)| row(cell, *harm, found)).collect()
    };
    let rows: Vec<Row> = cells.iter().flat_map(of).collect();
    (!rows.is_empty()).then(|| Table {
        caption: format!("Harm after {}", harm::fault(fault)),
        columns: [
            Column::words("Target"),
            Column::words("Test"),
            Column::words("Harm"),
            Column::numbers("", "states"),
            Column::words("Example"),
        ]
        .into_iter()
        .chain(is_here.then(|| Column::words("Make it again")))
        .collect(),
        rows,
        footnotes: Vec::new(),
    })
}

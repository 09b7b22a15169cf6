//! Shows whether snapshots stay as they were taken, what they cost, and what space comes back.

use super::by_target;
use crate::{
    block::{Block, Cell, Shade, Table},
    number,
    words::{harm, snapshots},
};
use model::result::{SnapshotLevel, SnapshotMoment, SnapshotOperation, SnapshotReads, Spread};
use stats::description::{Range, SnapshotCell};

/// The tables with their legend; none without cells.
pub(super) fn blocks(cells: &[SnapshotCell], targets: &[String]) -> Vec<Block> {
    if cells.is_empty() {
        return Vec::new();
    }
    let tables = [
        Some(table(cells, targets)),
        states(cells, targets),
        Some(times(cells, targets)),
        Some(speeds(cells, targets)),
        Some(space(cells, targets)),
    ];
    let tables = tables.into_iter().flatten().map(Block::Table);
    [Block::Prose(METHOD.into())].into_iter().chain(tables).collect()
}

const METHOD: &str = "Read-only snapshots are made between changes of the live files, half of them \
                      before the changes are synced. All files of all snapshots are compared with \
                      what they were when it was taken. Each number of snapshots has a fresh file \
                      system with the same changes; ratios and space are relative to that without \
                      snapshots. An image in memory shows the work of the file system, not that of \
                      a disk.";

/// Reads that were not as they should be, a moment in each row.
pub(super) fn table(cells: &[SnapshotCell], targets: &[String]) -> Table {
    let mut rows = Vec::new();
    for moment in SnapshotMoment::ALL {
        let of = |cell| (cell, snapshots::moment(moment).to_owned(), reads(cell, moment));
        rows.extend(cells.iter().map(of));
    }
    by_row("Snapshots that did not read as they were taken, of those read", &rows, targets)
}

fn reads(cell: &SnapshotCell, moment: SnapshotMoment) -> Cell {
    let Some(SnapshotReads { read, wrong, live_read, live_wrong, .. }) = cell.reads(moment) else {
        return Cell::plain("-");
    };
    let what = || cell.tries.iter().find_map(snapshots::harm).unwrap_or_default();
    Cell {
        text: format!("{wrong} of {read}"),
        word: format!("live files {live_wrong} of {live_read}"),
        note: if cell.harmed > 0 { what() } else { String::new() },
        shade: (wrong > 0 || live_wrong > 0).then(|| Shade::of_ratio(0.1)),
        ..Cell::default()
    }
}

/// States after a power failure, a promise in each row; `None` where none was tried.
fn states(cells: &[SnapshotCell], targets: &[String]) -> Option<Table> {
    let cell = |counts: Option<(u64, u64)>, is_harm: bool| {
        let Some((harmed, tried)) = counts else { return Cell::plain("-") };
        let shade = (harmed > 0).then(|| Shade::of_ratio(if is_harm { 0.1 } else { 0.9 }));
        Cell { text: harm::count(harmed, tried, false), shade, ..Cell::default() }
    };
    let of = |own: &'static str, is_harm: bool| {
        cells.iter().map(move |one| {
            let counts = if is_harm { one.harmed_states() } else { one.returned_states() };
            (one, own.to_owned(), cell(counts, is_harm))
        })
    };
    let rows: Vec<_> = of("synced", true).chain(of("call returned", false)).collect();
    let is_tried = cells.iter().any(|own| own.harmed_states().is_some());
    let caption = "After a power failure: states without a snapshot that was promised, or with one that is not as taken";
    is_tried.then(|| {
        let mut table = by_row(caption, &rows, targets);
        table.footnotes = vec![
            "Call returned: held to each snapshot as soon as its call had returned, which is an \
             answer and no harm."
                .into(),
        ];
        table
    })
}

/// A time of snapshots: its words, and where it is.
type OfTime = (&'static str, fn(&SnapshotLevel) -> Option<Spread>);

const TIMES: [OfTime; 6] = [
    ("make one, all synced", |level| level.make),
    ("make one, changes unsynced", |level| level.make_unsynced),
    ("sync after that", |level| level.sync),
    ("delete one, call", |level| level.drop),
    ("delete one, space back", |level| level.back),
    ("delete half, space back", |level| Spread::of(level.back_half_ns.into_iter().collect())),
];

/// Times of snapshots, a kind and a number of them in each row.
fn times(cells: &[SnapshotCell], targets: &[String]) -> Table {
    let mut rows = Vec::new();
    for (what, of) in TIMES {
        for number in numbers(cells) {
            for cell in cells {
                let time = cell.time(number, of);
                let text = time.map_or_else(|| "-".into(), |time| ms(time.median_ns));
                let span = |time: Spread| format!("{}-{}", ms(time.min_ns), ms(time.max_ns));
                let note = time.map(span).unwrap_or_default();
                rows.push((cell, row(what, number), Cell { text, note, ..Cell::default() }));
            }
        }
    }
    let caption = "Times of snapshots, ms: median, shortest and longest";
    let mut table = by_row(caption, &rows, targets);
    let late = cells.iter().filter_map(|cell| {
        let late = cell.tries.iter().flat_map(|one| &one.levels).map(|own| own.late);
        let late = late.fold(0, u64::saturating_add);
        (late > 0)
            .then(|| format!("{}: space was not back within a minute, {late} times.", cell.target))
    });
    table.footnotes = ["Space back: with a sync that starts the cleaning.".to_owned()]
        .into_iter()
        .chain(late)
        .collect();
    table
}

/// Times relative to those without snapshots.
fn speeds(cells: &[SnapshotCell], targets: &[String]) -> Table {
    let mut rows = Vec::new();
    for operation in SnapshotOperation::ALL {
        for number in numbers(cells) {
            for cell in cells {
                let what = row(snapshots::operation(operation), number);
                rows.push((cell, what, speed(cell.ratio(operation, number))));
            }
        }
    }
    let caption =
        "Time on the live files, relative to no snapshots: median of the tries, lowest and highest";
    by_row(caption, &rows, targets)
}

fn speed(ratio: Option<Range>) -> Cell {
    let Some(Range { min, median, max }) = ratio else { return Cell::plain("-") };
    Cell {
        text: number::ratio(median),
        note: format!("{}-{}", number::ratio(min), number::ratio(max)),
        shade: (median > 0.0).then(|| Shade::of_ratio(1.0 / median)),
        ..Cell::default()
    }
}

/// Space that snapshots held, and that never came back.
fn space(cells: &[SnapshotCell], targets: &[String]) -> Table {
    let mut rows = Vec::new();
    for (what, is_left) in [("held", false), ("not back", true)] {
        for number in numbers(cells) {
            for cell in cells {
                let range = cell.held(number).map(|own| if is_left { own.1 } else { own.0 });
                rows.push((cell, row(what, number), kib(range)));
            }
        }
    }
    let caption = "Space of snapshots, KiB: median of the tries, lowest and highest";
    let mut table = by_row(caption, &rows, targets);
    table.footnotes = vec![
        "Held: in use (statvfs) beyond what the same changes take without snapshots. Not back: \
         still in use beyond that after all were deleted and cleaned up."
            .into(),
    ];
    table
}

fn kib(range: Option<Range>) -> Cell {
    let Some(Range { min, median, max }) = range else { return Cell::plain("-") };
    let [min, median, max] = [min, median, max].map(|bytes| number::value(bytes / 1024.0));
    Cell { text: median, note: format!("{min}-{max}"), ..Cell::default() }
}

fn ms(ns: u64) -> String {
    number::value(ns as f64 / 1e6)
}

fn row(what: &str, snapshots: u64) -> String {
    format!("{what}, {snapshots} snapshots")
}

/// All numbers of snapshots that were tried anywhere, without 0.
fn numbers(cells: &[SnapshotCell]) -> Vec<u64> {
    let mut all: Vec<u64> = cells.iter().flat_map(SnapshotCell::numbers).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A row for each test and each word, a column for each target.
fn by_row(caption: &str, rows: &[(&SnapshotCell, String, Cell)], targets: &[String]) -> Table {
    let texts: Vec<(String, String)> = rows
        .iter()
        .map(|(cell, what, _)| (format!("{} {what}", cell.test), format!("{}: {what}", cell.name)))
        .collect();
    let keys = rows
        .iter()
        .zip(&texts)
        .map(|((cell, ..), (test, name))| (test.as_str(), name.as_str(), &cell.target));
    let keys: Vec<_> = keys.collect();
    by_target(caption.into(), (&keys, targets), |number| rows[number].2.clone())
}

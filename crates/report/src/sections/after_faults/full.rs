//! Shows what a full disk refuses, what it keeps, and how fast it is on the way.

use super::by_target;
use crate::{
    block::{Block, Cell, Shade, Table},
    number,
    words::{full, injected},
};
use model::result::{FullAnswer, FullOperation, FullTry};
use stats::description::{FullCell, Range};

/// The tables with their legend; none without cells.
pub(super) fn blocks(cells: &[FullCell], targets: &[String]) -> Vec<Block> {
    if cells.is_empty() {
        return Vec::new();
    }
    let tables = [
        table(cells, targets),
        answers(cells, targets),
        freed(cells, targets),
        speeds(cells, targets),
    ];
    [Block::Prose(METHOD.into())].into_iter().chain(tables.map(Block::Table)).collect()
}

const METHOD: &str = "The disk is filled, each write followed by an fsync, until the smallest write \
                      is refused. Acknowledged data that is not there after a mount is harm; a \
                      refusal is not. Times are relative to the same disk half full: an image in \
                      memory shows the work of the file system, not that of a disk. assay writes \
                      as root, which may use what a file system reserves.";

/// The first call that was refused, the share of the disk that user data got, and harm.
pub(super) fn table(cells: &[FullCell], targets: &[String]) -> Table {
    let caption = "Full disk: the first call that is refused, user data as a share of the disk, and \
                   tries with harm";
    let mut table = by_target(caption.into(), (&keys(cells), targets), |number| {
        let cell = &cells[number];
        let share = cell.share().map(|share| format!("{} %", number::value(share.median * 100.0)));
        Cell {
            text: same(cell, |one| full::refusal(one.refused)),
            word: share.unwrap_or_default(),
            note: match cell.harmed {
                0 => format!("harm 0 of {}", cell.tries.len()),
                harmed => {
                    let what = cell.tries.iter().find_map(full::harm).unwrap_or_default();
                    format!("harm {harmed} of {}: {what}", cell.tries.len())
                }
            },
            shade: (cell.harmed > 0).then(|| Shade::of_ratio(0.1)),
            ..Cell::default()
        }
    });
    let unanswered: Vec<String> = cells.iter().filter_map(unanswered).collect();
    let free: Vec<String> = cells.iter().filter_map(said_free).collect();
    let more: Vec<String> = cells.iter().filter_map(after_sync).collect();
    table.footnotes = [unanswered, free, more].concat();
    table
}

/// Bytes in files that no write had accepted.
fn unanswered(cell: &FullCell) -> Option<String> {
    let most = cell.tries.iter().map(|one| one.unanswered_bytes).max().filter(|most| *most > 0)?;
    let FullCell { target, name, .. } = cell;
    Some(format!("{target}, {name}: up to {most} bytes were in a file that no write had accepted."))
}

/// Space that is said to be free when nothing more can be written.
fn said_free(cell: &FullCell) -> Option<String> {
    let most = cell.tries.iter().map(|one| one.said_free_bytes).max().filter(|most| *most > 0)?;
    let (target, name, kib) = (&cell.target, &cell.name, number::value(most as f64 / 1024.0));
    Some(format!(
        "{target}, {name}: statvfs said up to {kib} KiB to be available when it was full."
    ))
}

/// What more could be written after a sync.
fn after_sync(cell: &FullCell) -> Option<String> {
    let most = cell.tries.iter().map(|one| one.after_sync_bytes).max().filter(|most| *most > 0)?;
    let share = number::value(100.0 * most as f64 / cell.device_bytes.max(1) as f64);
    let FullCell { target, name, .. } = cell;
    Some(format!(
        "{target}, {name}: after a sync up to {share} % more of the disk could be written."
    ))
}

/// What is allowed at 100 %, an operation in each row.
fn answers(cells: &[FullCell], targets: &[String]) -> Table {
    let mut rows = Vec::new();
    for cell in cells {
        let Some(first) = cell.tries.first() else { continue };
        for (place, (operation, _)) in first.answers.each().into_iter().enumerate() {
            let refused = |one: &FullTry| one.answers.each()[place].1 != FullAnswer::Done;
            let text = same(cell, |one| full::answer(one.answers.each()[place].1));
            let is_refused = cell.tries.iter().any(refused);
            let shade = is_refused.then(|| Shade::of_ratio(0.9));
            rows.push((cell, operation.to_owned(), Cell { text, shade, ..Cell::default() }));
        }
    }
    by_row("At 100 %: what is still done, with its fsync", &rows, targets)
}

/// How long deleted space stays away.
fn freed(cells: &[FullCell], targets: &[String]) -> Table {
    let caption = "A tenth is deleted from the full disk: the wait until it can be written again, \
                   ms, and refusals by then";
    let mut table = by_target(caption.into(), (&keys(cells), targets), |number| {
        let tries = || cells[number].tries.iter().map(|one| one.freed);
        let waited = tries().map(|freed| freed.waited_ns).max().unwrap_or(0);
        let refusals = tries().map(|freed| freed.refusals).max().unwrap_or(0);
        let is_short = tries().any(|freed| freed.written < freed.wanted);
        Cell {
            text: match is_short {
                true => "never".into(),
                false => number::value(waited as f64 / 1e6),
            },
            word: format!("refused {refusals}"),
            note: match tries().any(|freed| freed.syncs > 0) {
                true => "after a sync".into(),
                false => String::new(),
            },
            shade: is_short.then(|| Shade::of_ratio(0.1)),
            ..Cell::default()
        }
    });
    table.footnotes = vec!["The longest of all tries.".into()];
    table
}

/// Times relative to those of the half full disk, an operation and a degree in each row.
fn speeds(cells: &[FullCell], targets: &[String]) -> Table {
    let mut rows = Vec::new();
    for operation in FullOperation::ALL {
        for percent in [95, 98, 100] {
            for cell in cells {
                let what = format!("{}, {percent} %", full::operation(operation));
                rows.push((cell, what, speed(cell, operation, percent)));
            }
        }
    }
    let caption = "Time with fsync, relative to the same disk at 50 %: median of the tries, lowest \
                   and highest";
    by_row(caption, &rows, targets)
}

fn speed(cell: &FullCell, operation: FullOperation, percent: u64) -> Cell {
    let refused = cell.refusal(operation, percent).map(injected::errno);
    let Some(Range { min, median, max }) = cell.ratio(operation, percent) else {
        return Cell::plain(refused.unwrap_or_else(|| "-".into()));
    };
    Cell {
        text: number::ratio(median),
        note: format!("{}-{}", number::ratio(min), number::ratio(max)),
        word: refused.map(|errno| format!("some {errno}")).unwrap_or_default(),
        shade: (median > 0.0).then(|| Shade::of_ratio(1.0 / median)),
        ..Cell::default()
    }
}

/// A row for each test and each word, a column for each target.
fn by_row(caption: &str, rows: &[(&FullCell, String, Cell)], targets: &[String]) -> Table {
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

fn keys(cells: &[FullCell]) -> Vec<(&str, &str, &String)> {
    cells.iter().map(|cell| (cell.test.as_str(), cell.name.as_str(), &cell.target)).collect()
}

/// What `of` says of each try, once: `write: ENOSPC`, or `write: ENOSPC; fsync: ENOSPC` where tries differ.
fn same(cell: &FullCell, of: impl Fn(&FullTry) -> String) -> String {
    let mut all: Vec<String> = cell.tries.iter().map(of).collect();
    all.sort();
    all.dedup();
    all.join("; ")
}

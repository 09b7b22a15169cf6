//! Shows what fsync answered when a request failed, and what is left.

use super::by_target;
use crate::{
    block::{Block, Cell, Shade, Table},
    words::injected,
};
use model::result::{FailedWrite, FailedWrites, FsyncReport};
use stats::description::FailedWriteCell;

/// The table with its legend; none without cells.
pub(super) fn blocks(cells: &[FailedWriteCell], targets: &[String]) -> Vec<Block> {
    if cells.is_empty() {
        return Vec::new();
    }
    vec![Block::Prose(METHOD.into()), Block::Table(table(cells, targets))]
}

const METHOD: &str = "A request of the disk fails with EIO during an fsync. What POSIX allows is an \
                      error once: then the program knows, and later calls return 0. A lie is 0 for a \
                      descriptor that was open when the request failed and never got an error, while the \
                      data is lost.";

/// A row for each fault that any target has, a column for each target.
pub(super) fn table(cells: &[FailedWriteCell], targets: &[String]) -> Table {
    let is_any =
        |test: &str| cells.iter().any(|cell| cell.test == test && cell.fsync_report.is_some());
    let cells: Vec<&FailedWriteCell> = cells.iter().filter(|cell| is_any(&cell.test)).collect();
    let keys = cells.iter().map(|cell| (cell.test.as_str(), cell.name.as_str(), &cell.target));
    let keys: Vec<_> = keys.collect();
    let caption = "Failed writes: answers to fsync, and what is left after a power failure";
    let mut table = by_target(caption.into(), (&keys, targets), |number| show(cells[number]));
    table.footnotes = vec![
        "Four fsyncs: on the descriptor that wrote, on one that was open before, on one opened \
         afterwards, again on the first. 0: success."
            .into(),
        "cut: what is read after the power went right after the last fsync. short: the file ends \
         before it."
            .into(),
        "In small print what is read before: from the cache, after it was dropped, after an \
         unmount and a mount."
            .into(),
        "-: the file system has no such request, with these options.".into(),
    ];
    table
}

fn show(cell: &FailedWriteCell) -> Cell {
    let Some(report) = cell.fsync_report else { return Cell::plain("-") };
    let texts = by_history(&cell.writes, injected::answers);
    let reads = by_history(&cell.writes, |one| {
        [one.cached, one.dropped, one.remounted].map(injected::read_back).join(", ")
    });
    Cell {
        text: texts,
        word: if report.is_lie() { "lie".into() } else { String::new() },
        note: reads,
        shade: match report {
            FsyncReport::Kept | FsyncReport::Error => None,
            FsyncReport::SuccessToAnother | FsyncReport::Success => Some(Shade::of_ratio(0.1)),
        },
        ..Cell::default()
    }
}

/// What `say` has of each outcome: once where all agree, else with the history and how often.
fn by_history(writes: &FailedWrites, say: impl Fn(&FailedWrite) -> String) -> String {
    let all: Vec<String> = writes.seen.iter().map(&say).collect();
    let Some(first) = all.first() else { return String::new() };
    if all.iter().all(|text| text == first) {
        return first.clone();
    }
    let one = |(seen, text): (&FailedWrite, String)| {
        let of = writes.seen.iter().filter(|other| other.history == seen.history);
        let tries: u64 = of.map(|other| other.tries).sum();
        let often = match seen.tries == tries {
            true => String::new(),
            false => format!(" ({} of {tries})", seen.tries),
        };
        format!("{}: {text}{often}", injected::history(seen.history))
    };
    writes.seen.iter().zip(all).map(one).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::{Change, Failing, FileHistory, FsyncAnswer, ReadBack};

    fn seen(history: FileHistory, fd2: FsyncAnswer, tries: u64) -> FailedWrite {
        FailedWrite {
            history,
            fd1: FsyncAnswer::Failed(5),
            fd2,
            fd3: FsyncAnswer::NotOpened(30),
            fd1_again: FsyncAnswer::Done,
            cached: ReadBack::New,
            dropped: ReadBack::Failed(117),
            remounted: ReadBack::Absent,
            cut: ReadBack::Absent,
            tries,
            injected: tries,
        }
    }

    #[test]
    fn an_outcome_is_said_once_and_histories_apart() {
        let (change, failing) = (Change::Append, Failing::Flush);
        let mut writes = FailedWrites { change, failing, seen: Vec::new() };
        writes.note(seen(FileHistory::Mounted, FsyncAnswer::Done, 2));
        writes.note(seen(FileHistory::Made, FsyncAnswer::Done, 2));
        let text = by_history(&writes, injected::answers);
        assert_eq!(text, "EIO, 0, no open (EROFS), 0; cut: short");
        writes.note(seen(FileHistory::Made, FsyncAnswer::Failed(5), 1));
        let text = by_history(&writes, injected::answers);
        assert_eq!(
            text,
            "old file: EIO, 0, no open (EROFS), 0; cut: short | new file: EIO, 0, no open (EROFS), \
             0; cut: short (2 of 3) | new file: EIO, EIO, no open (EROFS), 0; cut: short (1 of 3)"
        );
    }
}

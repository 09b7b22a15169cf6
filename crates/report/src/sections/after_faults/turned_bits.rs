//! Shows in how many tries silent damage was read without an error.

use super::by_target;
use crate::{
    block::{Block, Cell, Shade, Table},
    number,
    words::{harm, injected},
};
use model::result::{Scrub, TurnedBits};
use stats::description::TurnedBitCell;

/// The tables with their legend; none without cells.
pub(super) fn blocks(cells: &[TurnedBitCell], targets: &[String]) -> Vec<Block> {
    if cells.is_empty() {
        return Vec::new();
    }
    let scrubs = scrubs(cells, targets).map(Block::Table);
    let tables = [Block::Prose(METHOD.into()), Block::Table(table(cells, targets))];
    tables.into_iter().chain(scrubs).collect()
}

const METHOD: &str = "The disk holds other data than what was written, and does not say so. \
                      Silent: the wrong data or name was read without an error. Percentages are upper \
                      bounds at 95 %, one-sided.";

/// A row for each fault, a column for each target.
pub(super) fn table(cells: &[TurnedBitCell], targets: &[String]) -> Table {
    let caption = "Silent damage: wrong data read without an error, of those tried";
    let mut table = by_target(caption.into(), (&keys(cells), targets), |number| {
        let bits = &cells[number].bits;
        if bits.tries == 0 {
            return Cell::plain("-");
        }
        Cell {
            text: harm::count(bits.wrong, bits.tries, false),
            word: words(bits),
            shade: (bits.wrong > 0).then(|| Shade::of_ratio(0.1)),
            ..Cell::default()
        }
    });
    table.footnotes = vec!["-: the file system has no such place, with these options.".into()];
    table
}

fn keys(cells: &[TurnedBitCell]) -> Vec<(&str, &str, &String)> {
    cells.iter().map(|cell| (cell.test.as_str(), cell.name.as_str(), &cell.target)).collect()
}

/// What was read otherwise: `EIO 4, repaired 6`.
fn words(bits: &TurnedBits) -> String {
    let errors = bits.errors.iter().map(|one| (injected::errno(one.errno), one.tries));
    let read = [("repaired".to_owned(), bits.repaired), ("right".to_owned(), bits.right)];
    let all = errors.chain(read).filter(|(_, tries)| *tries > 0);
    all.map(|(what, tries)| format!("{what} {tries}")).collect::<Vec<_>>().join(", ")
}

/// What scrubs and checkers found; `None` where none was run.
fn scrubs(cells: &[TurnedBitCell], targets: &[String]) -> Option<Table> {
    cells.iter().find(|cell| cell.bits.scrub.is_some())?;
    let show = |number: usize| match cells[number].bits.scrub {
        None => Cell::plain("-"),
        Some(Scrub { tries, detected, repaired, time }) => Cell {
            text: format!("{detected} of {tries}"),
            word: if repaired > 0 { format!("repaired {repaired}") } else { String::new() },
            note: time
                .map(|time| format!("{} ms", number::value(time.median_ns as f64 / 1e6)))
                .unwrap_or_default(),
            ..Cell::default()
        },
    };
    let caption = "Damage that a scrub (Btrfs) or the checker (others) found afterwards, of what was \
                   still there; median time";
    let mut table = by_target(caption.into(), (&keys(cells), targets), show);
    table.footnotes =
        vec!["-: none was run: the damage was repaired when it was read, or there is none.".into()];
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::{DamagedPlace, SilentFault};

    #[test]
    fn what_was_not_silent_is_counted() {
        let mut bits = TurnedBits::new(SilentFault::TurnedBit, DamagedPlace::Data, 1);
        (bits.tries, bits.repaired, bits.right) = (10, 3, 1);
        bits.note_error(5, 4);
        bits.note_error(9999, 2);
        assert_eq!(words(&bits), "EIO 4, error 9999 2, repaired 3, right 1");
    }
}

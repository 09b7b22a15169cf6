//! Shows what was read of a mirror with a faulty leg, through the mirror and from each leg alone.

use crate::{
    block::{Block, Cell, Column, Row, Shade, Table},
    number,
    words::{harm, injected},
};
use model::result::{LegFault, MirrorReads, Mirrors, Moment, ReadFrom, Spread};
use stats::description::MirrorCell;

/// The tables with their legend; none without cells.
pub(super) fn blocks(cells: &[MirrorCell]) -> Vec<Block> {
    if cells.is_empty() {
        return Vec::new();
    }
    vec![Block::Prose(METHOD.into()), Block::Table(reads(cells)), Block::Table(repairs(cells))]
}

const METHOD: &str = "One leg of a mirror holds a bad copy, or fails every request from some moment on. All files \
                      that were synced are read through the mirror, and from each leg alone, or from every smallest \
                      set of legs that is enough. Silent: other data than was written, or no file, without an error. Percentages are upper bounds at 95 %, \
                      one-sided.";

/// A row for each moment and place that files were read from.
pub(super) fn reads(cells: &[MirrorCell]) -> Table {
    let row = |cell: &MirrorCell, own: &MirrorReads| {
        let is_cut = cell.mirrors.fault == LegFault::PowerCut;
        let is_bad = own.wrong > 0 && (is_cut || own.from == ReadFrom::Mirror);
        let silent = Cell {
            text: harm::count(own.wrong, own.reads(), false),
            shade: is_bad.then(|| Shade::of_ratio(0.1)),
            ..Cell::default()
        };
        Row::body([
            Cell::plain(&cell.target),
            Cell::plain(&cell.name),
            Cell::plain(moment(cell.mirrors.fault, own.moment)),
            Cell::plain(from(&cell.mirrors, own)),
            Cell::plain(own.right.to_string()),
            silent,
            Cell::plain(errors(own)),
            Cell::plain(own.missing.to_string()),
        ])
    };
    let rows =
        cells.iter().flat_map(|cell| cell.mirrors.reads.iter().map(move |own| row(cell, own)));
    Table {
        caption: "Mirrors with a faulty leg: reads of all files".into(),
        columns: vec![
            Column::words("Target"),
            Column::words("Test"),
            Column::words("When"),
            Column::words("Read from"),
            Column::numbers("", "right"),
            Column::numbers("", "silent"),
            Column::words("Errors"),
            Column::numbers("", "files not as written"),
        ],
        rows: rows.collect(),
        footnotes: vec![
            "A read counts once, as the worst of its files. Through the mirror, a read is a fresh mount in a new \
             thread."
                .into(),
            "Alone: a copy of the leg, mounted read-only and degraded; where one leg is not enough, every smallest set that \
             is."
                .into(),
        ],
    }
}

/// The errors that a program got, and what scrubs and replacements did.
fn repairs(cells: &[MirrorCell]) -> Table {
    let row = |cell: &MirrorCell| {
        let Mirrors { tries, written, refused, unmet, scrub, rebuild, .. } = &cell.mirrors;
        let fault = cell.mirrors.fault;
        let has_program = fault == LegFault::LostDisk;
        let has_block = matches!(fault, LegFault::BadData | LegFault::BadMetadata);
        let scrubbed = scrub.map_or_else(
            || [Cell::plain("-"), Cell::plain("-")],
            |scrub| {
                let of = |count: u64| format!("{count} of {}", scrub.tries);
                let repaired =
                    Cell { text: of(scrub.repaired), note: time(scrub.time), ..Cell::default() };
                [Cell::plain(of(scrub.detected)), repaired]
            },
        );
        let met = if has_block { format!("{} of {tries}", tries - unmet) } else { "-".into() };
        let told = if has_program { format!("{refused} of {tries}") } else { "-".into() };
        let rebuild = match rebuild {
            None => "-".into(),
            own => time(*own),
        };
        let first = [
            Cell::plain(&cell.target),
            Cell::plain(&cell.name),
            Cell::plain(tries.to_string()),
            Cell::plain(written.to_string()),
            Cell::plain(told),
            Cell::plain(met),
        ];
        Row::body(first.into_iter().chain(scrubbed).chain([Cell::plain(rebuild)]))
    };
    Table {
        caption: "Mirrors with a faulty leg: errors that the program got, and repairs".into(),
        columns: vec![
            Column::words("Target"),
            Column::words("Test"),
            Column::numbers("", "tries"),
            Column::numbers("", "files synced"),
            Column::numbers("", "program got an error"),
            Column::numbers("", "block was read"),
            Column::numbers("", "scrub found"),
            Column::numbers("", "scrub repaired"),
            Column::numbers("", "replacement"),
        ],
        rows: cells.iter().map(row).collect(),
        footnotes: vec![
            "Block was read: tries in which a read through the mirror met the bad block; the others read only other copies, \
             and say nothing about repair."
                .into(),
            "Scrub repaired: afterwards each leg alone had everything. In small print and under replacement the \
             median time; disks are in memory, so only CPU work is compared."
                .into(),
        ],
    }
}

fn time(spread: Option<Spread>) -> String {
    spread
        .map(|time| format!("{} ms", number::value(time.median_ns as f64 / 1e6)))
        .unwrap_or_default()
}

/// When files were read, in short.
fn moment(fault: LegFault, moment: Moment) -> &'static str {
    match (fault, moment) {
        (LegFault::LostDisk, Moment::Fault) => "disk lost",
        (LegFault::LostDisk, Moment::Read) => "disk back, read",
        (LegFault::PowerCut, Moment::Fault) => "power cut, legs lost",
        (LegFault::PowerCut, Moment::Read) => "power cut, read",
        (_, Moment::Fault) => "bad copy",
        (_, Moment::Read) => "read",
        (_, Moment::Scrubbed) => "scrubbed",
        (_, Moment::MadeAlike) => "made alike",
        (_, Moment::Replaced) => "replaced",
    }
}

/// What they were read from, in short.
fn from(mirrors: &Mirrors, reads: &MirrorReads) -> String {
    let Mirrors { legs, enough, .. } = mirrors;
    let which = match (reads.from, reads.moment) {
        (ReadFrom::Mirror, _) => return "mirror".into(),
        (ReadFrom::OtherLeg, _) if mirrors.fault == LegFault::PowerCut => {
            return if *enough == 1 {
                "each leg alone".into()
            } else {
                format!("{enough} of {legs} legs")
            };
        }
        (ReadFrom::OtherLeg, _) if *enough == 1 => return "other leg alone".into(),
        (ReadFrom::OtherLeg, Moment::Replaced) => "without the new one",
        (ReadFrom::OtherLeg, _) => "without the faulty one",
        (ReadFrom::FaultyLeg, Moment::Replaced) if *enough == 1 => return "new leg alone".into(),
        (ReadFrom::FaultyLeg, Moment::Replaced) => "with the new one",
        (ReadFrom::FaultyLeg, _) if *enough == 1 => return "faulty leg alone".into(),
        (ReadFrom::FaultyLeg, _) => "with the faulty one",
    };
    format!("{enough} of {legs} legs, {which}")
}

/// The errors that were read: `EIO 4, EUCLEAN 6`.
fn errors(reads: &MirrorReads) -> String {
    let one = |(errno, tries): (i32, u64)| format!("{} {tries}", injected::errno(errno));
    let all: Vec<String> = reads.errors.iter().map(|own| one((own.errno, own.tries))).collect();
    if all.is_empty() { "-".into() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::ErrnoCount;

    #[test]
    fn errors_are_named_and_counted() {
        let of = |all| {
            let (moment, from) = (Moment::Read, ReadFrom::Mirror);
            errors(&MirrorReads { moment, from, right: 0, wrong: 0, errors: all, missing: 0 })
        };
        let two = vec![ErrnoCount { errno: 5, tries: 4 }, ErrnoCount { errno: 117, tries: 6 }];
        assert_eq!(of(two), "EIO 4, EUCLEAN 6");
        assert_eq!(of(Vec::new()), "-");
    }

    #[test]
    fn leg_that_was_replaced_is_a_new_one() {
        let mut mirrors = Mirrors::new(LegFault::LostDisk, 1);
        let of = |mirrors: &Mirrors, moment, own| {
            let (right, wrong, missing, errors) = (0, 0, 0, Vec::new());
            from(mirrors, &MirrorReads { moment, from: own, right, wrong, errors, missing })
        };
        assert_eq!(of(&mirrors, Moment::Replaced, ReadFrom::FaultyLeg), "new leg alone");
        assert_eq!(of(&mirrors, Moment::Scrubbed, ReadFrom::FaultyLeg), "faulty leg alone");
        (mirrors.legs, mirrors.enough) = (4, 3);
        let known = "3 of 4 legs, with the new one";
        assert_eq!(of(&mirrors, Moment::Replaced, ReadFrom::FaultyLeg), known);
        let known = "3 of 4 legs, without the faulty one";
        assert_eq!(of(&mirrors, Moment::Scrubbed, ReadFrom::OtherLeg), known);
        assert_eq!(moment(LegFault::BadData, Moment::Fault), "bad copy");
        assert_eq!(moment(LegFault::LostDisk, Moment::Fault), "disk lost");
    }
}

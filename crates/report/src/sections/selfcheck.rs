//! Shows the self-checks of the campaign: the A/A pair, the drift over its blocks, the place in a block, repeated
//! turns.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    names, number,
    sections::Section,
};
use model::result::Dataset;
use stats::{
    description::{self, AaCheck, Comparison, Drift, SpeedStep},
    evaluation::Findings,
    kernel::Ratio,
};

pub(crate) struct SelfCheck;

impl Section for SelfCheck {
    fn title(&self) -> &'static str {
        "Self-check"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let check = &findings.selfcheck;
        let mut rows: Vec<Row> = check.aa.iter().flat_map(|aa| pair(aa, findings.band)).collect();
        rows.extend(check.drift.iter().flat_map(|drift| moved(drift, findings.band)));
        rows.extend(turn(findings));
        let nothing = rows.is_empty() && check.notes.is_empty();
        if nothing || findings.comparison.is_some() {
            return None;
        }
        let mut blocks: Vec<Block> = check.notes.iter().cloned().map(Block::Callout).collect();
        if rows.is_empty() {
            return Some(blocks);
        }
        blocks.push(Block::Table(Table {
            caption: "Sanity checks: differences where none should be".into(),
            columns: vec![
                Column::words("Check"),
                Column::numbers("", "Figure"),
                Column::numbers("", "95 % CI"),
                Column::words("Result"),
            ],
            rows,
            footnotes: footnotes(check.aa.as_ref()),
        }));
        Some(blocks)
    }
}

fn row(check: String, figure: String, interval: String, result: &str) -> Row {
    Row::body([check, figure, interval, result.into()].map(Cell::plain))
}

fn pair(aa: &AaCheck, band: f64) -> Vec<Row> {
    let marks = match aa.passes() {
        Some(true) => format!("passes: as far apart in {}", by_signs(aa)),
        Some(false) if aa.is_telling() => format!("fails: as far apart in {}", by_signs(aa)),
        Some(false) => "fails: by the mean below".into(),
        None if aa.cells == 0 => "no interval".into(),
        None => format!("inconclusive: {} patterns of signs, 20 are needed", aa.patterns),
    };
    let marked = format!("{} of {}", aa.marked, aa.cells);
    let name = format!("A/A pair: cells in which {} differs from {}", aa.twin, aa.of);
    let mut rows = vec![row(name, marked, String::new(), &marks)];
    let overall = format!("A/A pair: {} over {}", aa.twin, aa.of);
    rows.extend(
        aa.ratio
            .map(|r| row(overall, number::ratio(r.point), number::interval(&r), word(&r, band))),
    );
    rows
}

fn by_signs(aa: &AaCheck) -> String {
    format!("{} of {} patterns of signs", aa.as_far, aa.patterns)
}

/// In words; nothing where there is no interval.
fn word(ratio: &Ratio, band: f64) -> &'static str {
    if ratio.low.is_some() { result(ratio, band) } else { "" }
}

fn moved(drift: &Drift, band: f64) -> Vec<Row> {
    let of = |name: &str, ratio: &Ratio| {
        let result = result(ratio, band);
        row(name.into(), number::ratio(ratio.point), number::interval(ratio), result)
    };
    let name = "Drift: last block over first".to_string();
    let mut rows = vec![
        row(name, number::ratio(drift.last_over_first), String::new(), ""),
        of("Drift: last over first, by a line through all blocks", &drift.trend),
    ];
    rows.extend(drift.step.map(|step| {
        let name = format!("Step: blocks from {} on over those before", step.block + 1);
        row(name, number::ratio(step.ratio), String::new(), step_words(&step))
    }));
    rows.extend(drift.position.iter().map(|r| of("Place in a block: last over first", r)));
    rows
}

/// What makes a volume change its speed at once, and what to ask its provider.
pub(super) fn step_words(step: &SpeedStep) -> &'static str {
    if step.ratio < 1.0 {
        "as on a volume or instance that has used up its burst credits: ask its provider for the baseline"
    } else {
        "as on a volume restored from a snapshot, which loads on first access: ask its provider how to preload it"
    }
}

/// The test in which it mattered most who was measured first, and how much: the last over the first; `None` where that
/// is known of no test.
pub(super) fn largest_turn(
    findings: &Findings,
) -> Option<(&description::Table, &description::Row, f64)> {
    let rows =
        findings.tables.iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
    let known = rows.filter_map(|(table, row)| Some((table, row, row.last_over_first?)));
    known.max_by(|a, b| a.2.ln().abs().total_cmp(&b.2.ln().abs()))
}

/// The test in which it mattered most who was measured first; `None` where that is known of no test.
fn turn(findings: &Findings) -> Option<Row> {
    let (table, of, ratio) = largest_turn(findings)?;
    let test = format!("{}, {}", names::of_row(of, table), description::processes(table.procs));
    Some(row(
        format!("Turn in a test: last over first, largest in {test}"),
        number::ratio(ratio),
        String::new(),
        "removed from all figures",
    ))
}

fn result(ratio: &Ratio, band: f64) -> &'static str {
    match description::judge(ratio, band) {
        Comparison::Same => "negligible",
        Comparison::SlightlyBetter | Comparison::SlightlyWorse => "within the band",
        Comparison::Better | Comparison::Worse => "beyond the band",
        Comparison::Unclear | Comparison::Contended => "not ruled out",
    }
}

fn footnotes(pair: Option<&AaCheck>) -> Vec<String> {
    let word = |aa: &AaCheck| {
        format!(
            "{} is {} measured again under another name. It is not a candidate: no other table \
             shows it, and it has no effect on the verdict.",
            aa.twin, aa.of
        )
    };
    let silent = |aa: &AaCheck| {
        (aa.cells > 0 && !aa.is_telling()).then(|| {
            "The cells of a block share noise, so the number that differ by chance is counted by \
             flipping the signs of whole blocks. With fewer than six blocks there are fewer than \
             20 patterns of signs: any number of cells can then differ by chance, and only the \
             mean over all cells is informative."
                .to_string()
        })
    };
    pair.map(word).into_iter().chain(pair.and_then(silent)).collect()
}

//! Shows where the first two candidates differ most, in both directions, and where any other is ahead of the first.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::{Brief, Section, ratios},
};
use model::result::Dataset;
use stats::{
    evaluation::Findings,
    verdict::{Contrast, Lost},
};

/// Rows for each side.
const EACH: usize = 5;
/// The same in the short form, which gives them a part of its rows.
const BRIEF: usize = 3;
const PART: usize = 4;

pub(crate) struct Leaders;

impl Section for Leaders {
    fn title(&self) -> &'static str {
        "Where the leaders differ"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let leaders = findings.leaders.as_ref()?;
        let (first, second) = (&leaders.first, &leaders.second);
        let ahead = format!("Where {first} is ahead of {second} most");
        let behind = format!("Where {first} is behind {second} most");
        let sides = [(ahead, &leaders.ahead), (behind, &leaders.behind)].into_iter();
        let tables = sides
            .filter_map(|(what, side)| table(leaders, &what, side.iter().take(EACH)))
            .chain(lost(findings, leaders));
        let tables: Vec<Block> = tables.collect();
        (!tables.is_empty()).then_some(tables)
    }

    fn brief(&self, _: &Dataset, findings: &Findings, brief: Brief) -> Option<Vec<Block>> {
        let rows = brief.rows;
        let each = (rows / PART).clamp(rows.min(1), BRIEF);
        let leaders = findings.leaders.as_ref()?;
        let what = format!("Where {} and {} differ most", leaders.first, leaders.second);
        let sides = [&leaders.ahead, &leaders.behind].into_iter();
        Some(vec![table(leaders, &what, sides.flat_map(|side| side.iter().take(each)))?])
    }
}

/// A row for each of `shown`, under the words for `what` they are; `None` without any.
fn table<'a>(
    leaders: &stats::verdict::Leaders,
    what: &str,
    shown: impl Iterator<Item = &'a Contrast>,
) -> Option<Block> {
    let rows: Vec<Row> = shown.map(row).collect();
    let over = format!("{} / {}", leaders.first, leaders.second);
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            caption: format!("{what}; selected as extremes, so likely overstated"),
            columns: vec![
                Column::words("Test"),
                Column::numbers("", "Processes"),
                Column::numbers("", &over),
            ],
            rows,
            footnotes: Vec::new(),
        })
    })
}

fn row(contrast: &Contrast) -> Row {
    Row::body([
        Cell::plain(name(contrast)),
        Cell::plain(contrast.procs.to_string()),
        ratio(contrast),
    ])
}

/// Where any candidate is ahead of the first; `None` where the second is the only other.
fn lost(findings: &Findings, leaders: &stats::verdict::Leaders) -> Option<Block> {
    let row = |lost: &Lost| {
        Row::body([
            Cell::plain(name(&lost.contrast)),
            Cell::plain(lost.contrast.procs.to_string()),
            Cell::plain(&lost.over),
            ratio(&lost.contrast),
        ])
    };
    let has_more = findings.verdict.candidates.len() > 2 && !leaders.lost.is_empty();
    has_more.then(|| {
        Block::Table(Table {
            caption: format!(
                "Where {} is furthest behind the best; selected as extremes, so likely overstated",
                leaders.first
            ),
            columns: vec![
                Column::words("Test"),
                Column::numbers("", "Processes"),
                Column::words("Best there"),
                Column::numbers("", &format!("{} / best", leaders.first)),
            ],
            rows: leaders.lost.iter().take(EACH).map(row).collect(),
            footnotes: Vec::new(),
        })
    })
}

fn name(contrast: &Contrast) -> String {
    format!("{}: {}", contrast.group.title(), contrast.name)
}

fn ratio(contrast: &Contrast) -> Cell {
    let verdict = Some(contrast.comparison);
    let word = ratios::starred(ratios::word(verdict), verdict, contrast.holm);
    ratios::judged(&contrast.ratio, verdict, word)
}

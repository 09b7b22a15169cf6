//! Where the first two candidates differ most, both ways.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::{Section, ratios},
};
use model::Dataset;
use stats::{Contrast, Findings};

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

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        Some(vec![Block::Table(table(findings, EACH)?)])
    }

    fn brief(&self, _: &Dataset, findings: &Findings, rows: usize) -> Option<Vec<Block>> {
        let each = (rows / PART).clamp(rows.min(1), BRIEF);
        Some(vec![Block::Table(table(findings, each)?)])
    }
}

/// So many rows of each side; `None` without any.
fn table(findings: &Findings, each: usize) -> Option<Table> {
    let leaders = findings.leaders.as_ref()?;
    let shown =
        [&leaders.ahead, &leaders.behind].into_iter().flat_map(|side| side.iter().take(each));
    let rows: Vec<Row> = shown.map(row).collect();
    let (first, second) = (&leaders.first, &leaders.second);
    (!rows.is_empty()).then(|| Table {
        caption: format!(
            "Where {first} and {second} differ most; selected as extremes, so likely overstated"
        ),
        columns: vec![
            Column::words("Test"),
            Column::numbers("", "Processes"),
            Column::numbers("", &format!("{first} / {second}")),
        ],
        rows,
        footnotes: Vec::new(),
    })
}

fn row(contrast: &Contrast) -> Row {
    let verdict = Some(contrast.comparison);
    let word = ratios::starred(ratios::word(verdict), verdict, contrast.holm);
    Row::body([
        Cell::plain(format!("{}: {}", contrast.group.title(), contrast.name)),
        Cell::plain(contrast.procs.to_string()),
        ratios::judged(&contrast.ratio, verdict, word),
    ])
}

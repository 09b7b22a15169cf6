//! Lists sustained runs that had not reached a steady state.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::Section,
};
use model::result::Dataset;
use stats::{description::Steadiness, evaluation::Findings};

pub(crate) struct Steady;

impl Section for Steady {
    fn title(&self) -> &'static str {
        "Steady state"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let judged = findings.steadiness.len();
        let unsteady: Vec<&Steadiness> =
            findings.steadiness.iter().filter(|s| s.unsteady > 0).collect();
        if judged == 0 {
            return None;
        }
        let mut blocks = vec![Block::Prose(format!(
            "{} of {judged} sustained cells were steady in every sample: over five equal parts of \
             the run, the range of rates was at most 20 % of their mean, and their trend at most \
             10 % (SNIA).",
            judged - unsteady.len()
        ))];
        if !unsteady.is_empty() {
            blocks.push(Block::Table(table(&unsteady)));
        }
        Some(blocks)
    }
}

fn table(unsteady: &[&Steadiness]) -> Table {
    let percent = |share: f64| Cell::plain(format!("{:.0} %", 100.0 * share));
    let row = |s: &&Steadiness| {
        Row::body([
            Cell::plain(format!("{}, {}", s.name, stats::description::processes(s.procs))),
            Cell::plain(&s.target),
            Cell::plain(format!("{} of {}", s.unsteady, s.samples)),
            percent(s.widest.range),
            percent(s.widest.excursion),
        ])
    };
    Table {
        caption: "Not steady: these figures depend on the length of the run".into(),
        columns: vec![
            Column::words("Test"),
            Column::words("Target"),
            Column::numbers("", "samples"),
            Column::numbers("", "widest range"),
            Column::numbers("", "its trend"),
        ],
        rows: unsteady.iter().map(row).collect(),
        footnotes: Vec::new(),
    }
}

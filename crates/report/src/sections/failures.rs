//! Lists above the tables the targets that could not be created, or failed later, with the reason.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::Section,
};
use model::result::Dataset;
use stats::evaluation::{Failure, Findings};

pub(crate) struct Failures;

impl Section for Failures {
    fn title(&self) -> &'static str {
        "Failed targets"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if findings.failures.is_empty() {
            return None;
        }
        let row = |failure: &Failure| {
            Row::body([Cell::plain(&failure.target), Cell::plain(&failure.why)])
        };
        Some(vec![Block::Table(Table {
            caption: "Targets that could not be measured completely".into(),
            columns: vec![Column::words("Target"), Column::words("Why")],
            rows: findings.failures.iter().map(row).collect(),
            footnotes: Vec::new(),
        })])
    }
}

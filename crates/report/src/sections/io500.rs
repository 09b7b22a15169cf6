//! The IO500 score if its phases were run; it is not an official one.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    number,
    sections::Section,
};
use model::result::Dataset;
use stats::{
    description::{Io500, Io500Score},
    evaluation::Findings,
};

pub(crate) struct Score;

impl Section for Score {
    fn title(&self) -> &'static str {
        "IO500"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let is_there = findings.is_of_campaign() && !findings.io500.is_empty();
        is_there.then(|| vec![Block::Table(table(&findings.io500))])
    }
}

fn table(scores: &[Io500]) -> Table {
    let mut rows = Vec::new();
    for of_count in scores {
        rows.push(Row::title(stats::description::processes(of_count.procs)));
        rows.extend(of_count.targets.iter().map(row));
    }
    let columns = vec![
        Column::words("Target"),
        Column::numbers("bandwidth", "GiB/s"),
        Column::numbers("operations", "kIOPS"),
        Column::numbers("score", ""),
        Column::words("phases without a valid sample"),
    ];
    Table {
        caption: "Score by the rules of IO500; not an official submission".into(),
        columns,
        rows,
        footnotes: vec![
            "Bandwidth: geometric mean of the four data phases; operations: that of the eight \
             metadata phases; score: square root of their product. IO500 requires 300 s in each \
             write phase, all phases in one run, and its own programs, so compare these figures \
             only with others of this program."
                .into(),
        ],
    }
}

fn row(of: &Io500Score) -> Row {
    let known = |value: Option<f64>| Cell::plain(value.map_or("-".into(), number::value));
    Row::body(vec![
        Cell::plain(&of.target),
        known(of.bandwidth_gib_per_s),
        known(of.kiops),
        known(of.score),
        Cell::plain(of.missing.join(", ")),
    ])
}

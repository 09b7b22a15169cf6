//! Shows how much the answer depends on the weights: who is first under each profile covered by the campaign, under
//! equal weights, and under how many sets of weights around these.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::{Section, ratios},
};
use model::result::Dataset;
use stats::{
    advice::{Share, Workload},
    evaluation::Findings,
};

pub(crate) struct ByWeights;

impl Section for ByWeights {
    fn title(&self) -> &'static str {
        "With other weights"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let all = &findings.workloads;
        let known: Vec<&Workload> =
            all.equal.iter().chain(&all.profiles).filter(|own| own.lead.is_some()).collect();
        (!known.is_empty()).then(|| vec![Block::Table(table(&known))])
    }

    fn in_terminal(&self) -> bool {
        false
    }
}

fn table(all: &[&Workload]) -> Table {
    let mut table = Table {
        caption: "First place under different weights".into(),
        columns: vec![
            Column::words("Weights"),
            Column::numbers("", "Measured"),
            Column::words("First"),
            Column::words("Second"),
            Column::numbers("", "Ratio"),
            Column::words("First with weights varied, ratios as measured"),
            Column::words("Ruled out"),
        ],
        rows: all.iter().map(|own| row(own)).collect(),
        footnotes: vec![
            "Measured: share of the weights that the campaign covers. Weights varied: 2000 sets \
             around these; a weight of 30 % becomes mostly 24 to 36 %. 100 % means that the \
             weights do not matter, not that the ratio is certain; see its interval for that. \
             These are not verdicts: a target may be first in a line by chance; assay advise \
             evaluates one profile chosen beforehand."
                .into(),
        ],
    };
    if all.iter().all(|own| own.ruled_out.is_empty()) {
        table.columns.pop();
        table.rows.iter_mut().for_each(|row| drop(row.cells.pop()));
    }
    table
}

fn row(own: &Workload) -> Row {
    let lead = own.lead.as_ref();
    let label = |of: fn(&stats::description::Lead) -> &String| {
        Cell::plain(lead.map_or("-", |lead| of(lead)))
    };
    let ratio = lead.map(|lead| ratios::worded(&lead.ratio, Some(lead.comparison)));
    let out: Vec<&str> = own.ruled_out.iter().map(|(label, _)| label.as_str()).collect();
    Row::body([
        Cell::plain(&own.name),
        Cell::plain(format!("{:.0} %", 100.0 * own.covered)),
        label(|lead| &lead.target),
        label(|lead| &lead.second),
        ratio.unwrap_or_default(),
        Cell::plain(shares(&own.acceptability)),
        Cell::plain(out.join(", ")),
    ])
}

/// Share from which it is printed as 1 %.
const LEAST_SHARE: f64 = 0.005;

/// The candidates that are first under any weights, the most frequent first.
fn shares(all: &[Share]) -> String {
    let mut all: Vec<&Share> = all.iter().filter(|own| own.share >= LEAST_SHARE).collect();
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    let said = |own: &&Share| format!("{} {:.0} %", own.target, 100.0 * own.share);
    all.iter().map(said).collect::<Vec<_>>().join(", ")
}

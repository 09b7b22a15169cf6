//! How much of the answer hangs on the weights, which are opinions: who is first by each profile of which the campaign
//! shows something, and by equal weights, and under how many sets of weights around these.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    sections::{Section, ratios},
};
use model::Dataset;
use stats::{Findings, Share, Workload};

pub(crate) struct ByWeights;

impl Section for ByWeights {
    fn title(&self) -> &'static str {
        "By other weights"
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
        caption: "Who is first by which weights, and how much depends on them".into(),
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
            "Measured: share of the weights that the campaign shows. Weights varied: 2000 sets around these, of a \
             weight of 30 % mostly 24 to 36 %; 100 % says that the weights do not matter, not that the ratio is sure, \
             which its interval says. These are no verdicts: a target may be first of a line by chance; assay advise judges by a profile \
             that was chosen beforehand."
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
    let label = |of: fn(&stats::Lead) -> &String| Cell::plain(lead.map_or("-", |lead| of(lead)));
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

/// Who is ever first, the most often first.
fn shares(all: &[Share]) -> String {
    let mut all: Vec<&Share> = all.iter().filter(|own| own.share >= LEAST_SHARE).collect();
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    let said = |own: &&Share| format!("{} {:.0} %", own.target, 100.0 * own.share);
    all.iter().map(said).collect::<Vec<_>>().join(", ")
}

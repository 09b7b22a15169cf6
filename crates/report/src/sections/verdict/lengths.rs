//! Lists timed parts shorter than the preset's minimum, with the names and lengths used in the tables.

use crate::{names, number};
use model::result::{Dataset, Origin};
use stats::{evaluation::Findings, verdict::Reason};

/// Tests that are named; the rest is counted.
const NAMED: usize = 6;

/// Of a campaign whose tests were sized here, as a sentence: where the sizes were given, so were the lengths. `None`
/// where all are long enough, and where the verdict says that none is.
pub(super) fn lengths(dataset: &Dataset, findings: &Findings) -> Option<String> {
    let plan = &dataset.campaign.plan;
    let is_sized = dataset.campaign.origin == Origin::Run && !plan.sizes.is_empty();
    if !is_sized || findings.verdict.reason == Reason::AllShort {
        return None;
    }
    let least_s = plan.preset.floor_s();
    let scored = findings.tables.iter().filter(|table| table.group.is_scored());
    let rows = scored.flat_map(|table| table.rows.iter().map(move |row| (table, row)));
    let below = |(table, row): (&stats::description::Table, &stats::description::Row)| {
        // To the millisecond that is printed.
        let is_below = |seconds: &f64| (1e3 * seconds).round() < 1e3 * least_s;
        let seconds = row.amount.map(|amount| amount.seconds).filter(is_below)?;
        let (name, procs) = (names::of_row(row, table), stats::description::processes(table.procs));
        Some(format!("{name}, {procs} ({})", number::span(seconds)))
    };
    let all: Vec<String> = rows.filter_map(below).collect();
    let named = all[..all.len().min(NAMED)].join("; ");
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    (!all.is_empty()).then(|| {
        format!(
            "Timed parts below the minimum of {} for {} (scored from {}): {named}{more}.",
            number::span(least_s),
            plan.preset,
            number::span(plan.preset.least_s())
        )
    })
}

//! Names of rows if suites that measure the same thing share a table, and names of the baseline.

use model::{result::Dataset, text::counted};
use stats::{
    description::{Row, Table},
    evaluation::Findings,
};
use std::collections::BTreeSet;

/// The name of `row` in `table`, after its suite where another suite has a test of the same name.
pub(crate) fn of_row(row: &Row, table: &Table) -> String {
    let twin = |other: &&Row| other.name == row.name && other.suite != row.suite;
    if table.rows.iter().any(|other| twin(&other)) {
        format!("{}: {}", row.suite, row.name)
    } else {
        row.name.clone()
    }
}

/// What the others are compared with, with the reason if it is not the first target and was not requested.
pub(crate) fn baseline(findings: &Findings) -> String {
    match &findings.baseline_instead {
        None => findings.baseline.clone(),
        Some(why) => format!("{}, as {why}", findings.baseline),
    }
}

/// The targets of `findings` that have a sample in `dataset`, valid or not: those that were measured.
pub(crate) fn measured<'a>(dataset: &Dataset, findings: &'a Findings) -> Vec<&'a str> {
    let has: BTreeSet<&str> = dataset.samples.iter().map(|s| s.case.target.as_str()).collect();
    findings.targets.iter().map(String::as_str).filter(|label| has.contains(label)).collect()
}

/// `1 block`, `5 blocks`.
pub(crate) fn blocks(count: usize) -> String {
    counted(count, "block", "blocks")
}

//! Words notes of campaigns that are compared, pooled or ranked by another metric.

use model::result::Side;

pub(super) fn letter(side: Side) -> char {
    match side {
        Side::A => 'A',
        Side::B => 'B',
    }
}

pub(super) fn ranked_by(metric: &str) -> String {
    format!("Ranked by {metric} instead of each test's own metric.")
}

pub(super) fn pooled(campaigns: usize) -> String {
    format!(
        "{campaigns} campaigns of identical machines pooled: each is one block, and its own blocks \
         are repeats of one value."
    )
}

pub(super) fn syncs_omitted(rows: usize) -> String {
    let (row, is) = if rows == 1 { ("row", "is") } else { ("rows", "are") };
    format!(
        "{rows} {row} of a sync that ends a durable write {is} omitted: the durable rate of the \
         write includes it."
    )
}

pub(super) fn other_processes(tests: usize, a_procs: u32, b_procs: u32) -> String {
    format!(
        "{tests} tests ran with another number of processes in B, e.g. {b_procs} for {a_procs} in \
         A; they are listed under those of A, and the difference is part of their ratios."
    )
}

pub(super) fn campaigns_differ(side: Side, facts: &[String]) -> String {
    format!("The campaigns of {} differ in {}.", letter(side), facts.join(", "))
}

//! Formats notes of campaigns that are compared, pooled or ranked by another metric.

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
        "Process counts differ for {tests} test(s), e.g. {a_procs} in A and {b_procs} in B; they are listed under \
         the count of A, and their ratios include the difference."
    )
}

pub(super) fn campaigns_differ(side: Side, facts: &[String]) -> String {
    format!("The campaigns of {} differ in {}.", letter(side), facts.join(", "))
}

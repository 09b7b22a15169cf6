//! Formats the reasons why figures are not evaluated, and what is left out.

use stats::description::{Missing, list};

/// Candidates that are named; the others are counted.
const NAMED: usize = 3;

/// The candidates called `targets` were disturbed by other work.
pub(super) fn contended(targets: &[String], limit_pct: f64) -> String {
    let they = if targets.len() == 1 { "it" } else { "they" };
    format!(
        "No recommendation: other processes used more than {limit_pct} % of the CPU or of the \
         disk below during samples of {}; undisturbed, {they} may be better. Repeat on a quiet \
         machine.",
        list(targets.iter().map(String::as_str)),
    )
}

pub(super) fn same_places([first, second]: [&str; 2]) -> String {
    format!(
        "No recommendation: {first} and {second} ran in the same order in every block, so run \
         order may explain the difference. Measure again with as many blocks as candidates, so \
         that orders are balanced."
    )
}

/// What is missing of each of `of` may hide another verdict.
pub(super) fn missing(of: &[(String, Missing)]) -> String {
    let lacks = |(target, missing): &(String, Missing)| {
        format!("{} of {} samples of {target}", missing.samples, missing.of)
    };
    let named: Vec<String> = of.iter().take(NAMED).map(lacks).collect();
    format!(
        "No recommendation: {} have no valid value. Values are rarely missing by chance, so the \
         other samples are not representative: remove the cause, and measure again.",
        list(named.iter().map(String::as_str)),
    )
}

/// The note on a target that has only some of the blocks.
pub(super) fn given_up(target: &str, (blocks, of): (usize, usize), why: Option<&str>) -> String {
    match why {
        Some(why) => {
            format!("{target} was dropped after {blocks} of {of} blocks and is not ranked: {why}.")
        }
        None => format!("{target} was measured in {blocks} of {of} blocks and is not ranked."),
    }
}

pub(super) fn zeros(target: &str, missing: &Missing) -> String {
    let Missing { zeros, of, .. } = missing;
    let are = if *zeros == 1 { "is" } else { "are" };
    format!(
        "{zeros} of {of} samples of {target} {are} zero: no work was done, so they are excluded \
         from means."
    )
}

//! Why figures are not judged, and what of them is left out, in words.

use stats::{Missing, list};

/// Candidates that are named; the others are counted.
const NAMED: usize = 3;

/// The candidates called `targets` were disturbed by other work.
pub(super) fn contended(targets: &[String], limit_pct: f64) -> String {
    let they = if targets.len() == 1 { "it" } else { "they" };
    format!(
        "No recommendation: other work had more than {limit_pct} % of the processors or of the disk below during \
         samples of {}; undisturbed {they} may be better. Repeat on a quiet machine.",
        list(targets.iter().map(String::as_str)),
    )
}

pub(super) fn same_places([first, second]: [&str; 2]) -> String {
    format!(
        "No recommendation: {first} and {second} went in the same order in every block, so that their difference \
         may be that of their places. Measure again with as many blocks as there are candidates: over so many, orders are \
         balanced."
    )
}

/// What is missing of each of `of` may hide another verdict.
pub(super) fn missing(of: &[(String, Missing)]) -> String {
    let lacks = |(target, missing): &(String, Missing)| {
        format!("{} of {} samples of {target}", missing.samples, missing.of)
    };
    let named: Vec<String> = of.iter().take(NAMED).map(lacks).collect();
    format!(
        "No recommendation: {} have no valid value. What is missing is seldom missing by chance, so the other samples do \
         not stand for all: remove what made it invalid, and measure again.",
        list(named.iter().map(String::as_str)),
    )
}

/// What is to be known of a target that has a part of the blocks.
pub(super) fn given_up(target: &str, (blocks, of): (usize, usize), why: Option<&str>) -> String {
    match why {
        Some(why) => {
            format!("{target} was given up after {blocks} of {of} blocks and is not ranked: {why}.")
        }
        None => format!("{target} was measured in {blocks} of {of} blocks and is not ranked."),
    }
}

pub(super) fn zeros(target: &str, missing: &Missing) -> String {
    let Missing { zeros, of, .. } = missing;
    let are = if *zeros == 1 { "is" } else { "are" };
    format!(
        "{zeros} of {of} samples of {target} {are} zero: nothing was done, so they are in no mean."
    )
}

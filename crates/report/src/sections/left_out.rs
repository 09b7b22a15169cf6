//! Summarizes in one paragraph which tests, targets and samples were left out, and why. The sections on failed targets
//! and on invalid samples have the details.

use crate::{
    block::Block,
    sections::{Brief, Section, invalid},
    words,
};
use model::result::{Dataset, Origin, TESTS_LEFT_OUT, Validity};
use stats::evaluation::{Failure, Findings};
use std::{cmp::Reverse, collections::BTreeMap};

/// Reasons and targets that are named; the rest is counted.
const NAMED: usize = 3;
/// Characters of a reason.
const REASON_CHARS: usize = 70;
/// What follows the words of an error of the system.
const OS_ERROR: &str = " (os error";

pub(crate) struct LeftOut;

impl Section for LeftOut {
    fn title(&self) -> &'static str {
        "Left out"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if dataset.campaign.origin != Origin::Run || findings.comparison.is_some() {
            return None;
        }
        let tests = dataset.campaign.environment.0.get(TESTS_LEFT_OUT);
        let tests = tests.map(|what| format!("{what}."));
        let parts = [tests, targets(findings), samples(dataset), short_cells(findings)];
        let said: Vec<String> = parts.into_iter().flatten().collect();
        let text = match said.is_empty() {
            true => "Nothing: every test ran on every target, and every sample is valid.".into(),
            false => said.join(" "),
        };
        Some(vec![Block::Prose(text)])
    }

    /// There no heading says what it is about.
    fn brief(&self, dataset: &Dataset, findings: &Findings, _: Brief) -> Option<Vec<Block>> {
        let mut blocks = self.build(dataset, findings)?;
        if let Some(Block::Prose(text)) = blocks.first_mut() {
            *text = format!("Left out: {}", text.replacen("Nothing: ", "nothing, ", 1));
        }
        Some(blocks)
    }

    fn in_terminal(&self) -> bool {
        false
    }

    fn of_whole(&self) -> bool {
        true
    }
}

fn targets(findings: &Findings) -> Option<String> {
    let failures = &findings.failures;
    let named = failures
        .iter()
        .take(NAMED)
        .map(|Failure { target, why }| format!("{target} ({})", short(why)));
    listed("Targets, completely or partly", named.collect(), failures.len())
}

/// The number of cells that are not scored because their timed parts are too short.
fn short_cells(findings: &Findings) -> Option<String> {
    let tables = findings.classes().flat_map(|class| &class.tables);
    let rows = tables.filter(|table| table.group.is_scored()).flat_map(|table| &table.rows);
    let (short, all) =
        rows.fold((0, 0), |(short, all), row| (short + usize::from(row.is_short()), all + 1));
    words::unscored::short_cells(short, all)
}

/// Why samples are left out. Only invalid ones differ by reason.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    Lukewarm,
    Disturbed,
    /// By the kind of its reason.
    Invalid(Validity),
}

fn samples(dataset: &Dataset) -> Option<String> {
    // Reasons that differ in numbers alone are one, told as that of the first sample.
    let mut reasons: BTreeMap<Cause, (usize, String)> = BTreeMap::new();
    for sample in &dataset.samples {
        let validity = &*sample.evidence.validity;
        let (kind, why) = match validity {
            Validity::Valid => continue,
            Validity::Invalid(why) => (Cause::Invalid(invalid::kind(validity)), words::reason(why)),
            Validity::Lukewarm(_) => (Cause::Lukewarm, "not in the requested cache state".into()),
            Validity::Disturbed(_) => (
                Cause::Disturbed,
                "measured again, because other processes used too much of the machine".into(),
            ),
        };
        reasons.entry(kind).or_insert((0, why)).0 += 1;
    }
    let mut reasons: Vec<(usize, String)> = reasons.into_values().collect();
    reasons.sort_by_key(|(count, _)| Reverse(*count));
    let count: usize = reasons.iter().map(|(count, _)| count).sum();
    let named = reasons.iter().take(NAMED).map(|(count, why)| format!("{} ({count})", short(why)));
    let head = format!("{count} of {} samples", dataset.samples.len());
    listed(&head, named.collect(), reasons.len())
}

/// `head: a, b, c and 4 more.`, of `all`; `None` without any.
fn listed(head: &str, named: Vec<String>, all: usize) -> Option<String> {
    let more = match all - named.len() {
        0 => String::new(),
        n => format!("; {n} more"),
    };
    (all > 0).then(|| format!("{head}: {}{more}.", named.join("; ")))
}

/// The beginning of a reason: whole clauses of it, or whole words and a mark that there is more. Of an error of the
/// system, what failed and the error: between them are long paths. Of any other, all but its paths.
fn short(why: &str) -> String {
    if why.chars().count() <= REASON_CHARS {
        return why.into();
    }
    if let Some((head, error)) = why.rsplit_once(": ").filter(|(_, last)| last.contains(OS_ERROR)) {
        let what = head.split_once(": ").map_or("", |(who, _)| who);
        let error = error.split(OS_ERROR).next().unwrap_or(error);
        return format!("{what}{}{error}", if what.is_empty() { "" } else { ": " });
    }
    let words = why.split(' ').map(|word| if word.starts_with('/') { "…" } else { word });
    let why = words.collect::<Vec<_>>().join(" ");
    let fits: String = why.chars().take(REASON_CHARS).collect();
    if fits.len() == why.len() {
        return fits;
    }
    match (fits.rfind([',', ';', ':']), fits.rfind(' ')) {
        (Some(clause), _) if 2 * clause >= fits.len() => fits[..clause].to_string(),
        (_, Some(word)) => format!("{} …", &fits[..word]),
        _ => fits + "…",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_ends_with_a_clause_or_a_word() {
        assert_eq!(short("no module"), "no module");
        let moved =
            "its device moved 15.6 MiB while it was paused for other candidates, and 103 MiB";
        assert_eq!(short(moved), moved.split(',').next().unwrap());
        let words =
            "mkfs.zfs, which has to make the pool of this candidate on two devices was not found";
        assert_eq!(
            short(words),
            "mkfs.zfs, which has to make the pool of this candidate on two devices …"
        );
        assert_eq!(short(&"x".repeat(80)), "x".repeat(REASON_CHARS) + "…");
        let path = "/var/lib/assay/state/mnt/assay-2026-11-29-01-18-zoi/assay-10-btrfs/w1/.d";
        let full = format!("worker 1: write {path}: No space left on device (os error 28)");
        assert_eq!(short(&full), "worker 1: No space left on device");
        let full = format!("write {path}: No space left on device (os error 28)");
        assert_eq!(short(&full), "No space left on device");
        let full = format!("worker 0: {path} holds wrong data: line 2: `ten` is not an offset");
        assert_eq!(short(&full), "worker 0: … holds wrong data: line 2: `ten` is not an offset");
    }
}

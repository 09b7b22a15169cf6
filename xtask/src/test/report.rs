//! Reports a test run: a line for each unit as it ends, then times, skips and failures.
#![expect(clippy::print_stdout, reason = "a chore answers on the terminal")]

use super::run::Ran;
use needs::{Need, Skip};
use std::{collections::BTreeMap, time::Duration};

/// Prints a line.
pub(super) fn note(line: &str) {
    println!("{line}");
}

/// Says how a unit ended, and all that it printed where it failed.
pub(super) fn line(ran: &Ran) {
    let verdict = if ran.failure.is_some() { "FAILED" } else { "ok" };
    println!("{}  {verdict}", row(ran));
    if let Some(said) = &ran.failure {
        println!("{said}\n");
    }
}

fn row(ran: &Ran) -> String {
    let skipped = match ran.skips.len() {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    let frozen = match ran.freezes {
        0 => String::new(),
        count => format!(", frozen {count} times"),
    };
    let (took_s, cpu_s) = (ran.took.as_secs_f64(), ran.processor_s);
    format!(
        "{took_s:7.1} s  {cpu_s:7.1} s  {:<32} {} passed{skipped}{frozen}",
        ran.name, ran.passed
    )
}

/// The end of a run whose tests were `built` and `took` so long.
/// True when nothing failed, and nothing was skipped that this machine can run.
pub(super) fn end(ran: &[Ran], built: Duration, took: Duration) -> bool {
    let mut by_time: Vec<&Ran> = ran.iter().collect();
    by_time.sort_by_key(|ran| ran.took);
    println!("\nTime of each and of its processes on the processors, the longest last:");
    by_time.iter().for_each(|ran| println!("{}", row(ran)));
    let skips = grouped(ran);
    let wrong = wrong(&skips);
    tell_skips(&skips, &wrong);
    let failed: Vec<&str> =
        ran.iter().filter(|ran| ran.failure.is_some()).map(|ran| ran.name.as_str()).collect();
    let seconds = took.as_secs_f64();
    let passed: usize = ran.iter().map(|ran| ran.passed).sum();
    let skipped: usize = skips.values().map(Vec::len).sum();
    println!("\nBuilt in {:.0} s, all run in {seconds:.0} s.", built.as_secs_f64());
    for unit in &failed {
        println!("FAILED: {unit}");
    }
    for need in &wrong {
        println!("FAILED: skipped for want of `{need}`, which this machine has");
    }
    println!("{}", closing(passed, failed.len() + wrong.len(), skipped));
    failed.is_empty() && wrong.is_empty()
}

/// The last line, in the form that programs look for: the tests that passed, the units and skips that are failures,
/// and the skips.
fn closing(passed: usize, failed: usize, skipped: usize) -> String {
    format!("{passed} passed, {failed} failed, {skipped} skipped")
}

type Grouped<'a> = BTreeMap<&'a Need, Vec<(&'a str, &'a Skip)>>;

/// The skips by what was missing, each with its unit.
fn grouped(ran: &[Ran]) -> Grouped<'_> {
    let mut all = Grouped::new();
    for ran in ran {
        for skip in &ran.skips {
            all.entry(&skip.need).or_default().push((&ran.name, skip));
        }
    }
    all
}

/// What was said to be missing and is there.
fn wrong<'a>(skips: &Grouped<'a>) -> Vec<&'a Need> {
    skips.keys().copied().filter(|need| need.is_met() == Some(true)).collect()
}

fn tell_skips(skips: &Grouped<'_>, wrong: &[&Need]) {
    for (need, skips) in skips {
        let is = match need.is_met() {
            _ if wrong.contains(need) => "which this machine has",
            Some(_) => "not here",
            None => "only the test can tell",
        };
        println!("\nSkipped for want of `{need}` ({is}): {}", skips.len());
        for (unit, skip) in skips {
            println!("  {unit} {}: {}", skip.test, skip.why);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(need: Need) -> [Ran; 1] {
        let skip = Skip { need, test: "a".into(), why: "b".into() };
        [Ran { skips: vec![skip], ..Ran::stub("lab/x") }]
    }

    #[test]
    fn a_skip_for_something_that_is_there_is_a_failure() {
        assert!(!end(&ran(Need::program("sh")), Duration::ZERO, Duration::ZERO));
        assert!(end(&ran(Need::program("no-such-program")), Duration::ZERO, Duration::ZERO));
        assert!(end(&ran(Need::Other), Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn the_last_line_counts_what_passed_failed_and_was_skipped() {
        assert_eq!(closing(1499, 0, 26), "1499 passed, 0 failed, 26 skipped");
    }

    #[test]
    fn a_unit_that_fails_is_a_failure() {
        let [mut ran] = ran(Need::Other);
        ran.failure = Some("why".into());
        assert!(!end(&[ran], Duration::ZERO, Duration::ZERO));
    }
}

//! Formats the harm that was found after a fault.

use crate::number;
use model::result::{FaultOnDisk, Harm};
use stats::{
    description::{FaultCell, list},
    kernel::upper_bound,
};

/// What was done to the disk, as the end of "after".
pub(crate) fn fault(fault: FaultOnDisk) -> &'static str {
    match fault {
        FaultOnDisk::Crash => "a crash",
        FaultOnDisk::CrashOfEarlyDisk => "a crash of a disk that acknowledges flushes early",
    }
}

/// What is wrong in a state, as a part of a sentence about it.
pub fn harm(harm: Harm) -> &'static str {
    match harm {
        Harm::Malformed => "what an application keeps is malformed",
        Harm::TransactionGone => "an acknowledged transaction is gone",
        Harm::TransactionTorn => "a transaction is there in part, or without those before it",
        Harm::Lost => "acknowledged data is lost",
        Harm::Zeros => "zeros in place of data",
        Harm::Old => "older data than acknowledged",
        Harm::OtherFile => "data of another file",
        Harm::Foreign => "data that was never written",
        Harm::Empty => "a replaced file is empty",
        Harm::Torn => "a replaced file is neither the old nor the new one",
        Harm::Size => "a size that the file never had",
        Harm::NameGone => "an acknowledged name is gone",
        Harm::NameStays => "a removed name is still there",
        Harm::NameUnknown => "a name that was never created",
        Harm::Kind => "a name leads to something of another kind",
        Harm::Links => "the link count is wrong",
        Harm::Unreadable => "a file cannot be read",
        Harm::NotMounted => "the file system cannot be mounted",
        Harm::Hung => "it hung",
        Harm::Damage => "the checker finds damage",
    }
}

/// The command that makes the state with this number again, which `test` found on `target` in campaign `id`.
pub fn remake_command(id: &str, (test, target): (&str, &str), state: u64) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@+".contains(c);
    let target = match target.chars().all(is_plain) {
        true => target.into(),
        false => format!("'{}'", target.replace('\'', "'\\''")),
    };
    format!("assay remake {id} {test} {target} {state}")
}

/// The states with something wrong of those that were tried: "0 of 400 (below 0.75 %)", "12 of 400", "0 of all 31".
pub(crate) fn count(harmed: u64, tried: u64, is_complete: bool) -> String {
    match (harmed, is_complete) {
        (_, true) => format!("{harmed} of all {tried}"),
        (0, false) => {
            let bound_pct = 100.0 * upper_bound(0, tried);
            format!("0 of {tried} (below {} %)", number::value(bound_pct))
        }
        (_, false) => format!("{harmed} of {tried}"),
    }
}

/// The worst harm in words, with the number of its `states` where it is not that of all `harmed` ones.
pub(crate) fn worst(worst: Harm, states: u64, harmed: u64) -> String {
    let what = harm(worst);
    if states == harmed { what.into() } else { format!("at worst, {what} in {states}") }
}

/// Which targets were harmed by the faults of `cells`, and which were not; `None` without any.
pub(crate) fn sentence(cells: &[FaultCell]) -> Option<String> {
    let sum =
        |target: &str, count: fn(&FaultCell) -> u64| of(cells, target).map(count).sum::<u64>();
    let targets = targets(cells);
    let (harmed, unharmed): (Vec<&str>, Vec<&str>) =
        targets.into_iter().partition(|target| sum(target, |cell| cell.harmed) > 0);
    let was = |target: &&str| {
        let (bad, tried) = (sum(target, |cell| cell.harmed), sum(target, |cell| cell.tried));
        let worst = of(cells, target).flat_map(|cell| cell.found.keys()).min().copied();
        let with = |own| of(cells, target).filter_map(move |cell| cell.found.get(&own));
        let states = |own| with(own).map(|found| found.states).sum();
        let what = worst.map(|own| format!(" ({})", self::worst(own, states(own), bad)));
        let what = what.unwrap_or_default();
        format!("{target} was harmed in {bad} of {tried} states{what}")
    };
    let mut parts: Vec<String> = harmed.iter().map(was).collect();
    if !unharmed.is_empty() {
        let tried: u64 = unharmed.iter().map(|target| sum(target, |cell| cell.tried)).sum();
        let names = list(unharmed.iter().copied());
        let were = if unharmed.len() == 1 { "was" } else { "were" };
        parts.push(format!("{names} {were} unharmed in {tried} states"));
    }
    (!parts.is_empty()).then(|| format!("After a power failure, {}.", parts.join("; ")))
}

fn of<'a>(cells: &'a [FaultCell], target: &'a str) -> impl Iterator<Item = &'a FaultCell> {
    cells.iter().filter(move |cell| cell.target == target)
}

/// Labels in order, each once.
fn targets(cells: &[FaultCell]) -> Vec<&str> {
    let mut targets: Vec<&str> = Vec::new();
    for cell in cells {
        if !targets.contains(&cell.target.as_str()) {
            targets.push(&cell.target);
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_without_harm_says_what_it_leaves_possible() {
        assert_eq!(count(0, 400, false), "0 of 400 (below 0.746 %)");
        assert_eq!(count(12, 400, false), "12 of 400");
        assert_eq!(count(0, 31, true), "0 of all 31");
    }

    #[test]
    fn command_survives_a_shell() {
        let of = |target| remake_command("c", ("a.b", target), 7);
        assert_eq!(of("ext4"), "assay remake c a.b ext4 7");
        assert_eq!(of("ext4[a;b]"), "assay remake c a.b 'ext4[a;b]' 7");
        assert_eq!(of("it's"), "assay remake c a.b 'it'\\''s' 7");
    }
}

//! States that a power failure leaves: how many were tried, and what was wrong in them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is done to the disk below a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultOnDisk {
    /// The power goes: what was not flushed is there, in part, or not at all.
    Crash,
    /// A crash of a disk that answers flushes before it has done them.
    CrashOfEarlyDisk,
}

/// What is wrong in a state that a fault left, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Harm {
    /// Mounting, reading or unmounting did not end in time.
    Hung,
    /// It cannot be mounted.
    NotMounted,
    /// What an application keeps is malformed: its own check fails, or it cannot be opened.
    Malformed,
    /// A transaction that an application acknowledged is not there.
    TransactionGone,
    /// A transaction is there in part, or without those before it.
    TransactionTorn,
    /// Data that was acknowledged is past the end of its file, or its file has no name any more.
    Lost,
    /// An acknowledged name is not there.
    NameGone,
    /// Data of another file.
    OtherFile,
    /// Data that the workload never wrote.
    Foreign,
    /// Zeros within the size of a file, where data was written.
    Zeros,
    /// A file that was to be replaced whole is empty.
    Empty,
    /// A file that was to be replaced whole is a part of the old or the new one, or of both.
    Torn,
    /// Data older than what was acknowledged.
    Old,
    /// A size that the file never had.
    Size,
    /// A name is there whose removal was acknowledged, or it still leads to the file that was replaced.
    NameStays,
    /// A name that the workload never made.
    NameUnknown,
    /// What a name leads to is of another kind: a file, a directory, a symbolic link, or one with another target.
    Kind,
    /// A file has more or fewer names than its count of links says.
    Links,
    /// A name or a file that is there cannot be read.
    Unreadable,
    /// Its checker finds damage.
    Damage,
}

impl Harm {
    /// All of them, the worst first.
    pub const ALL: [Harm; 20] = [
        Harm::Hung,
        Harm::NotMounted,
        Harm::Malformed,
        Harm::TransactionGone,
        Harm::TransactionTorn,
        Harm::Lost,
        Harm::NameGone,
        Harm::OtherFile,
        Harm::Foreign,
        Harm::Zeros,
        Harm::Empty,
        Harm::Torn,
        Harm::Old,
        Harm::Size,
        Harm::NameStays,
        Harm::NameUnknown,
        Harm::Kind,
        Harm::Links,
        Harm::Unreadable,
        Harm::Damage,
    ];

    /// Whether what a program was told to be durable is not there as it was.
    pub fn loses_acknowledged(self) -> bool {
        matches!(self, Harm::TransactionGone | Harm::Lost | Harm::Old | Harm::NameGone)
    }
}

/// One kind of harm in the states of one contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// States in which it is.
    pub states: u64,
    /// The number of the first of them, from which it can be made again.
    pub example: u64,
    /// What is wrong in that one, with the path, in one line.
    pub detail: String,
}

/// Shortest, middle and longest of some times, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// The shortest.
    pub min_ns: u64,
    /// The middle one; of an even number the lower of the two.
    pub median_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

impl Spread {
    /// Of `times_ns`; `None` where there are none.
    pub fn of(mut times_ns: Vec<u64>) -> Option<Spread> {
        times_ns.sort_unstable();
        let (min_ns, max_ns) = (*times_ns.first()?, *times_ns.last()?);
        Some(Spread { min_ns, median_ns: times_ns[(times_ns.len() - 1) / 2], max_ns })
    }

    /// Of several: the extremes of all, and the median of the medians; `None` where there are none.
    pub fn of_blocks(all: &[Spread]) -> Option<Spread> {
        let medians = Spread::of(all.iter().map(|own| own.median_ns).collect())?;
        Some(Spread {
            min_ns: all.iter().map(|own| own.min_ns).min()?,
            median_ns: medians.median_ns,
            max_ns: all.iter().map(|own| own.max_ns).max()?,
        })
    }
}

/// What was tried of one kind of fault under one contract, and what was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashStates {
    /// What was done.
    pub fault: FaultOnDisk,
    /// The name of the workload whose contract had to hold.
    pub contract: String,
    /// The seed of the workload's content and of the draw of states.
    pub seed: u64,
    /// Distinct states that were tried.
    pub tried: u64,
    /// Those in which anything is wrong.
    pub harmed: u64,
    /// Whether these are all states that the disk may be left in; otherwise they are a sample.
    pub is_complete: bool,
    /// Times that a mount with its recovery took; `None` where none succeeded.
    pub recovery: Option<Spread>,
    /// States that the checker looked at.
    pub checked: u64,
    /// Harm of each kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub found: BTreeMap<Harm, Found>,
}

impl CrashStates {
    /// No states, of which nothing is left out.
    pub fn none(fault: FaultOnDisk, contract: &str, seed: u64) -> CrashStates {
        CrashStates {
            fault,
            contract: contract.into(),
            seed,
            tried: 0,
            harmed: 0,
            is_complete: true,
            recovery: None,
            checked: 0,
            found: BTreeMap::new(),
        }
    }

    /// Notes that `harm` is in the state with this number, once for each state: callers pass each kind once.
    pub fn note(&mut self, harm: Harm, state: u64, detail: impl FnOnce() -> String) {
        let new = || Found { states: 0, example: state, detail: detail() };
        self.found.entry(harm).or_insert_with(new).states += 1;
    }

    /// Findings of all states; a state has one for each kind of harm.
    pub fn noted(&self) -> u64 {
        self.found.values().map(|found| found.states).sum()
    }

    /// States with `harm`.
    pub fn count(&self, harm: Harm) -> u64 {
        self.found.get(&harm).map_or(0, |found| found.states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> CrashStates {
        CrashStates {
            fault: FaultOnDisk::Crash,
            contract: "append".into(),
            seed: 7,
            tried: 400,
            harmed: 0,
            is_complete: false,
            recovery: Spread::of(vec![9, 1, 5, 7]),
            checked: 0,
            found: BTreeMap::new(),
        }
    }

    #[test]
    fn a_spread_is_of_the_sorted_times() {
        let spread = Spread { min_ns: 1, median_ns: 5, max_ns: 9 };
        assert_eq!(example().recovery, Some(spread));
        assert_eq!(Spread::of(vec![]), None);
    }

    #[test]
    fn the_first_state_of_a_kind_is_its_example_and_survives_json() {
        let mut after = example();
        after.note(Harm::Zeros, u64::MAX - 1, || "a: bytes 0 to 4096".into());
        after.note(Harm::Zeros, 4, || unreachable!("the first has said it"));
        after.note(Harm::Lost, 4, || "b".into());
        assert_eq!((after.count(Harm::Zeros), after.count(Harm::Lost)), (2, 1));
        assert_eq!(after.count(Harm::Old), 0);
        assert_eq!(after.noted(), 3);
        assert_eq!(after.found[&Harm::Zeros].example, u64::MAX - 1);
        let text = serde_json::to_string(&after).unwrap();
        assert!(text.contains("\"zeros\":{\"states\":2"), "{text}");
        assert_eq!(serde_json::from_str::<CrashStates>(&text).unwrap(), after);
    }

    #[test]
    fn every_harm_is_listed_once() {
        let listed: std::collections::BTreeSet<Harm> = Harm::ALL.into_iter().collect();
        assert_eq!(listed.len(), Harm::ALL.len());
        assert!(Harm::ALL.is_sorted(), "the worst first, as they are compared");
        assert_eq!(listed.into_iter().next_back(), Some(Harm::Damage), "the last of the enum");
    }
}

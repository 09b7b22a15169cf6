//! Detects duplicates: two copies of one output of a tool, recognized by their text, are not two runs.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::Hasher,
};

/// A fingerprint of the text of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Print(u64);

/// Makes a [`Print`] of a text that comes in parts.
#[derive(Clone, Default)]
pub(crate) struct Printer(DefaultHasher);

impl Printer {
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.write(part);
    }

    pub(crate) fn print(&self) -> Print {
        Print(self.0.finish())
    }
}

impl Print {
    /// The print of `text`.
    pub(crate) fn of(text: &[u8]) -> Print {
        let mut printer = Printer::default();
        printer.add(text);
        printer.print()
    }

    /// The print of this text followed by `text`.
    pub(crate) fn then(self, text: &[u8]) -> Print {
        let mut printer = Printer::default();
        printer.add(&self.0.to_le_bytes());
        printer.add(text);
        printer.print()
    }
}

/// Said where a copy was left out.
pub(crate) const AGAIN: &str = "The output of one run appeared more than once; it was counted \
                                once.";

/// Said where two targets have one run.
pub(crate) const ELSEWHERE: &str = "The output of one run is given for two targets, so it is \
                                    wrong for at least one of them.";

/// The runs that were read.
#[derive(Default)]
pub(crate) struct Runs(HashMap<Print, Vec<String>>);

/// Whether a run was read before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Novelty {
    /// It was not.
    New,
    /// For the same target.
    Again,
    /// For another target.
    Elsewhere,
}

impl Runs {
    /// Notes a run of `target`, and tells whether it was there.
    pub(crate) fn see(&mut self, target: &str, print: Print) -> Novelty {
        let targets = self.0.entry(print).or_default();
        if targets.iter().any(|known| known == target) {
            return Novelty::Again;
        }
        targets.push(target.into());
        if targets.len() == 1 { Novelty::New } else { Novelty::Elsewhere }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_known_in_whatever_parts_it_comes() {
        let mut printer = Printer::default();
        printer.add(b"IOPS=");
        printer.add(b"100");
        assert_eq!(printer.print(), Print::of(b"IOPS=100"));
        let mut runs = Runs::default();
        assert_eq!(runs.see("xfs", printer.print()), Novelty::New);
        assert_eq!(runs.see("xfs", printer.print()), Novelty::Again);
        assert_eq!(runs.see("ext4", printer.print()), Novelty::Elsewhere);
        assert_eq!(runs.see("xfs", Print::of(b"IOPS=101")), Novelty::New);
    }
}

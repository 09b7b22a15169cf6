//! The tries of a target since the program started: which are repeated, and when the target is dropped. No clock in
//! here, so that each rule is tested with numbers.

use model::result::FaultKind;
use std::collections::BTreeMap;

/// Failures in a row of one kind after which a target is dropped, and tries after which a block is.
const MOST: u32 = 3;
/// Failures in a row of any kind after which a target is dropped: retries are bounded.
const MOST_OF_ANY_KIND: u32 = 6;

/// The tries of one target.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Kind of the last failure, when the last try failed.
    kind: Option<FaultKind>,
    /// Failures in a row of that kind.
    alike: u32,
    /// Failures in a row.
    failures: u32,
    /// Tries of each block.
    tries: BTreeMap<u32, u32>,
}

impl History {
    /// Records that it worked in `block`.
    pub fn worked(&mut self, block: u32) {
        *self.tries.entry(block).or_default() += 1;
        (self.kind, self.alike, self.failures) = (None, 0, 0);
    }

    /// Records that it failed in `block`.
    pub fn failed(&mut self, block: u32, kind: FaultKind) {
        *self.tries.entry(block).or_default() += 1;
        self.alike = if self.kind == Some(kind) { self.alike + 1 } else { 1 };
        self.kind = Some(kind);
        self.failures += 1;
    }

    /// Returns whether its last try, if any, worked.
    pub fn is_well(&self) -> bool {
        self.failures == 0
    }

    /// Returns whether the last failure is the first of its kind in a row.
    pub fn is_news(&self) -> bool {
        self.alike == 1
    }

    /// Returns whether it is dropped.
    pub fn is_given_up(&self) -> bool {
        // A retry would fail the same way.
        let is_wrong = self.kind == Some(FaultKind::Options);
        is_wrong || self.alike >= MOST || self.failures >= MOST_OF_ANY_KIND
    }

    /// Returns whether it is retried in `block`.
    pub fn may_try(&self, block: u32) -> bool {
        !self.is_given_up() && self.tries.get(&block).is_none_or(|tries| *tries < MOST)
    }

    /// Returns the failures in a row.
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FaultKind::{Command, Gone};

    fn after(tries: &[(u32, Option<FaultKind>)]) -> History {
        let mut history = History::default();
        for (block, kind) in tries {
            match kind {
                Some(kind) => history.failed(*block, *kind),
                None => history.worked(*block),
            }
        }
        history
    }

    #[test]
    fn three_equal_failures_in_a_row_drop_a_target() {
        let two = after(&[(0, Some(Gone)), (1, Some(Gone))]);
        assert!(!two.is_given_up() && !two.is_well() && !two.is_news() && two.may_try(0));
        let three = after(&[(0, Some(Gone)), (1, Some(Gone)), (2, Some(Gone))]);
        assert!(three.is_given_up() && !three.may_try(9));
        assert_eq!(three.failures(), 3);
        let other = after(&[(0, Some(Gone)), (1, Some(Gone)), (2, Some(Command))]);
        assert!(!other.is_given_up() && other.is_news());
        let between = after(&[(0, Some(Gone)), (1, Some(Gone)), (2, None), (0, Some(Gone))]);
        assert!(!between.is_given_up() && between.is_news());
    }

    #[test]
    fn wrong_options_are_not_retried() {
        let wrong = after(&[(0, None), (1, Some(FaultKind::Options))]);
        assert!(wrong.is_given_up() && !wrong.may_try(1));
    }

    #[test]
    fn alternating_failures_drop_a_target_too() {
        let changing = |n| {
            let tries: Vec<_> =
                (0..n).map(|i| (i, Some(if i % 2 == 0 { Gone } else { Command }))).collect();
            after(&tries)
        };
        assert!(!changing(5).is_given_up());
        assert!(changing(6).is_given_up());
    }

    #[test]
    fn failing_block_is_tried_three_times() {
        let tries: Vec<_> = (0..3).flat_map(|i| [(7, Some(Command)), (10 + i, None)]).collect();
        let history = after(&tries);
        assert!(history.is_well() && !history.may_try(7) && history.may_try(8));
    }
}

//! Tracks the sectors that newer writes cover, when writes are processed from the newest to the oldest.

use std::{collections::BTreeMap, ops::Range};

/// Ranges of sectors that were covered so far.
#[derive(Debug, Default)]
pub(super) struct Uncovered {
    /// Ends by starts; no two touch.
    covered: BTreeMap<u64, u64>,
}

impl Uncovered {
    /// The parts of `range` that were not covered; all of it is, from now on.
    pub(super) fn take(&mut self, range: Range<u64>) -> Vec<Range<u64>> {
        if range.is_empty() {
            return Vec::new();
        }
        let before = self.covered.range(..=range.start).next_back();
        let first = before.filter(|(_, end)| **end >= range.start).map_or(range.start, |(s, _)| *s);
        let touched = self.covered.range(first..=range.end).map(|(start, end)| (*start, *end));
        let touched: Vec<(u64, u64)> = touched.collect();
        let mut free = Vec::new();
        let (mut at, mut whole) = (range.start, range.clone());
        for (start, end) in touched {
            self.covered.remove(&start);
            if at < start {
                free.push(at..start);
            }
            at = at.max(end);
            whole = whole.start.min(start)..whole.end.max(end);
        }
        if at < range.end {
            free.push(at..range.end);
        }
        self.covered.insert(whole.start, whole.end);
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_sector_is_given_once(ranges in prop::collection::vec((0u64..60, 0u64..20), 0..30)) {
            let mut own = Uncovered::default();
            let mut seen = [false; 80];
            for (start, length) in ranges {
                let new: Vec<u64> = own.take(start..start + length).into_iter().flatten().collect();
                let expected: Vec<u64> =
                    (start..start + length).filter(|at| !seen[*at as usize]).collect();
                prop_assert_eq!(&new, &expected);
                new.iter().for_each(|at| seen[*at as usize] = true);
            }
        }
    }
}

//! Estimates the number of distinct items in fixed memory, from the smallest of their hashes (k minimum values).

use std::collections::{BinaryHeap, HashSet};

/// Numbers that are kept; the count is off by about one part in the square root of them.
const KEPT: usize = 4096;

/// A count of different things; exact below 4096 of them.
#[derive(Clone, Debug, Default)]
pub struct Distinct {
    /// The largest on top.
    smallest: BinaryHeap<u64>,
    kept: HashSet<u64>,
    /// The last that was added, which is often added again.
    last: Option<u64>,
}

impl Distinct {
    /// Adds the thing with this number.
    pub fn add(&mut self, thing: u64) {
        if self.last.replace(thing) == Some(thing) {
            return;
        }
        let scattered = scatter(thing);
        let is_full = self.smallest.len() == KEPT;
        if is_full && self.smallest.peek().is_some_and(|largest| scattered >= *largest) {
            return;
        }
        if self.kept.insert(scattered) {
            self.smallest.push(scattered);
            if is_full && let Some(largest) = self.smallest.pop() {
                self.kept.remove(&largest);
            }
        }
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        match self.smallest.peek() {
            Some(largest) if self.smallest.len() == KEPT => {
                ((KEPT - 1) as f64 / (*largest as f64 / u64::MAX as f64)) as u64
            }
            _ => self.smallest.len() as u64,
        }
    }
}

/// A bijection whose results look random (the output of splitmix64).
fn scatter(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_counted_and_many_estimated() {
        let mut distinct = Distinct::default();
        for thing in (0..1000).chain(500..1500) {
            distinct.add(thing);
        }
        assert_eq!(distinct.count(), 1500);
        for thing in (0..1_000_000).chain(0..1_000_000) {
            distinct.add(thing);
        }
        assert!((950_000..1_050_000).contains(&distinct.count()), "{}", distinct.count());
    }
}

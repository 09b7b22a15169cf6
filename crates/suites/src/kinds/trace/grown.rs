//! Knows which call made each part of a file: a call that reads or writes there again has to come after it.

use super::resource::Mark;

/// Most calls that are kept apart for a file. Beyond them, a part counts as made by a later call that made it longer,
/// which waits for more than is needed.
const MOST: usize = 64;

/// How a file became as long as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Grown {
    /// Bytes that were there before any of the calls.
    base: u64,
    /// Up to which byte each call made it longer, ascending.
    calls: Vec<(u64, Mark)>,
}

impl Grown {
    /// A file that has `bytes` at the beginning.
    pub(super) fn from(bytes: u64) -> Grown {
        Grown { base: bytes, calls: Vec::new() }
    }

    /// Its length.
    pub(super) fn bytes(&self) -> u64 {
        self.calls.last().map_or(self.base, |(end, _)| *end)
    }

    /// The call that made the part which ends at `end`; `None` where it was there before all calls.
    pub(super) fn maker(&self, end: u64) -> Option<Mark> {
        if end <= self.base {
            return None;
        }
        let at = self.calls.partition_point(|(to, _)| *to < end);
        self.calls.get(at.min(self.calls.len().checked_sub(1)?)).map(|(_, mark)| *mark)
    }

    /// Has `bytes` by the call `mark`.
    pub(super) fn set_bytes(&mut self, bytes: u64, mark: Mark) {
        if bytes > self.bytes() {
            self.calls.push((bytes, mark));
            if self.calls.len() > MOST {
                self.forget_every_second();
            }
            return;
        }
        let kept = self.calls.partition_point(|(end, _)| *end < bytes);
        self.calls.truncate(kept + 1);
        // What is left of it was made by the call that made all of it.
        self.calls.get_mut(kept).into_iter().for_each(|(end, _)| *end = bytes);
        if bytes <= self.base {
            *self = Grown::from(bytes);
        }
    }

    /// The part of each that goes counts to the next one. The last one stays.
    fn forget_every_second(&mut self) {
        let mut is_kept = self.calls.len().is_multiple_of(2);
        self.calls.retain(|_| {
            is_kept = !is_kept;
            is_kept
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mark(number: u64) -> Mark {
        Mark { lane: 0, number, end_ns: 0 }
    }

    #[test]
    fn each_part_is_of_the_call_that_made_it() {
        let mut grown = Grown::from(10);
        grown.set_bytes(20, mark(1));
        grown.set_bytes(40, mark(2));
        let maker = |grown: &Grown, end| grown.maker(end).map(|mark| mark.number);
        assert_eq!(
            [10, 11, 20, 21, 40].map(|end| maker(&grown, end)),
            [None, Some(1), Some(1), Some(2), Some(2)]
        );
        grown.set_bytes(30, mark(3));
        assert_eq!((grown.bytes(), maker(&grown, 30)), (30, Some(2)));
        grown.set_bytes(50, mark(4));
        assert_eq!([30, 31].map(|end| maker(&grown, end)), [Some(2), Some(4)]);
        grown.set_bytes(5, mark(5));
        assert_eq!((grown.bytes(), maker(&grown, 5)), (5, None));
        grown.set_bytes(6, mark(6));
        assert_eq!([5, 6].map(|end| maker(&grown, end)), [None, Some(6)]);
    }

    proptest! {
        /// Against a file of which each byte knows its maker: the same one or, of many, a later one.
        #[test]
        fn no_part_is_said_to_be_there_too_early(lengths in prop::collection::vec(0_usize..300, 1..400)) {
            let (mut grown, mut bytes) = (Grown::from(100), vec![None; 100]);
            for (number, length) in (1_u64..).zip(&lengths) {
                bytes.resize(*length, Some(number));
                grown.set_bytes(*length as u64, mark(number));
                prop_assert_eq!(grown.bytes(), *length as u64);
                prop_assert!(grown.calls.len() <= MOST);
                for (at, made) in bytes.iter().enumerate() {
                    let maker = grown.maker(at as u64 + 1).map(|mark| mark.number);
                    prop_assert!(maker >= *made && maker <= Some(number), "{at}: {maker:?}, {made:?}");
                    prop_assert!(lengths.len() > MOST || maker == *made);
                }
            }
        }
    }
}

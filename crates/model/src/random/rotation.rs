//! Assigns the partitions of a split disk to candidates, block by block. A disk is not equally fast everywhere: an
//! outer track passes the head faster, and a written cell is slower than a fresh one.

use crate::random::Rng;

/// The part, from 0, that the candidate `number`, from 0, of `parts` has in `block`.
///
/// As many blocks as there are parts make a round. At its begin the candidates are shuffled by `seed` over
/// the parts, then each moves to the next part from block to block, and from the last to the first: in
/// every block the parts are all different, in a round each candidate has each part once, and after any
/// number of blocks it has had no part more than once more often than another.
pub fn part_in_block(seed: u64, block: u32, number: u32, parts: u32) -> u32 {
    let parts = parts.max(1);
    let (round, step) = (block / parts, block % parts);
    let mut first: Vec<u32> = (0..parts).collect();
    Rng::new(seed ^ (u64::from(round) << 32 | 0x5b17)).shuffle(&mut first);
    (first[(number % parts) as usize] + step) % parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How often each candidate had each part in the first `blocks` blocks.
    fn counts(seed: u64, blocks: u32, parts: u32) -> Vec<Vec<u32>> {
        let mut counts = vec![vec![0; parts as usize]; parts as usize];
        for block in 0..blocks {
            for (number, of) in (0..).zip(&mut counts) {
                of[part_in_block(seed, block, number, parts) as usize] += 1;
            }
        }
        counts
    }

    proptest! {
        #[test]
        fn every_candidate_has_every_part_equally_often(
            seed: u64, blocks in 0u32..60, parts in 1u32..12
        ) {
            let counts = counts(seed, blocks, parts);
            for of in &counts {
                let (least, most) = (of.iter().min().unwrap(), of.iter().max().unwrap());
                prop_assert!(most - least <= 1, "{counts:?}");
            }
            for part in 0..parts as usize {
                let all: u32 = counts.iter().map(|of| of[part]).sum();
                prop_assert_eq!(all, blocks, "each part is used once in a block");
            }
        }

        #[test]
        fn each_candidate_changes_its_place(seed: u64, block in 0u32..60, parts in 2u32..12) {
            prop_assume!((block + 1) % parts != 0);
            for number in 0..parts {
                let [now, next] = [block, block + 1].map(|b| part_in_block(seed, b, number, parts));
                prop_assert_ne!(now, next);
            }
        }
    }

    #[test]
    fn rounds_and_seeds_differ() {
        let round = |seed, round: u32| -> Vec<u32> {
            (0..5).map(|number| part_in_block(seed, round * 5, number, 5)).collect()
        };
        assert!((1..8).any(|n| round(1, n) != round(1, 0)));
        assert!((2..8).any(|seed| round(seed, 0) != round(1, 0)));
        assert_eq!(round(7, 3), round(7, 3));
    }
}

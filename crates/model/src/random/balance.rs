//! Balances the order of candidates over blocks. If orders were only shuffled, one candidate would be first in all of
//! three blocks once in nine campaigns, or once in four with two candidates; drift within a block would then be
//! mistaken for a difference.

use crate::random::Rng;

/// The numbers, from 0, of `candidates` in the order in which they go in `block`.
///
/// As many blocks as there are candidates form a round, in which each candidate has each position once: a Williams
/// Latin square ("Experimental designs balanced for the estimation of residual effects of treatments", 1949), in which
/// each candidate also follows each other one equally often, within one round for an even number of candidates and
/// within two for an odd one. Every second round mirrors the one before it, so that two candidates go AB BA BA AB. The
/// assignment of candidates to letters is drawn from `seed` for every two rounds.
pub fn balanced_order(seed: u64, block: u32, candidates: usize) -> Vec<usize> {
    let of_round = candidates.max(1);
    let (round, row) = (block as usize / of_round, block as usize % of_round);
    let mut letters: Vec<usize> = (0..candidates).collect();
    Rng::new(seed ^ ((round as u64 / 2) << 32 | 0xb10c)).shuffle(&mut letters);
    let mut order: Vec<usize> = (0..candidates)
        .map(|place| letters[(zigzag(place, candidates) + row) % candidates])
        .collect();
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// The first row of the square: 0, 1, n - 1, 2, n - 2, ..., whose steps are all different.
fn zigzag(place: usize, n: usize) -> usize {
    match place {
        0 => 0,
        _ if place % 2 == 1 => place.div_ceil(2),
        _ => n - place / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How often each candidate was in each place, and right behind each other one, in `blocks` from `first`.
    fn counts(seed: u64, first: usize, blocks: usize, n: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut places, mut behind) = (vec![0; n * n], vec![0; n * n]);
        for block in first..first + blocks {
            let order = balanced_order(seed, block as u32, n);
            order.iter().enumerate().for_each(|(place, who)| places[who * n + place] += 1);
            order.windows(2).for_each(|pair| behind[pair[1] * n + pair[0]] += 1);
        }
        (places, behind)
    }

    proptest! {
        #[test]
        fn each_candidate_has_each_place_once_per_round(seed: u64, round in 0usize..6, n in 1usize..12) {
            let (places, _) = counts(seed, round * n, n, n);
            prop_assert!(places.iter().all(|count| *count == 1), "{places:?}");
        }

        #[test]
        fn each_candidate_follows_each_other_equally_often(seed: u64, twice in 0usize..3, n in 2usize..12) {
            let (_, behind) = counts(seed, twice * 2 * n, 2 * n, n);
            let others = behind.iter().enumerate().filter(|(at, _)| at / n != at % n);
            prop_assert!(others.into_iter().all(|(_, count)| *count == 2), "{behind:?}");
        }
    }

    #[test]
    fn two_go_to_and_fro() {
        for seed in 0..20 {
            let firsts: Vec<usize> =
                (0..4).map(|block| balanced_order(seed, block, 2)[0]).collect();
            assert_ne!(firsts[0], firsts[1], "after two blocks each was first once");
            assert_eq!([firsts[0], firsts[1]], [firsts[3], firsts[2]]);
        }
        assert!((0..20).any(|seed| balanced_order(seed, 0, 2) != balanced_order(0, 0, 2)));
    }

    #[test]
    fn empty_and_single_orders_are_valid() {
        assert_eq!(balanced_order(1, 5, 0), [0; 0]);
        assert_eq!(balanced_order(1, 5, 1), [0]);
    }
}

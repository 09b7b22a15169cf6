//! The barrier of a pool as messages: in each round a rank sends a token and waits for one, over distances 1, 2, 4 and
//! so on (a dissemination barrier: D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization",
//! 1988). No rank passes before all have arrived. MPI_Barrier does the same, but only for a communicator; creating one
//! is a collective call, which a stopped rank blocks without revealing which rank it is.

use serde::{Deserialize, Serialize};
use std::iter;

/// With whom a rank exchanges tokens in one round, by number of the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// The rank that gets a token.
    pub to: usize,
    /// The rank that sends one.
    pub from: usize,
}

/// The rounds of the rank at `place` of `ranks`, in their order.
pub fn rounds(ranks: &[usize], place: usize) -> Vec<Round> {
    let count = ranks.len();
    let distances = iter::successors(Some(1), |distance| Some(2 * distance));
    distances
        .take_while(|distance| *distance < count)
        .map(|distance| Round {
            to: ranks[(place + distance) % count],
            from: ranks[(place + count - distance) % count],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_ranks_need_two_rounds() {
        let ranks = [0, 2, 1, 3];
        assert_eq!(rounds(&ranks, 0), [Round { to: 2, from: 3 }, Round { to: 1, from: 1 }]);
        assert_eq!(rounds(&ranks, 3), [Round { to: 0, from: 1 }, Round { to: 2, from: 2 }]);
        assert_eq!(rounds(&[0], 0), []);
    }

    /// Those of `count` ranks that pass while `absent` is not there.
    fn passed(count: usize, absent: Option<usize>) -> Vec<usize> {
        let ranks: Vec<usize> = (0..count).collect();
        let mut sent = Vec::new();
        let mut at = vec![0; count];
        let all: Vec<Vec<Round>> = ranks.iter().map(|place| rounds(&ranks, *place)).collect();
        // As many steps as the longest way needs, with every rank moving in each.
        for _ in 0..2 * count + 2 {
            for rank in ranks.iter().copied().filter(|rank| Some(*rank) != absent) {
                let Some(round) = all[rank].get(at[rank]) else { continue };
                if !sent.contains(&(rank, round.to)) {
                    sent.push((rank, round.to));
                }
                at[rank] += usize::from(sent.contains(&(round.from, rank)));
            }
        }
        ranks.into_iter().filter(|rank| at[*rank] == all[*rank].len()).collect()
    }

    #[test]
    fn no_rank_passes_before_the_last_has_arrived() {
        for count in 2..=17 {
            for absent in 0..count {
                assert!(passed(count, Some(absent)).is_empty(), "{absent} of {count} is missing");
            }
            assert_eq!(passed(count, None).len(), count, "all of {count} are there");
        }
    }
}

//! Computes how much the answer depends on the weights, which are judgments: weights drawn around the profile's
//! (Lahdelma and Salminen, "SMAA-2", Operations Research 49(3), 2001), the change of one weight that changes the first
//! place, and omitted parts.

use super::work::{self, Entry};
use crate::kernel::draw::dirichlet;
use model::{
    random::Rng,
    workload::{CacheState, Profile},
};
use serde::Serialize;

/// Draws of the weights.
const DRAWS: usize = 2_000;
/// Sum of the concentrations of those draws: with 50, a weight of 0.3 is drawn as 0.3 +- 0.06.
const CONCENTRATION: f64 = 50.0;
/// Least first-rank acceptability of an answer that is called robust.
const ROBUST_SHARE: f64 = 0.8;
/// Share of the cells, the noisiest, that is left out for a trial.
const NOISIEST: f64 = 0.1;

/// The first candidate when the profile is changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sensitivity {
    /// Share of drawn weights under which each candidate is first.
    pub acceptability: Vec<Share>,
    /// For each group the smallest change of its weight that changes who is first.
    pub tipping: Vec<Tipping>,
    /// The first without each group.
    pub without: Vec<Without>,
    /// The first in the cells that were measured hot; `None` without such.
    pub hot_only: Option<String>,
    /// The first in the cells that were measured cold.
    pub cold_only: Option<String>,
    /// The first without the noisiest tenth of the cells; `None` with one block.
    pub without_noisiest: Option<String>,
    /// First in 80 % of the drawn weights and without any one group; `None` with a single group,
    /// which leaves nothing to vary.
    pub robust: Option<bool>,
}

/// First-rank acceptability.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Label.
    pub target: String,
    /// Share of the draws in which it is first.
    pub share: f64,
}

/// Where the order turns when one weight changes and the others keep their proportions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tipping {
    /// Name of the group.
    pub group: String,
    /// Its share now.
    pub weight: f64,
    /// The share nearest to it at which another target draws level; `None` when none does.
    pub at: Option<f64>,
    /// That target.
    pub then: Option<String>,
}

/// The first candidate without one group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Without {
    /// Name of the group.
    pub group: String,
    /// Label.
    pub first: String,
}

/// What the trials work on.
struct Trial<'a> {
    entries: &'a [Entry<'a>],
    levels: Vec<Vec<f64>>,
    weights: Vec<f64>,
    names: Vec<&'a str>,
}

/// All trials over these entries, which every one of `columns` has; the answer named the column at
/// `advised` of these first.
pub(super) fn sensitivity(
    profile: &Profile,
    entries: &[Entry<'_>],
    (columns, advised): (&[usize], usize),
    targets: &[String],
    seed: u64,
) -> Option<Sensitivity> {
    let trial = Trial {
        entries,
        levels: work::levels(entries, columns),
        weights: profile.groups.iter().map(|g| g.weight).collect(),
        names: columns.iter().map(|&c| targets[c].as_str()).collect(),
    };
    let first = trial.first(|_, _| true)?;
    let groups: Vec<usize> =
        (0..profile.groups.len()).filter(|g| entries.iter().any(|e| e.group == *g)).collect();
    let name = |g: usize| profile.groups[g].name.clone();
    let label = |column: usize| trial.names[column].to_string();
    let without = groups.iter().filter_map(|&g| {
        let first = label(trial.first(|_, e| e.group != g)?);
        Some(Without { group: name(g), first })
    });
    let without: Vec<Without> = without.collect();
    let means = trial.group_means(&groups);
    let acceptability = trial.acceptability(&groups, &means, seed);
    let stays = acceptability[advised].share >= ROBUST_SHARE
        && without.iter().all(|w| w.first == trial.names[advised]);
    let in_state = |state| trial.first(|_, e| e.cell.cache == state).map(label);
    Some(Sensitivity {
        tipping: trial.tipping(&groups, &means, first, name),
        hot_only: in_state(CacheState::Hot),
        cold_only: in_state(CacheState::Cold),
        without_noisiest: trial.without_noisiest(columns).map(label),
        robust: (groups.len() > 1).then_some(stays),
        acceptability,
        without,
    })
}

impl Trial<'_> {
    /// The first over the entries that are kept.
    fn first(&self, keep: impl Fn(usize, &Entry<'_>) -> bool) -> Option<usize> {
        let kept: Vec<usize> =
            (0..self.entries.len()).filter(|&i| keep(i, &self.entries[i])).collect();
        let entries: Vec<Entry<'_>> = kept.iter().map(|&i| self.entries[i]).collect();
        let levels: Vec<Vec<f64>> = kept.iter().map(|&i| self.levels[i].clone()).collect();
        work::best(&work::score(&levels, &work::weights(&entries)))
    }

    /// Mean level of each column in each of `groups`.
    fn group_means(&self, groups: &[usize]) -> Vec<Vec<f64>> {
        let mean = |group: &usize| {
            let own = self.entries.iter().zip(&self.levels).filter(|(e, _)| e.group == *group);
            let own: Vec<Vec<f64>> = own.map(|(_, levels)| levels.clone()).collect();
            work::score(&own, &vec![1.0 / own.len() as f64; own.len()])
        };
        groups.iter().map(mean).collect()
    }

    /// Weights of `groups` that sum to 1.
    fn shares(&self, groups: &[usize]) -> Vec<f64> {
        let total: f64 = groups.iter().map(|&g| self.weights[g]).sum();
        groups.iter().map(|&g| self.weights[g] / total).collect()
    }

    fn acceptability(&self, groups: &[usize], means: &[Vec<f64>], seed: u64) -> Vec<Share> {
        let mut rng = Rng::new(seed);
        let around: Vec<f64> = self.shares(groups).iter().map(|w| CONCENTRATION * w).collect();
        let mut wins = vec![0usize; self.names.len()];
        for _ in 0..DRAWS {
            if let Some(first) = work::best(&work::score(means, &dirichlet(&mut rng, &around))) {
                wins[first] += 1;
            }
        }
        let share = |(name, wins): (&&str, usize)| Share {
            target: name.to_string(),
            share: wins as f64 / DRAWS as f64,
        };
        self.names.iter().zip(wins).map(share).collect()
    }

    fn tipping(
        &self,
        groups: &[usize],
        means: &[Vec<f64>],
        first: usize,
        name: impl Fn(usize) -> String,
    ) -> Vec<Tipping> {
        let shares = self.shares(groups);
        let tipping = |i: usize| {
            let turn = turn(means, &shares, i, first);
            Tipping {
                group: name(groups[i]),
                weight: shares[i],
                at: turn.map(|t| t.0),
                then: turn.map(|t| self.names[t.1].to_string()),
            }
        };
        (0..groups.len()).map(tipping).collect()
    }

    fn without_noisiest(&self, columns: &[usize]) -> Option<usize> {
        let noise: Option<Vec<f64>> =
            self.entries.iter().map(|e| work::noise(e, columns)).collect();
        let noise = noise?;
        let mut order: Vec<usize> = (0..noise.len()).collect();
        order.sort_by(|&a, &b| noise[b].total_cmp(&noise[a]));
        order.truncate((noise.len() as f64 * NOISIEST).ceil() as usize);
        self.first(|i, _| !order.contains(&i))
    }
}

/// The weight of group `i`, nearest to its own, at which another column draws level with `first`,
/// and that column. With weight x the lead over a column is x d + (1 - x) r, where d is the lead in
/// the group and r the lead in the others, which keep their proportions; it is 0 at r / (r - d).
fn turn(means: &[Vec<f64>], shares: &[f64], i: usize, first: usize) -> Option<(f64, usize)> {
    let own = shares[i];
    let others = (0..shares.len()).filter(|&g| g != i);
    let rest: f64 = others.clone().map(|g| shares[g]).sum();
    if rest <= 0.0 {
        return None;
    }
    let lead = |column: usize| {
        let of = |g: usize| means[g][first] - means[g][column];
        (of(i), others.clone().map(|g| shares[g] * of(g)).sum::<f64>() / rest)
    };
    let columns = (0..means[i].len()).filter(|&c| c != first);
    let turns = columns.filter_map(|column| {
        let (d, r) = lead(column);
        let at = r / (r - d);
        (0.0..=1.0).contains(&at).then_some((at, column))
    });
    turns.min_by(|a, b| (a.0 - own).abs().total_cmp(&(b.0 - own).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_turns_where_the_lines_cross() {
        // Group 0 favours column 0 by 0.2, group 1 favours column 1 by 0.1: level at a third.
        let means = [vec![0.2, 0.0], vec![0.0, 0.1]];
        let (at, column) = turn(&means, &[0.5, 0.5], 0, 0).unwrap();
        assert!((at - 1.0 / 3.0).abs() < 1e-12 && column == 1);
        let (at, _) = turn(&means, &[0.5, 0.5], 1, 0).unwrap();
        assert!((at - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_leader_everywhere_cannot_be_turned() {
        assert_eq!(turn(&[vec![0.2, 0.0], vec![0.1, 0.0]], &[0.5, 0.5], 0, 0), None);
        assert_eq!(turn(&[vec![0.2, 0.0]], &[1.0], 0, 0), None);
    }
}

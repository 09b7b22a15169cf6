//! Tests of profiles on a campaign, with vectors for independent implementations.

use super::{super::work, *};
use crate::{
    description::{Comparison, cell::select, class::baseline::target_order, judge},
    kernel::{Ratio, significance::Bar},
};

/// Scores and, for each group, its ratios with their words: of each candidate over the first.
pub(crate) struct Answer {
    pub(crate) scores: Vec<(String, Ratio)>,
    pub(crate) groups: Vec<Vec<(String, Ratio, Comparison)>>,
}

/// The answer by `profile`, the baseline of `settings` first where it may be chosen.
pub(crate) fn answer(dataset: &Dataset, profile: &Profile, settings: &Settings) -> Answer {
    let targets = target_order(dataset, settings).unwrap();
    let cells = select::select(dataset, &targets, settings.contention_limit_pct).unwrap();
    let question = Question { profile, facts: &[], requirements: &[], block_s: None };
    let rules = Rules::of(&question, settings.band).unwrap();
    let field = Field::new(dataset, (profile, None), &rules, (&targets, &cells), settings);
    let ratios = |entries: &[Entry<'_>]| -> Vec<(usize, Ratio)> {
        let board = field.board(&field.columns, entries);
        field.columns.iter().copied().zip(board.ratios(Bar::ONCE)).collect()
    };
    let own = |group: usize| -> Vec<Entry<'_>> {
        field.used.iter().filter(|entry| entry.group == group).copied().collect()
    };
    let of_group = |group: usize| {
        let own = own(group);
        let word = |(column, ratio): (usize, Ratio)| {
            let is_contended = work::contended(&own, &[column, field.columns[0]]);
            let judged = judge(&ratio, settings.band);
            let word = if is_contended { Comparison::Unclear } else { judged };
            (targets[column].clone(), ratio, word)
        };
        ratios(&own).into_iter().skip(1).map(word).collect()
    };
    Answer {
        scores: ratios(&field.used).into_iter().map(|(at, r)| (targets[at].clone(), r)).collect(),
        groups: (0..profile.groups.len()).map(of_group).collect(),
    }
}

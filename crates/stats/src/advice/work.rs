//! Selects the cells of a campaign that show the work of a profile, and weights them.

use crate::{
    description::cell::data::{self, CellData},
    kernel::{point::mean, ratio::compare},
};
use model::{
    result::Dataset,
    workload::{Profile, WorkGroup},
};
use serde::Serialize;
use std::collections::BTreeMap;
use wildmatch::WildMatch;

/// How much of a group the campaign shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupCover {
    /// Name of the group.
    pub name: String,
    /// Its share of the weight of the profile.
    pub weight: f64,
    /// Cells in the score.
    pub cells: usize,
    /// Cells of the campaign that belong to it.
    pub of_cells: usize,
    /// Cells of the campaign that it asks for and that score nothing: too short, or what is left to a sync, which the
    /// durable rate of its write includes.
    pub unscored: usize,
    /// Candidates without any valid cell of it.
    pub missing: Vec<String>,
}

/// A cell in the service of a group of the profile. One cell may serve several.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// Index of the group in the profile.
    pub(super) group: usize,
    /// Weight of that group; only the proportions matter.
    weight: f64,
    pub(super) cell: &'a CellData,
}

/// Every cell that a group of `profile` asks for and that is in scores.
pub(super) fn matched<'a>(
    dataset: &Dataset,
    profile: &Profile,
    cells: &'a [CellData],
) -> Vec<Entry<'a>> {
    asked(dataset, profile, cells, true)
}

/// Every cell that a group of `profile` asks for and that is in no score: see [`GroupCover::unscored`].
pub(super) fn unscored<'a>(
    dataset: &Dataset,
    profile: &Profile,
    cells: &'a [CellData],
) -> Vec<Entry<'a>> {
    asked(dataset, profile, cells, false)
}

fn asked<'a>(
    dataset: &Dataset,
    profile: &Profile,
    cells: &'a [CellData],
    is_scored: bool,
) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    for (index, group) in profile.groups.iter().enumerate() {
        let globs: Vec<WildMatch> = group.tests.iter().map(|glob| WildMatch::new(glob)).collect();
        let id = |cell: &CellData| dataset.tests[cell.test].id.as_str();
        let is_asked = |c: &&CellData| {
            c.is_scored == is_scored && globs.iter().any(|glob| glob.matches(id(c)))
        };
        for cell in cells.iter().filter(is_asked) {
            if wanted(group, cell, most_procs(cells, cell.test)) {
                entries.push(Entry { group: index, weight: group.weight, cell });
            }
        }
    }
    entries
}

fn wanted(group: &WorkGroup, cell: &CellData, most: u32) -> bool {
    group.procs.holds(cell.procs, most) && group.cache.is_none_or(|wanted| wanted == cell.cache)
}

fn most_procs(cells: &[CellData], test: usize) -> u32 {
    cells.iter().filter(|c| c.test == test).map(|c| c.procs).max().unwrap_or(0)
}

/// The entries in which every one of `columns` has a valid sample.
pub(super) fn shared<'a>(entries: &[Entry<'a>], columns: &[usize]) -> Vec<Entry<'a>> {
    let valid = |e: &&Entry<'a>| e.cell.valid_for(columns.iter().copied());
    entries.iter().filter(valid).copied().collect()
}

/// The weight of each entry, of 1 over all: that of its group, shared equally inside the group.
/// Groups without an entry leave their weight to the others.
pub(super) fn weights(entries: &[Entry<'_>]) -> Vec<f64> {
    let mut groups: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for entry in entries {
        groups.entry(entry.group).or_insert((entry.weight, 0.0)).1 += 1.0;
    }
    let total: f64 = groups.values().map(|(weight, _)| weight).sum();
    let size = |entry: &Entry<'_>| groups[&entry.group].1;
    entries.iter().map(|entry| entry.weight / (total * size(entry))).collect()
}

/// For each entry the level of each of `columns`, logarithmic, over the first of them.
pub(super) fn levels(entries: &[Entry<'_>], columns: &[usize]) -> Vec<Vec<f64>> {
    let level = |e: &Entry<'_>, column: usize| {
        let (own, base) = (&e.cell.series[column].points, &e.cell.series[columns[0]].points);
        compare(own, base).map_or(0.0, |estimate| estimate.mean)
    };
    entries.iter().map(|e| columns.iter().map(|&column| level(e, column)).collect()).collect()
}

/// Weighted sum of `levels` for each column.
pub(super) fn score(levels: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let columns = levels.first().map_or(0, Vec::len);
    (0..columns).map(|c| levels.iter().zip(weights).map(|(l, w)| w * l[c]).sum()).collect()
}

/// Column with the highest score; the first of equals.
pub(super) fn best(scores: &[f64]) -> Option<usize> {
    (0..scores.len()).reduce(|best, c| if scores[c] > scores[best] { c } else { best })
}

/// How much of each group the campaign shows.
pub(super) fn cover(
    profile: &Profile,
    (all, used, unscored): (&[Entry<'_>], &[Entry<'_>], &[Entry<'_>]),
    targets: &[String],
    columns: &[usize],
) -> Vec<GroupCover> {
    let total: f64 = profile.groups.iter().map(|g| g.weight).sum();
    let group = |(index, group): (usize, &WorkGroup)| {
        let own: Vec<&Entry<'_>> = all.iter().filter(|e| e.group == index).collect();
        let cells = used.iter().filter(|e| e.group == index).count();
        let lacks = |column: &&usize| !own.iter().any(|e| e.cell.valid_for([**column]));
        let missing = if own.is_empty() { vec![] } else { columns.iter().filter(lacks).collect() };
        GroupCover {
            name: group.name.clone(),
            weight: group.weight / total,
            cells,
            of_cells: own.len(),
            unscored: unscored.iter().filter(|e| e.group == index).count(),
            missing: missing.into_iter().map(|&c: &usize| targets[c].clone()).collect(),
        }
    };
    profile.groups.iter().enumerate().map(group).collect()
}

/// Spread of a cell over its blocks and `columns`: the mean standard deviation of the logarithms;
/// `None` without replicates.
pub(super) fn noise(entry: &Entry<'_>, columns: &[usize]) -> Option<f64> {
    let of = |&column: &usize| {
        let logs = crate::kernel::point::logs(&entry.cell.series[column].points);
        (logs.len() > 1).then(|| crate::kernel::point::variance(&logs).sqrt())
    };
    let all: Option<Vec<f64>> = columns.iter().map(of).collect();
    all.filter(|all| !all.is_empty()).map(|all| mean(&all))
}

/// True when the machine was too busy with other work for any conclusion from these cells.
pub(super) fn contended(entries: &[Entry<'_>], columns: &[usize]) -> bool {
    data::too_contended(&entries.iter().map(|e| e.cell).collect::<Vec<_>>(), columns)
}

//! Targets of two campaigns that were measured in different labs, or keep different promises of a sync: their values
//! are shown side by side, and no ratio between them is decided.

use super::side::{Columns, PREFIXES};
use crate::description::Durability;
use model::{plan::LabKind, result::Dataset};
use serde::Serialize;
use std::collections::BTreeMap;

/// What cannot be compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Incomparable {
    /// Targets with their labs, those of A and B in turn where both have one of the label.
    pub columns: Vec<Placed>,
    /// The cells that any of them has.
    pub rows: Vec<IncomparableRow>,
}

/// A target and where it was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Placed {
    /// Label.
    pub target: String,
    /// Kind of lab.
    pub lab: LabKind,
    /// Whether its class keeps what was synced.
    #[serde(skip_serializing_if = "Durability::is_kept")]
    pub durability: Durability,
}

impl Incomparable {
    /// Whether all were measured in one kind of lab, so that they differ in what a sync promises.
    pub fn is_of_one_lab(&self) -> bool {
        self.columns.windows(2).all(|pair| pair[0].lab == pair[1].lab)
    }
}

/// One test at one process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IncomparableRow {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
    /// Unit of the values.
    pub unit: String,
    /// Geometric mean over the blocks of each column.
    pub values: Vec<Option<f64>>,
}

/// The targets that are not among the `paired` labels although the other campaign has their label; all of them, where
/// the campaigns share no class. `None` without any.
pub(super) fn incomparable(
    dataset: &Dataset,
    classes: &[Columns<'_>],
    paired: &[&str],
) -> Option<Incomparable> {
    let all: Vec<Placed> = classes.iter().flat_map(placed).collect();
    let is_paired = |p: &&Placed| paired.contains(&&*p.target);
    let has_twin = |p: &&Placed| all.iter().any(|other| is_twin(p, other));
    let mut columns: Vec<Placed> =
        all.iter().filter(|p| !is_paired(p) && has_twin(p)).cloned().collect();
    if columns.is_empty() && paired.is_empty() {
        columns.clone_from(&all);
    }
    // The sort is stable: A is before B, and the order is otherwise that of the tables.
    columns.sort_by_cached_key(|p| all.iter().position(|other| is_twin(p, other) || p == other));
    let rows = rows(dataset, classes, &columns);
    (classes.len() > 1 && !columns.is_empty()).then_some(Incomparable { columns, rows })
}

fn placed<'a>(class: &'a Columns<'_>) -> impl Iterator<Item = Placed> + 'a {
    let place = |target: &String| Placed {
        target: target.clone(),
        lab: class.lab,
        durability: class.durability.clone(),
    };
    class.targets.iter().map(place)
}

fn is_twin(one: &Placed, other: &Placed) -> bool {
    let bare = |p: &Placed| p.target[PREFIXES[0].len()..].to_string();
    one.target != other.target && bare(one) == bare(other)
}

fn rows(dataset: &Dataset, classes: &[Columns<'_>], columns: &[Placed]) -> Vec<IncomparableRow> {
    let mut rows: BTreeMap<(usize, u32), IncomparableRow> = BTreeMap::new();
    for class in classes {
        for cell in class.cells {
            let info = &dataset.tests[cell.test];
            let row = rows.entry((cell.test, cell.procs)).or_insert_with(|| IncomparableRow {
                test: info.id.clone(),
                name: info.name.clone(),
                procs: cell.procs,
                unit: info.unit.clone(),
                values: vec![None; columns.len()],
            });
            let is_here = |p: &Placed| p.lab == class.lab && p.durability.is_like(class.durability);
            let own = columns.iter().zip(&mut row.values).filter(|(p, _)| is_here(p));
            for (placed, value) in own {
                let column = class.targets.iter().position(|t| *t == placed.target);
                *value = column.and_then(|column| cell.mean_value(column));
            }
        }
    }
    rows.into_values().filter(|row| row.values.iter().any(Option::is_some)).collect()
}

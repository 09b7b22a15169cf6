//! Means of the other writes that include the syncs after writes, as the original suite's tables do: with its own
//! rates, a sync is a row like any other.

use crate::{
    description::{
        cell::data::CellData,
        table::footer::{mean_ratio, mean_value},
    },
    kernel::Ratio,
};
use model::{result::Dataset, workload::Group};
use serde::Serialize;

/// Rates of the original suite, and of tables that printed them over those of a target.
const ORIGINAL: [&str; 2] = ["nano_rate", "relative_rate"];

/// The mean of one target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WithSyncs {
    /// Label of the target.
    pub target: String,
    /// Geometric mean of the values of the tests that are valid for all targets.
    pub geometric_mean: Option<f64>,
    /// Geometric mean of the ratios over the same tests.
    pub ratio: Option<Ratio>,
    /// Tests in the means.
    pub tests: usize,
}

/// One for each of `labels` under the table of other writes at `procs` that the original suite's rates rank; none under
/// another, and where no sync was measured.
pub(crate) fn with_syncs(
    dataset: &Dataset,
    labels: &[String],
    all: &[CellData],
    (group, procs): (Group, u32),
) -> Vec<WithSyncs> {
    let of = |group: Group| {
        let is_of = move |c: &&CellData| c.procs == procs && dataset.tests[c.test].group == group;
        all.iter().filter(is_of)
    };
    let cells: Vec<&CellData> = of(Group::WriteOther).chain(of(Group::Sync)).collect();
    let is_original = |c: &&CellData| ORIGINAL.contains(&c.basis.as_str());
    if group != Group::WriteOther || of(Group::Sync).count() == 0 || !cells.iter().all(is_original)
    {
        return Vec::new();
    }
    let is_measured = |column: &usize| cells.iter().any(|c| c.valid_for([*column]));
    let measured: Vec<usize> = (0..labels.len()).filter(is_measured).collect();
    let is_valid = |c: &&CellData| !c.is_short() && c.valid_for(measured.iter().copied());
    let shared: Vec<&CellData> = cells.iter().copied().filter(is_valid).collect();
    let of_target = |(column, label): (usize, &String)| WithSyncs {
        target: label.clone(),
        geometric_mean: mean_value(&shared, column),
        ratio: match column {
            0 => (!shared.is_empty() && measured.contains(&0)).then_some(Ratio::ONE),
            _ => mean_ratio(&shared, column, 0),
        },
        tests: shared.iter().filter(|c| c.valid_for([column])).count(),
    };
    labels.iter().enumerate().map(of_target).collect()
}

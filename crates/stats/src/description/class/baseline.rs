//! Chooses the default baseline: the first target, unless most of its cells are missing. A failure in one block does
//! not change the baseline; a different choice is reported.

use crate::description::{Settings, StatsError};
use model::result::Dataset;
use std::collections::{BTreeMap, BTreeSet};

/// The label that was asked for, by `settings` or by the plan.
pub(crate) fn asked<'a>(dataset: &'a Dataset, settings: &'a Settings) -> Option<&'a String> {
    settings.baseline.as_ref().or(dataset.campaign.plan.baseline.as_ref())
}

/// The first target with valid samples in more than half of the cells that have any; without one the one that has
/// most, the first of equals.
///
/// # Errors
/// The campaign has no target.
pub(crate) fn default(dataset: &Dataset) -> Result<&String, StatsError> {
    let cells = Cells::of(dataset);
    let twin = dataset.twin().map(|twin| twin.label);
    let labels = || dataset.targets.iter().map(|t| &t.label).filter(|l| twin.as_ref() != Some(*l));
    let most = labels().map(|label| cells.with(label)).max().unwrap_or(0);
    labels()
        .find(|label| 2 * cells.with(label) > cells.all())
        .or_else(|| labels().find(|label| cells.with(label) == most))
        .ok_or_else(|| StatsError::NoTargets { campaign: dataset.campaign.id.clone() })
}

/// Why `baseline` is not the first target, if no other was requested.
pub(crate) fn instead(dataset: &Dataset, baseline: &str, settings: &Settings) -> Option<String> {
    let first = &dataset.targets.first()?.label;
    if asked(dataset, settings).is_some() || first == baseline {
        return None;
    }
    let cells = Cells::of(dataset);
    let has = match cells.with(first) {
        0 => "no valid sample".to_string(),
        n => format!("a valid sample in {n} of {} cells", cells.all()),
    };
    Some(format!("{first}, the first target, has {has}"))
}

/// The cells, each a test at a process count, in which each target has a valid sample.
struct Cells<'a>(BTreeMap<&'a str, BTreeSet<(&'a str, u32)>>);

impl<'a> Cells<'a> {
    fn of(dataset: &'a Dataset) -> Cells<'a> {
        let mut cells: BTreeMap<&str, BTreeSet<(&str, u32)>> = BTreeMap::new();
        for sample in dataset.samples.iter().filter(|s| s.evidence.validity.is_valid()) {
            let case = &sample.case;
            cells.entry(&case.target).or_default().insert((&case.test, case.procs));
        }
        Cells(cells)
    }

    /// How many the target called `label` has.
    fn with(&self, label: &str) -> usize {
        self.0.get(label).map_or(0, BTreeSet::len)
    }

    /// How many any target has.
    fn all(&self) -> usize {
        self.0.values().flatten().collect::<BTreeSet<_>>().len()
    }
}

/// Labels in the order of the columns: the baseline, then the others as planned. The twin of an A/A
/// pair is no candidate.
pub(crate) fn target_order(
    dataset: &Dataset,
    settings: &Settings,
) -> Result<Vec<String>, StatsError> {
    let twin = dataset.twin().map(|twin| twin.label);
    let labels: Vec<&String> =
        dataset.targets.iter().map(|t| &t.label).filter(|l| twin.as_ref() != Some(*l)).collect();
    let baseline = match asked(dataset, settings) {
        Some(label) if labels.contains(&label) => label,
        Some(label) => {
            let known = labels.iter().map(|l| l.as_str()).collect::<Vec<_>>().join(", ");
            return Err(StatsError::UnknownBaseline { label: label.clone(), known });
        }
        None => default(dataset)?,
    };
    let others = labels.iter().filter(|l| **l != baseline);
    Ok(std::iter::once(baseline).chain(others.copied()).cloned().collect())
}

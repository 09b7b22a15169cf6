//! Classes of comparable samples: what was measured in different labs is judged apart, each class as
//! a campaign of its own.

use crate::{Settings, StatsError, target_order};
use model::{Dataset, LabKind};
use std::borrow::Cow;

/// The part of a campaign that one kind of lab measured.
pub(crate) struct Class<'a> {
    pub(crate) lab: LabKind,
    pub(crate) dataset: Cow<'a, Dataset>,
    /// With the baseline, where it is in this class; the other classes take their first target.
    pub(crate) settings: Settings,
}

/// The classes of `dataset`, the preferred lab first; never empty.
pub(crate) fn classes<'a>(
    dataset: &'a Dataset,
    settings: &Settings,
) -> Result<Vec<Class<'a>>, StatsError> {
    // An unknown baseline is one of the whole campaign, not of a class.
    target_order(dataset, settings)?;
    let class = |lab| {
        let part = dataset.of_lab(lab);
        let here = |label: &String| part.targets.iter().any(|t| t.label == *label);
        let baseline = settings.baseline.clone().filter(here);
        Class { lab, dataset: part, settings: Settings { baseline, ..settings.clone() } }
    };
    Ok(dataset.labs().into_iter().map(class).collect())
}

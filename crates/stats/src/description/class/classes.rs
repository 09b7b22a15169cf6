//! Classes of comparable samples: what was measured in different labs, or keeps another promise of a sync, is
//! judged apart, each class as a campaign of its own.

use crate::description::{
    Durability, Settings, StatsError, class::baseline::target_order, durability,
};
use model::{plan::LabKind, result::Dataset};
use std::{borrow::Cow, collections::BTreeSet};

/// The part of a campaign that one kind of lab measured, of targets that keep one promise.
pub(crate) struct Class<'a> {
    pub(crate) lab: LabKind,
    /// Of all its targets, with the reason of the first.
    pub(crate) durability: Durability,
    /// Whether no class of this lab keeps more of what was synced, and where it may be lost, none of any lab. The
    /// others are shown, and nothing in them is ranked.
    pub(crate) is_ranked: bool,
    pub(crate) dataset: Cow<'a, Dataset>,
    /// With the baseline, where it is in this class; the other classes take their first target.
    pub(crate) settings: Settings,
}

/// The classes of `dataset`, the preferred lab first, and in it what keeps what was synced; never empty.
pub(crate) fn classes<'a>(
    dataset: &'a Dataset,
    settings: &Settings,
) -> Result<Vec<Class<'a>>, StatsError> {
    // An unknown baseline is one of the whole campaign, not of a class.
    target_order(dataset, settings)?;
    let class = |lab, at: usize, (durability, part): (Durability, Cow<'a, Dataset>)| {
        let here = |label: &String| part.targets.iter().any(|t| t.label == *label);
        let baseline = settings.baseline.clone().filter(here);
        let settings = Settings { baseline, ..settings.clone() };
        Class { lab, durability, is_ranked: at == 0, dataset: part, settings }
    };
    let of_lab = |lab| {
        let parts = by_durability(dataset.of_lab(lab)).into_iter().enumerate();
        parts.map(move |(at, part)| class(lab, at, part))
    };
    let mut all: Vec<Class<'a>> = dataset.labs().into_iter().flat_map(of_lab).collect();
    let may_lose = |class: &Class<'_>| matches!(class.durability, Durability::Loses(_));
    if !all.iter().all(may_lose) {
        all.iter_mut().filter(|class| may_lose(class)).for_each(|class| class.is_ranked = false);
    }
    Ok(all)
}

/// The part of `dataset` that was measured in `lab`, of targets that keep what `durability` says.
pub(crate) fn part<'a>(
    dataset: &'a Dataset,
    lab: LabKind,
    durability: &Durability,
) -> Cow<'a, Dataset> {
    let parts = by_durability(dataset.of_lab(lab)).into_iter();
    let own = parts.map(|(other, part)| other.is_like(durability).then_some(part));
    own.flatten().next().unwrap_or_else(|| dataset.of_lab(lab))
}

/// `dataset` by what its targets promise, those that keep what was synced first. A target without any sample
/// is in the first part.
fn by_durability(dataset: Cow<'_, Dataset>) -> Vec<(Durability, Cow<'_, Dataset>)> {
    let measured: BTreeSet<&str> = dataset.samples.iter().map(|s| s.case.target.as_str()).collect();
    let known: Vec<(String, Option<Durability>)> = dataset
        .targets
        .iter()
        .map(|t| {
            let is_measured = measured.contains(t.label.as_str());
            (t.label.clone(), is_measured.then(|| durability(&dataset, &t.label)))
        })
        .collect();
    let mut kinds: Vec<Durability> = Vec::new();
    for kind in known.iter().filter_map(|(_, kind)| kind.as_ref()) {
        if !kinds.iter().any(|other| other.is_like(kind)) {
            kinds.push(kind.clone());
        }
    }
    kinds.sort();
    if kinds.len() < 2 {
        return vec![(kinds.pop().unwrap_or_default(), dataset)];
    }
    let part = |(at, kind): (usize, Durability)| {
        let is_here =
            |own: &Option<Durability>| own.as_ref().map_or(at == 0, |own| own.is_like(&kind));
        let labels = known.iter().filter(|(_, own)| is_here(own)).map(|(label, _)| label.as_str());
        let part = of_targets(&dataset, &labels.collect());
        (kind, Cow::Owned(part))
    };
    kinds.into_iter().enumerate().map(part).collect()
}

/// The targets called `labels` with their samples. A baseline that is not among them is none here.
fn of_targets(dataset: &Dataset, labels: &BTreeSet<&str>) -> Dataset {
    let mut campaign = dataset.campaign.clone();
    campaign.plan.baseline = campaign.plan.baseline.filter(|label| labels.contains(label.as_str()));
    let targets = dataset.targets.iter().filter(|t| labels.contains(t.label.as_str()));
    let samples = dataset.samples.iter().filter(|s| labels.contains(s.case.target.as_str()));
    Dataset {
        campaign,
        targets: targets.cloned().collect(),
        tests: dataset.tests.clone(),
        samples: samples.cloned().collect(),
    }
}

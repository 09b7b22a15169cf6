//! Checks that two campaigns did the same work, so that their ratio reflects the machine and not the plan: scale,
//! sizes, data, assets, threads and metric.

use super::same::{Key, Shared, figure};
use crate::description::{StatsError, processes};
use model::{
    result::Dataset,
    workload::{AssetName, ContentHash, TestInfo, TestSize},
};
use std::collections::{BTreeMap, BTreeSet};

/// What `other` did otherwise than `first` in the cells that both have, and the tests that they rank by other
/// metrics; `None` where nothing. Tests of `first` that are in `left_out` are not asked about.
pub(super) fn unlike(
    first: &Dataset,
    other: &Dataset,
    shared: &Shared,
    left_out: &BTreeSet<usize>,
) -> Option<String> {
    let asked = first.tests.iter().enumerate().filter(|(i, _)| !left_out.contains(i));
    let metrics = metrics(asked.map(|(_, test)| test), other);
    let (sizes, data) = (sizes(first, other, shared), data(first, other));
    let all = [sizes, data, assets(first, other), threads(first, other), metrics];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Sizes decide where both campaigns have them; else the one factor on all.
fn sizes(first: &Dataset, other: &Dataset, shared: &Shared) -> Option<String> {
    let (a, b) = (&first.campaign, &other.campaign);
    match (a.plan.sizes.is_empty(), b.plan.sizes.is_empty()) {
        (true, true) => (a.scale != b.scale).then(|| format!("scale {} and {}", a.scale, b.scale)),
        (true, false) => Some(format!("scale {} for all tests and a size for each", a.scale)),
        (false, true) => Some(format!("a size for each test and scale {} for all", b.scale)),
        (false, false) => {
            let size = |d: &'_ Dataset, (test, procs)| sized(d, test, procs);
            let differ = shared.iter().filter_map(|(&theirs, &own)| {
                let (one, another) = (size(first, own), size(other, theirs));
                let name = || format!("{}, {}", first.tests[own.0].id, processes(own.1));
                (one != another).then(|| format!("{} has {one} and {another}", name()))
            });
            some_of("size", &differ.collect::<Vec<_>>())
        }
    }
}

/// What a campaign of assay did of the work of a published study, which is the whole of each test: in words, where
/// that is less or more in a cell of `own`. A test that is repeated keeps its vectors, all but the large ones.
pub(super) fn not_whole<'k>(
    dataset: &Dataset,
    own: impl Iterator<Item = &'k Key>,
) -> Option<String> {
    let campaign = &dataset.campaign;
    if campaign.plan.sizes.is_empty() {
        return (campaign.scale != 1.0).then(|| format!("scale {}", campaign.scale));
    }
    let sizes = own.filter_map(|&(test, procs)| campaign.plan.size(&dataset.tests[test].id, procs));
    let other = sizes.filter(|size| size.scale != 1.0 && size.work.is_none());
    let other: Vec<String> =
        other.map(|size| format!("scale {} of {}", size.scale, size.test)).collect();
    Some(format!("{}{}", other.first()?, more(other.len())))
}

/// The knobs that the two were given otherwise, in words; `None` where none.
pub(super) fn knobs(one: &Dataset, other: &Dataset) -> Option<String> {
    let (a, b) = (&one.campaign.plan.knobs, &other.campaign.plan.knobs);
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let said = |value: Option<&String>| value.map_or("its default".into(), |v| format!("`{v}`"));
    let differ = keys.into_iter().filter(|key| a.get(*key) != b.get(*key));
    let each = differ.map(|key| format!("{key} {} and {}", said(a.get(key)), said(b.get(key))));
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("knobs of the study and of the other: {}", each.join(", ")))
}

/// How much the test does, in words; empty for one whose size is that of another which it is a part of.
fn sized(dataset: &Dataset, test: usize, procs: u32) -> String {
    let size = dataset.campaign.plan.size(&dataset.tests[test].id, procs);
    size.map_or_else(String::new, |TestSize { scale, work, .. }| match work {
        None => format!("scale {scale}"),
        Some(work) => format!("scale {scale}, {} times, copies {}", work.times, work.copies),
    })
}

fn data(first: &Dataset, other: &Dataset) -> Option<String> {
    let (a, b) = (&first.campaign.plan.data, &other.campaign.plan.data);
    (a != b).then(|| format!("data {a} and {b}"))
}

/// Assets of one name that hold different data.
fn assets(first: &Dataset, other: &Dataset) -> Option<String> {
    let named = |dataset: &Dataset| {
        let mut named = BTreeMap::<AssetName, BTreeSet<ContentHash>>::new();
        for asset in &dataset.campaign.plan.assets {
            named.entry(asset.name.clone()).or_default().insert(asset.sha256);
        }
        named
    };
    let theirs = named(other);
    let differ = named(first).into_iter().filter_map(|(name, hashes)| {
        let others = theirs.get(&name)?;
        let only = |own: &BTreeSet<ContentHash>, not: &BTreeSet<ContentHash>| {
            own.difference(not).next().map_or_else(|| "the same".into(), ToString::to_string)
        };
        let both = (only(&hashes, others), only(others, &hashes));
        (hashes != *others).then(|| format!("`{name}` has SHA-256 {} and {}", both.0, both.1))
    });
    some_of("asset", &differ.collect::<Vec<_>>())
}

fn threads(first: &Dataset, other: &Dataset) -> Option<String> {
    let counts = |d: &Dataset| -> String {
        let counts: BTreeSet<u32> = d.samples.iter().map(|s| s.case.threads).collect();
        counts.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    };
    let (a, b) = (counts(first), counts(other));
    (a != b).then(|| format!("threads {a} and {b}"))
}

fn metrics<'a>(tests: impl Iterator<Item = &'a TestInfo>, other: &Dataset) -> Option<String> {
    let differ = tests.filter_map(|test| {
        let theirs = other.tests.iter().find(|t| t.id == test.id)?;
        let both = format!("{} is ranked by {} and {}", test.id, by(test), by(theirs));
        (figure(test) != figure(theirs)).then_some(both)
    });
    some_of("metric", &differ.collect::<Vec<_>>())
}

fn by(test: &TestInfo) -> String {
    format!("{} in {}", test.metric, test.unit)
}

/// What differs, with the first test of which it does.
fn some_of(what: &str, differ: &[String]) -> Option<String> {
    let first = differ.first()?;
    Some(format!("{what}: {first}{}", more(differ.len())))
}

/// What stands after the first of `count`.
fn more(count: usize) -> String {
    if count > 1 { format!(" ({} more)", count - 1) } else { String::new() }
}

/// Why two campaigns share no cell: they rank the same tests by other metrics, or have no test in common.
pub(super) fn nothing_in_common(first: &Dataset, other: &Dataset) -> StatsError {
    let [a, b] = [first, other].map(|d| d.campaign.id.clone());
    let is_same = |one: &TestInfo, another: &TestInfo| {
        one.id == another.id || (&one.name, &one.testtype) == (&another.name, &another.testtype)
    };
    let twins = first.tests.iter().filter_map(|test| {
        let twin = other.tests.iter().find(|t| is_same(test, t))?;
        (figure(test) != figure(twin)).then_some((test, twin))
    });
    let twins: Vec<(&TestInfo, &TestInfo)> = twins.collect();
    match twins.first() {
        None => StatsError::NothingInCommon { a, b },
        Some((one, another)) => {
            let how = format!(
                "have {} tests in common but rank them by different metrics, e.g. {} and {}",
                twins.len(),
                by(one),
                by(another)
            );
            StatsError::OtherMetric { a, b, how, remedy: remedy(first, other) }
        }
    }
}

/// By which metric of the samples both could be ranked.
fn remedy(first: &Dataset, other: &Dataset) -> String {
    let both: Vec<String> =
        first.metric_names().intersection(&other.metric_names()).cloned().collect();
    match both.as_slice() {
        [] => "they have no metric in common".into(),
        [one] => format!("rank both by their common metric: --metric {one}"),
        several => format!("rank both by a common metric with --metric: {}", several.join(", ")),
    }
}

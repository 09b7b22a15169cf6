//! Which cells of two campaigns are the same, and these cells as one dataset.

use super::PREFIXES;
use crate::StatsError;
use model::{
    Better, Campaign, CampaignState, Dataset, Environment, Origin, Plan, Sample, TargetRecord,
    TestInfo,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A cell that stands in no table of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmatched {
    /// Stable test id.
    pub test: String,
    /// Display name.
    pub name: String,
    /// Worker processes.
    pub procs: u32,
    /// Why it has no counterpart.
    pub why: String,
}

pub(super) struct Joined {
    pub(super) dataset: Dataset,
    pub(super) unmatched: [Vec<Unmatched>; 2],
}

/// Index of a test in its campaign, and worker processes.
type Key = (usize, u32);

/// For each shared cell of B the cell of A.
type Shared = BTreeMap<Key, Key>;

pub(super) fn join(a: &Dataset, b: &Dataset) -> Result<Joined, StatsError> {
    let partners = partners(&a.tests, &b.tests);
    let (cells_a, cells_b) = (cells(a)?, cells(b)?);
    // A source that does not tell how many processes ran stands as one; see [`shared`].
    let strict = tells_processes(a) && tells_processes(b);
    let shared = shared(&partners, &cells_a, &cells_b, strict);
    if shared.is_empty() {
        let id = |d: &Dataset| d.campaign.id.clone();
        return Err(StatsError::NothingInCommon { a: id(a), b: id(b) });
    }
    let in_a: BTreeSet<Key> = shared.values().copied().collect();
    let back: BTreeMap<usize, usize> = partners.iter().map(|(&a, &b)| (b, a)).collect();
    let unmatched = [
        unmatched(a, b, cells_a.iter().filter(|key| !in_a.contains(key)), &partners),
        unmatched(b, a, cells_b.iter().filter(|key| !shared.contains_key(key)), &back),
    ];
    Ok(Joined { dataset: dataset(a, b, &shared), unmatched })
}

/// Whether assay measured it, here or, as the kernel tells that it noted, elsewhere.
fn tells_processes(dataset: &Dataset) -> bool {
    let Campaign { origin, environment, .. } = &dataset.campaign;
    *origin == Origin::Run
        || *origin == Origin::Import && environment.0.contains_key("kernel.release")
}

/// Cells of the same test at the same number of processes. Where a test has one number in either
/// campaign, and they are not the same, it is matched all the same unless `strict`.
fn shared(
    partners: &BTreeMap<usize, usize>,
    cells_a: &BTreeSet<Key>,
    cells_b: &BTreeSet<Key>,
    strict: bool,
) -> Shared {
    let counts = |cells: &BTreeSet<Key>, test: usize| -> Vec<u32> {
        cells.range((test, 0)..=(test, u32::MAX)).map(|key| key.1).collect()
    };
    let mut shared = Shared::new();
    for (&test, &other) in partners {
        let (own, theirs) = (counts(cells_a, test), counts(cells_b, other));
        let both = own.iter().filter(|procs| theirs.contains(procs));
        shared.extend(both.map(|&procs| ((other, procs), (test, procs))));
        if let (&[one], &[another], false) = (&own[..], &theirs[..], strict) {
            shared.insert((other, another), (test, one));
        }
    }
    shared
}

/// For each test of `a` the one of `b` that is the same: by id, else by a name that each campaign
/// gives once.
fn partners(a: &[TestInfo], b: &[TestInfo]) -> BTreeMap<usize, usize> {
    let by_id: HashMap<&str, usize> = b.iter().zip(0..).map(|(t, i)| (t.id.as_str(), i)).collect();
    let same = |(i, test): (usize, &TestInfo)| {
        let other = *by_id.get(test.id.as_str())?;
        (figure(test) == figure(&b[other])).then_some((i, other))
    };
    let mut partners: BTreeMap<usize, usize> = a.iter().enumerate().filter_map(same).collect();
    let taken: BTreeSet<usize> = partners.values().copied().collect();
    let rest_a = names(a.iter().enumerate().filter(|(i, _)| !partners.contains_key(i)));
    let rest_b = names(b.iter().enumerate().filter(|(i, _)| !taken.contains(i)));
    for (name, of_a) in rest_a {
        if let (&[one], Some(&[other])) = (&of_a[..], rest_b.get(&name).map(Vec::as_slice)) {
            partners.insert(one, other);
        }
    }
    partners
}

/// What a value is: two tests with the same name but another figure cannot be compared.
fn figure(test: &TestInfo) -> (&str, &str, Better) {
    (&test.metric, &test.unit, test.better)
}

type Name<'a> = (&'a str, &'a str, &'a str, &'a str, &'static str);

fn names<'a>(tests: impl Iterator<Item = (usize, &'a TestInfo)>) -> BTreeMap<Name<'a>, Vec<usize>> {
    let mut names: BTreeMap<Name<'a>, Vec<usize>> = BTreeMap::new();
    for (i, t) in tests {
        let name = (&*t.name, &*t.testtype, &*t.metric, &*t.unit, t.better.as_str());
        names.entry(name).or_default().push(i);
    }
    names
}

/// The cells of a campaign that have a sample.
fn cells(dataset: &Dataset) -> Result<BTreeSet<Key>, StatsError> {
    let index: HashMap<&str, usize> =
        dataset.tests.iter().zip(0..).map(|(t, i)| (t.id.as_str(), i)).collect();
    let key = |sample: &Sample| {
        let test = index.get(sample.case.test.as_str());
        test.map(|&test| (test, sample.case.procs)).ok_or_else(|| StatsError::Unlisted {
            what: "test",
            name: sample.case.test.clone(),
            campaign: dataset.campaign.id.clone(),
        })
    };
    dataset.samples.iter().map(key).collect()
}

fn unmatched<'a>(
    own: &Dataset,
    other: &Dataset,
    cells: impl Iterator<Item = &'a Key>,
    partners: &BTreeMap<usize, usize>,
) -> Vec<Unmatched> {
    let why = |index: usize, test: &TestInfo| {
        if partners.contains_key(&index) {
            return "the other has no sample of it at this number of processes".into();
        }
        match other.tests.iter().find(|t| t.id == test.id) {
            Some(t) => format!("the other ranks it by {} in {}", t.metric, t.unit),
            None => "the other has no such test".to_string(),
        }
    };
    cells
        .map(|&(index, procs)| {
            let test = &own.tests[index];
            let (id, name) = (test.id.clone(), test.name.clone());
            Unmatched { test: id, name, procs, why: why(index, test) }
        })
        .collect()
}

/// The shared cells under the ids of `a`. Blocks of `b` are numbered after those of `a`.
fn dataset(a: &Dataset, b: &Dataset, shared: &Shared) -> Dataset {
    let tests: BTreeSet<usize> = shared.values().map(|key| key.0).collect();
    let own: Shared = shared.values().map(|&key| (key, key)).collect();
    let first_block = a.samples.iter().map(|s| s.block + 1).max().unwrap_or(0);
    let mut samples = relabelled(a, &a.tests, PREFIXES[0], 0, &own);
    samples.extend(relabelled(b, &a.tests, PREFIXES[1], first_block, shared));
    let mut campaign = campaign(&a.campaign, &b.campaign);
    campaign.notes.extend(other_counts(shared));
    Dataset {
        campaign,
        targets: targets(a, PREFIXES[0]).chain(targets(b, PREFIXES[1])).collect(),
        tests: tests.into_iter().map(|i| a.tests[i].clone()).collect(),
        samples,
    }
}

/// The samples of `dataset` that are in `shared`, as samples of the cells of A, whose tests are
/// `tests`.
fn relabelled(
    dataset: &Dataset,
    tests: &[TestInfo],
    prefix: &str,
    first_block: u32,
    shared: &Shared,
) -> Vec<Sample> {
    let index: HashMap<&str, usize> =
        dataset.tests.iter().zip(0..).map(|(t, i)| (t.id.as_str(), i)).collect();
    let twin = dataset.twin().map(|twin| twin.label);
    let sample = |sample: &Sample| {
        if twin.as_ref() == Some(&sample.case.target) {
            return None;
        }
        let key = (*index.get(sample.case.test.as_str())?, sample.case.procs);
        let &(test, procs) = shared.get(&key)?;
        let mut sample = sample.clone();
        sample.block += first_block;
        sample.case.target.insert_str(0, prefix);
        sample.case.test.clone_from(&tests[test].id);
        sample.case.suite.clone_from(&tests[test].suite);
        sample.case.procs = procs;
        Some(sample)
    };
    dataset.samples.iter().filter_map(sample).collect()
}

/// A sentence about cells that were matched at different numbers of processes.
fn other_counts(shared: &Shared) -> Option<String> {
    let differing: Vec<_> = shared.iter().filter(|(b, a)| a.1 != b.1).collect();
    let (b, a) = differing.first()?;
    Some(format!(
        "{} tests were run by another number of processes in B, as {} for {} in A; they stand under \
         those of A, and the difference is part of their ratios.",
        differing.len(),
        b.1,
        a.1
    ))
}

/// The candidates of `dataset`; the twin of an A/A pair is none.
fn targets<'a>(dataset: &'a Dataset, prefix: &'a str) -> impl Iterator<Item = TargetRecord> + 'a {
    let twin = dataset.twin().map(|twin| twin.label);
    dataset
        .targets
        .iter()
        .filter(move |t| twin.as_ref() != Some(&t.label))
        .map(move |t| TargetRecord { label: format!("{prefix}{}", t.label), ..t.clone() })
}

/// The identity of both: what they have in common; what they have not is in the comparison.
fn campaign(a: &Campaign, b: &Campaign) -> Campaign {
    let common = |(key, value): &(&String, &String)| b.environment.0.get(*key) == Some(value);
    let facts = a.environment.0.iter().filter(common).map(|(k, v)| (k.clone(), v.clone()));
    let both = |a: &str, b: &str| if a == b { a.to_string() } else { format!("{a} and {b}") };
    Campaign {
        id: both(&a.id, &b.id),
        created: a.created.clone().max(b.created.clone()),
        title: format!("A: {} · B: {}", titled(a), titled(b)),
        origin: if a.origin == b.origin { a.origin } else { Origin::Import },
        state: CampaignState::Done,
        assay_version: both(&a.assay_version, &b.assay_version),
        plan: Plan { suites: a.plan.suites.clone(), ..Plan::default() },
        scale: a.scale,
        seed: a.seed,
        environment: Environment(facts.collect()),
        notes: notes(a, b),
    }
}

fn titled(campaign: &Campaign) -> &str {
    if campaign.title.is_empty() { &campaign.id } else { &campaign.title }
}

fn notes(a: &Campaign, b: &Campaign) -> Vec<String> {
    let of = |c: &Campaign, other: &Campaign, prefix: &str| -> Vec<String> {
        let own = |note: &String| {
            if other.notes.contains(note) { note.clone() } else { format!("{prefix} {note}") }
        };
        c.notes.iter().map(own).collect()
    };
    let mut notes = of(a, b, PREFIXES[0]);
    notes.extend(of(b, a, PREFIXES[1]).into_iter().filter(|note| !a.notes.contains(note)));
    notes
}
